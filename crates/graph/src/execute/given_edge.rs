//! Along relationships that are bound: their ends are found, or compared with what is there.

use super::hop::{is_used, shown_hop};
use super::scan::labels;
use super::steps::Steps;
use super::{Batch, Boxed, Column, NO_ID, Operator, Run, narrow, row_number};
use crate::cypher::ast::Direction;
use crate::plan::{Hop, PatternNode};
use crate::query::{Error, Explained};
use crate::value::Value;

/// Finds where a relationship that is bound, or a list of them, leads.
pub struct GivenEdge<'p> {
    input: Boxed<'p>,
    hop: Hop<'p>,
}

/// Whether a node may be that of a pattern.
fn fits(node: u32, wanted: Option<&PatternNode>, run: &Run<'_>) -> bool {
    let Some(wanted) = wanted else { return true };
    let view = run.view();
    labels(wanted, run)
        .is_some_and(|labels| labels.iter().all(|&label| view.has_label(node, label)))
}

impl<'p> GivenEdge<'p> {
    pub fn new(input: Boxed<'p>, hop: Hop<'p>) -> GivenEdge<'p> {
        GivenEdge { input, hop }
    }

    /// Where the relationship of a row begins and ends, as the pattern is followed.
    fn ends(&self, steps: &Steps, edge: u32, run: &Run<'_>) -> Vec<(u32, u32)> {
        let hop = &self.hop;
        let Some(ends) = run.view().ends(edge) else { return Vec::new() };
        let both = [(ends.source, ends.target), (ends.target, ends.source)];
        let forward = (hop.edge.direction == Direction::Right) != hop.reversed;
        let ways = match hop.edge.direction {
            Direction::Either if ends.source == ends.target => &both[..1],
            Direction::Either => &both[..],
            _ if forward => &both[..1],
            _ => &both[1..],
        };
        let leads = |&&(from, _): &&(u32, u32)| steps.may_lead(edge, hop, from, run).is_some();
        ways.iter().filter(leads).copied().collect()
    }

    /// Where the relationships of a row's list lead from a node.
    fn end_of_list(
        &self,
        steps: &Steps,
        list: &Value,
        from: u32,
        run: &Run<'_>,
    ) -> Option<(u32, u32)> {
        let Value::List(list, _) = list else { return None };
        let (min, max) = self.hop.edge.length?;
        let length = list.len() as u64;
        if from == NO_ID || length < min || length > max {
            return None;
        }
        let mut at = from;
        for place in 0..list.len() {
            let place = if self.hop.reversed { list.len() - 1 - place } else { place };
            let Value::Relationship(edge) = list[place] else { return None };
            if list[..place].contains(&list[place]) {
                return None;
            }
            at = steps.may_lead(narrow(edge), &self.hop, at, run)?;
        }
        Some((from, at))
    }

    fn found(&self, batch: &Batch, run: &mut Run<'_>) -> Result<Batch, Error> {
        let hop = &self.hop;
        let steps = Steps::new(hop, batch, run)?;
        let column = batch.column(hop.edge.slot);
        let bound = |slot: usize, node: Option<&PatternNode>| match node {
            Some(_) => Ok(None),
            None => batch.column(slot).node_ids(batch.len()).map(Some),
        };
        let (from, to) = (bound(hop.from, hop.source)?, bound(hop.to, hop.target)?);
        let unique: Vec<&Column> = hop.unique.iter().map(|&slot| batch.column(slot)).collect();
        let (mut rows, mut starts, mut ends) = (Vec::new(), Vec::new(), Vec::new());
        let edges = match hop.edge.length {
            None => Some(column.edge_ids(batch.len())?),
            Some(_) => None,
        };
        for row in 0..batch.len() {
            let ways = match &edges {
                Some(edges) if unique.iter().any(|used| is_used(used, row, edges[row])) => {
                    Vec::new()
                }
                Some(edges) => self.ends(&steps, edges[row], run),
                None => {
                    let from = from.as_ref().map_or(NO_ID, |from| from[row]);
                    let list = column.value(row);
                    self.end_of_list(&steps, &list, from, run).into_iter().collect()
                }
            };
            for (start, end) in ways {
                let is_so = from.as_ref().is_none_or(|from| from[row] == start)
                    && to.as_ref().is_none_or(|to| to[row] == end)
                    && (hop.from != hop.to || start == end)
                    && fits(start, hop.source, run)
                    && fits(end, hop.target, run);
                if is_so {
                    rows.push(row_number(row));
                    starts.push(start);
                    ends.push(end);
                }
            }
        }
        let mut out = batch.gather(&rows);
        if hop.source.is_some() {
            out.set(hop.from, Column::nodes(starts));
        }
        if hop.target.is_some() {
            out.set(hop.to, Column::nodes(ends));
        }
        Ok(out)
    }
}

impl Operator for GivenEdge<'_> {
    fn next(&mut self, run: &mut Run<'_>) -> Result<Option<Batch>, Error> {
        while let Some(batch) = self.input.next(run)? {
            run.check()?;
            let out = self.found(&batch, run)?;
            if !out.is_empty() {
                return Ok(Some(out));
            }
        }
        Ok(None)
    }

    fn explain(&self) -> Explained {
        let details = shown_hop(&self.hop);
        Explained::new("Conditional Traverse", details, vec![self.input.explain()])
    }
}
