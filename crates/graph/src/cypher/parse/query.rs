//! Statements, unions, and which clause begins with which word.

use super::Parser;
use crate::cypher::ast::{Body, Clause, ClauseKind, Query, SingleQuery, Union};
use crate::cypher::error::{Class, Error};
use crate::cypher::lexer::{Keyword, Kind};

impl Parser<'_> {
    /// All of a statement but its header, up to the end of the text.
    pub fn body(&mut self) -> Result<Body, Error> {
        if self.kind() == Kind::End {
            return Err(Error::new(Class::UnexpectedSyntax, self.start(), "Error: empty query."));
        }
        let body = match self.index_command()? {
            Some(command) => Body::Index(command),
            None => Body::Query(self.query()?),
        };
        if self.eat(Kind::Semicolon) && self.kind() != Kind::End {
            let message = "Error: query with more than one statement is not supported.";
            return Err(Error::new(Class::InvalidClauseComposition, self.start(), message));
        }
        self.expect(Kind::End, "a clause")?;
        Ok(body)
    }

    /// Queries with `UNION` between them.
    pub(super) fn query(&mut self) -> Result<Query, Error> {
        self.enter()?;
        let first = self.single_query()?;
        let mut rest = Vec::new();
        while self.eat_word(Keyword::Union) {
            let union = if self.eat_word(Keyword::All) {
                Union::All
            } else {
                self.eat_word(Keyword::Distinct);
                Union::Distinct
            };
            rest.push((union, self.single_query()?));
        }
        self.leave();
        Ok(Query { first, rest })
    }

    fn single_query(&mut self) -> Result<SingleQuery, Error> {
        let start = self.start();
        let mut clauses = vec![self.clause()?];
        while self.keyword().begins_clause() && self.keyword() != Keyword::Union {
            clauses.push(self.clause()?);
        }
        Ok(SingleQuery { clauses, span: self.since(start) })
    }

    /// A clause.
    pub(super) fn clause(&mut self) -> Result<Clause, Error> {
        let start = self.start();
        let kind = match self.keyword() {
            Keyword::Optional | Keyword::Match => ClauseKind::Match(self.match_clause()?),
            Keyword::Unwind => self.unwind()?,
            Keyword::With => self.with()?,
            Keyword::Return => self.return_clause()?,
            Keyword::Create => self.create()?,
            Keyword::Merge => ClauseKind::Merge(self.merge()?),
            Keyword::Set => self.set()?,
            Keyword::Remove => self.remove()?,
            Keyword::Delete | Keyword::Detach => self.delete()?,
            Keyword::Call => self.call()?,
            Keyword::Foreach => ClauseKind::Foreach(self.foreach()?),
            Keyword::Load => ClauseKind::LoadCsv(self.load_csv()?),
            _ => return Err(self.unexpected("a clause")),
        };
        Ok(Clause { kind, span: self.since(start) })
    }
}
