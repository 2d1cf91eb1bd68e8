//! Queries and their parts.

use std::sync::Arc;

use super::Binder;
use super::names::Names;
use crate::cypher::ast::{self, ClauseKind};
use crate::plan::{Clause, Part, Query, Slot};
use crate::query::Error;

/// What a query is a part of, which decides what it sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Within {
    /// It is the statement.
    Nothing,
    /// `CALL { … }`: sees what a `WITH` at its start names.
    Call,
    /// It sees all that is in scope.
    Open,
}

/// The columns of a query: their names, and where they are.
pub type Columns = Vec<(Arc<str>, Slot)>;

impl Binder<'_> {
    /// Binds a query, and tells its columns.
    pub fn query(&mut self, query: &ast::Query, within: Within) -> Result<(Query, Columns), Error> {
        let mut parts = Vec::new();
        let mut columns: Columns = Vec::new();
        for part in query.parts() {
            let (clauses, found) = self.part(part, within)?;
            if parts.is_empty() {
                columns = found;
                let slots = columns.iter().map(|(_, slot)| *slot).collect();
                parts.push(Part { clauses, columns: slots });
                continue;
            }
            let slot = |(name, _): &(Arc<str>, Slot)| {
                found.iter().find(|(other, _)| other == name).map_or(0, |(_, slot)| *slot)
            };
            let slots = columns.iter().map(slot).collect();
            parts.push(Part { clauses, columns: slots });
        }
        if parts.len() > 1 {
            columns.iter_mut().for_each(|column| column.1 = self.slot());
        }
        let distinct = query.rest.first().is_some_and(|(union, _)| *union == ast::Union::Distinct);
        let by_row = !distinct && parts.iter().all(|part| part.clauses.iter().all(is_by_row));
        let slots = columns.iter().map(|(_, slot)| *slot).collect();
        let query = Query { parts, distinct, columns: slots, kept: self.kept.clone(), by_row };
        Ok((query, columns))
    }

    /// Binds a query without unions. What it binds is forgotten at its end.
    fn part(
        &mut self,
        query: &ast::SingleQuery,
        within: Within,
    ) -> Result<(Vec<Clause>, Columns), Error> {
        let before = self.names.clone();
        let imports =
            query.clauses.first().is_some_and(|clause| matches!(clause.kind, ClauseKind::With(..)));
        if within == Within::Nothing || within == Within::Call && !imports {
            self.names = Names::default();
        }
        let mut clauses = Vec::new();
        let mut columns = Vec::new();
        for clause in &query.clauses {
            columns = self.clause(&clause.kind, &mut clauses)?;
        }
        self.names = before;
        Ok((clauses, columns))
    }
}

/// Whether a clause does with each row the same, whatever other rows there are.
fn is_by_row(clause: &Clause) -> bool {
    match clause {
        Clause::Match(_)
        | Clause::Optional(_)
        | Clause::Unwind(..)
        | Clause::Project(_)
        | Clause::Filter(_)
        | Clause::Keep(_) => true,
        Clause::Subquery(call) => call.query.by_row,
        _ => false,
    }
}
