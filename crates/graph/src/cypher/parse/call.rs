//! `CALL` of procedures and of subqueries.

use super::Parser;
use crate::cypher::ast::{Call, ClauseKind, Procedure, SubqueryCall, SubqueryImports};
use crate::cypher::error::Error;
use crate::cypher::lexer::{Keyword, Kind};
use crate::cypher::name::Name;

impl Parser<'_> {
    pub(super) fn call(&mut self) -> Result<ClauseKind, Error> {
        self.bump();
        match self.kind() {
            Kind::OpenBrace => self.subquery_call(SubqueryImports::Leading),
            Kind::OpenParen => {
                let imports = self.imports()?;
                self.subquery_call(imports)
            }
            _ => self.procedure_call().map(ClauseKind::Call),
        }
    }

    /// `(a, b)`, `(*)`, `()`.
    fn imports(&mut self) -> Result<SubqueryImports, Error> {
        self.bump();
        let imports = match self.kind() {
            Kind::Star => {
                self.bump();
                SubqueryImports::All
            }
            Kind::CloseParen => SubqueryImports::Names(Vec::new()),
            _ => SubqueryImports::Names(self.list(Self::variable)?),
        };
        self.expect(Kind::CloseParen, "')'")?;
        Ok(imports)
    }

    fn subquery_call(&mut self, imports: SubqueryImports) -> Result<ClauseKind, Error> {
        self.expect(Kind::OpenBrace, "'{'")?;
        let query = self.with_bar(false, Self::query)?;
        self.expect(Kind::CloseBrace, "'}'")?;
        Ok(ClauseKind::Subquery(SubqueryCall { imports, query }))
    }

    fn procedure_call(&mut self) -> Result<Call, Error> {
        let name = self.dotted_name("a procedure name")?;
        let mut arguments = None;
        if self.eat(Kind::OpenParen) {
            arguments = Some(self.arguments()?);
        }
        let procedure = Procedure { name, arguments };
        let (mut columns, mut star, mut filter) = (None, false, None);
        if self.eat_word(Keyword::Yield) {
            star = self.eat(Kind::Star);
            if !star {
                columns = Some(self.list(Self::yield_item)?);
            }
            filter = self.after_word(Keyword::Where)?;
        }
        Ok(Call { procedure, columns, star, filter })
    }

    fn yield_item(&mut self) -> Result<(Name, Option<Name>), Error> {
        let column = self.any_name("an identifier")?;
        let renamed = if self.eat_word(Keyword::As) { Some(self.variable()?) } else { None };
        Ok((column, renamed))
    }
}
