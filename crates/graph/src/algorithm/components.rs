//! Weakly connected components: which nodes are connected, whichever way the edges lead.
//!
//! Disjoint sets (see `union_find`), one pass over the edges. O(nodes + edges), about.

use super::subgraph::{Lead, Nodes, for_each_arc, types_of};
use super::union_find::UnionFind;
use super::{Budget, Error, Groups, Selection};
use crate::storage::View;

/// The component of each selected node: the smallest id in it.
///
/// # Errors
/// It was ended, or would keep too much.
pub fn components(
    view: &View,
    selection: &Selection,
    budget: &mut Budget<'_>,
) -> Result<Groups, Error> {
    let nodes = Nodes::select(view, selection.labels.as_deref(), budget)?;
    let types = types_of(view, selection.types.as_deref());
    let mut sets = UnionFind::new(nodes.len(), budget)?;
    for (number, &id) in (0..).zip(&nodes.ids) {
        let mut steps = 1;
        for_each_arc(view, id, (&types, Lead::Out), |to, _| {
            if let Some(other) = nodes.dense(to) {
                sets.join(number, other);
            }
            steps += 1;
        });
        budget.step(steps)?;
    }
    let mut groups = budget.room(nodes.len())?;
    groups.extend((0..).take(nodes.len()).map(|number| nodes.ids[sets.find(number) as usize]));
    Ok(Groups { nodes: nodes.ids, groups })
}
