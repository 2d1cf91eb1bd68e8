//! A tree, to read: what a tree is now, or what it was when a version was made.

use std::ops::{Bound, Range};

use crate::edit::Inserted;
use crate::hold::{Account, Hold, Shared};
use crate::layout::Layout;
use crate::node::Node;

/// Elements in order, to read.
///
/// A walk keeps no stack: at the end of a leaf it finds the next by rank from the root, which costs
/// a few comparisons per leaf and lets iterators be small and start anywhere.
pub struct View<L: Layout, H: Hold> {
    pub(crate) root: Node<L, H>,
    pub(crate) len: usize,
}

/// A tree as it was. It never changes, and several threads may read it at once.
pub type Frozen<L> = View<L, Shared>;

impl<L: Layout, H: Hold> Default for View<L, H> {
    fn default() -> Self {
        View { root: Node::default(), len: 0 }
    }
}

impl<L: Layout, H: Hold> View<L, H> {
    /// Inserts an element; whether it was not there.
    pub(crate) fn insert(&mut self, item: L::Item<'_>, account: &mut Account<'_>) -> bool {
        match self.root.insert(item, account) {
            Inserted::Already => return false,
            Inserted::Here => {}
            Inserted::Split(split) => self.root.raise(split, self.len + 1, account),
        }
        self.len += 1;
        true
    }

    /// Removes an element; whether it was there.
    pub(crate) fn remove(&mut self, item: L::Item<'_>, account: &mut Account<'_>) -> bool {
        let found = self.root.remove(item, account);
        if found {
            self.len -= 1;
            self.root.lower(account);
        }
        found
    }

    /// How many elements there are. O(1).
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is none. O(1).
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How many elements satisfy `below`, which holds for a prefix of the order. It is asked about
    /// places of leaves and of separators. O(log n).
    #[inline]
    #[must_use]
    pub fn partition(&self, mut below: impl FnMut(&L, usize) -> bool) -> usize {
        self.root.partition(&mut below)
    }

    /// Whether `item` is there. O(log n).
    #[must_use]
    pub fn contains(&self, item: L::Item<'_>) -> bool {
        let (leaf, _) = self.root.leaf_of(item);
        let at = leaf.lower_bound(item);
        at < leaf.len() && leaf.order_to(at, item).is_eq()
    }

    /// The elements from `start` to before `end`, if all of them are in one leaf and not at its
    /// end: most often so if they are few, and then without asking for ranks. O(log n).
    #[must_use]
    pub fn run(
        &self,
        start: L::Item<'_>,
        end: L::Item<'_>,
    ) -> Option<impl ExactSizeIterator<Item = L::Item<'_>>> {
        let leaf = self.root.leaf(start);
        let from = leaf.lower_bound(start);
        let to = leaf.lower_bound(end).max(from);
        (to < leaf.len()).then(|| (from..to).map(|at| leaf.item(at)))
    }

    /// How many elements come before `item`. O(log n).
    #[inline]
    #[must_use]
    pub fn rank(&self, item: L::Item<'_>) -> usize {
        let (leaf, before) = self.root.leaf_of(item);
        before + leaf.lower_bound(item)
    }

    /// How many elements do not come behind `item`. O(log n).
    #[inline]
    #[must_use]
    pub fn rank_behind(&self, item: L::Item<'_>) -> usize {
        let (leaf, before) = self.root.leaf_of(item);
        before + leaf.upper_bound(item)
    }

    /// The ranks of the elements between two bounds; their number is the count. O(log n).
    ///
    /// ```
    /// use std::ops::Bound::{Excluded, Included, Unbounded};
    /// use kvist_btree::{Fixed, Tree};
    ///
    /// let tree: Tree<Fixed<u64>> = Tree::build([2, 3, 5, 7, 11].into_iter());
    /// assert_eq!(tree.ranks(Included(3), Excluded(7)), 1..3);
    /// assert!(tree.iter(tree.ranks(Excluded(5), Unbounded)).eq([7, 11]));
    /// assert!(tree.ranks(Included(9), Included(1)).is_empty());
    /// ```
    #[must_use]
    pub fn ranks(&self, start: Bound<L::Item<'_>>, end: Bound<L::Item<'_>>) -> Range<usize> {
        let start = match start {
            Bound::Included(item) => self.rank(item),
            Bound::Excluded(item) => self.rank_behind(item),
            Bound::Unbounded => 0,
        };
        let end = match end {
            Bound::Included(item) => self.rank_behind(item),
            Bound::Excluded(item) => self.rank(item),
            Bound::Unbounded => self.len,
        };
        start..end.max(start)
    }

    /// The element with this rank. O(log n).
    #[must_use]
    pub fn get(&self, rank: usize) -> Option<L::Item<'_>> {
        (rank < self.len).then(|| {
            let (leaf, at) = self.root.seek(rank);
            leaf.item(at)
        })
    }

    /// The elements of these ranks, as far as they exist, in order; reversible. O(log n) to get to
    /// either end.
    #[must_use]
    pub fn iter(&self, ranks: Range<usize>) -> Iter<'_, L, H> {
        let end = ranks.end.min(self.len);
        let ranks = ranks.start.min(end)..end;
        Iter { root: &self.root, ranks, front: None, back: None }
    }
}

/// A walk over a tree, from both ends. A step is amortised O(1).
pub struct Iter<'a, L: Layout, H: Hold> {
    root: &'a Node<L, H>,
    ranks: Range<usize>,
    /// A leaf and the place of its element to be yielded next.
    front: Option<(&'a L, usize)>,
    /// A leaf and the place of its element yielded last.
    back: Option<(&'a L, usize)>,
}

impl<L: Layout, H: Hold> Clone for Iter<'_, L, H> {
    fn clone(&self) -> Self {
        Iter { root: self.root, ranks: self.ranks.clone(), front: self.front, back: self.back }
    }
}

impl<'a, L: Layout, H: Hold> Iterator for Iter<'a, L, H> {
    type Item = L::Item<'a>;

    #[inline]
    fn next(&mut self) -> Option<L::Item<'a>> {
        let rank = self.ranks.next()?;
        let (leaf, at) = match self.front {
            Some((leaf, at)) if at < leaf.len() => (leaf, at),
            _ => self.root.seek(rank),
        };
        self.front = Some((leaf, at + 1));
        Some(leaf.item(at))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.ranks.size_hint()
    }
}

impl<L: Layout, H: Hold> DoubleEndedIterator for Iter<'_, L, H> {
    #[inline]
    fn next_back(&mut self) -> Option<Self::Item> {
        let rank = self.ranks.next_back()?;
        let (leaf, at) = match self.back {
            Some((leaf, at)) if at > 0 => (leaf, at - 1),
            _ => self.root.seek(rank),
        };
        self.back = Some((leaf, at));
        Some(leaf.item(at))
    }
}

impl<L: Layout, H: Hold> ExactSizeIterator for Iter<'_, L, H> {}
