//! Along several relationships in a row, of which none comes twice: depth first, so that what is
//! kept is one way, and not all of them.

use std::sync::Arc;

use super::hop::{is_used, shown_hop};
use super::scan::labels;
use super::steps::{Steps, list};
use super::{Batch, Boxed, Column, NO_ID, Operator, ROWS, Run, row_number};
use crate::plan::{Hop, Live};
use crate::query::{Error, Explained};
use crate::storage::LabelId;
use crate::value::Value;

/// Follows relationships in a row.
pub struct Trail<'p> {
    input: Boxed<'p>,
    hop: Hop<'p>,
    live: Live,
    at_work: Option<Rows>,
}

/// Rows to start from, and the way that is looked at.
struct Rows {
    batch: Batch,
    from: Arc<Vec<u32>>,
    /// The nodes to arrive at, if they are bound.
    to: Option<Arc<Vec<u32>>>,
    /// What the node to arrive at is to have. None: there is no such label.
    labels: Option<Vec<LabelId>>,
    unique: Vec<Column>,
    steps: Steps,
    /// The row that is next.
    row: usize,
    /// The relationships of the way.
    way: Vec<u32>,
    /// Of each node of the way the steps that lead on, the last ones first.
    open: Vec<Vec<(u32, u32)>>,
}

/// What was found.
#[derive(Default)]
struct Found {
    rows: Vec<u32>,
    lists: Vec<Value>,
    /// Whether the lists are asked for.
    with_lists: bool,
    nodes: Vec<u32>,
}

/// How many steps are taken between two questions whether the statement may go on.
const STEPS: usize = 4096;

impl<'p> Trail<'p> {
    pub fn new(input: Boxed<'p>, hop: Hop<'p>, live: Live) -> Trail<'p> {
        Trail { input, hop, live, at_work: None }
    }

    fn rows(&self, batch: Batch, run: &mut Run<'_>) -> Result<Rows, Error> {
        let hop = &self.hop;
        let to = match hop.target {
            Some(_) => None,
            None => Some(batch.column(hop.to).node_ids(batch.len())?),
        };
        let columns = hop.unique.iter().map(|&slot| batch.column(slot).clone());
        Ok(Rows {
            from: batch.column(hop.from).node_ids(batch.len())?,
            to,
            labels: hop.target.map_or_else(|| Some(Vec::new()), |node| labels(node, run)),
            unique: columns.collect(),
            steps: Steps::new(hop, &batch, run)?,
            row: 0,
            way: Vec::new(),
            open: Vec::new(),
            batch,
        })
    }
}

/// Bytes of the steps that are open at a node: the same before they are taken and after.
fn memory_of(steps: &Vec<(u32, u32)>) -> usize {
    steps.capacity() * size_of::<(u32, u32)>()
}

impl Rows {
    /// Whether a way of so many relationships may end at a node.
    fn may_end(&self, node: u32, length: usize, hop: &Hop<'_>, run: &Run<'_>) -> bool {
        let (min, _) = hop.edge.length.unwrap_or((1, 1));
        let view = run.view();
        length as u64 >= min
            && self.to.as_ref().is_none_or(|to| to[self.row] == node)
            && self
                .labels
                .as_ref()
                .is_some_and(|labels| labels.iter().all(|&label| view.has_label(node, label)))
    }

    /// Goes on from a node, or ends there.
    fn arrive(
        &mut self,
        node: u32,
        hop: &Hop<'_>,
        found: &mut Found,
        run: &mut Run<'_>,
    ) -> Result<(), Error> {
        if self.may_end(node, self.way.len(), hop, run) {
            found.rows.push(row_number(self.row));
            if found.with_lists {
                found.lists.push(list(&self.way, hop.reversed)?);
            }
            found.nodes.push(node);
        }
        let (_, max) = hop.edge.length.unwrap_or((1, 1));
        let mut steps = Vec::new();
        if (self.way.len() as u64) < max {
            steps = self.steps.from(node, hop, (&self.batch, self.row), run)?;
            steps.reverse();
            run.keep(memory_of(&steps))?;
        }
        self.open.push(steps);
        Ok(())
    }

    /// Finds ways of the rows until there are enough. Returns whether there are more.
    fn find(&mut self, hop: &Hop<'_>, found: &mut Found, run: &mut Run<'_>) -> Result<bool, Error> {
        let mut taken = 0_usize;
        while found.rows.len() < ROWS {
            taken += 1;
            if taken.is_multiple_of(STEPS) {
                run.check()?;
            }
            let Some(steps) = self.open.last_mut() else {
                if self.row >= self.batch.len() {
                    return Ok(false);
                }
                let from = self.from[self.row];
                if from == NO_ID {
                    self.row += 1;
                    continue;
                }
                self.arrive(from, hop, found, run)?;
                continue;
            };
            let Some((edge, node)) = steps.pop() else {
                run.release(memory_of(steps));
                self.open.pop();
                if self.way.pop().is_none() {
                    self.row += 1;
                }
                continue;
            };
            let row = self.row;
            if self.way.contains(&edge) || self.unique.iter().any(|used| is_used(used, row, edge)) {
                continue;
            }
            self.way.push(edge);
            self.arrive(node, hop, found, run)?;
        }
        Ok(true)
    }
}

impl Operator for Trail<'_> {
    fn next(&mut self, run: &mut Run<'_>) -> Result<Option<Batch>, Error> {
        loop {
            if self.at_work.is_none() {
                let Some(batch) = self.input.next(run)? else { return Ok(None) };
                self.at_work = Some(self.rows(batch, run)?);
            }
            run.check()?;
            let Some(rows) = &mut self.at_work else { return Ok(None) };
            let with_lists = self.live.has(self.hop.edge.slot);
            let mut found = Found { with_lists, ..Found::default() };
            let more = rows.find(&self.hop, &mut found, run)?;
            let mut out = rows.batch.gather_live(&found.rows, &self.live);
            if self.live.has(self.hop.edge.slot) {
                out.set(self.hop.edge.slot, Column::Values(Arc::new(found.lists)));
            }
            if self.hop.target.is_some() {
                out.set(self.hop.to, Column::nodes(found.nodes));
            }
            if !more {
                self.at_work = None;
            }
            if !out.is_empty() {
                return Ok(Some(out));
            }
        }
    }

    fn explain(&self) -> Explained {
        let name = "Conditional Variable Length Traverse";
        Explained::new(name, shown_hop(&self.hop), vec![self.input.explain()])
    }
}
