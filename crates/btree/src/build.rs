//! Building a tree of elements that come in order: all leaves first, then level above level.
//!
//! Nodes are filled to seven eighths, so that the first inserts afterwards split nothing. O(n),
//! without any search.

use crate::hold::{Held, Hold};
use crate::inner::Inner;
use crate::layout::Layout;
use crate::node::{Node, is_full, most_separators, roomy};

/// A node on its way into the level above.
struct Part<L: Layout, H: Hold> {
    /// What parts it from the one before; the first of all has nothing.
    separator: Option<L::Owned>,
    node: Node<L, H>,
    /// Elements in it.
    count: usize,
}

/// The root of a tree of `items`, which come in order.
pub(crate) fn build<'a, L: Layout, H: Hold>(
    items: impl Iterator<Item = L::Item<'a>>,
) -> Node<L, H> {
    let mut level = leaves::<L, H>(items);
    while level.len() > 1 {
        level = above(level);
    }
    level.pop().map(|part| part.node).unwrap_or_default()
}

fn leaves<'a, L: Layout, H: Hold>(items: impl Iterator<Item = L::Item<'a>>) -> Vec<Part<L, H>> {
    let mut level: Vec<Part<L, H>> = Vec::new();
    let mut leaf: Vec<L::Item<'a>> = Vec::with_capacity(roomy::<L>());
    let mut bytes = 0;
    let mut parting = None;
    for item in items {
        if leaf.len() >= roomy::<L>() || (!leaf.is_empty() && is_full::<L>(leaf.len(), bytes, item))
        {
            let next = leaf.last().map(|last| L::separator(*last, item));
            let separator = std::mem::replace(&mut parting, next);
            let node = Node::Leaf(Held::new(L::of(&leaf)));
            level.push(Part { separator, node, count: leaf.len() });
            leaf.clear();
            bytes = 0;
        }
        leaf.push(item);
        bytes += L::size(item);
    }
    let node = Node::Leaf(Held::new(L::of(&leaf)));
    level.push(Part { separator: parting, node, count: leaf.len() });
    level
}

fn above<L: Layout, H: Hold>(level: Vec<Part<L, H>>) -> Vec<Part<L, H>> {
    let mut above = Vec::with_capacity(level.len().div_ceil(roomy::<L>()));
    let mut parts = level.into_iter().peekable();
    while let Some(Part { separator, node, mut count }) = parts.next() {
        let mut inner = Inner::default();
        inner.push(None, node, count);
        while let Some(part) = parts.next_if(|_| {
            let kids = inner.kids.len();
            kids < 4
                || (kids < roomy::<L>() && inner.separators.bytes() < most_separators::<L>() / 2)
        }) {
            count += part.count;
            inner.push(part.separator.as_ref(), part.node, part.count);
        }
        above.push(Part { separator, node: Node::Inner(Held::new(inner)), count });
    }
    above
}
