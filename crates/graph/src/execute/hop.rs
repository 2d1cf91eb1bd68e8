//! Along one relationship: from a node to others, or to one that is bound.

use std::sync::Arc;

use super::scan::{labels, shown};
use super::steps::count;
use super::types::{kinds, ways};
use super::{Batch, Boxed, Column, NO_ID, Operator, ROWS, Run, row_number};
use crate::plan::{Hop, Live};
use crate::query::{Error, Explained};
use crate::storage::{LabelId, TypeId, View};
use crate::value::Value;

/// Follows the relationships of a node.
pub struct Expand<'p> {
    input: Boxed<'p>,
    hop: Hop<'p>,
    live: Live,
    /// The rows at work, and the row that is next.
    at_work: Option<(Rows, usize)>,
    found: Found,
}

/// Rows to start from, with what is asked of each way on.
struct Rows {
    batch: Batch,
    from: Arc<Vec<u32>>,
    /// The nodes to arrive at, if they are bound.
    to: Option<Arc<Vec<u32>>>,
    /// Relationships that may not be followed once more.
    unique: Vec<Column>,
}

/// What was found and is not passed on yet.
#[derive(Default)]
struct Found {
    rows: Vec<u32>,
    edges: Vec<u32>,
    nodes: Vec<u32>,
    through: usize,
}

/// What the graph calls that which a pattern names.
struct Wanted {
    kinds: Vec<TypeId>,
    labels: Vec<LabelId>,
}

/// Whether a relationship is, or is among, what was followed before.
pub fn is_used(used: &Column, row: usize, edge: u32) -> bool {
    match used {
        Column::Edges(edges) => edges[row] == edge,
        other => match other.value(row) {
            Value::Relationship(id) => id == u64::from(edge),
            Value::List(list, _) => list.contains(&Value::Relationship(edge.into())),
            _ => false,
        },
    }
}

/// After so many relationships the statement is asked whether it goes on.
const STEPS: usize = 1 << 16;

impl<'p> Expand<'p> {
    pub fn new(input: Boxed<'p>, hop: Hop<'p>, live: Live) -> Expand<'p> {
        Expand { input, hop, live, at_work: None, found: Found::default() }
    }

    fn rows(&self, batch: Batch) -> Result<Rows, Error> {
        let from = batch.column(self.hop.from).node_ids(batch.len())?;
        let to = match self.hop.target {
            Some(_) => None,
            None => Some(batch.column(self.hop.to).node_ids(batch.len())?),
        };
        let unique = self.hop.unique.iter().map(|&slot| batch.column(slot).clone()).collect();
        Ok(Rows { batch, from, to, unique })
    }

    fn wanted(&self, view: &View, run: &Run<'_>) -> Option<Wanted> {
        let labels = match self.hop.target {
            Some(node) => labels(node, run)?,
            None => Vec::new(),
        };
        Some(Wanted { kinds: kinds(self.hop.edge.types.as_ref(), view), labels })
    }

    /// Finds where a row leads to; how many relationships were looked at.
    fn find(
        (hop, found): (&Hop<'_>, &mut Found),
        (rows, row): (&Rows, usize),
        wanted: &Wanted,
        view: &View,
    ) -> usize {
        let mut seen = 1;
        let from = rows.from[row];
        let to = rows.to.as_ref().map(|to| to[row]);
        if from == NO_ID || to == Some(NO_ID) {
            return seen;
        }
        for &(way, loops) in ways(hop.edge.direction, hop.reversed) {
            for &kind in &wanted.kinds {
                // Between two nodes it is looked for where there are fewer.
                let (start, goal, way) = match to {
                    Some(to)
                        if view.degree(to, kind, way.back()) < view.degree(from, kind, way) =>
                    {
                        (to, Some(from), way.back())
                    }
                    _ => (from, to, way),
                };
                for (nodes, edges) in view.neighbours(start, kind, way) {
                    seen += edges.len();
                    for (&node, &edge) in nodes.iter().zip(edges) {
                        let fits = (loops || node != start)
                            && goal.is_none_or(|goal| goal == node)
                            && wanted.labels.iter().all(|&label| view.has_label(node, label))
                            && !rows.unique.iter().any(|used| is_used(used, row, edge));
                        if fits {
                            found.rows.push(row_number(row));
                            found.edges.push(edge);
                            found.nodes.push(to.unwrap_or(node));
                        }
                    }
                }
            }
        }
        seen
    }

    /// The next rows of what was found.
    fn pass_on(found: &mut Found, hop: &Hop<'_>, batch: &Batch, live: &Live) -> Batch {
        let end = found.rows.len().min(found.through + ROWS);
        let part = found.through..end;
        let mut out = batch.gather_live(&found.rows[part.clone()], live);
        if live.has(hop.edge.slot) {
            out.set(hop.edge.slot, Column::edges(found.edges[part.clone()].to_vec()));
        }
        if hop.target.is_some() && live.has(hop.to) {
            out.set(hop.to, Column::nodes(found.nodes[part].to_vec()));
        }
        found.through = end;
        if end == found.rows.len() {
            found.rows.clear();
            found.edges.clear();
            found.nodes.clear();
            found.through = 0;
        }
        out
    }
}

impl Operator for Expand<'_> {
    fn next(&mut self, run: &mut Run<'_>) -> Result<Option<Batch>, Error> {
        loop {
            if self.at_work.is_none() {
                let Some(batch) = self.input.next(run)? else { return Ok(None) };
                self.at_work = Some((self.rows(batch)?, 0));
            }
            run.check()?;
            let wanted = self.wanted(run.view(), run);
            let Some((rows, row)) = &mut self.at_work else { return Ok(None) };
            let Some(wanted) = wanted else {
                self.at_work = None;
                continue;
            };
            let mut seen = 0;
            let before = self.found.rows.len();
            while *row < rows.batch.len() && self.found.rows.len() - self.found.through < ROWS {
                count(rows.from[*row], &self.hop, &wanted.kinds, run)?;
                seen += Self::find((&self.hop, &mut self.found), (rows, *row), &wanted, run.view());
                *row += 1;
                if seen >= STEPS {
                    seen = 0;
                    run.check()?;
                }
            }
            let found = self.found.rows.len() - before;
            // A node may have very many relationships: they are found at once.
            run.keep(found * 12)?;
            run.release(found * 12);
            if self.found.rows.is_empty() {
                self.at_work = None;
                continue;
            }
            let out = Self::pass_on(&mut self.found, &self.hop, &rows.batch, &self.live);
            if *row >= rows.batch.len() && self.found.rows.is_empty() {
                self.at_work = None;
            }
            return Ok(Some(out));
        }
    }

    fn explain(&self) -> Explained {
        let name = match self.hop.target {
            Some(_) => "Conditional Traverse",
            None => "Expand Into",
        };
        Explained::new(name, shown_hop(&self.hop), vec![self.input.explain()])
    }
}

/// A relationship of a pattern, as it is followed.
pub fn shown_hop(hop: &Hop<'_>) -> String {
    let edge = hop.edge;
    let types = edge.types.as_ref().map(|types| format!(":{}", shown_types(types)));
    let length = edge.length.map(|(min, max)| match max {
        u64::MAX => format!("*{min}.."),
        max => format!("*{min}..{max}"),
    });
    let inner = format!("{}{}{}", edge.name, types.unwrap_or_default(), length.unwrap_or_default());
    let [left, right] = match (edge.direction, hop.reversed) {
        (crate::cypher::ast::Direction::Either, _) => ["-", "-"],
        (crate::cypher::ast::Direction::Right, false)
        | (crate::cypher::ast::Direction::Left, true) => ["-", "->"],
        _ => ["<-", "-"],
    };
    let target = hop.target.map_or_else(|| "()".to_owned(), shown);
    format!("{left}[{inner}]{right}{target}")
}

fn shown_types(types: &crate::plan::LabelTest) -> String {
    use crate::plan::LabelTest;
    let joined = |parts: &[LabelTest], sign: &str| {
        parts.iter().map(shown_types).collect::<Vec<_>>().join(sign)
    };
    match types {
        LabelTest::Name(name) => name.to_string(),
        LabelTest::Any => "%".to_owned(),
        LabelTest::Not(part) => format!("!{}", shown_types(part)),
        LabelTest::And(parts) => joined(parts, "&"),
        LabelTest::Or(parts) => joined(parts, "|"),
    }
}
