//! How a node keeps its elements: what differs between the uses of the tree.

mod fixed;
mod scored;
mod strings;

use std::cmp::Ordering;

pub use fixed::{Element, Fixed, f64_of_rank_bits, rank_bits_of_f64};
pub use scored::{Scored, order as order_of_scored};
pub use strings::{Strings, Text};

/// Elements in order, each once, in one allocation: a leaf, or the separators of an inner node.
///
/// The tree calls it with places below [`len`](Layout::len) only (or up to it, where something is
/// inserted or cut), and with elements that belong there. With others it may panic.
pub trait Layout: Clone + Default + Send + Sync + 'static {
    /// An element, or what something is compared with.
    type Item<'a>: Copy;
    /// An element by itself.
    type Owned: Clone + Send + Sync;

    /// Most elements of a leaf, and children of an inner node.
    const MOST: usize;
    /// Most bytes of a leaf, unless it has one element only.
    const MOST_BYTES: usize;

    /// How many elements there are.
    fn len(&self) -> usize;

    /// Whether there is none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes used, by which a node is told to be full.
    fn bytes(&self) -> usize;

    /// Bytes allocated. O(1).
    fn memory(&self) -> usize;

    /// Bytes that an element adds to [`bytes`](Layout::bytes).
    fn size(item: Self::Item<'_>) -> usize;

    /// The element at a place.
    fn item(&self, at: usize) -> Self::Item<'_>;

    /// The order of two elements.
    fn order(left: Self::Item<'_>, right: Self::Item<'_>) -> Ordering;

    /// How the element at a place compares with another.
    #[inline]
    fn order_to(&self, at: usize, item: Self::Item<'_>) -> Ordering {
        Self::order(self.item(at), item)
    }

    /// Elements that come in order. O(bytes).
    fn of(items: &[Self::Item<'_>]) -> Self;

    /// Inserts an element, which belongs there. O(bytes).
    fn insert(&mut self, at: usize, item: Self::Item<'_>);

    /// Removes the elements from one place to before another. O(bytes).
    fn remove(&mut self, from: usize, to: usize);

    /// Puts another element, which belongs there, in the place of `old`. O(bytes).
    fn replace(&mut self, at: usize, old: Self::Item<'_>, new: Self::Item<'_>) {
        let _ = old;
        self.remove(at, at + 1);
        self.insert(at, new);
    }

    /// Cuts before a place and returns what is behind. O(bytes).
    #[must_use]
    fn split_off(&mut self, at: usize) -> Self;

    /// Appends elements all of which come behind those here. O(bytes).
    fn append(&mut self, other: &Self);

    /// An element that is above `left` but not above `right`: the shorter, the better.
    fn separator(left: Self::Item<'_>, right: Self::Item<'_>) -> Self::Owned;

    /// The element as one by itself.
    fn own(item: Self::Item<'_>) -> Self::Owned;

    /// The element that stands by itself.
    fn item_of(owned: &Self::Owned) -> Self::Item<'_>;

    /// Reads a byte of every cache line of a leaf that is about to be edited: the processor then
    /// fetches them at once, where the edit would wait for one after the other.
    #[inline]
    fn touch(&self) {}

    /// How many elements satisfy `below`, which must hold for a prefix of the order. O(log n).
    #[inline(always)]
    fn partition(&self, below: &mut impl FnMut(&Self, usize) -> bool) -> usize {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if below(self, middle) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// How many elements come before `item`. O(log n).
    #[inline(always)]
    fn lower_bound(&self, item: Self::Item<'_>) -> usize {
        self.partition(&mut |run, at| run.order_to(at, item).is_lt())
    }

    /// How many elements do not come behind `item`. O(log n).
    #[inline(always)]
    fn upper_bound(&self, item: Self::Item<'_>) -> usize {
        self.partition(&mut |run, at| run.order_to(at, item).is_le())
    }
}

/// Bytes of a cache line.
const LINE: usize = 64;

/// See [`Layout::touch`].
#[inline]
fn touch(bytes: &[u8]) {
    let lines = bytes.iter().step_by(LINE);
    std::hint::black_box(lines.fold(0, |all, byte| all ^ byte));
}

/// How many bytes both begin with.
#[inline]
fn common(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}
