//! Label expressions: `:A:B`, `:A&B`, `:A|B`, `:!A`, `:%`, `:(A|B)&C`.

use super::Parser;
use crate::cypher::ast::LabelExpr;
use crate::cypher::error::Error;
use crate::cypher::lexer::Kind;

impl Parser<'_> {
    /// Labels after a colon, if they are there.
    pub(super) fn optional_labels(&mut self) -> Result<Option<LabelExpr>, Error> {
        if !self.eat(Kind::Colon) {
            return Ok(None);
        }
        self.with_bar(false, Self::labels).map(Some)
    }

    /// Labels, after their colon.
    pub(super) fn labels(&mut self) -> Result<LabelExpr, Error> {
        let first = self.label_conjunction()?;
        if self.bar_ends || self.kind() != Kind::Pipe {
            return Ok(first);
        }
        let mut parts = vec![first];
        while self.eat(Kind::Pipe) {
            self.eat(Kind::Colon);
            parts.push(self.label_conjunction()?);
        }
        Ok(LabelExpr::Or(parts))
    }

    fn label_conjunction(&mut self) -> Result<LabelExpr, Error> {
        let first = self.label()?;
        if !matches!(self.kind(), Kind::Colon | Kind::Ampersand) {
            return Ok(first);
        }
        let mut parts = vec![first];
        while matches!(self.kind(), Kind::Colon | Kind::Ampersand) {
            self.bump();
            parts.push(self.label()?);
        }
        Ok(LabelExpr::And(parts))
    }

    fn label(&mut self) -> Result<LabelExpr, Error> {
        match self.kind() {
            Kind::Exclamation => {
                self.bump();
                self.enter()?;
                let not = self.label()?;
                self.leave();
                Ok(LabelExpr::Not(Box::new(not)))
            }
            Kind::OpenParen => {
                self.bump();
                self.enter()?;
                let inner = self.with_bar(false, Self::labels)?;
                self.leave();
                self.expect(Kind::CloseParen, "')'")?;
                Ok(inner)
            }
            Kind::Percent => {
                self.bump();
                Ok(LabelExpr::Any)
            }
            _ => self.any_name("a label").map(LabelExpr::Name),
        }
    }
}
