//! The order-statistic B+tree of a large sorted set: pairs by rank, rank by pair, both O(log n).
//!
//! The work is done in the nodes (see `node.rs`); here is the root, the account of memory, and
//! the walk. A walk keeps no stack: at the end of a leaf it finds the next by rank from the root,
//! which costs a few comparisons per leaf and lets iterators be small and start anywhere.

use std::ops::Range;

use super::build::build;
use super::node::{Node, Pair};
use super::run::Run;

/// See the [module](self).
#[derive(Default)]
pub(super) struct Tree {
    root: Node,
    len: usize,
    /// Bytes allocated by all nodes.
    bytes: usize,
}

impl Tree {
    /// A tree of pairs that come in order. O(n).
    pub(super) fn build<'a>(pairs: impl Iterator<Item = Pair<'a>>) -> Tree {
        let mut len = 0;
        let root = build(pairs.inspect(|_| len += 1));
        let bytes = root.recount_memory();
        Tree { root, len, bytes }
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Bytes allocated. O(1).
    #[inline]
    pub(super) fn memory(&self) -> usize {
        self.bytes
    }

    /// Inserts a pair that is not there. O(log n).
    pub(super) fn insert(&mut self, pair: Pair<'_>) {
        if let Some(split) = self.root.insert(pair, &mut self.bytes) {
            let right = split.count();
            self.root.raise(split, self.len + 1 - right, &mut self.bytes);
        }
        self.len += 1;
    }

    /// Removes a pair if it is there. O(log n).
    pub(super) fn remove(&mut self, pair: Pair<'_>) {
        if self.root.remove(pair, &mut self.bytes) {
            self.len -= 1;
            self.root.lower(&mut self.bytes);
        }
    }

    /// Gives a pair another score. O(log n); in place if it stays within its leaf.
    pub(super) fn rescore(&mut self, pair: Pair<'_>, score: f64) {
        if !self.root.rescore(pair, score) {
            self.remove(pair);
            self.insert((score, pair.1));
        }
    }

    /// How many pairs satisfy `below`, which holds for a prefix of the order. O(log n).
    #[inline]
    pub(super) fn partition(&self, mut below: impl FnMut(&Run, usize) -> bool) -> usize {
        self.root.partition(&mut below)
    }

    /// How many pairs come before `pair`. O(log n).
    #[inline]
    pub(super) fn rank(&self, pair: Pair<'_>) -> usize {
        self.partition(|run, i| run.order_to(i, pair).is_lt())
    }

    /// The pair with this rank. O(log n).
    pub(super) fn get(&self, rank: usize) -> Option<Pair<'_>> {
        (rank < self.len).then(|| {
            let (run, i) = self.root.seek(rank);
            run.pair(i)
        })
    }

    /// Removes the pairs of these ranks, showing each to `visit`. O(log n + pairs removed).
    pub(super) fn remove_ranks(&mut self, ranks: Range<usize>, visit: &mut dyn FnMut(Pair<'_>)) {
        let end = ranks.end.min(self.len);
        if ranks.start >= end {
            return;
        }
        if ranks.start == 0 && end == self.len {
            self.iter(0..end).for_each(visit);
            *self = Tree::default();
            return;
        }
        self.root.remove_ranks(ranks.start, end, visit, &mut self.bytes);
        self.len -= end - ranks.start;
        self.root.lower(&mut self.bytes);
    }

    /// The pairs of these ranks, which must exist; reversible. O(log n) to get there.
    pub(super) fn iter(&self, ranks: Range<usize>) -> Iter<'_> {
        Iter { root: &self.root, ranks, front: None, back: None }
    }

    #[cfg(test)]
    pub(super) fn check(&self) {
        let (_, len) = self.root.check(None, None);
        assert_eq!(len, self.len);
        assert_eq!(self.root.recount_memory(), self.bytes);
    }
}

/// A walk over a tree, from both ends. A step is amortised O(1).
#[derive(Clone)]
pub(super) struct Iter<'a> {
    root: &'a Node,
    ranks: Range<usize>,
    /// A leaf and the number of its pair to be yielded next.
    front: Option<(&'a Run, usize)>,
    /// A leaf and the number of its pair yielded last.
    back: Option<(&'a Run, usize)>,
}

impl<'a> Iterator for Iter<'a> {
    type Item = Pair<'a>;

    #[inline]
    fn next(&mut self) -> Option<Pair<'a>> {
        let rank = self.ranks.next()?;
        let (run, i) = match self.front {
            Some((run, i)) if i < run.len() => (run, i),
            _ => self.root.seek(rank),
        };
        self.front = Some((run, i + 1));
        Some(run.pair(i))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.ranks.size_hint()
    }
}

impl DoubleEndedIterator for Iter<'_> {
    #[inline]
    fn next_back(&mut self) -> Option<Self::Item> {
        let rank = self.ranks.next_back()?;
        let (run, i) = match self.back {
            Some((run, i)) if i > 0 => (run, i - 1),
            _ => self.root.seek(rank),
        };
        self.back = Some((run, i));
        Some(run.pair(i))
    }
}

impl ExactSizeIterator for Iter<'_> {}

#[cfg(test)]
#[path = "tree_tests.rs"]
mod tests;
