//! The part of a graph that an algorithm works on: nodes with dense numbers, and arcs in rows.

use super::{Budget, Error};
use crate::storage::{
    Direction, EdgeId, Entity, KeyId, LabelId, NodeId, PropertyRef, TypeId, View,
};

/// Which part of a graph is meant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Nodes with any of these labels; `None`: all nodes.
    pub labels: Option<Vec<Box<str>>>,
    /// Edges of any of these types; `None`: of all.
    pub types: Option<Vec<Box<str>>>,
}

/// The types that are selected and known.
pub(super) fn types_of(view: &View, names: Option<&[Box<str>]>) -> Vec<TypeId> {
    let mut types: Vec<TypeId> = match names {
        Some(names) => names.iter().filter_map(|name| view.edge_type(name)).collect(),
        // There are at most 65,536.
        None => (0..view.type_names().count()).map(|kind| kind as TypeId).collect(),
    };
    types.sort_unstable();
    types.dedup();
    types
}

/// A property of an edge as a number; `None`: it has none, or something that is no number.
pub(super) fn number(view: &View, edge: EdgeId, key: Option<KeyId>) -> Option<f64> {
    match view.property(Entity::Edge(edge), key?) {
        // FalkorDB computes with doubles, too.
        PropertyRef::Integer(number) => Some(number as f64),
        PropertyRef::Float(number) if !number.is_nan() => Some(number),
        _ => None,
    }
}

/// What stands for a node that is not selected.
const NONE: u32 = u32::MAX;

/// The selected nodes, in ascending order, with dense numbers.
pub(super) struct Nodes {
    pub ids: Vec<NodeId>,
    /// The dense number of each id.
    dense: Vec<u32>,
}

impl Nodes {
    /// Selects nodes. O(nodes).
    pub fn select(
        view: &View,
        labels: Option<&[Box<str>]>,
        budget: &mut Budget<'_>,
    ) -> Result<Self, Error> {
        let wanted: Option<Vec<LabelId>> =
            labels.map(|names| names.iter().filter_map(|name| view.label(name)).collect());
        let most = wanted.as_ref().map_or(view.node_count(), |labels| {
            let each = labels.iter().map(|&label| view.label_count(label));
            each.sum::<usize>().min(view.node_count())
        });
        let mut ids: Vec<NodeId> = budget.room(most)?;
        for segment in 0..view.node_segments() {
            let start = ids.len();
            match wanted.as_deref() {
                None => view.append_nodes(segment, &[], &mut ids),
                Some([label]) => view.append_nodes(segment, &[*label], &mut ids),
                Some(labels) => append_any(view, segment, labels, &mut ids),
            }
            budget.step(1 + ids.len() - start)?;
        }
        let bound = ids.last().map_or(0, |&last| last as usize + 1);
        let mut dense = budget.array(bound, NONE)?;
        for (number, &id) in (0..).zip(&ids) {
            dense[id as usize] = number;
        }
        Ok(Nodes { ids, dense })
    }

    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// The dense number of a node.
    #[inline]
    pub fn dense(&self, id: NodeId) -> Option<u32> {
        self.dense.get(id as usize).copied().filter(|&number| number != NONE)
    }
}

/// Appends the nodes of a segment that have any of these labels.
fn append_any(view: &View, segment: usize, labels: &[LabelId], ids: &mut Vec<NodeId>) {
    let mut found = Vec::new();
    labels.iter().for_each(|&label| view.append_nodes(segment, &[label], &mut found));
    found.sort_unstable();
    found.dedup();
    ids.extend(found);
}

/// Which way arcs lead.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Lead {
    /// As edges do.
    Out,
    /// Against edges.
    Into,
    /// Both: an edge is two arcs, unless it is a loop.
    Both,
}

impl Lead {
    /// The lists of a node that its arcs are in.
    pub fn directions(self) -> &'static [Direction] {
        match self {
            Lead::Out => &[Direction::Out],
            Lead::Into => &[Direction::In],
            Lead::Both => &[Direction::Out, Direction::In],
        }
    }
}

/// Calls a function with the node and the edge of each arc of a node, between all nodes.
#[inline]
pub(super) fn for_each_arc(
    view: &View,
    node: NodeId,
    (types, lead): (&[TypeId], Lead),
    mut each: impl FnMut(NodeId, EdgeId),
) {
    for &kind in types {
        for &direction in lead.directions() {
            let twice = lead == Lead::Both && direction == Direction::In;
            for (nodes, edges) in view.neighbours(node, kind, direction) {
                for (&to, &edge) in nodes.iter().zip(edges) {
                    if !(twice && to == node) {
                        each(to, edge);
                    }
                }
            }
        }
    }
}

/// Between the selected nodes, one arc where there is any: rows of dense numbers, ascending.
pub(super) struct Arcs {
    starts: Vec<usize>,
    to: Vec<u32>,
}

impl Arcs {
    /// Reads the arcs. O(nodes + edges · log degree).
    pub fn read(
        view: &View,
        nodes: &Nodes,
        (types, lead): (&[TypeId], Lead),
        budget: &mut Budget<'_>,
    ) -> Result<Self, Error> {
        let mut starts = budget.room(nodes.len() + 1)?;
        starts.push(0);
        let mut to: Vec<u32> = Vec::new();
        for &id in &nodes.ids {
            let start = to.len();
            let degree: usize = types
                .iter()
                .flat_map(|&kind| lead.directions().iter().map(move |&way| (kind, way)))
                .map(|(kind, way)| view.degree(id, kind, way))
                .sum();
            make_room(&mut to, degree, budget)?;
            for_each_arc(view, id, (types, lead), |other, _| to.extend(nodes.dense(other)));
            to[start..].sort_unstable();
            dedup_from(&mut to, start);
            starts.push(to.len());
            budget.step(1 + degree)?;
        }
        Ok(Arcs { starts, to })
    }

    /// The nodes that arcs of this one lead to.
    #[inline]
    pub fn of(&self, node: u32) -> &[u32] {
        let at = node as usize;
        &self.to[self.starts[at]..self.starts[at + 1]]
    }
}

/// Makes room for more, charged.
pub(super) fn make_room<T>(
    vec: &mut Vec<T>,
    more: usize,
    budget: &mut Budget<'_>,
) -> Result<(), Error> {
    if vec.capacity() - vec.len() >= more {
        return Ok(());
    }
    let wanted = (vec.len() + more).max(vec.capacity() + vec.capacity() / 2).max(16);
    budget.charge((wanted - vec.capacity()).saturating_mul(size_of::<T>()))?;
    vec.reserve_exact(wanted - vec.len());
    Ok(())
}

/// Takes out what stands twice in a row, from a place on.
fn dedup_from(all: &mut Vec<u32>, start: usize) {
    let (mut kept, mut last) = (start, None);
    for at in start..all.len() {
        let value = all[at];
        if last != Some(value) {
            all[kept] = value;
            kept += 1;
            last = Some(value);
        }
    }
    all.truncate(kept);
}
