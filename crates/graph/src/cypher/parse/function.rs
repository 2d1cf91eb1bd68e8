//! Calls of functions, and what looks like one.

use super::Parser;
use crate::cypher::ast::{
    Clause, ClauseKind, Expr, ExprKind, FunctionCall, Match, Quantifier, QuantifierKind, Query,
    Reduce, SingleQuery, Subquery, SubqueryKind,
};
use crate::cypher::error::Error;
use crate::cypher::lexer::{Keyword, Kind};
use crate::cypher::name::{Name, Span};

impl Parser<'_> {
    /// A word before a round bracket.
    pub(super) fn called(&mut self) -> Result<ExprKind, Error> {
        let over_elements = self.ahead(3).keyword == Keyword::In;
        match self.keyword() {
            Keyword::All if over_elements => self.quantifier(QuantifierKind::All),
            Keyword::Any if over_elements => self.quantifier(QuantifierKind::Any),
            Keyword::None if over_elements => self.quantifier(QuantifierKind::None),
            Keyword::Single if over_elements => self.quantifier(QuantifierKind::Single),
            Keyword::Reduce if self.ahead(3).kind == Kind::Equal => self.reduce(),
            Keyword::Count if self.ahead(2).kind == Kind::Star => {
                self.bump();
                self.bump();
                self.bump();
                self.expect(Kind::CloseParen, "')'")?;
                Ok(ExprKind::CountStar)
            }
            keyword if keyword.is_reserved() => Err(self.unexpected("an expression")),
            _ if over_elements && self.is_comprehension_of_old() => {
                self.bump();
                self.bump();
                let comprehension = self.with_bar(false, Self::list_comprehension)?;
                self.expect(Kind::CloseParen, "')'")?;
                Ok(ExprKind::ListComprehension(Box::new(comprehension)))
            }
            _ => self.function(),
        }
    }

    /// `filter(x IN …)` and `extract(x IN …)`: list comprehensions as they once were.
    fn is_comprehension_of_old(&self) -> bool {
        let token = self.ahead(0);
        let word = Span { start: token.start, end: token.end }.of(self.text);
        word.eq_ignore_ascii_case("filter") || word.eq_ignore_ascii_case("extract")
    }

    /// Whether words with dots between them, and then a round bracket, begin at the token.
    pub(super) fn is_dotted_call(&self) -> bool {
        let mut ahead = 0;
        loop {
            if !matches!(self.ahead(ahead).kind, Kind::Word | Kind::Quoted) {
                return false;
            }
            match self.ahead(ahead + 1).kind {
                Kind::Dot => ahead += 2,
                kind => return kind == Kind::OpenParen,
            }
        }
    }

    /// Words with dots between them.
    pub(super) fn dotted_name(&mut self, called: &str) -> Result<Name, Error> {
        let start = self.start();
        let first = self.any_name(called)?;
        if self.kind() != Kind::Dot {
            return Ok(first);
        }
        let mut text = first.text.to_string();
        while self.eat(Kind::Dot) {
            text.push('.');
            text.push_str(&self.any_name(called)?.text);
        }
        Ok(Name::new(&text, self.since(start)))
    }

    pub(super) fn function(&mut self) -> Result<ExprKind, Error> {
        let name = self.dotted_name("a function name")?;
        self.expect(Kind::OpenParen, "'('")?;
        let distinct = self.eat_word(Keyword::Distinct);
        let arguments = self.arguments()?;
        Ok(ExprKind::Function(FunctionCall { name, distinct, arguments }))
    }

    /// Arguments, after the bracket that opens them.
    pub(super) fn arguments(&mut self) -> Result<Vec<Expr>, Error> {
        let mut arguments = Vec::new();
        if self.kind() != Kind::CloseParen {
            arguments = self.with_bar(false, |parser| parser.list(Self::expr))?;
        }
        self.expect(Kind::CloseParen, "')'")?;
        Ok(arguments)
    }

    fn quantifier(&mut self, kind: QuantifierKind) -> Result<ExprKind, Error> {
        self.bump();
        self.bump();
        let variable = self.variable()?;
        self.expect_word(Keyword::In)?;
        let (list, filter) = self
            .with_bar(false, |parser| Ok((parser.expr()?, parser.after_word(Keyword::Where)?)))?;
        self.expect(Kind::CloseParen, "')'")?;
        Ok(ExprKind::Quantifier(Box::new(Quantifier { kind, variable, list, filter })))
    }

    fn reduce(&mut self) -> Result<ExprKind, Error> {
        self.bump();
        self.bump();
        let accumulator = self.variable()?;
        self.expect(Kind::Equal, "'='")?;
        let start = self.with_bar(false, Self::expr)?;
        self.expect(Kind::Comma, "','")?;
        let variable = self.variable()?;
        self.expect_word(Keyword::In)?;
        let list = self.with_bar(true, Self::expr)?;
        self.expect(Kind::Pipe, "'|'")?;
        let step = self.with_bar(false, Self::expr)?;
        self.expect(Kind::CloseParen, "')'")?;
        Ok(ExprKind::Reduce(Box::new(Reduce { accumulator, start, variable, list, step })))
    }

    /// `EXISTS { … }` and its like: a query, or a pattern alone.
    pub(super) fn subquery(&mut self, kind: SubqueryKind) -> Result<ExprKind, Error> {
        self.bump();
        self.bump();
        let query = self.with_bar(false, |parser| {
            let is_query = parser.keyword().begins_clause();
            if is_query { parser.query() } else { parser.pattern_query() }
        })?;
        self.expect(Kind::CloseBrace, "'}'")?;
        Ok(ExprKind::Subquery(Box::new(Subquery { kind, query })))
    }

    /// `(a)-->(b) WHERE filter`, which means `MATCH (a)-->(b) WHERE filter`.
    fn pattern_query(&mut self) -> Result<Query, Error> {
        let start = self.start();
        let paths = self.list(Self::path)?;
        let filter = self.after_word(Keyword::Where)?;
        let span = self.since(start);
        let kind = ClauseKind::Match(Match { optional: false, paths, filter });
        let first = SingleQuery { clauses: vec![Clause { kind, span }], span };
        Ok(Query { first, rest: Vec::new() })
    }
}
