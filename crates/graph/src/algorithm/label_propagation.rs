//! Communities by label propagation: every node takes the label that most of its neighbours have.
//!
//! CDLP as LDBC's *Graphalytics* specifies it (A. Iosup et al., 2016), after U. N. Raghavan,
//! R. Albert, S. Kumara (2007): all nodes at once, the smallest of the most frequent labels, a
//! number of rounds. Edges lead both ways, and of several between two nodes one counts, as in
//! FalkorDB. So the outcome is one, and two nodes with only each other may swap their labels for
//! ever. O((nodes + edges · log degree) · iterations).

use super::subgraph::{Arcs, Lead, Nodes, types_of};
use super::{Budget, Error, Groups, Selection};
use crate::storage::View;

/// The community of each selected node: the id of one of its nodes.
///
/// # Errors
/// It was ended, or would keep too much.
pub fn label_propagation(
    view: &View,
    selection: &Selection,
    iterations: usize,
    budget: &mut Budget<'_>,
) -> Result<Groups, Error> {
    let nodes = Nodes::select(view, selection.labels.as_deref(), budget)?;
    let types = types_of(view, selection.types.as_deref());
    let arcs = Arcs::read(view, &nodes, (&types, Lead::Both), budget)?;
    let mut labels: Vec<u32> = budget.room(nodes.len())?;
    labels.extend((0..).take(nodes.len()));
    let mut next = budget.array(nodes.len(), 0)?;
    let widest = (0..).take(nodes.len()).map(|node| arcs.of(node).len()).max().unwrap_or(0);
    let mut around = budget.room(widest)?;
    for _ in 0..iterations {
        for (node, new) in (0..).zip(&mut next) {
            around.clear();
            around.extend(arcs.of(node).iter().map(|&other| labels[other as usize]));
            *new = most_frequent(&mut around).unwrap_or(labels[node as usize]);
            budget.step(1 + around.len())?;
        }
        std::mem::swap(&mut labels, &mut next);
        if labels == next {
            break;
        }
    }
    let mut groups = budget.room(nodes.len())?;
    groups.extend(labels.iter().map(|&label| nodes.ids[label as usize]));
    Ok(Groups { nodes: nodes.ids, groups })
}

/// The smallest of the most frequent.
fn most_frequent(all: &mut [u32]) -> Option<u32> {
    all.sort_unstable();
    let runs = all.chunk_by(|one, other| one == other);
    let most = runs.rev().max_by_key(|run| run.len())?;
    most.first().copied()
}
