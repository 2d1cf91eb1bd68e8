//! A hierarchical navigable small world (HNSW): a graph in which a search walks towards the
//! nearest.
//!
//! Written from Malkov and Yashunin, "Efficient and robust approximate nearest neighbor search
//! using Hierarchical Navigable Small World graphs" (2016), with one difference: adjacency is
//! symmetric. A node is in the list of each node of its own list. So all links to a node are
//! known when it is removed, without a list of incoming links. Where a full list drops a link,
//! both ends lose it.
//!
//! ```text
//!   layer 2   entry ────────── n               upper slot: next layer's slot | M links
//!   layer 1   entry ── n ───── n ── n          upper slot: next layer's slot | M links
//!   layer 0   entry ─ n ─ n ── n ── n ─ n      lowest slot: 2M links        NONE ends a list
//! ```
//!
//! Invariants: lists hold no node twice, not the node itself, and only nodes of that layer; the
//! entry is in the highest layer that has a node.

mod insert;
mod remove;
mod walk;

use crate::paged::Paged;
use crate::store::NONE;

pub use walk::{Interrupted, Limits, Walk};

/// Layers at most; one node in M^23 would be in a higher one.
pub const LAYERS: usize = 24;

pub struct Graph {
    /// Links of a node in each layer but the lowest, which has twice as many.
    pub m: usize,
    pub ef_construction: usize,
    /// Where searches begin; [`NONE`] if the graph is empty.
    pub entry: u32,
    lowest: Paged<u32>,
    /// The slot in `upper` of a node's layer 1, or [`NONE`].
    upper_of: Paged<u32>,
    upper: Paged<u32>,
    /// The first of the freed slots of `upper`; each has the next one.
    upper_free: u32,
    upper_end: u32,
    /// How many nodes each layer has.
    counts: [u32; LAYERS],
    /// Insertions so far; with the row, the seed of a node's height.
    pub inserted: u64,
}

impl Graph {
    pub fn new(m: usize, ef_construction: usize) -> Self {
        Graph {
            m,
            ef_construction,
            entry: NONE,
            lowest: Paged::new(2 * m, NONE),
            upper_of: Paged::new(1, NONE),
            upper: Paged::new(m + 1, NONE),
            upper_free: NONE,
            upper_end: 0,
            counts: [0; LAYERS],
            inserted: 0,
        }
    }

    /// The highest layer that has a node.
    pub fn top(&self) -> usize {
        self.counts.iter().rposition(|count| *count > 0).unwrap_or(0)
    }

    /// The highest layer of a node.
    pub fn height(&self, node: u32) -> usize {
        let mut slot = self.upper_of.value(node);
        let mut height = 0;
        while slot != NONE {
            slot = self.upper.value(slot);
            height += 1;
        }
        height
    }

    /// Links that a list has space for.
    pub fn capacity(&self, layer: usize) -> usize {
        if layer == 0 { 2 * self.m } else { self.m }
    }

    /// The slot in `upper` of a layer above the lowest.
    fn upper_slot(&self, node: u32, layer: usize) -> u32 {
        let first = self.upper_of.value(node);
        (1..layer).fold(first, |slot, _| if slot == NONE { NONE } else { self.upper.value(slot) })
    }

    /// The list of a node, with its unused places, which are [`NONE`].
    #[inline]
    pub fn list(&self, node: u32, layer: usize) -> &[u32] {
        if layer == 0 {
            return self.lowest.slot(node);
        }
        self.upper.slot(self.upper_slot(node, layer)).get(1..).unwrap_or_default()
    }

    fn list_mut(&mut self, node: u32, layer: usize) -> &mut [u32] {
        if layer == 0 {
            return self.lowest.slot_mut(node);
        }
        let slot = self.upper_slot(node, layer);
        if slot == NONE {
            return &mut [];
        }
        self.upper.slot_mut(slot).get_mut(1..).unwrap_or_default()
    }

    /// The links of a node.
    pub fn links(&self, node: u32, layer: usize) -> &[u32] {
        let list = self.list(node, layer);
        let len = list.iter().position(|link| *link == NONE).unwrap_or(list.len());
        list.get(..len).unwrap_or_default()
    }

    /// Adds a link to a list that has space.
    fn push(&mut self, node: u32, layer: usize, link: u32) {
        if let Some(place) = self.list_mut(node, layer).iter_mut().find(|place| **place == NONE) {
            *place = link;
        }
    }

    /// Links two nodes that are not linked and whose lists have space.
    fn link(&mut self, a: u32, b: u32, layer: usize) {
        self.push(a, layer, b);
        self.push(b, layer, a);
    }

    /// Removes a link from a list; the last one takes its place.
    fn drop_link(&mut self, node: u32, layer: usize, link: u32) {
        let len = self.links(node, layer).len();
        let list = self.list_mut(node, layer);
        if let Some(at) = list.iter().position(|each| *each == link) {
            list[at] = list[len - 1];
            list[len - 1] = NONE;
        }
    }

    /// Makes a node part of the layers up to `height`, without any link.
    pub fn add_layers(&mut self, node: u32, height: usize) {
        self.lowest.slot_mut(node).fill(NONE);
        self.counts[0] += 1;
        let mut above = NONE;
        for layer in (1..=height).rev() {
            let slot = self.allocate();
            let words = self.upper.slot_mut(slot);
            words.fill(NONE);
            words[0] = above;
            above = slot;
            self.counts[layer] += 1;
        }
        self.upper_of.set(node, above);
    }

    fn allocate(&mut self) -> u32 {
        let slot = self.upper_free;
        if slot == NONE {
            self.upper_end += 1;
            return self.upper_end - 1;
        }
        self.upper_free = self.upper.value(slot);
        slot
    }

    /// Takes a node, which no other links to any more, out of all layers.
    fn drop_layers(&mut self, node: u32) {
        self.lowest.slot_mut(node).fill(NONE);
        self.counts[0] -= 1;
        let (mut slot, mut layer) = (self.upper_of.value(node), 1);
        self.upper_of.set(node, NONE);
        while slot != NONE {
            let above = self.upper.value(slot);
            self.upper.set(slot, self.upper_free);
            self.upper_free = slot;
            self.counts[layer] -= 1;
            (slot, layer) = (above, layer + 1);
        }
    }

    /// Replaces the links of a node in one of its layers. They must be as many as there is space
    /// for.
    pub fn set_links(&mut self, node: u32, layer: usize, links: &[u32]) {
        let list = self.list_mut(node, layer);
        list.fill(NONE);
        list.iter_mut().zip(links).for_each(|(place, link)| *place = *link);
    }

    /// Whether each link of the nodes below `end` has its counterpart.
    pub fn is_symmetric(&self, end: u32) -> bool {
        (0..end).all(|node| {
            (0..=self.height(node)).all(|layer| {
                let mut links = self.links(node, layer).iter();
                links.all(|link| self.links(*link, layer).contains(&node))
            })
        })
    }

    pub fn memory(&self) -> usize {
        [&self.lowest, &self.upper_of, &self.upper].into_iter().map(Paged::memory).sum()
    }

    /// The same, counted page by page.
    #[cfg(test)]
    pub fn recount(&self) -> usize {
        [&self.lowest, &self.upper_of, &self.upper].into_iter().map(Paged::recount).sum()
    }
}
