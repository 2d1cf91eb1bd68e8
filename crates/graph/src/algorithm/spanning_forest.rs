//! A minimum spanning forest: of each component the edges that connect it and weigh least.
//!
//! J. B. Kruskal (1956): the edges in order of their weights, each kept if it connects what was
//! not connected. O(edges · log edges). Edges without a number for a weight come last, whichever
//! way is sought; of equal ones the first made. Which way edges lead does not matter.

use super::subgraph::{Lead, Nodes, for_each_arc, make_room, number, types_of};
use super::union_find::UnionFind;
use super::{Budget, Error, Selection};
use crate::storage::{EdgeId, NodeId, View};

/// What a forest is to be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ForestOptions {
    /// Over which part of the graph.
    pub selection: Selection,
    /// The property that says what an edge weighs; without one all weigh the same.
    pub weight: Option<Box<str>>,
    /// The heaviest edges, not the lightest.
    pub maximize: bool,
}

/// A tree of a forest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    /// The nodes of a component, in ascending order.
    pub nodes: Vec<NodeId>,
    /// The edges that connect them, in ascending order: one fewer.
    pub edges: Vec<EdgeId>,
}

struct Candidate {
    /// `None`: it comes last.
    weight: Option<f64>,
    edge: EdgeId,
    ends: (u32, u32),
}

/// The trees, in order of their smallest nodes.
///
/// # Errors
/// It was ended, would keep too much, or no edge has ever had such a property.
pub fn spanning_forest(
    view: &View,
    options: &ForestOptions,
    budget: &mut Budget<'_>,
) -> Result<Vec<Tree>, Error> {
    let key = match options.weight.as_deref() {
        Some(name) => Some(view.key(name).ok_or_else(|| {
            Error::wrong(format!("msf configuration, unknown attribute: {name}"))
        })?),
        None => None,
    };
    let nodes = Nodes::select(view, options.selection.labels.as_deref(), budget)?;
    let types = types_of(view, options.selection.types.as_deref());
    let sign = if options.maximize { -1.0 } else { 1.0 };
    let mut candidates: Vec<Candidate> = Vec::new();
    for (from, &id) in (0..).zip(&nodes.ids) {
        let degree =
            types.iter().map(|&kind| view.degree(id, kind, crate::storage::Direction::Out));
        let degree = degree.sum();
        make_room(&mut candidates, degree, budget)?;
        for_each_arc(view, id, (&types, Lead::Out), |to, edge| {
            if let Some(to) = nodes.dense(to).filter(|&to| to != from) {
                let weight = number(view, edge, key).map(|weight| weight * sign + 0.0);
                candidates.push(Candidate { weight, edge, ends: (from, to) });
            }
        });
        budget.step(1 + degree)?;
    }
    candidates.sort_unstable_by(|one, other| {
        let weights = match (one.weight, other.weight) {
            (Some(one), Some(other)) => one.total_cmp(&other),
            (one, other) => one.is_none().cmp(&other.is_none()),
        };
        weights.then(one.edge.cmp(&other.edge))
    });
    let mut sets = UnionFind::new(nodes.len(), budget)?;
    let mut kept: Vec<(u32, EdgeId)> = budget.room(nodes.len())?;
    for candidate in &candidates {
        let (from, to) = candidate.ends;
        if sets.join(from, to) {
            kept.push((from, candidate.edge));
        }
        budget.step(1)?;
    }
    drop(candidates);
    trees(&nodes, &mut sets, &mut kept, budget)
}

/// Puts the nodes and the edges of each tree together.
fn trees(
    nodes: &Nodes,
    sets: &mut UnionFind,
    kept: &mut [(u32, EdgeId)],
    budget: &mut Budget<'_>,
) -> Result<Vec<Tree>, Error> {
    let (mut trees, mut places) = (Vec::<Tree>::new(), budget.array(nodes.len(), 0_u32)?);
    budget.charge(nodes.len() * (size_of::<NodeId>() + size_of::<EdgeId>()))?;
    for (number, &id) in (0..).zip(&nodes.ids) {
        let root = sets.find(number);
        if root == number {
            budget.charge(size_of::<Tree>())?;
            // There are no more trees than nodes.
            places[number as usize] = trees.len() as u32;
            trees.push(Tree::default());
        }
        trees[places[root as usize] as usize].nodes.push(id);
        budget.step(1)?;
    }
    kept.sort_unstable_by_key(|(_, edge)| *edge);
    for &mut (from, edge) in kept {
        trees[places[sets.find(from) as usize] as usize].edges.push(edge);
    }
    Ok(trees)
}
