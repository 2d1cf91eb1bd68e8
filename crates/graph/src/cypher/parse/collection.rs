//! Lists, maps and comprehensions.

use super::Parser;
use crate::cypher::ast::{Expr, ExprKind, ListComprehension, PatternComprehension};
use crate::cypher::error::Error;
use crate::cypher::lexer::{Keyword, Kind};
use crate::cypher::name::Name;

impl Parser<'_> {
    /// A list, or a comprehension.
    pub(super) fn square_brackets(&mut self) -> Result<ExprKind, Error> {
        self.bump();
        if self.is_variable() && self.ahead(1).keyword == Keyword::In {
            let comprehension = self.list_comprehension()?;
            self.expect(Kind::CloseBracket, "']'")?;
            return Ok(ExprKind::ListComprehension(Box::new(comprehension)));
        }
        let named = self.is_variable() && self.ahead(1).kind == Kind::Equal;
        if self.is_pattern(if named { 2 } else { 0 }) {
            return self.pattern_comprehension();
        }
        let mut items = Vec::new();
        if self.kind() != Kind::CloseBracket {
            items = self.list(Self::expr)?;
        }
        self.expect(Kind::CloseBracket, "']'")?;
        Ok(ExprKind::List(items))
    }

    /// `x IN list [WHERE filter] [| value]`.
    pub(super) fn list_comprehension(&mut self) -> Result<ListComprehension, Error> {
        let variable = self.variable()?;
        self.expect_word(Keyword::In)?;
        let list = self.with_bar(true, Self::expr)?;
        let filter = self.with_bar(true, |parser| parser.after_word(Keyword::Where))?;
        let value = if self.eat(Kind::Pipe) { Some(self.expr()?) } else { None };
        Ok(ListComprehension { variable, list, filter, value })
    }

    fn pattern_comprehension(&mut self) -> Result<ExprKind, Error> {
        let path = self.path()?;
        let filter = self.with_bar(true, |parser| parser.after_word(Keyword::Where))?;
        self.expect(Kind::Pipe, "'|'")?;
        let value = self.expr()?;
        self.expect(Kind::CloseBracket, "']'")?;
        let comprehension = PatternComprehension { path, filter, value };
        Ok(ExprKind::PatternComprehension(Box::new(comprehension)))
    }

    /// `{key: value}`.
    pub(super) fn map(&mut self) -> Result<Vec<(Name, Expr)>, Error> {
        self.expect(Kind::OpenBrace, "'{'")?;
        let mut entries = Vec::new();
        if self.kind() != Kind::CloseBrace {
            entries = self.with_bar(false, |parser| parser.list(Self::entry))?;
        }
        self.expect(Kind::CloseBrace, "'}'")?;
        Ok(entries)
    }

    fn entry(&mut self) -> Result<(Name, Expr), Error> {
        let key = self.any_name("a property name or '}'")?;
        self.expect(Kind::Colon, "':'")?;
        Ok((key, self.expr()?))
    }
}
