//! What follows a value: `.key`, `[index]`, `[from..to]`, `:Label`.

use super::Parser;
use crate::cypher::ast::{Access, Expr, ExprKind, Step};
use crate::cypher::error::Error;
use crate::cypher::lexer::Kind;

impl Parser<'_> {
    /// A value, a part of it, or whether it has labels.
    pub(super) fn postfix(&mut self) -> Result<Expr, Error> {
        let start = self.start();
        let value = self.access()?;
        if !self.eat(Kind::Colon) {
            return Ok(value);
        }
        let labels = self.labels()?;
        Ok(Expr { kind: ExprKind::Labels(Box::new(value), labels), span: self.since(start) })
    }

    /// A value or a part of it.
    pub(super) fn access(&mut self) -> Result<Expr, Error> {
        let start = self.start();
        let base = self.atom()?;
        let mut steps = Vec::new();
        loop {
            match self.kind() {
                Kind::Dot => {
                    self.bump();
                    steps.push(Step::Property(self.any_name("a property name")?));
                }
                Kind::OpenBracket => steps.push(self.index_or_slice()?),
                _ => break,
            }
        }
        if steps.is_empty() {
            return Ok(base);
        }
        let access = Box::new(Access { base, steps });
        Ok(Expr { kind: ExprKind::Access(access), span: self.since(start) })
    }

    fn index_or_slice(&mut self) -> Result<Step, Error> {
        self.bump();
        let step = self.with_bar(false, |parser| {
            let from = if parser.kind() == Kind::DotDot { None } else { Some(parser.expr()?) };
            match from {
                Some(index) if parser.kind() != Kind::DotDot => Ok(Step::Index(index)),
                from => {
                    parser.expect(Kind::DotDot, "'..'")?;
                    let open = parser.kind() == Kind::CloseBracket;
                    let to = if open { None } else { Some(parser.expr()?) };
                    Ok(Step::Slice(from, to))
                }
            }
        })?;
        self.expect(Kind::CloseBracket, "']'")?;
        Ok(step)
    }
}
