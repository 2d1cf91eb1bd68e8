//! Patterns of relationships.

use super::Parser;
use crate::cypher::ast::{Direction, LabelExpr, Length, RelationshipPattern};
use crate::cypher::error::{Class, Error};
use crate::cypher::lexer::{self, Kind, Number};
use crate::cypher::name::Name;

impl Parser<'_> {
    /// `-->`, `<--`, `-[variable:TYPE*1..3 {properties}]-`, …
    pub(super) fn relationship(&mut self) -> Result<RelationshipPattern, Error> {
        let start = self.start();
        let left = self.eat(Kind::Less);
        self.expect(Kind::Minus, "'-'")?;
        let detail = if self.kind() == Kind::OpenBracket {
            self.detail()?
        } else {
            RelationshipPattern {
                direction: Direction::Either,
                variable: None,
                types: None,
                length: None,
                properties: None,
                filter: None,
                span: self.since(start),
            }
        };
        self.expect(Kind::Minus, "'-'")?;
        let direction = match (left, self.eat(Kind::Greater)) {
            (true, false) => Direction::Left,
            (false, true) => Direction::Right,
            _ => Direction::Either,
        };
        Ok(RelationshipPattern { direction, span: self.since(start), ..detail })
    }

    /// What stands in square brackets.
    fn detail(&mut self) -> Result<RelationshipPattern, Error> {
        let start = self.bump().start;
        let (variable, types) = self.named_types()?;
        let length = if self.eat(Kind::Star) { Some(self.length()?) } else { None };
        let properties = self.properties()?;
        let filter = self.inline_filter()?;
        if self.kind() != Kind::CloseBracket {
            let mut error = self.unexpected("an integer, '..', '{', a parameter or ']'");
            if matches!(self.kind(), Kind::DotDot | Kind::Minus | Kind::Number) {
                error.class = Class::InvalidRelationshipPattern;
            }
            return Err(error);
        }
        self.bump();
        let (direction, span) = (Direction::Either, self.since(start));
        Ok(RelationshipPattern { direction, variable, types, length, properties, filter, span })
    }

    fn named_types(&mut self) -> Result<(Option<Name>, Option<LabelExpr>), Error> {
        let variable = if self.is_variable() { Some(self.variable()?) } else { None };
        Ok((variable, self.optional_labels()?))
    }

    /// What follows `*`: `2`, `1..3`, `..3`, `1..`, or nothing.
    fn length(&mut self) -> Result<Length, Error> {
        let min = self.bound()?;
        if !self.eat(Kind::DotDot) {
            return Ok(Length { min, max: min });
        }
        Ok(Length { min, max: self.bound()? })
    }

    fn bound(&mut self) -> Result<Option<u64>, Error> {
        if self.kind() != Kind::Number {
            return Ok(None);
        }
        let error = self.unexpected("an integer, '..', '{', a parameter or ']'");
        let token = self.bump();
        match lexer::number(self.since(token.start).of(self.text), token.start)? {
            Number::Integer(bound) => Ok(Some(bound)),
            Number::Float(_) => Err(Error { class: Class::InvalidRelationshipPattern, ..error }),
        }
    }
}
