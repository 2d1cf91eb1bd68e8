//! The edges of 1,024 nodes, side by side.

use std::ops::Range;

use blocks::Block;

use super::pairs::Pairs;
use crate::storage::{EdgeId, NodeId, SEGMENT, Slot, slot_of, vec_bytes};

/// With more edges than this, a segment has an index by node; with less than half of it, none.
const SMALL: usize = 256;

/// Where the edges of each node begin.
#[derive(Clone)]
enum Index {
    /// The node of each edge.
    Nodes(Vec<Slot>),
    /// Of each node the first edge, and the end: 1,025.
    Starts(Box<[u16]>),
}

/// The lists of 1,024 nodes.
#[derive(Clone)]
pub(crate) struct Segment {
    index: Index,
    pub(super) pairs: Pairs,
    /// The nodes whose edges are in pages, in order.
    pub(super) hubs: Vec<Hub>,
    /// Bytes that `hubs` has on the heap.
    hub_bytes: usize,
}

/// A node whose edges are in pages.
#[derive(Clone)]
pub(super) struct Hub {
    pub slot: Slot,
    /// How many edges it has.
    pub degree: u32,
    /// The first edge of each page, and the page.
    pub pages: Vec<(EdgeId, u32)>,
}

impl Block for Segment {
    fn memory(&self) -> usize {
        let index = match &self.index {
            Index::Nodes(nodes) => vec_bytes(nodes),
            Index::Starts(starts) => table::size_class(size_of_val(&**starts)),
        };
        index + self.pairs.memory() + self.hub_bytes
    }
}

impl Segment {
    pub(super) fn new() -> Self {
        let index = Index::Nodes(Vec::new());
        Segment { index, pairs: Pairs::default(), hubs: Vec::new(), hub_bytes: 0 }
    }

    /// With these edges, no more than a segment holds, in the order of their numbers.
    pub(super) fn of(edges: &[(NodeId, NodeId, EdgeId)]) -> Self {
        let mut starts = vec![0_u16; SEGMENT + 1];
        edges.iter().for_each(|edge| starts[usize::from(slot_of(edge.0)) + 1] += 1);
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        let mut next = starts.clone();
        let (mut neighbours, mut numbers) = (vec![0; edges.len()], vec![0; edges.len()]);
        for &(node, to, edge) in edges {
            let at = &mut next[usize::from(slot_of(node))];
            (neighbours[usize::from(*at)], numbers[usize::from(*at)]) = (to, edge);
            *at += 1;
        }
        let pairs = Pairs { neighbours, edges: numbers };
        let index = Index::Starts(starts.into());
        let mut segment = Segment { index, pairs, hubs: Vec::new(), hub_bytes: 0 };
        segment.fit_index();
        segment
    }

    pub(super) fn is_empty(&self) -> bool {
        self.pairs.edges.is_empty() && self.hubs.is_empty()
    }

    /// Appends the edges that it holds itself, node by node; `first` is its first node.
    pub(super) fn put_edges(&self, first: NodeId, out: &mut Vec<(NodeId, NodeId, EdgeId)>) {
        for slot in 0..SEGMENT as Slot {
            let range = self.range(slot);
            let (to, edges) = (&self.pairs.neighbours[range.clone()], &self.pairs.edges[range]);
            let node = first + NodeId::from(slot);
            out.extend(to.iter().zip(edges).map(|(&to, &edge)| (node, to, edge)));
        }
    }

    /// Where the edges of a node are.
    #[inline]
    pub(super) fn range(&self, slot: Slot) -> Range<usize> {
        match &self.index {
            Index::Nodes(nodes) => {
                nodes.partition_point(|&node| node < slot)
                    ..nodes.partition_point(|&node| node <= slot)
            }
            Index::Starts(starts) => {
                let at = usize::from(slot);
                usize::from(starts[at])..usize::from(starts[at + 1])
            }
        }
    }

    pub(super) fn hub(&self, slot: Slot) -> Option<usize> {
        self.hubs.binary_search_by_key(&slot, |hub| hub.slot).ok()
    }

    /// The node with most edges here.
    pub(super) fn largest(&self) -> Slot {
        let nodes = 0..SEGMENT as Slot;
        nodes.max_by_key(|&slot| self.range(slot).len()).unwrap_or(0)
    }

    pub(super) fn insert(&mut self, slot: Slot, neighbour: NodeId, edge: EdgeId) {
        let range = self.range(slot);
        let before = self.pairs.edges[range.clone()].partition_point(|&other| other < edge);
        self.pairs.insert(range.start + before, neighbour, edge);
        match &mut self.index {
            Index::Nodes(nodes) => nodes.insert(range.end, slot),
            Index::Starts(starts) => {
                starts[usize::from(slot) + 1..].iter_mut().for_each(|start| *start += 1);
            }
        }
        self.fit_index();
    }

    pub(super) fn remove(&mut self, slot: Slot, edge: EdgeId) -> bool {
        let range = self.range(slot);
        let Ok(at) = self.pairs.edges[range.clone()].binary_search(&edge) else { return false };
        self.pairs.remove(range.start + at);
        self.take_from_index(slot, range.start..range.start + 1);
        true
    }

    /// Takes all edges of a node.
    pub(super) fn take(&mut self, slot: Slot) -> Pairs {
        let range = self.range(slot);
        let pairs = self.pairs.drain(range.clone());
        self.take_from_index(slot, range);
        pairs
    }

    fn take_from_index(&mut self, slot: Slot, range: Range<usize>) {
        // As long as a segment, at most.
        let count = range.len() as u16;
        match &mut self.index {
            Index::Nodes(nodes) => drop(nodes.drain(range)),
            Index::Starts(starts) => {
                starts[usize::from(slot) + 1..].iter_mut().for_each(|start| *start -= count);
            }
        }
        self.fit_index();
    }

    /// An index that suits how many edges there are.
    fn fit_index(&mut self) {
        let count = self.pairs.edges.len();
        match &self.index {
            Index::Nodes(nodes) if count > SMALL => {
                let mut starts = vec![0_u16; SEGMENT + 1];
                nodes.iter().for_each(|&node| starts[usize::from(node) + 1] += 1);
                let mut sum = 0;
                for start in &mut starts {
                    sum += *start;
                    *start = sum;
                }
                self.index = Index::Starts(starts.into());
            }
            Index::Starts(_) if count < SMALL / 2 => {
                let nodes = 0..SEGMENT as Slot;
                let each = nodes.flat_map(|slot| self.range(slot).map(move |_| slot));
                self.index = Index::Nodes(each.collect());
            }
            _ => {}
        }
    }

    /// Changes what is noted of nodes whose edges are in pages.
    pub(super) fn edit_hubs<R>(&mut self, edit: impl FnOnce(&mut Vec<Hub>) -> R) -> R {
        let result = edit(&mut self.hubs);
        let pages: usize = self.hubs.iter().map(|hub| vec_bytes(&hub.pages)).sum();
        self.hub_bytes = pages + vec_bytes(&self.hubs);
        result
    }
}
