//! Values that are no operators: which rule begins with which token.

use super::Parser;
use crate::cypher::ast::{Case, Expr, ExprKind, Literal, MapProjection, MapSelector, SubqueryKind};
use crate::cypher::error::Error;
use crate::cypher::lexer::{Keyword, Kind};

/// What messages say where any value may stand.
const VALUE: &str = "NOT, '+', '-', TRUE, FALSE, NULL, \"...string...\", a float, an integer, '[', \
                     a parameter, '{', CASE, REDUCE, ALL, ANY, NONE, SINGLE, EXISTS, COUNT, \
                     COLLECT, shortestPath, allShortestPaths, '(', a function name or an \
                     identifier";

impl Parser<'_> {
    /// A value.
    pub(super) fn atom(&mut self) -> Result<Expr, Error> {
        let start = self.start();
        let kind = match self.kind() {
            Kind::Number => return self.number(),
            Kind::String => return self.string(),
            Kind::Parameter => ExprKind::Parameter(self.parameter()),
            Kind::OpenBracket => self.with_bar(false, Self::square_brackets)?,
            Kind::OpenBrace => ExprKind::Map(self.map()?),
            Kind::OpenParen if self.is_pattern(0) => ExprKind::Pattern(Box::new(self.path()?)),
            Kind::OpenParen => {
                self.bump();
                let inner = self.with_bar(false, Self::expr)?;
                self.expect(Kind::CloseParen, "')'")?;
                inner.kind
            }
            Kind::Word | Kind::Quoted => self.word()?,
            _ => return Err(self.unexpected(VALUE)),
        };
        Ok(Expr { kind, span: self.since(start) })
    }

    /// A value that begins with a word.
    fn word(&mut self) -> Result<ExprKind, Error> {
        let next = self.ahead(1).kind;
        match (self.keyword(), next) {
            (Keyword::Null, _) => Ok(self.constant(Literal::Null)),
            (Keyword::True, _) => Ok(self.constant(Literal::Boolean(true))),
            (Keyword::False, _) => Ok(self.constant(Literal::Boolean(false))),
            (Keyword::Case, _) => self.case(),
            (Keyword::Exists, Kind::OpenBrace) => self.subquery(SubqueryKind::Exists),
            (Keyword::Count, Kind::OpenBrace) => self.subquery(SubqueryKind::Count),
            (Keyword::Collect, Kind::OpenBrace) => self.subquery(SubqueryKind::Collect),
            (Keyword::ShortestPath | Keyword::AllShortestPaths, Kind::OpenParen) => {
                Ok(ExprKind::Pattern(Box::new(self.path()?)))
            }
            (_, Kind::OpenParen) => self.called(),
            (_, Kind::Dot) if self.is_dotted_call() => self.function(),
            (_, Kind::OpenBrace) => self.map_projection(),
            _ if self.is_variable() => self.variable().map(ExprKind::Variable),
            _ => Err(self.unexpected(VALUE)),
        }
    }

    fn constant(&mut self, literal: Literal) -> ExprKind {
        self.bump();
        ExprKind::Literal(literal)
    }

    fn case(&mut self) -> Result<ExprKind, Error> {
        self.bump();
        self.with_bar(false, |parser| {
            let is_simple = parser.keyword() != Keyword::When;
            let subject = if is_simple { Some(parser.expr()?) } else { None };
            let mut branches = Vec::new();
            while branches.is_empty() || parser.keyword() == Keyword::When {
                parser.expect_word(Keyword::When)?;
                let condition = parser.expr()?;
                parser.expect_word(Keyword::Then)?;
                branches.push((condition, parser.expr()?));
            }
            let otherwise = parser.after_word(Keyword::Else)?;
            parser.expect_word(Keyword::End)?;
            Ok(ExprKind::Case(Box::new(Case { subject, branches, otherwise })))
        })
    }

    /// `variable {.key, .*, other, name: value}`.
    fn map_projection(&mut self) -> Result<ExprKind, Error> {
        let entity = self.variable()?;
        self.bump();
        let mut selectors = Vec::new();
        if self.kind() != Kind::CloseBrace {
            selectors = self.with_bar(false, |parser| parser.list(Self::selector))?;
        }
        self.expect(Kind::CloseBrace, "'}'")?;
        Ok(ExprKind::MapProjection(Box::new(MapProjection { entity, selectors })))
    }

    fn selector(&mut self) -> Result<MapSelector, Error> {
        if self.eat(Kind::Dot) {
            if self.eat(Kind::Star) {
                return Ok(MapSelector::All);
            }
            return self.any_name("a property name").map(MapSelector::Property);
        }
        if self.ahead(1).kind != Kind::Colon {
            return self.variable().map(MapSelector::Variable);
        }
        let name = self.any_name("a property name")?;
        self.bump();
        Ok(MapSelector::Entry(name, self.expr()?))
    }
}
