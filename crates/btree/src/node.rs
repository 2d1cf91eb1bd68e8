//! The nodes of the tree: what is read going down.
//!
//! ```text
//!                        inner node
//!   separators     |      s1      |      s2      |            kid i holds the elements
//!   kids           |  k0  |      k1      |  k2   |            s[i] <= element < s[i + 1]
//!   counts         |  41  |      64      |  17   |            elements below each kid
//!                     |          |          |
//!                   leaf       leaf       leaf                elements in order
//! ```
//!
//! A separator is the shortest element that parts two neighbours. It stays a valid bound when
//! elements go, so removing never touches it.
//!
//! Nodes split when full: in the middle, or, when the new element is at an end, so that the old
//! node stays full; loading in order so packs leaves tightly. A node that becomes small is merged
//! with a neighbour if both together leave room to grow; neighbours are never evened out. So no
//! node has a lower limit of its own, but no two neighbours are both small, which bounds the height
//! all the same.

use blocks::Leaving;

use crate::hold::{Account, Held, Hold};
use crate::inner::Inner;
use crate::layout::Layout;

/// A node with fewer elements or kids looks for a neighbour to be merged with.
pub(crate) const fn small<L: Layout>() -> usize {
    L::MOST / 4
}

/// What a merged or bulk-loaded node has at most: room is left to grow.
pub(crate) const fn roomy<L: Layout>() -> usize {
    L::MOST * 7 / 8
}

/// Bytes of the separators of an inner node, unless it has few kids.
pub(crate) const fn most_separators<L: Layout>() -> usize {
    4 * L::MOST_BYTES
}

/// A leaf, or what is above some.
pub enum Node<L: Layout, H: Hold> {
    /// Elements in order.
    Leaf(H::Leaf<L>),
    /// Nodes in order.
    Inner(H::Inner<L>),
}

impl<L: Layout, H: Hold> Clone for Node<L, H> {
    fn clone(&self) -> Self {
        match self {
            Node::Leaf(leaf) => Node::Leaf(leaf.clone()),
            Node::Inner(inner) => Node::Inner(inner.clone()),
        }
    }
}

impl<L: Layout, H: Hold> Default for Node<L, H> {
    fn default() -> Self {
        Node::Leaf(Held::new(L::default()))
    }
}

/// What has split off to the right of a node.
pub(crate) struct Split<L: Layout, H: Hold> {
    pub separator: L::Owned,
    pub right: Node<L, H>,
    /// Elements in it.
    pub count: usize,
}

/// Whether a leaf is to be split before it takes `item`.
#[inline]
pub(crate) fn is_full<L: Layout>(len: usize, bytes: usize, item: L::Item<'_>) -> bool {
    len >= L::MOST || bytes + L::size(item) > L::MOST_BYTES
}

impl<L: Layout, H: Hold> Node<L, H> {
    /// How many elements satisfy `below`, which holds for a prefix of the order. O(log n).
    #[inline]
    pub fn partition(&self, below: &mut impl FnMut(&L, usize) -> bool) -> usize {
        let (mut node, mut rank) = (self, 0);
        loop {
            match node {
                Node::Leaf(leaf) => return rank + leaf.get().partition(below),
                Node::Inner(inner) => {
                    let inner = inner.get();
                    let kid = inner.separators.partition(below);
                    rank += inner.counts[..kid].iter().sum::<usize>();
                    node = &inner.kids[kid];
                }
            }
        }
    }

    /// The leaf in whose bounds `item` lies, and how many elements are before that leaf. O(log n).
    #[inline]
    pub fn leaf_of(&self, item: L::Item<'_>) -> (&L, usize) {
        let (mut node, mut rank) = (self, 0);
        loop {
            match node {
                Node::Leaf(leaf) => return (leaf.get(), rank),
                Node::Inner(inner) => {
                    let inner = inner.get();
                    let kid = inner.kid_of(item);
                    rank += inner.counts[..kid].iter().sum::<usize>();
                    node = &inner.kids[kid];
                }
            }
        }
    }

    /// The leaf in whose bounds `item` lies. O(log n).
    #[inline]
    pub fn leaf(&self, item: L::Item<'_>) -> &L {
        let mut node = self;
        loop {
            match node {
                Node::Leaf(leaf) => return leaf.get(),
                Node::Inner(inner) => {
                    let inner = inner.get();
                    node = &inner.kids[inner.kid_of(item)];
                }
            }
        }
    }

    /// The leaf of the element with this rank, and its place therein. O(log n).
    #[inline]
    pub fn seek(&self, mut rank: usize) -> (&L, usize) {
        let mut node = self;
        loop {
            match node {
                Node::Leaf(leaf) => return (leaf.get(), rank),
                Node::Inner(inner) => {
                    let inner = inner.get();
                    let mut kid = 0;
                    while kid + 1 < inner.kids.len() && rank >= inner.counts[kid] {
                        rank -= inner.counts[kid];
                        kid += 1;
                    }
                    node = &inner.kids[kid];
                }
            }
        }
    }

    /// Shows every element in order. O(n).
    pub fn visit(&self, visit: &mut dyn FnMut(L::Item<'_>)) {
        match self {
            Node::Leaf(leaf) => (0..leaf.get().len()).for_each(|at| visit(leaf.get().item(at))),
            Node::Inner(inner) => inner.get().kids.iter().for_each(|kid| kid.visit(visit)),
        }
    }

    /// Bytes allocated by the node itself. O(1).
    #[inline]
    pub fn memory(&self) -> usize {
        match self {
            Node::Leaf(leaf) => H::Leaf::<L>::SIZE + leaf.get().memory(),
            Node::Inner(inner) => H::Inner::<L>::SIZE + inner.get().memory(),
        }
    }

    /// Bytes allocated by the node and all below it. O(nodes).
    pub fn recount_memory(&self) -> usize {
        let below = match self {
            Node::Leaf(_) => 0,
            Node::Inner(inner) => inner.get().kids.iter().map(Node::recount_memory).sum(),
        };
        self.memory() + below
    }

    /// Lets the tree leave the node and all below it, before it is dropped. `held`: something else
    /// holds what is above.
    pub fn leave_whole(&self, leaving: &mut Leaving<'_>, held: bool) {
        if !H::SHARES {
            return;
        }
        let bytes = self.memory();
        match self {
            Node::Leaf(leaf) => {
                leaf.leave(leaving, held, bytes);
            }
            Node::Inner(inner) => {
                let held = inner.leave(leaving, held, bytes);
                inner.get().kids.iter().for_each(|kid| kid.leave_whole(leaving, held));
            }
        }
    }

    pub(crate) fn is_small(&self) -> bool {
        match self {
            Node::Leaf(leaf) => leaf.get().len() < small::<L>(),
            Node::Inner(inner) => inner.get().kids.len() < small::<L>(),
        }
    }

    /// Whether the two are better one.
    pub(crate) fn may_merge(&self, right: &Self) -> bool {
        match (self, right) {
            (Node::Leaf(a), Node::Leaf(b)) => {
                let (a, b) = (a.get(), b.get());
                a.len() + b.len() <= roomy::<L>() && a.bytes() + b.bytes() <= L::MOST_BYTES * 3 / 4
            }
            (Node::Inner(a), Node::Inner(b)) => {
                let (a, b) = (a.get(), b.get());
                a.kids.len() + b.kids.len() <= roomy::<L>()
                    && a.separators.bytes() + b.separators.bytes() <= most_separators::<L>() / 2
            }
            _ => false, // never: siblings are of the same height
        }
    }
}

/// A leaf, to edit.
#[inline]
pub(crate) fn own_leaf<'n, L: Layout, H: Hold>(
    leaf: &'n mut H::Leaf<L>,
    account: &mut Account<'_>,
) -> &'n mut L {
    let before = if H::SHARES { leaf.get().memory() } else { 0 };
    let own = leaf.own(&mut account.leaving, H::Leaf::<L>::SIZE + before);
    if H::SHARES {
        account.changed(before, own.memory());
    }
    own
}

/// An inner node, to edit.
#[inline]
pub(crate) fn own_inner<'n, L: Layout, H: Hold>(
    inner: &'n mut H::Inner<L>,
    account: &mut Account<'_>,
) -> &'n mut Inner<L, H> {
    let before = if H::SHARES { inner.get().memory() } else { 0 };
    let own = inner.own(&mut account.leaving, H::Inner::<L>::SIZE + before);
    if H::SHARES {
        account.changed(before, own.memory());
    }
    own
}
