//! All nodes, or all that have some labels: beside each row that comes in.

use super::{Batch, Boxed, Column, NO_ID, Operator, ROWS, Run, row_number};
use crate::plan::{Live, PatternNode};
use crate::query::{Error, Explained};
use crate::storage::LabelId;

/// Finds the nodes that may be one of the pattern, for each row.
pub struct Scan<'p> {
    input: Boxed<'p>,
    node: &'p PatternNode,
    live: Live,
    /// The rows at work, and the row that is next.
    at_work: Option<(Batch, usize)>,
    /// The segment of nodes that is next.
    segment: usize,
    /// Nodes that were found for the row, and how many of them are through.
    found: Vec<u32>,
    through: usize,
}

impl<'p> Scan<'p> {
    pub fn new(input: Boxed<'p>, node: &'p PatternNode, live: Live) -> Scan<'p> {
        Scan { input, node, live, at_work: None, segment: 0, found: Vec::new(), through: 0 }
    }
}

/// After so many segments the statement is asked whether it goes on.
const SEGMENTS: usize = 64;

/// The numbers of labels; none if one of them is not known, and so no node has it.
pub fn labels(node: &PatternNode, run: &Run<'_>) -> Option<Vec<LabelId>> {
    node.labels.iter().map(|label| run.view().label(label)).collect()
}

impl Operator for Scan<'_> {
    fn next(&mut self, run: &mut Run<'_>) -> Result<Option<Batch>, Error> {
        loop {
            if self.at_work.is_none() {
                let Some(batch) = self.input.next(run)? else { return Ok(None) };
                self.at_work = Some((batch, 0));
            }
            run.check()?;
            let Some((batch, row)) = &mut self.at_work else { return Ok(None) };
            let labels = labels(self.node, run);
            let view = run.view();
            let segments = labels.as_ref().map_or(0, |_| view.node_segments());
            let labels = labels.unwrap_or_default();
            let (mut rows, mut nodes) = (Vec::new(), Vec::new());
            while *row < batch.len() && nodes.len() < ROWS {
                if self.through < self.found.len() {
                    let end = self.found.len().min(self.through + ROWS - nodes.len());
                    nodes.extend_from_slice(&self.found[self.through..end]);
                    rows.resize(nodes.len(), row_number(*row));
                    self.through = end;
                } else if self.segment < segments {
                    self.found.clear();
                    self.through = 0;
                    view.append_nodes(self.segment, &labels, &mut self.found);
                    self.segment += 1;
                    if self.segment.is_multiple_of(SEGMENTS) {
                        run.check()?;
                    }
                } else {
                    self.segment = 0;
                    *row += 1;
                }
            }
            let mut out = batch.gather_live(&rows, &self.live);
            out.set(self.node.slot, Column::nodes(nodes));
            if *row >= batch.len() {
                self.at_work = None;
            }
            if !out.is_empty() {
                return Ok(Some(out));
            }
        }
    }

    fn explain(&self) -> Explained {
        let node = self.node;
        let name = if node.labels.is_empty() { "All Node Scan" } else { "Node By Label Scan" };
        Explained::new(name, shown(node), vec![self.input.explain()])
    }
}

/// A node of a pattern as it is written.
pub fn shown(node: &PatternNode) -> String {
    let labels: Vec<String> = node.labels.iter().map(|label| format!(":{label}")).collect();
    format!("({}{})", node.name, labels.concat())
}

/// Lets rows pass whose node is one, with the labels of the pattern.
pub struct Check<'p> {
    pub input: Boxed<'p>,
    pub node: &'p PatternNode,
}

impl Operator for Check<'_> {
    fn next(&mut self, run: &mut Run<'_>) -> Result<Option<Batch>, Error> {
        while let Some(batch) = self.input.next(run)? {
            let ids = batch.column(self.node.slot).node_ids(batch.len())?;
            let Some(labels) = labels(self.node, run) else { continue };
            let view = run.view();
            let fits =
                |id: u32| id != NO_ID && labels.iter().all(|&label| view.has_label(id, label));
            let rows = (0..batch.len()).filter(|&row| fits(ids[row]));
            let rows: Vec<u32> = rows.map(row_number).collect();
            if rows.is_empty() {
                continue;
            }
            let mut batch = if rows.len() == batch.len() { batch } else { batch.gather(&rows) };
            let ids = batch.column(self.node.slot).node_ids(batch.len())?;
            batch.set(self.node.slot, Column::Nodes(ids));
            return Ok(Some(batch));
        }
        Ok(None)
    }

    fn explain(&self) -> Explained {
        if self.node.labels.is_empty() {
            return self.input.explain();
        }
        Explained::new("Filter", shown(self.node), vec![self.input.explain()])
    }
}
