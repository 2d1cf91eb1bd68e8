//! The single steps of paths of several relationships: which lead on from a node.

use super::types::{kinds, ways};
use super::{Batch, Column, Run};
use crate::evaluate::{Made, evaluate};
use crate::plan::Hop;
use crate::query::Error;
use crate::storage::{Entity, TypeId};
use crate::value::{Value, equality};

/// Says how many relationships of some types a hop looks at from a node, where that is counted.
///
/// # Errors
/// These are too many.
pub fn count(node: u32, hop: &Hop<'_>, kinds: &[TypeId], run: &Run<'_>) -> Result<(), Error> {
    let interrupt = run.settings().interrupt;
    if !interrupt.counts() {
        return Ok(());
    }
    let ways = ways(hop.edge.direction, hop.reversed).iter();
    let of = |&(way, _): &_| -> usize {
        kinds.iter().map(|&kind| run.view().degree(node, kind, way)).sum()
    };
    Ok(interrupt.follow(1 + ways.map(of).sum::<usize>())?)
}

/// What is asked of each relationship of a path, for the rows of a batch.
pub struct Steps {
    kinds: Vec<TypeId>,
    /// Properties and what they are to be equal to.
    properties: Vec<(std::sync::Arc<str>, Column)>,
}

impl Steps {
    pub fn new(hop: &Hop<'_>, batch: &Batch, run: &mut Run<'_>) -> Result<Steps, Error> {
        let mut properties = Vec::new();
        for (key, value) in &hop.edge.properties {
            properties.push((key.clone(), evaluate(value, batch, run)?));
        }
        Ok(Steps { kinds: kinds(hop.edge.types.as_ref(), run.view()), properties })
    }

    /// The relationships that lead on from a node, with what they lead to.
    pub fn from(
        &self,
        node: u32,
        hop: &Hop<'_>,
        (batch, row): (&Batch, usize),
        run: &mut Run<'_>,
    ) -> Result<Vec<(u32, u32)>, Error> {
        count(node, hop, &self.kinds, run)?;
        let view = run.view();
        let mut steps = Vec::new();
        for &(way, loops) in ways(hop.edge.direction, hop.reversed) {
            for &kind in &self.kinds {
                for (nodes, edges) in view.neighbours(node, kind, way) {
                    let pairs = edges.iter().copied().zip(nodes.iter().copied());
                    steps.extend(pairs.filter(|&(_, to)| loops || to != node));
                }
            }
        }
        for (key, wanted) in &self.properties {
            let (key, wanted) = (view.key(key), wanted.value(row));
            let mut equal = Vec::new();
            for step in steps {
                let Some(key) = key else { break };
                let found = Made::default().copy(view.property(Entity::Edge(step.0), key), run)?;
                if equality::equal(&found, &wanted) == Some(true) {
                    equal.push(step);
                }
            }
            steps = equal;
        }
        if let Some((slot, test)) = &hop.edge.each
            && !steps.is_empty()
        {
            let mut each = batch.gather(&vec![super::row_number(row); steps.len()]);
            each.set(*slot, Column::edges(steps.iter().map(|&(edge, _)| edge).collect()));
            let truths = evaluate(test, &each, run)?;
            let mut passing = Vec::new();
            for (place, step) in steps.into_iter().enumerate() {
                if truths.truth(place)? == Some(true) {
                    passing.push(step);
                }
            }
            steps = passing;
        }
        Ok(steps)
    }

    /// Whether a relationship may lead from one node to another.
    pub fn may_lead(&self, edge: u32, hop: &Hop<'_>, from: u32, run: &Run<'_>) -> Option<u32> {
        use crate::storage::Direction;
        let ends = run.view().ends(edge)?;
        if !self.kinds.contains(&ends.kind) {
            return None;
        }
        let to = ways(hop.edge.direction, hop.reversed).iter().find_map(|(way, _)| match way {
            Direction::Out => (ends.source == from).then_some(ends.target),
            Direction::In => (ends.target == from).then_some(ends.source),
        })?;
        Some(to)
    }
}

/// Relationships as a list, in the order of the pattern.
pub fn list(edges: &[u32], reversed: bool) -> Result<Value, Error> {
    let value = |&edge: &u32| Value::Relationship(edge.into());
    let list = match reversed {
        true => Value::list(edges.iter().rev().map(value)),
        false => Value::list(edges.iter().map(value)),
    };
    Ok(list.checked()?)
}
