//! Neighbours and edges side by side.

use crate::storage::{EdgeId, NodeId, vec_bytes};

/// Neighbours and edges: what segments and pages are made of.
#[derive(Clone, Default)]
pub(super) struct Pairs {
    pub neighbours: Vec<NodeId>,
    pub edges: Vec<EdgeId>,
}

impl Pairs {
    pub fn insert(&mut self, at: usize, neighbour: NodeId, edge: EdgeId) {
        if self.edges.len() == self.edges.capacity() {
            let more = (self.edges.len() / 4).max(4);
            self.edges.reserve_exact(more);
            self.neighbours.reserve_exact(more);
        }
        self.neighbours.insert(at, neighbour);
        self.edges.insert(at, edge);
    }

    pub fn remove(&mut self, at: usize) {
        self.neighbours.remove(at);
        self.edges.remove(at);
        if self.edges.len() < self.edges.capacity() / 2 {
            self.edges.shrink_to_fit();
            self.neighbours.shrink_to_fit();
        }
    }

    pub fn drain(&mut self, range: std::ops::Range<usize>) -> Pairs {
        let pairs = Pairs {
            neighbours: self.neighbours.drain(range.clone()).collect(),
            edges: self.edges.drain(range).collect(),
        };
        self.neighbours.shrink_to_fit();
        self.edges.shrink_to_fit();
        pairs
    }

    pub fn append(&mut self, other: &Pairs) {
        self.neighbours.extend_from_slice(&other.neighbours);
        self.edges.extend_from_slice(&other.edges);
    }

    pub fn memory(&self) -> usize {
        vec_bytes(&self.neighbours) + vec_bytes(&self.edges)
    }
}
