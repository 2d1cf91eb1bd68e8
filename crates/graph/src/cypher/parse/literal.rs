//! Numbers and strings.

use super::Parser;
use crate::cypher::ast::{Expr, ExprKind, Literal};
use crate::cypher::error::Error;
use crate::cypher::lexer::{self, Kind, Number};

impl Parser<'_> {
    /// A number without a sign.
    pub(super) fn number(&mut self) -> Result<Expr, Error> {
        let start = self.start();
        let literal = match self.magnitude()? {
            Number::Float(value) => Literal::Float(value),
            Number::Integer(value) => match i64::try_from(value) {
                Ok(value) => Literal::Integer(value),
                Err(_) => return Err(lexer::integer_overflow(value, start)),
            },
        };
        Ok(Expr { kind: ExprKind::Literal(literal), span: self.since(start) })
    }

    /// Whether the token is a number of which no part is asked for: a sign before it is its own.
    pub(super) fn is_plain_number(&self) -> bool {
        let next = self.ahead(1).kind;
        self.kind() == Kind::Number && !matches!(next, Kind::Dot | Kind::OpenBracket | Kind::Colon)
    }

    /// A number whose sign began at a byte.
    pub(super) fn negative_number(&mut self, start: u32) -> Result<Expr, Error> {
        let literal = match self.magnitude()? {
            Number::Float(value) => Literal::Float(-value),
            Number::Integer(value) => Literal::Integer(0_i64.wrapping_sub_unsigned(value)),
        };
        Ok(Expr { kind: ExprKind::Literal(literal), span: self.since(start) })
    }

    fn magnitude(&mut self) -> Result<Number, Error> {
        let token = self.bump();
        lexer::number(self.since(token.start).of(self.text), token.start)
    }

    /// A string.
    pub(super) fn string(&mut self) -> Result<Expr, Error> {
        let token = self.bump();
        let span = self.since(token.start);
        let value = lexer::string(span.of(self.text), token.start)?;
        Ok(Expr { kind: ExprKind::Literal(Literal::String(value.as_ref().into())), span })
    }
}
