//! Breadth-first search: what is reached from a node, nearest first.
//!
//! Each level in ascending order of ids; a node's edge is the lowest of those from the lowest node
//! of the level before. E. F. Moore (1959). O(nodes + edges) of what is reached, and only that is
//! kept: a search to a small depth in a large graph is small.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use super::subgraph::{Lead, for_each_arc, types_of};
use super::{Budget, Error};
use crate::storage::{EdgeId, Entity, NodeId, View};

/// What was reached.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reached {
    /// The nodes, without the one it began with.
    pub nodes: Vec<NodeId>,
    /// The edge by which each was reached.
    pub edges: Vec<EdgeId>,
}

/// Bytes of an entry of the map of a level, with room that is not used.
const ENTRY: usize = 24;

/// What is reached from a node by at most so many edges of a type; by any number, without a depth.
///
/// # Errors
/// It was ended, or would keep too much.
pub fn breadth_first(
    view: &View,
    start: NodeId,
    depth: Option<u64>,
    types: Option<&[Box<str>]>,
    budget: &mut Budget<'_>,
) -> Result<Reached, Error> {
    let mut reached = Reached::default();
    if !view.has(Entity::Node(start)) {
        return Ok(reached);
    }
    let types = types_of(view, types);
    let mut seen = HashSet::from([start]);
    let mut level = vec![start];
    let mut left = depth.unwrap_or(u64::MAX);
    while left > 0 && !level.is_empty() {
        left -= 1;
        let mut next: HashMap<NodeId, EdgeId> = HashMap::new();
        for &node in &level {
            let (mut here, mut steps) = (Vec::new(), 1);
            for_each_arc(view, node, (&types, Lead::Out), |to, edge| {
                if !seen.contains(&to) && !next.contains_key(&to) {
                    here.push((edge, to));
                }
                steps += 1;
            });
            here.sort_unstable();
            for (edge, to) in here {
                if let Entry::Vacant(vacant) = next.entry(to) {
                    budget.charge(2 * ENTRY + size_of::<(NodeId, EdgeId)>())?;
                    vacant.insert(edge);
                }
            }
            budget.step(steps)?;
        }
        level = next.keys().copied().collect();
        level.sort_unstable();
        seen.extend(&level);
        reached.nodes.extend(&level);
        reached.edges.extend(level.iter().filter_map(|node| next.get(node)));
    }
    Ok(reached)
}
