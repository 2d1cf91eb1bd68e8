//! Building a tree of pairs that come in order: all leaves first, then level above level.
//!
//! Nodes are filled to seven eighths, so that the first inserts afterwards split nothing. O(n),
//! without any search.

use super::node::{Inner, MOST_SEPARATORS, Node, Pair, ROOMY, is_full, separator};
use super::run::{FIXED, Run};

/// A node on its way into the level above.
struct Part {
    /// What parts it from the one before; the first of all has nothing.
    separator: Option<(f64, Vec<u8>)>,
    node: Node,
    /// Pairs in it.
    count: usize,
}

/// The root of a tree of `pairs`, which come in order.
pub(super) fn build<'a>(pairs: impl Iterator<Item = Pair<'a>>) -> Node {
    let mut level = leaves(pairs);
    while level.len() > 1 {
        level = above(level);
    }
    level.pop().map(|part| part.node).unwrap_or_default()
}

fn leaves<'a>(pairs: impl Iterator<Item = Pair<'a>>) -> Vec<Part> {
    let mut level: Vec<Part> = Vec::new();
    let mut leaf: Vec<Pair<'a>> = Vec::with_capacity(ROOMY);
    let mut bytes = 0;
    let mut parting = None;
    for pair in pairs {
        if leaf.len() >= ROOMY || (!leaf.is_empty() && is_full(leaf.len(), bytes, pair.1)) {
            let next = leaf.last().map(|last| separator(*last, pair));
            let separator = std::mem::replace(&mut parting, next);
            level.push(Part { separator, node: Node::Leaf(Run::of(&leaf)), count: leaf.len() });
            leaf.clear();
            bytes = 0;
        }
        leaf.push(pair);
        bytes += FIXED + pair.1.len();
    }
    let node = Node::Leaf(Run::of(&leaf));
    level.push(Part { separator: parting, node, count: leaf.len() });
    level
}

fn above(level: Vec<Part>) -> Vec<Part> {
    let mut above = Vec::with_capacity(level.len().div_ceil(ROOMY));
    let mut parts = level.into_iter().peekable();
    while let Some(Part { separator, node, mut count }) = parts.next() {
        let mut inner = Inner::default();
        inner.push(None, node, count);
        while let Some(part) = parts.next_if(|_| {
            let kids = inner.kids.len();
            kids < 4 || (kids < ROOMY && inner.separators.bytes() < MOST_SEPARATORS / 2)
        }) {
            count += part.count;
            inner.push(part.separator, part.node, part.count);
        }
        above.push(Part { separator, node: Node::Inner(Box::new(inner)), count });
    }
    above
}
