//! Removes a node: unlinks it at once, and links its neighbours with each other.
//!
//! The neighbours stay connected: pairs of them are linked, the nearest first, as in Kruskal's
//! algorithm for minimum spanning trees. Then each gets one more link at most, in place of the one
//! that it lost.

use super::{Graph, Walk};
use crate::near::Near;
use crate::scratch::Scratch;
use crate::store::{NONE, Store};

/// Neighbours that are linked with each other: distances of all pairs are computed.
const REPAIRED: usize = 128;

impl Graph {
    /// Takes a node out of the graph. Its vector must still be in the store.
    pub fn remove(&mut self, store: &Store, node: u32, scratch: &mut Scratch) {
        let height = self.height(node);
        if self.entry == node {
            self.entry = self.next_entry(store, node, height);
        }
        let mut lists = Vec::with_capacity(height + 1);
        for layer in 0..=height {
            let links = self.links(node, layer).to_vec();
            for link in &links {
                self.drop_link(*link, layer, node);
            }
            lists.push(links);
        }
        self.drop_layers(node);
        for (layer, links) in lists.iter().enumerate() {
            self.repair(store, links, layer);
            for link in links.iter().filter(|link| self.is_alone(**link, layer)).collect::<Vec<_>>()
            {
                self.reattach(store, *link, layer, scratch);
            }
        }
    }

    /// A node of the highest layer that has one besides `node`.
    fn next_entry(&self, store: &Store, node: u32, height: usize) -> u32 {
        let others = |layer: &usize| self.counts[*layer] > 1;
        let Some(top) = (0..=height).rev().find(others) else { return NONE };
        if let Some(link) = self.links(node, top).first() {
            return *link;
        }
        self.any_other(store, node, top).unwrap_or(NONE)
    }

    /// Any other node of a layer; reads all nodes.
    fn any_other(&self, store: &Store, node: u32, layer: usize) -> Option<u32> {
        let is_other = |other: &u32| *other != node && store.row(*other) != NONE;
        (0..store.end()).filter(is_other).find(|other| self.height(*other) >= layer)
    }

    fn is_alone(&self, node: u32, layer: usize) -> bool {
        self.links(node, layer).is_empty() && self.counts[layer] > 1
    }

    /// Links nodes that have lost their link to the same node.
    fn repair(&mut self, store: &Store, nodes: &[u32], layer: usize) {
        let nodes = &nodes[..nodes.len().min(REPAIRED)];
        let mut pairs: Vec<(Near, u32, u32)> = Vec::new();
        // Which part of the neighbours each belongs to.
        let mut parts: Vec<usize> = (0..nodes.len()).collect();
        for (at, node) in nodes.iter().enumerate() {
            let point = store.point(*node);
            for (other, end) in nodes.iter().enumerate().skip(at + 1) {
                if self.links(*node, layer).contains(end) {
                    join(&mut parts, at, other);
                } else {
                    let near = Near::new(store.distance(point, *end), *end);
                    pairs.push((near, at as u32, other as u32));
                }
            }
        }
        pairs.sort_unstable();
        let mut gained = vec![0_u32; nodes.len()];
        for is_spanning in [true, false] {
            for (near, a, b) in &pairs {
                let (a, b) = (*a as usize, *b as usize);
                let is_wanted = if is_spanning {
                    parts[a] != parts[b]
                } else {
                    gained[a] == 0 && gained[b] == 0
                };
                if is_wanted && self.link_pair(store, nodes[a], *near, layer) {
                    join(&mut parts, a, b);
                    gained[a] += 1;
                    gained[b] += 1;
                }
            }
        }
    }

    /// Links two nodes if a list has space; the other's gets it.
    fn link_pair(&mut self, store: &Store, node: u32, other: Near, layer: usize) -> bool {
        let has_space = |node: u32| self.links(node, layer).len() < self.capacity(layer);
        let (first, second) =
            if has_space(node) { (node, other.what()) } else { (other.what(), node) };
        let is_possible = has_space(first);
        if is_possible {
            self.force(store, first, Near::new(other.distance(), second), layer);
        }
        is_possible
    }

    /// Links a node whose only neighbour was removed.
    fn reattach(&mut self, store: &Store, node: u32, layer: usize, scratch: &mut Scratch) {
        let point = store.point(node);
        let mut walk = Walk { graph: self, store, point, interrupt: &mut |_| false };
        let entries: Vec<Near> = walk.descend(layer).ok().flatten().into_iter().collect();
        self.attach(store, node, (layer, &entries), scratch);
        // The descent ended at the node itself.
        if self.is_alone(node, layer)
            && let Some(other) = self.any_other(store, node, layer)
        {
            let near = Near::new(store.distance(store.point(node), other), other);
            self.attach(store, node, (layer, &[near]), scratch);
        }
    }
}

/// Makes two parts one.
fn join(parts: &mut [usize], a: usize, b: usize) {
    let (kept, gone) = (parts[a], parts[b]);
    parts.iter_mut().filter(|part| **part == gone).for_each(|part| *part = kept);
}
