//! The last step of a match of which only the number is asked: it is counted and not taken. A row
//! stands for as many as its weight says.

use std::sync::Arc;

use super::types::kinds;
use super::{Batch, Boxed, Column, NO_ID, Operator, Run, row_number};
use crate::cypher::ast::{Direction as Arrow, PathKind};
use crate::plan::{Hop, Live, PatternNode, Slot, Step};
use crate::query::{Error, Explained};
use crate::storage::Direction;

/// What is counted for each row.
pub enum Counted<'p> {
    /// The nodes that may be one of the pattern.
    Nodes(&'p PatternNode),
    /// The relationships of a node.
    Degree(Hop<'p>),
}

/// Gives rows a weight.
pub struct Weigh<'p> {
    pub input: Boxed<'p>,
    pub counted: Counted<'p>,
    pub slot: Slot,
}

/// What of a step can be counted, if nothing that it finds is read later.
pub fn counted<'p>(step: &Step<'p>, live: &Live) -> Option<(Counted<'p>, Slot)> {
    match step {
        Step::Scan(node) if node.labels.len() <= 1 && !live.has(node.slot) => {
            Some((Counted::Nodes(node), node.slot))
        }
        Step::Hop(hop) => {
            let edge = hop.edge;
            let single = edge.kind == PathKind::All
                && edge.length.is_none()
                && edge.direction != Arrow::Either
                && !hop.given
                && hop.unique.is_empty();
            let target = hop.target.filter(|node| node.labels.is_empty())?;
            let unread = !live.has(edge.slot) && !live.has(target.slot);
            (single && unread).then(|| (Counted::Degree(hop.clone()), edge.slot))
        }
        _ => None,
    }
}

impl Weigh<'_> {
    fn weights(&self, batch: &Batch, run: &Run<'_>) -> Result<Vec<i64>, Error> {
        let view = run.view();
        let number = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        match &self.counted {
            Counted::Nodes(node) => {
                let count = match node.labels.first() {
                    None => view.node_count(),
                    Some(label) => view.label(label).map_or(0, |label| view.label_count(label)),
                };
                Ok(vec![number(count); batch.len()])
            }
            Counted::Degree(hop) => {
                let kinds = kinds(hop.edge.types.as_ref(), view);
                let way = match (hop.edge.direction == Arrow::Right) != hop.reversed {
                    true => Direction::Out,
                    false => Direction::In,
                };
                let from = batch.column(hop.from).node_ids(batch.len())?;
                let degree = |&id: &u32| match id {
                    NO_ID => 0,
                    id => kinds.iter().map(|&kind| number(view.degree(id, kind, way))).sum(),
                };
                Ok(from.iter().map(degree).collect())
            }
        }
    }
}

impl Operator for Weigh<'_> {
    fn next(&mut self, run: &mut Run<'_>) -> Result<Option<Batch>, Error> {
        while let Some(batch) = self.input.next(run)? {
            let weights = self.weights(&batch, run)?;
            // A row that stands for none is none.
            let rows: Vec<u32> =
                (0..batch.len()).filter(|&row| weights[row] > 0).map(row_number).collect();
            if rows.is_empty() {
                continue;
            }
            let (mut batch, mut weights) = (batch, Column::Integers(Arc::new(weights)));
            if rows.len() < batch.len() {
                batch = batch.gather(&rows);
                weights = weights.gather(&rows);
            }
            batch.set(self.slot, weights);
            return Ok(Some(batch));
        }
        Ok(None)
    }

    fn explain(&self) -> Explained {
        let (name, details) = match &self.counted {
            Counted::Nodes(node) => ("Node Count", super::scan::shown(node)),
            Counted::Degree(hop) => ("Degree", super::hop::shown_hop(hop)),
        };
        Explained::new(name, details, vec![self.input.explain()])
    }
}
