//! Lists: byte strings in the order of their pushing, reached from both ends.
//!
//! ```text
//!   nodes      +--------+--------+--------+--------+--------+       a ring of node headers
//!   (deque)    |   *    |   *    |   *    |   *    |   *    |       (32 bytes each)
//!              +---|----+---|----+---|----+---|----+---|----+
//!                  v        v        v        v        v
//!              | gap a b | c d e | f g h  | <large>| i j spare |    packed elements
//!   head ->                                                      <- tail
//! ```
//!
//! The idea is Redis's quicklist, with the node headers side by side instead of linked: finding an
//! element by number then walks an array that the processor prefetches, and a node costs 32 bytes
//! beside its content. Nodes hold what `list-max-listpack-size` allows (8 KiB by default); an
//! element larger than that has a node of its own.
//!
//! Pushing and popping are amortised O(1) at both ends: packed nodes keep a gap in front. An edit
//! in the middle moves at most one node's bytes, and the node headers when a node comes or goes.
//! Neighbours that would fit half a node together are merged after such edits, so that removing
//! leaves no crumbs.

mod edit;
mod iter;

use std::collections::VecDeque;

use base::{DataType, Kind, PackLimits};
use table::size_class;

use crate::packed::{Packed, element_size};

pub use iter::Iter;

/// An end of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Where `LPUSH` pushes; element 0.
    Head,
    /// Where `RPUSH` pushes.
    Tail,
}

impl End {
    /// The other end.
    #[must_use]
    pub fn other(self) -> End {
        match self {
            End::Head => End::Tail,
            End::Tail => End::Head,
        }
    }
}

/// The value of a key of type list.
///
/// ```
/// use kvist_types::{End, List};
/// let limits = base::PackLimits::default();
/// let mut list = List::default();
/// list.push(End::Tail, b"b", &limits);
/// list.push(End::Head, b"a", &limits);
/// assert!(list.iter().eq([b"a", b"b"]));
/// assert_eq!(list.pop(End::Tail), Some(b"b".to_vec()));
/// ```
#[derive(Default)]
pub struct List {
    nodes: VecDeque<Packed>,
    len: usize,
    /// Bytes allocated by the nodes.
    bytes: usize,
}

/// What a node may hold, by `list-max-listpack-size`.
#[derive(Clone, Copy)]
struct Fill {
    bytes: usize,
    count: usize,
}

impl Fill {
    fn new(limits: &PackLimits) -> Fill {
        const CLASSES: [usize; 5] = [4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10];
        match usize::try_from(limits.list_size) {
            // Nodes limited by number are limited to the usual bytes as well.
            Ok(count) => Fill { bytes: CLASSES[1], count },
            Err(_) => {
                let class = usize::try_from(limits.list_size.saturating_neg()).unwrap_or(5);
                Fill { bytes: CLASSES[class.min(5) - 1], count: usize::MAX }
            }
        }
    }

    /// A node for an element of `more` bytes at an end. Behind a full node it gets all its room at
    /// once: a list that has filled one node will fill the next.
    fn new_node(self, end: End, first: bool, more: usize) -> Packed {
        if first || self.count != usize::MAX || more > self.bytes {
            return Packed::new();
        }
        Packed::with_room(self.bytes, end == End::Head)
    }

    fn takes(self, node: &Packed, more: usize) -> bool {
        node.is_empty() || (node.len() < self.count && node.bytes() + more <= self.bytes)
    }
}

impl List {
    /// A list of the given elements. O(n).
    pub fn collect<'a>(elements: impl IntoIterator<Item = &'a [u8]>, limits: &PackLimits) -> Self {
        let mut list = List::default();
        for element in elements {
            list.push(End::Tail, element, limits);
        }
        list
    }

    /// How many elements there are. O(1).
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Number of nodes.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are none. O(1).
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds an element at `end`. Amortised O(1).
    pub fn push(&mut self, end: End, element: &[u8], limits: &PackLimits) {
        let fill = Fill::new(limits);
        let more = element_size(element.len());
        let last = match end {
            End::Head => self.nodes.front(),
            End::Tail => self.nodes.back(),
        };
        if !last.is_some_and(|node| fill.takes(node, more)) {
            let node = fill.new_node(end, self.nodes.is_empty(), more);
            self.bytes += node.memory();
            match end {
                End::Head => self.nodes.push_front(node),
                End::Tail => self.nodes.push_back(node),
            }
        }
        self.at_end(end, |node| match end {
            End::Head => node.push_front(element),
            End::Tail => node.push_back(element),
        });
        self.len += 1;
    }

    /// The element at `end`. O(1).
    #[inline]
    #[must_use]
    pub fn peek(&self, end: End) -> Option<&[u8]> {
        match end {
            End::Head => self.nodes.front()?.iter().next(),
            End::Tail => self.nodes.back()?.iter().next_back(),
        }
    }

    /// Removes the element at `end` and returns it. O(1). To avoid the copy, [`peek`](Self::peek)
    /// and [`drop_from`](Self::drop_from).
    pub fn pop(&mut self, end: End) -> Option<Vec<u8>> {
        let element = self.peek(end)?.to_vec();
        self.drop_from(end, 1);
        Some(element)
    }

    /// Removes the `n` elements nearest to `end`, or all. O(nodes and elements removed).
    pub fn drop_from(&mut self, end: End, n: usize) {
        let mut left = n;
        while left > 0 {
            let node = match end {
                End::Head => self.nodes.front(),
                End::Tail => self.nodes.back(),
            };
            let Some(here) = node.map(Packed::len) else { break };
            if here <= left {
                left -= here;
                self.len -= here;
                let gone = match end {
                    End::Head => self.nodes.pop_front(),
                    End::Tail => self.nodes.pop_back(),
                };
                self.bytes -= gone.map_or(0, |node| node.memory());
            } else {
                self.len -= left;
                self.at_end(end, |node| match end {
                    End::Head => node.drop_front(left),
                    End::Tail => node.drop_back(left),
                });
                left = 0;
            }
        }
        self.shrink();
    }

    /// Moves the element at `from` to the other end; whether there was one. Amortised O(1).
    pub fn rotate(&mut self, from: End, limits: &PackLimits) -> bool {
        match self.pop(from) {
            Some(element) => {
                self.push(from.other(), &element, limits);
                true
            }
            None => false,
        }
    }

    /// The element number `index`. O(nodes), from the nearer end.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<&[u8]> {
        let (node, index) = self.locate(index)?;
        let node = self.nodes.get(node)?;
        Some(node.get(node.at(index)?))
    }

    /// All elements from head to tail; reversible.
    #[must_use]
    pub fn iter(&self) -> Iter<'_> {
        self.range(0, self.len)
    }

    /// `count` elements from number `start` on, or as many as there are; reversible. O(nodes) to
    /// get there, from the nearer end.
    #[must_use]
    pub fn range(&self, start: usize, count: usize) -> Iter<'_> {
        Iter::new(self, start, count)
    }

    /// The node of the element number `index`, and its number therein. O(nodes), from the nearer
    /// end.
    fn locate(&self, index: usize) -> Option<(usize, usize)> {
        if index >= self.len {
            return None;
        }
        if index < self.len / 2 {
            let mut before = 0;
            for (number, node) in self.nodes.iter().enumerate() {
                if index - before < node.len() {
                    return Some((number, index - before));
                }
                before += node.len();
            }
        } else {
            let mut start = self.len;
            for (number, node) in self.nodes.iter().enumerate().rev() {
                start -= node.len();
                if index >= start {
                    return Some((number, index - start));
                }
            }
        }
        None
    }

    /// Edits the node at `end` and keeps the account of bytes.
    #[inline]
    fn at_end(&mut self, end: End, edit: impl FnOnce(&mut Packed)) {
        let node = match end {
            End::Head => self.nodes.front_mut(),
            End::Tail => self.nodes.back_mut(),
        };
        if let Some(node) = node {
            let before = node.memory();
            edit(node);
            self.bytes = self.bytes - before + node.memory();
        }
    }

    /// Gives the room of node headers back once most of it is unused.
    fn shrink(&mut self) {
        if self.nodes.capacity() > 16 && self.nodes.len() < self.nodes.capacity() / 4 {
            self.nodes.shrink_to(self.nodes.len() * 2);
        }
    }
}

impl Clone for List {
    fn clone(&self) -> Self {
        let nodes: VecDeque<Packed> = self.nodes.iter().cloned().collect();
        let bytes = nodes.iter().map(Packed::memory).sum();
        List { nodes, len: self.len, bytes }
    }
}

impl DataType for List {
    const KIND: Kind = Kind::List;

    fn is_empty(&self) -> bool {
        Self::is_empty(self)
    }

    fn memory(&self) -> usize {
        self.bytes + size_class(self.nodes.capacity() * size_of::<Packed>())
    }

    fn encoding(&self) -> &'static str {
        "quicklist"
    }

    fn free_effort(&self) -> usize {
        self.nodes.len()
    }
}

#[cfg(test)]
#[path = "list_tests.rs"]
mod tests;
