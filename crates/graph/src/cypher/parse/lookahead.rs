//! Is a bracket the start of a pattern, or of an expression?
//!
//! `(a)-[r]->(b)` is a pattern, `(a)-[1]` is a subtraction. What stands in the brackets, and what
//! follows them, tells: with the partner of each bracket at hand that is a matter of a few tokens.

use super::Parser;
use super::cursor::is_variable;
use crate::cypher::lexer::{Keyword, Kind};

impl Parser<'_> {
    /// Whether a pattern with at least one relationship begins some tokens ahead.
    pub(super) fn is_pattern(&self, ahead: usize) -> bool {
        let open = self.index() + ahead;
        let close = self.partner(open);
        self.token_at(open).kind == Kind::OpenParen
            && close > open
            && self.is_detail(open, close)
            && self.is_relationship(close + 1)
    }

    /// Whether what stands between two brackets can be that of a node or relationship.
    fn is_detail(&self, open: usize, close: usize) -> bool {
        let mut first = open + 1;
        if is_variable(self.token_at(first)) {
            first += 1;
        }
        let token = self.token_at(first);
        first == close
            || matches!(token.kind, Kind::Colon | Kind::OpenBrace | Kind::Parameter | Kind::Star)
            || token.keyword == Keyword::Where
    }

    /// Whether a relationship that leads to a node begins at a token.
    fn is_relationship(&self, from: usize) -> bool {
        let left = usize::from(self.token_at(from).kind == Kind::Less);
        let mut next = from + left;
        if self.token_at(next).kind != Kind::Minus {
            return false;
        }
        next += 1;
        if self.token_at(next).kind == Kind::OpenBracket {
            let close = self.partner(next);
            if close == next || !self.is_detail(next, close) {
                return false;
            }
            next = close + 1;
        }
        let right = usize::from(self.token_at(next + 1).kind == Kind::Greater);
        self.token_at(next).kind == Kind::Minus
            && self.token_at(next + 1 + right).kind == Kind::OpenParen
    }
}
