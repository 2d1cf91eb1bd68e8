//! Building a tree of pairs that come in order: all leaves first, then level above level.
//!
//! Nodes are filled to seven eighths, so that the first inserts afterwards split nothing. O(n),
//! without any search.

use super::node::{Inner, MOST_SEPARATORS, Node, Pair, ROOMY, is_full, separator};
use super::run::Run;

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
    let mut level = Vec::new();
    let mut parting = None;
    let mut run = Run::default();
    for pair in pairs {
        if run.len() >= ROOMY || (run.len() > 0 && is_full(&run, pair.1)) {
            let next = run.last().map(|last| separator(last, pair));
            let count = run.len();
            level.push(Part {
                separator: std::mem::replace(&mut parting, next),
                node: Node::Leaf(std::mem::take(&mut run)),
                count,
            });
        }
        run.push(pair);
    }
    let count = run.len();
    level.push(Part { separator: parting, node: Node::Leaf(run), count });
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
