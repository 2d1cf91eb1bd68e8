//! Unions, the order of clauses, and how a query ends.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::scope::Layer;
use super::{Checker, Within};
use crate::cypher::ast::{Clause, ClauseKind, Query, SingleQuery};
use crate::cypher::error::{Class, Error};

impl Checker<'_> {
    /// Checks a query, and tells its columns.
    pub fn query(&mut self, query: &Query, within: Within) -> Result<Vec<Arc<str>>, Error> {
        let columns = self.single_query(&query.first, within)?;
        let names: BTreeSet<_> = columns.iter().collect();
        let start = |part: &SingleQuery| part.span.start;
        let first = query.rest.first().map(|(union, _)| *union);
        if let Some((_, part)) = query.rest.iter().find(|(union, _)| Some(*union) != first) {
            let message = "Invalid combination of UNION and UNION ALL.";
            return Err(Error::new(Class::InvalidClauseComposition, start(part), message));
        }
        for (_, part) in &query.rest {
            let others = self.single_query(part, within)?;
            if others.iter().collect::<BTreeSet<_>>() != names {
                let message = "All sub queries in a UNION must have the same column names.";
                return Err(Error::new(Class::DifferentColumnsInUnion, start(part), message));
            }
        }
        Ok(columns)
    }

    /// Checks a query without unions. What it binds is forgotten at its end.
    fn single_query(
        &mut self,
        query: &SingleQuery,
        within: Within,
    ) -> Result<Vec<Arc<str>>, Error> {
        check_order(query, within)?;
        let imports =
            matches!(query.clauses.first(), Some(Clause { kind: ClauseKind::With(..), .. }));
        let sees = match within {
            Within::Nothing => false,
            Within::Call => imports,
            Within::ScopedCall | Within::Exists | Within::Collect => true,
        };
        let depth = self.scope.depth();
        self.scope.push(if sees { Layer::clear() } else { Layer::opaque() });
        let standalone = within == Within::Nothing && query.clauses.len() == 1;
        let mut columns = Vec::new();
        for clause in &query.clauses {
            columns = self.clause(clause, depth, standalone)?;
        }
        self.scope.cut(depth);
        Ok(columns)
    }
}

/// Whether the clauses may follow each other, and the last may be the last.
fn check_order(query: &SingleQuery, within: Within) -> Result<(), Error> {
    let composition = |clause: &Clause, message: String| {
        Err(Error::new(Class::InvalidClauseComposition, clause.span.start, message))
    };
    for pair in query.clauses.windows(2) {
        if let [Clause { kind: ClauseKind::Return(_), .. }, next] = pair {
            return composition(next, "Unexpected clause following RETURN".to_owned());
        }
    }
    let Some(last) = query.clauses.last() else { return Ok(()) };
    let reading = match &last.kind {
        ClauseKind::Match(_) => "MATCH",
        ClauseKind::With(..) => "WITH",
        ClauseKind::Unwind(..) => "UNWIND",
        ClauseKind::LoadCsv(_) => "LOAD CSV",
        ClauseKind::Return(_) => return Ok(()),
        _ if within == Within::Collect => "something else than RETURN",
        _ => return Ok(()),
    };
    if within == Within::Exists {
        return Ok(());
    }
    let message = format!(
        "Query cannot conclude with {reading} (must be a RETURN clause, an update clause, \
         a procedure call or a non-returning subquery)"
    );
    composition(last, message)
}

/// Whether a clause changes the graph, as far as it is seen without looking into others.
pub fn writes(kind: &ClauseKind) -> bool {
    matches!(
        kind,
        ClauseKind::Create(_)
            | ClauseKind::Merge(_)
            | ClauseKind::Set(_)
            | ClauseKind::Remove(_)
            | ClauseKind::Delete(..)
            | ClauseKind::Foreach(_)
    )
}
