//! Clauses.

use super::Binder;
use super::names::Names;
use super::query::{Columns, Within};
use crate::cypher::ast::{ClauseKind, SubqueryCall, SubqueryImports};
use crate::plan::{Clause, LoadCsv, SubqueryClause};
use crate::query::Error;

impl Binder<'_> {
    /// Binds a clause, and tells its columns if it returns.
    pub fn clause(&mut self, clause: &ClauseKind, out: &mut Vec<Clause>) -> Result<Columns, Error> {
        if !matches!(clause, ClauseKind::Create(_)) {
            self.count(2)?;
        }
        match clause {
            ClauseKind::Match(clause) => {
                let pattern = self.pattern(&clause.paths, clause.filter.as_ref())?;
                if !clause.optional {
                    let nodes = pattern.nodes.iter().map(|node| node.slot);
                    let slots = nodes.chain(pattern.edges.iter().map(|edge| edge.slot));
                    // What was bound before may be null elsewhere.
                    self.certain.extend(slots.filter(|slot| !pattern.bound.contains(slot)));
                }
                out.push(match clause.optional {
                    true => Clause::Optional(pattern),
                    false => Clause::Match(pattern),
                });
            }
            ClauseKind::Unwind(list, variable) => {
                let list = self.expression(list)?;
                let slot = self.name(&variable.text);
                out.push(Clause::Unwind(list, slot));
            }
            ClauseKind::With(projection, filter) => {
                self.projection(projection, filter.as_ref(), out)?;
            }
            ClauseKind::Return(projection) => return self.projection(projection, None, out),
            ClauseKind::Create(paths) => return self.create_clause(paths, out),
            ClauseKind::Subquery(call) => self.subquery_call(call, out)?,
            ClauseKind::Merge(merge) => out.push(Clause::Merge(self.merge(merge)?)),
            ClauseKind::Set(items) => out.push(Clause::Assign(self.set(items)?)),
            ClauseKind::Remove(items) => out.push(Clause::Assign(self.remove(items)?)),
            ClauseKind::Delete(detach, values) => {
                out.push(Clause::Delete(self.delete(*detach, values)?));
            }
            ClauseKind::Foreach(foreach) => out.push(Clause::Foreach(self.foreach(foreach)?)),
            ClauseKind::Call(call) => return self.call_procedure(call, out),
            ClauseKind::LoadCsv(load) => {
                let url = self.expression(&load.url)?;
                let separator = load.separator.as_ref().map(|value| self.expression(value));
                let separator = separator.transpose()?;
                let slot = self.name(&load.variable.text);
                let headers = load.headers;
                out.push(Clause::LoadCsv(LoadCsv { headers, url, separator, slot }));
            }
        }
        Ok(Vec::new())
    }

    /// `CALL { … }`.
    fn subquery_call(&mut self, call: &SubqueryCall, out: &mut Vec<Clause>) -> Result<(), Error> {
        let mark = self.touched.len();
        let origin = self.slot();
        let before = self.names.clone();
        let within = match &call.imports {
            SubqueryImports::Leading => Within::Call,
            SubqueryImports::All => Within::Open,
            SubqueryImports::Names(names) => {
                let mut seen = Vec::new();
                for name in names {
                    seen.push((name.text.clone(), self.lookup(&name.text)?));
                }
                self.names = Names::of(seen);
                Within::Open
            }
        };
        self.kept.push(origin);
        let bound = self.query(&call.query, within);
        self.kept.pop();
        self.names = before;
        let (query, mut columns) = bound?;
        // A column that is a variable of the row outside has its slot: it is copied to another, so
        // that the row keeps its own.
        let mut query = query;
        for (place, column) in columns.iter_mut().enumerate() {
            if column.1 < origin {
                let slot = self.slot();
                for part in &mut query.parts {
                    let from = part.columns[place];
                    part.clauses
                        .push(Clause::Project(vec![(slot, crate::plan::Expression::Slot(from))]));
                    part.columns[place] = slot;
                }
                query.columns[place] = slot;
                column.1 = slot;
            }
        }
        let outer = self.named_since(mark, origin);
        let returns = !columns.is_empty();
        self.names.extend(columns);
        out.push(Clause::Subquery(SubqueryClause { query, outer, origin, returns }));
        Ok(())
    }
}
