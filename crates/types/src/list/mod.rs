//! Lists: byte strings in the order of their pushing, reached from both ends.
//!
//! ```text
//!   short      | gap a b c spare |                                  packed elements
//!
//!   long       +--------+--------+--------+--------+--------+       a ring of nodes (ring.rs):
//!              | 2, *   | 3, *   | 3, *   | 1, *   | 2, *   |       how many, and where; 12 bytes
//!              +----|---+----|---+----|---+----|---+----|---+
//!                   v        v        v        v        v
//!              | gap a b | c d e | f g h  | <large>| i j spare |    packed elements
//!   head ->                                                      <- tail
//! ```
//!
//! The idea is Redis's quicklist, with the node headers side by side instead of linked: finding an
//! element by number then walks an array that the processor prefetches, and a node costs 12 bytes
//! beside its content. Nodes hold what `list-max-listpack-size` allows (8 KiB by default, with all
//! that belongs to a node, so that it is one size class); an element larger than that has a node of
//! its own. A list is short until it needs a second node, and then stays long.
//!
//! Pushing and popping are amortised O(1) at both ends: packed nodes keep a gap in front. An edit
//! in the middle moves at most one node's bytes, and the node headers when a node comes or goes.
//! Neighbours that would fit half a node together are merged after such edits, so that removing
//! leaves no crumbs.

mod copy;
mod edit;
mod image;
mod iter;
mod portable;
mod pre_image;
mod ring;

use base::codec::{Malformed, Source};
use base::{DataType, Growing, Kind, PackLimits};
use table::{Block, UnalignedBox};

use crate::packed::{Packed, element_size};

pub use iter::Iter;
use ring::Ring;

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
pub struct List {
    shape: Shape,
}

enum Shape {
    Short(Packed),
    Long(UnalignedBox<Ring>),
}

impl Default for List {
    fn default() -> Self {
        List { shape: Shape::Short(Packed::new()) }
    }
}

/// What a node may hold, by `list-max-listpack-size`.
#[derive(Clone, Copy)]
struct Fill {
    bytes: usize,
    count: usize,
}

impl Fill {
    #[inline]
    fn new(limits: &PackLimits) -> Fill {
        const CLASSES: [usize; 5] = [4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10];
        let (class, count) = match usize::try_from(limits.list_size) {
            // Nodes limited by number are limited to the usual bytes as well.
            Ok(count) => (2, count),
            Err(_) => {
                let class = usize::try_from(limits.list_size.saturating_neg()).unwrap_or(5);
                (class.min(5), usize::MAX)
            }
        };
        Fill { bytes: CLASSES[class - 1] - Block::OVERHEAD, count }
    }

    /// A node for an element of `more` bytes at an end. Behind a full node it gets half its room
    /// at once: a list that has filled one node will fill the next, but those that end somewhere
    /// in it are many.
    fn new_node(self, end: End, more: usize) -> Packed {
        if self.count != usize::MAX || more > self.bytes {
            return Packed::new();
        }
        let half = (self.bytes + Block::OVERHEAD) / 2 - Block::OVERHEAD;
        Packed::with_room(half, end == End::Head)
    }

    #[inline]
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
        match &self.shape {
            Shape::Short(node) => node.len(),
            Shape::Long(ring) => ring.len(),
        }
    }

    /// Number of nodes.
    #[must_use]
    pub fn nodes(&self) -> usize {
        match &self.shape {
            Shape::Short(node) => usize::from(!node.is_empty()),
            Shape::Long(ring) => ring.nodes(),
        }
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
        let at = if end == End::Head { 0 } else { self.len() };
        self.note(at, 0, 1);
        match &mut self.shape {
            Shape::Short(node) if fill.takes(node, more) => push(node, end, element),
            Shape::Short(_) => self.lengthen(|ring| ring.push(end, element, fill)),
            Shape::Long(ring) => ring.push(end, element, fill),
        }
    }

    /// Makes it a long list, if it is short, and edits it.
    fn lengthen(&mut self, edit: impl FnOnce(&mut Ring)) {
        if let Shape::Short(node) = &mut self.shape {
            let ring = Ring::of(std::mem::take(node));
            self.shape = Shape::Long(UnalignedBox::new(ring));
        }
        if let Shape::Long(ring) = &mut self.shape {
            edit(ring);
        }
    }

    /// The element at `end`. O(1).
    #[inline]
    #[must_use]
    pub fn peek(&self, end: End) -> Option<&[u8]> {
        let node = match &self.shape {
            Shape::Short(node) => node,
            Shape::Long(ring) => ring.at(end)?,
        };
        match end {
            End::Head => node.iter().next(),
            End::Tail => node.iter().next_back(),
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
        let n = n.min(self.len());
        let at = if end == End::Head { 0 } else { self.len() - n };
        self.note(at, n, 0);
        match &mut self.shape {
            Shape::Short(node) => match end {
                _ if n >= node.len() => node.clear(),
                End::Head => node.drop_front(n),
                End::Tail => node.drop_back(n),
            },
            Shape::Long(ring) => ring.drop_from(end, n),
        }
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
        let node = self.node(node)?;
        Some(node.get(node.at(index)?))
    }

    /// All elements from head to tail; reversible.
    #[must_use]
    pub fn iter(&self) -> Iter<'_> {
        self.range(0, self.len())
    }

    /// `count` elements from number `start` on, or as many as there are; reversible. O(nodes) to
    /// get there, from the nearer end.
    #[must_use]
    pub fn range(&self, start: usize, count: usize) -> Iter<'_> {
        Iter::new(self, start, count)
    }

    /// The elements of a node.
    #[inline]
    fn node(&self, number: usize) -> Option<&Packed> {
        match &self.shape {
            Shape::Short(node) => (number == 0).then_some(node),
            Shape::Long(ring) => ring.node(number),
        }
    }

    /// The node of the element number `index`, and its number therein. O(nodes), from the nearer
    /// end.
    fn locate(&self, index: usize) -> Option<(usize, usize)> {
        match &self.shape {
            Shape::Short(node) => (index < node.len()).then_some((0, index)),
            Shape::Long(ring) => ring.locate(index),
        }
    }
}

/// Adds an element at an end of a node.
#[inline]
fn push(node: &mut Packed, end: End, element: &[u8]) {
    match end {
        End::Head => node.push_front(element),
        End::Tail => node.push_back(element),
    }
}

impl Clone for List {
    fn clone(&self) -> Self {
        let shape = match &self.shape {
            Shape::Short(node) => Shape::Short(node.clone()),
            Shape::Long(ring) => Shape::Long(ring.clone()),
        };
        List { shape }
    }
}

impl DataType for List {
    const KIND: Kind = Kind::List;
    type Context = ();
    type Copying = copy::ListCopy;
    type Assembly = Growing<List>;

    fn is_empty(&self) -> bool {
        Self::is_empty(self)
    }

    fn elements(&self) -> usize {
        self.len()
    }

    fn memory(&self) -> usize {
        match &self.shape {
            Shape::Short(node) => node.memory(),
            Shape::Long(ring) => ring.memory(),
        }
    }

    fn encoding(&self) -> &'static str {
        "quicklist"
    }

    fn free_effort(&self) -> usize {
        self.nodes()
    }

    fn encode(&self, out: &mut Vec<u8>) {
        image::encode(out, self);
    }

    fn decode(
        source: &mut Source<'_>,
        limits: &PackLimits,
        _context: &mut (),
    ) -> Result<Self, Malformed> {
        image::decode(source, limits)
    }

    fn skip(source: &mut Source<'_>) -> Result<(), Malformed> {
        image::skip(source)
    }

    fn is_divisible(&self) -> bool {
        self.nodes() > 1
    }
}

#[cfg(test)]
#[path = "list_tests.rs"]
mod tests;
