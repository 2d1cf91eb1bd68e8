//! Edges as a search of paths sees them: where they lead, what they weigh and what they cost.

use super::subgraph::{Lead, for_each_arc, number};
use super::{Budget, Error, PathOptions};
use crate::storage::{Bounds, EdgeId, Entity, KeyId, NodeId, SEGMENT, TypeId, View};

/// Which way a path may follow edges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Way {
    /// As they lead.
    #[default]
    Outgoing,
    /// Against them.
    Incoming,
    /// Both ways.
    Both,
}

/// An edge that leads on.
#[derive(Clone, Copy)]
pub(super) struct Hop {
    pub to: NodeId,
    pub edge: EdgeId,
    pub weight: f64,
    pub cost: f64,
}

/// The edges that paths may have.
pub(super) struct Roads<'a> {
    view: &'a View,
    types: Vec<TypeId>,
    way: Way,
    weight: Option<KeyId>,
    cost: Option<KeyId>,
}

impl<'a> Roads<'a> {
    pub fn new(view: &'a View, options: &PathOptions) -> Self {
        let key = |name: &Option<Box<str>>| name.as_deref().and_then(|name| view.key(name));
        Roads {
            view,
            types: super::subgraph::types_of(view, options.types.as_deref()),
            way: options.way,
            weight: key(&options.weight),
            cost: key(&options.cost),
        }
    }

    /// The edges that lead on from a node, or those that lead to it, in order of their numbers.
    /// What says no weight or cost weighs or costs 1.
    pub fn hops(
        &self,
        node: NodeId,
        forward: bool,
        hops: &mut Vec<Hop>,
        budget: &mut Budget<'_>,
    ) -> Result<(), Error> {
        hops.clear();
        let lead = match (self.way, forward) {
            (Way::Both, _) => Lead::Both,
            (Way::Outgoing, true) | (Way::Incoming, false) => Lead::Out,
            _ => Lead::Into,
        };
        for_each_arc(self.view, node, (&self.types, lead), |to, edge| {
            if to != node {
                let weight = number(self.view, edge, self.weight).unwrap_or(1.0);
                let cost = number(self.view, edge, self.cost).unwrap_or(1.0);
                hops.push(Hop { to, edge, weight, cost });
            }
        });
        hops.sort_unstable_by_key(|hop| hop.edge);
        budget.step(1 + hops.len())
    }

    /// Whether some edge weighs, and some edge costs, less than nothing. O(edges / 1,024), if the
    /// columns know their bounds.
    pub fn has_negative(&self, budget: &mut Budget<'_>) -> Result<[bool; 2], Error> {
        let mut found = [false; 2];
        for (found, key) in found.iter_mut().zip([self.weight, self.cost]) {
            let Some(key) = key else { continue };
            for segment in 0..self.view.edge_segments() {
                budget.step(1)?;
                *found |= self.has_negative_in(segment, key, budget)?;
            }
        }
        Ok(found)
    }

    fn has_negative_in(
        &self,
        segment: usize,
        key: KeyId,
        budget: &mut Budget<'_>,
    ) -> Result<bool, Error> {
        // There is such a segment.
        let first = Entity::Edge((segment * SEGMENT) as EdgeId);
        let Some(chunk) = self.view.chunk(first, key) else { return Ok(false) };
        match chunk.bounds() {
            Bounds::Integers(low, _) if low >= 0 => return Ok(false),
            Bounds::Floats(low, _) if low >= 0.0 => return Ok(false),
            _ => {}
        }
        let mut edges = Vec::new();
        self.view.append_edges(segment, &mut edges);
        budget.step(edges.len())?;
        Ok(edges.iter().any(|&edge| {
            let of_type = self.view.ends(edge).is_some_and(|ends| self.types.contains(&ends.kind));
            of_type && number(self.view, edge, Some(key)).is_some_and(|number| number < 0.0)
        }))
    }
}
