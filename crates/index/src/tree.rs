//! The tree: looking up, counting, walking a range forwards and backwards.
//!
//! Changes are in `apply.rs`, loading many sorted keys in `build.rs`. All leaves are at the same
//! depth. Between two children stands a separator: the keys of the left one are smaller, those of
//! the right one are not. It is the shortest string that tells them apart.

use core::ops::ControlFlow::{Break, Continue};
use core::ops::{ControlFlow, Range};

use table::size_class;

use crate::KeyList;
use crate::block::Block;

/// Where a span begins or ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge<'k> {
    /// Before all keys.
    First,
    /// Behind all keys.
    Last,
    /// Right before this key, whether it is there or not.
    Before(&'k [u8]),
    /// Right behind it.
    After(&'k [u8]),
}

impl Edge<'_> {
    /// Whether `key` is behind it.
    #[must_use]
    pub fn is_before(&self, key: &[u8]) -> bool {
        match *self {
            Edge::First => true,
            Edge::Last => false,
            Edge::Before(edge) => key >= edge,
            Edge::After(edge) => key > edge,
        }
    }
}

/// The keys between two edges. Where `end` is not behind `start` there are none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span<'k> {
    /// Where it begins.
    pub start: Edge<'k>,
    /// Where it ends.
    pub end: Edge<'k>,
}

impl Span<'_> {
    /// All keys.
    pub const ALL: Span<'static> = Span { start: Edge::First, end: Edge::Last };

    /// Whether it holds nothing, whatever keys there are.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match (self.start, self.end) {
            (Edge::Last, _) | (_, Edge::First) => true,
            (Edge::First, _) | (_, Edge::Last) => false,
            (Edge::Before(start), Edge::After(end)) => start > end,
            (Edge::Before(start) | Edge::After(start), Edge::Before(end) | Edge::After(end)) => {
                start >= end
            }
        }
    }

    /// Whether it holds `key`.
    #[must_use]
    pub fn contains(&self, key: &[u8]) -> bool {
        self.start.is_before(key) && !self.end.is_before(key)
    }
}

#[derive(Debug)]
pub(crate) enum Node {
    Leaf(Block),
    Inner(Box<Inner>),
}

#[derive(Debug, Default)]
pub(crate) struct Inner {
    /// One fewer than there are children.
    pub separators: Block,
    pub children: Box<[Node]>,
    /// How many keys are below each child.
    pub counts: Box<[usize]>,
}

impl Inner {
    /// The child that `key` would be below.
    #[inline]
    pub fn child_of(&self, key: &[u8]) -> usize {
        self.separators.upper_bound(key)
    }

    /// The child that an edge falls into.
    #[inline]
    fn child_at(&self, edge: Edge<'_>) -> usize {
        match edge {
            Edge::First => 0,
            Edge::Last => self.children.len() - 1,
            Edge::Before(key) | Edge::After(key) => self.child_of(key),
        }
    }
}

impl Node {
    /// Bytes it owns, without its children's.
    pub fn own_memory(&self) -> usize {
        match self {
            Node::Leaf(block) => block.memory(),
            Node::Inner(inner) => {
                let Inner { separators, children, counts } = &**inner;
                size_class(size_of::<Inner>())
                    + separators.memory()
                    + size_class(size_of_val::<[Node]>(children))
                    + size_class(size_of_val::<[usize]>(counts))
            }
        }
    }
}

/// An ordered set of keys.
#[derive(Debug)]
pub struct Tree {
    pub(crate) root: Node,
    pub(crate) len: usize,
    pub(crate) memory: usize,
}

impl Default for Tree {
    fn default() -> Self {
        Tree { root: Node::Leaf(Block::default()), len: 0, memory: 0 }
    }
}

impl Tree {
    /// How many keys there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Bytes allocated. O(1).
    #[must_use]
    pub fn memory(&self) -> usize {
        self.memory
    }

    /// Whether `key` is there. O(log n).
    #[must_use]
    pub fn contains(&self, key: &[u8]) -> bool {
        let mut node = &self.root;
        loop {
            match node {
                Node::Leaf(block) => return block.lower_bound(key).1,
                Node::Inner(inner) => node = &inner.children[inner.child_of(key)],
            }
        }
    }

    /// How many keys are before an edge. O(log n).
    #[must_use]
    pub fn rank(&self, edge: Edge<'_>) -> usize {
        let (mut node, mut before) = (&self.root, 0);
        loop {
            match node {
                Node::Leaf(block) => return before + place(block, edge),
                Node::Inner(inner) => {
                    let child = inner.child_at(edge);
                    before += inner.counts[..child].iter().sum::<usize>();
                    node = &inner.children[child];
                }
            }
        }
    }

    /// How many keys are in a span. O(log n).
    ///
    /// ```
    /// use kvist_index::{Builder, Edge, Span};
    ///
    /// let mut builder = Builder::default();
    /// for key in ["a:1", "a:2", "b"] {
    ///     builder.push(key.as_bytes());
    /// }
    /// let tree = builder.finish();
    /// let span = Span { start: Edge::Before(b"a:"), end: Edge::Before(b"a;") };
    /// assert_eq!(tree.count(span), 2);
    /// ```
    #[must_use]
    pub fn count(&self, span: Span<'_>) -> usize {
        self.rank(span.end).saturating_sub(self.rank(span.start))
    }

    /// Shows the keys of a span, in order or in reverse, until `visit` breaks. O(log n), and
    /// O(bytes) of what is shown.
    pub fn walk<B>(
        &self,
        span: Span<'_>,
        reverse: bool,
        mut visit: impl FnMut(&[u8]) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let mut key = Vec::new();
        self.leaves(span, reverse, &mut |block, range| {
            key.clear();
            key.extend_from_slice(block.prefix());
            let (len, rests) = (key.len(), block.rests());
            let mut show = |at: usize| {
                key.truncate(len);
                key.extend_from_slice(rests.get(at));
                visit(&key)
            };
            if reverse {
                return range.rev().try_for_each(&mut show);
            }
            range.into_iter().try_for_each(&mut show)
        })
    }

    /// Adds the first keys of a span to `keys`, at most so many; in reverse, the last ones, the
    /// last first. O(log n), and O(bytes) of what is added.
    pub fn collect(&self, span: Span<'_>, reverse: bool, most: usize, keys: &mut KeyList) {
        self.show(span, reverse, most, |prefix, rests| {
            rests.iter().for_each(|rest| keys.push_parts(prefix, rest));
        });
    }

    /// Shows the first keys of a span, at most so many, or in reverse the last ones, the last
    /// first: what some of them begin with, and their rests. O(log n), and O(bytes) of what is
    /// shown.
    ///
    /// ```
    /// use kvist_index::{Builder, Span};
    ///
    /// let mut builder = Builder::default();
    /// ["a:1", "a:2", "b"].map(|key| builder.push(key.as_bytes()));
    /// let mut keys = Vec::new();
    /// builder.finish().show(Span::ALL, false, 2, |prefix, rests| {
    ///     keys.extend(rests.iter().map(|rest| [prefix, rest].concat()));
    /// });
    /// assert_eq!(keys, [b"a:1", b"a:2"]);
    /// ```
    pub fn show(
        &self,
        span: Span<'_>,
        reverse: bool,
        most: usize,
        mut visit: impl FnMut(&[u8], &[&[u8]]),
    ) {
        let mut left = most;
        // Where it stops does not matter.
        let _ = self.leaves(span, reverse, &mut |block, range| {
            let count = range.len().min(left);
            let (first, last) = (range.start + count, range.end - count);
            let range = if reverse { last..range.end } else { range.start..first };
            show_some(block, range, reverse, &mut visit);
            left -= count;
            if left > 0 { Continue(()) } else { Break(()) }
        });
    }

    /// Shows the leaves that a span touches, and which of their keys are in it.
    fn leaves<B>(
        &self,
        span: Span<'_>,
        reverse: bool,
        visit: &mut impl FnMut(&Block, Range<usize>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        if span.is_empty() {
            return Continue(());
        }
        leaves(&self.root, span, reverse, visit)
    }
}

/// Shows some keys of a leaf.
fn show_some(
    block: &Block,
    mut left: Range<usize>,
    reverse: bool,
    visit: &mut impl FnMut(&[u8], &[&[u8]]),
) {
    /// Keys shown at a time: those of most leaves.
    const PIECE: usize = 64;
    let mut rests: [&[u8]; PIECE] = [&[]; PIECE];
    while !left.is_empty() {
        let count = left.len().min(PIECE);
        let part =
            if reverse { left.end - count..left.end } else { left.start..left.start + count };
        left = if reverse { left.start..part.start } else { part.end..left.end };
        rests.iter_mut().zip(block.rests().of(part)).for_each(|(place, rest)| *place = rest);
        if reverse {
            rests[..count].reverse();
        }
        visit(block.prefix(), &rests[..count]);
    }
}

/// How many keys of a leaf are before an edge.
#[inline]
fn place(block: &Block, edge: Edge<'_>) -> usize {
    match edge {
        Edge::First => 0,
        Edge::Last => block.len(),
        Edge::Before(key) => block.lower_bound(key).0,
        Edge::After(key) => block.upper_bound(key),
    }
}

/// As deep as the tree is high.
fn leaves<B>(
    node: &Node,
    span: Span<'_>,
    reverse: bool,
    visit: &mut impl FnMut(&Block, Range<usize>) -> ControlFlow<B>,
) -> ControlFlow<B> {
    let inner = match node {
        Node::Leaf(block) => return visit(block, place(block, span.start)..place(block, span.end)),
        Node::Inner(inner) => inner,
    };
    let (first, last) = (inner.child_at(span.start), inner.child_at(span.end));
    let mut child = |at: usize| {
        let start = if at == first { span.start } else { Edge::First };
        let end = if at == last { span.end } else { Edge::Last };
        leaves(&inner.children[at], Span { start, end }, reverse, visit)
    };
    if reverse {
        return (first..=last).rev().try_for_each(&mut child);
    }
    (first..=last).try_for_each(&mut child)
}
