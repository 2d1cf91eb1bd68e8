//! Inserts a node: searches its neighbours in each of its layers and links it (algorithms 1 and 4
//! of the paper).

use super::{Graph, LAYERS, Walk};
use crate::near::Near;
use crate::scratch::Scratch;
use crate::store::{NONE, Store};

impl Graph {
    /// Links a node that the store has and the graph has not.
    pub fn insert(&mut self, store: &Store, node: u32, scratch: &mut Scratch) {
        let height = self.draw_height(store.row(node));
        self.inserted += 1;
        let top = self.top();
        self.add_layers(node, height);
        if self.entry == NONE {
            self.entry = node;
            return;
        }
        let mut entries = self.entries(store, node, height.min(top) + 1, top);
        for layer in (0..=height.min(top)).rev() {
            entries = self.attach(store, node, (layer, &entries), scratch);
        }
        if height > top {
            self.entry = node;
        }
    }

    /// The highest layer of a node: `layer` with a probability of M^-layer. Derived from the row
    /// and the number of insertions, so that the same operations give the same graph.
    fn draw_height(&self, row: u32) -> usize {
        // The finalizer of SplitMix64 (Steele, Lea, Flood 2014).
        let mut bits = (u64::from(row) << 32 ^ self.inserted).wrapping_add(0x9e37_79b9_7f4a_7c15);
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^= bits >> 31;
        // 53 bits, above 0.
        let random = ((bits >> 11) as f64 + 1.0) / (1_u64 << 53) as f64;
        ((-random.ln() / (self.m as f64).ln()) as usize).min(LAYERS - 1)
    }

    /// Where the search for neighbours of a node begins: the result of a descent to `layer`, or the
    /// entry itself.
    fn entries(&self, store: &Store, node: u32, layer: usize, top: usize) -> Vec<Near> {
        let point = store.point(node);
        let mut walk = Walk { graph: self, store, point, interrupt: &mut |_| false };
        // No search is interrupted here.
        walk.descend(layer.min(top + 1)).ok().flatten().into_iter().collect()
    }

    /// Links a node in a layer to the best of the nodes near it, which it returns.
    pub fn attach(
        &mut self,
        store: &Store,
        node: u32,
        (layer, entries): (usize, &[Near]),
        scratch: &mut Scratch,
    ) -> Vec<Near> {
        let point = store.point(node);
        let mut walk = Walk { graph: self, store, point, interrupt: &mut |_| false };
        // No search is interrupted here.
        let _ = walk.search(entries, layer, self.ef_construction, scratch);
        let mut found = std::mem::take(&mut scratch.found).into_sorted_vec();
        found.retain(|near| near.what() != node);
        for near in select(store, &found, self.m) {
            if self.links(node, layer).len() < self.m {
                self.connect(store, node, near, layer);
            }
        }
        if let Some(nearest) = found.first().filter(|_| self.links(node, layer).is_empty()) {
            self.force(store, node, *nearest, layer);
        }
        found
    }

    /// Links `node`, whose list has space, to another node, if it belongs to the best of the other.
    pub fn connect(&mut self, store: &Store, node: u32, other: Near, layer: usize) {
        let near = Near::new(other.distance(), node);
        let other = other.what();
        if self.links(other, layer).contains(&node) {
            return;
        }
        if self.links(other, layer).len() == self.capacity(layer) {
            let victim = self.worst_link(store, other, Some(near), layer);
            if victim == node || victim == NONE {
                return;
            }
            self.unlink(other, victim, layer);
        }
        self.link(node, other, layer);
    }

    /// Links `node`, whose list has space, to another node in any case. What the other has to drop
    /// is linked to `node` instead, so that nothing becomes unreachable.
    pub fn force(&mut self, store: &Store, node: u32, other: Near, layer: usize) {
        let other = other.what();
        if self.links(other, layer).contains(&node) {
            return;
        }
        if self.links(other, layer).len() == self.capacity(layer) {
            let victim = self.worst_link(store, other, None, layer);
            self.unlink(other, victim, layer);
            let has_space = self.links(node, layer).len() + 1 < self.capacity(layer);
            if has_space && !self.links(victim, layer).contains(&node) {
                self.link(node, victim, layer);
            }
        }
        self.link(node, other, layer);
    }

    fn unlink(&mut self, a: u32, b: u32, layer: usize) {
        self.drop_link(a, layer, b);
        self.drop_link(b, layer, a);
    }

    /// Which link a full list can do without: the farthest of those that lead where a nearer one
    /// leads, else the farthest. Nodes with few links are spared.
    fn worst_link(&self, store: &Store, node: u32, more: Option<Near>, layer: usize) -> u32 {
        let point = store.point(node);
        let links = self.links(node, layer).iter();
        let mut all: Vec<Near> =
            links.map(|link| Near::new(store.distance(point, *link), *link)).collect();
        all.extend(more);
        all.sort_unstable();
        let diverse = diverse(store, &all, all.len());
        let is_rich = |near: &&Near| {
            more == Some(**near) || self.links(near.what(), layer).len() > self.m / 2
        };
        let redundant = |near: &&Near| diverse.binary_search(near).is_err();
        let farthest = all.iter().rev();
        let mut choices = farthest.clone().filter(redundant).filter(is_rich);
        let choice = choices.next().or_else(|| farthest.clone().find(is_rich));
        choice.or(all.last()).map_or(NONE, |near| near.what())
    }
}

/// Of candidates in order, those that no one chosen before is nearer to than the base is, up to
/// `most`: links in all directions instead of many to the nearest cluster. Of equal vectors one is
/// chosen; one that equals the base leads no nearer to others.
fn diverse(store: &Store, candidates: &[Near], most: usize) -> Vec<Near> {
    let mut chosen: Vec<Near> = Vec::with_capacity(most.min(candidates.len()));
    for near in candidates {
        if chosen.len() >= most {
            break;
        }
        let point = store.point(near.what());
        let is_covered = chosen.iter().any(|other| {
            let distance = store.distance(point, other.what());
            distance < near.distance() || distance == 0.0
        });
        if !is_covered {
            chosen.push(*near);
        }
    }
    chosen
}

/// The neighbours of a new node: diverse ones, then the nearest of the rest.
fn select(store: &Store, candidates: &[Near], most: usize) -> Vec<Near> {
    let mut chosen = diverse(store, candidates, most);
    let rest = candidates.iter().filter(|near| chosen.binary_search(near).is_err());
    let rest: Vec<Near> = rest.take(most - chosen.len()).copied().collect();
    chosen.extend(rest);
    chosen
}
