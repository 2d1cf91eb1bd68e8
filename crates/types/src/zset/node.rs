//! The nodes of the order-statistic B+tree, and what is done to them going down and coming back.
//!
//! ```text
//!                        inner node
//!   separators     |      s1      |      s2      |            kid i holds the pairs
//!   kids           |  k0  |      k1      |  k2   |            s[i] <= pair < s[i + 1]
//!   counts         |  41  |      64      |  17   |            pairs below each kid
//!                     |          |          |
//!                   run        run        run                 leaves: runs of pairs
//! ```
//!
//! A separator is the shortest pair that parts two neighbours: with scores that differ it has no
//! member at all. It stays a valid bound when pairs go, so removing never touches it.
//!
//! Nodes split when full: in the middle, or, when the new pair is at an end, so that the old node
//! stays full; loading in order so packs leaves tightly. A node that becomes small is merged with
//! a neighbour if both together leave room to grow; neighbours are never evened out. So no node
//! has a lower limit of its own, but no two neighbours are both small, which bounds the height all
//! the same.
//!
//! Everything that allocates or frees adjusts `bytes`, the tree's account.

use table::size_class;

use super::run::{FIXED, Run};
use crate::room;

/// A score and a member.
pub(super) type Pair<'a> = (f64, &'a [u8]);

/// Pairs of a leaf, and kids of an inner node. Tests use small nodes, to have high trees.
pub(super) const MOST: usize = if cfg!(test) { 8 } else { 64 };
/// Bytes of a leaf, unless it has few pairs.
const MOST_BYTES: usize = if cfg!(test) { 512 } else { 4 << 10 };
/// Bytes of the separators of an inner node, unless it has few kids.
pub(super) const MOST_SEPARATORS: usize = 4 * MOST_BYTES;
/// A node with fewer pairs or kids looks for a neighbour to be merged with.
const SMALL: usize = MOST / 4;
/// What a merged or bulk-loaded node has at most: room is left to grow.
pub(super) const ROOMY: usize = MOST * 7 / 8;

#[derive(Clone)]
pub(super) enum Node {
    Leaf(Run),
    Inner(Box<Inner>),
}

#[derive(Clone, Default)]
pub(super) struct Inner {
    /// One less than kids.
    pub(super) separators: Run,
    counts: Vec<usize>,
    pub(super) kids: Vec<Node>,
}

/// What has split off to the right of a node.
pub(super) struct Split {
    separator: (f64, Vec<u8>),
    right: Node,
    /// Pairs in it.
    count: usize,
}

impl Split {
    pub(super) fn count(&self) -> usize {
        self.count
    }
}

/// The shortest pair that is above `left` but not above `right`.
pub(super) fn separator(left: Pair<'_>, right: Pair<'_>) -> (f64, Vec<u8>) {
    if left.0 < right.0 {
        return (right.0, Vec::new());
    }
    let same = left.1.iter().zip(right.1).take_while(|(a, b)| a == b).count();
    (right.0, right.1[..right.1.len().min(same + 1)].to_vec())
}

/// Runs `$edit`, and adds to `$bytes` by how much the memory of `$owner` changes.
macro_rules! accounted {
    ($bytes:expr, $owner:expr, $edit:expr) => {{
        let before = $owner.memory();
        let result = $edit;
        *$bytes = *$bytes + $owner.memory() - before;
        result
    }};
}

impl Default for Node {
    fn default() -> Self {
        Node::Leaf(Run::default())
    }
}

impl Node {
    /// Inserts a pair that is not there.
    pub(super) fn insert(&mut self, pair: Pair<'_>, bytes: &mut usize) -> Option<Split> {
        match self {
            Node::Leaf(run) => insert_in_leaf(run, pair, bytes),
            Node::Inner(inner) => inner.insert(pair, bytes),
        }
    }

    /// Removes a pair; whether it was there.
    pub(super) fn remove(&mut self, pair: Pair<'_>, bytes: &mut usize) -> bool {
        match self {
            Node::Leaf(run) => {
                run.touch();
                let i = run.lower_bound(pair);
                let found = i < run.len() && run.order_to(i, pair).is_eq();
                if found {
                    accounted!(bytes, run, run.remove(i, i + 1));
                }
                found
            }
            Node::Inner(inner) => {
                let kid = inner.kid_of(pair);
                let found = inner.kids[kid].remove(pair, bytes);
                if found {
                    inner.counts[kid] -= 1;
                    inner.settle(kid, bytes);
                }
                found
            }
        }
    }

    /// Gives a pair another score if it keeps its place in its leaf; whether that was so.
    pub(super) fn rescore(&mut self, pair: Pair<'_>, score: f64) -> bool {
        match self {
            Node::Leaf(run) => {
                let i = run.lower_bound(pair);
                if i == run.len() || run.order_to(i, pair).is_ne() {
                    return false;
                }
                let new = (score, pair.1);
                // At an end of the leaf, only moves away from it are safe: the bound of the
                // neighbour isn't known here.
                let above = match i.checked_sub(1) {
                    Some(before) => run.order_to(before, new).is_lt(),
                    None => score >= pair.0,
                };
                let below = match i + 1 {
                    next if next < run.len() => run.order_to(next, new).is_gt(),
                    _ => score <= pair.0,
                };
                if above && below {
                    run.set_score(i, score);
                }
                above && below
            }
            Node::Inner(inner) => {
                let kid = inner.kid_of(pair);
                inner.kids[kid].rescore(pair, score)
            }
        }
    }

    /// How many pairs satisfy `below`, which holds for a prefix of the order. O(log n).
    #[inline]
    pub(super) fn partition(&self, below: &mut impl FnMut(&Run, usize) -> bool) -> usize {
        let (mut node, mut rank) = (self, 0);
        loop {
            match node {
                Node::Leaf(run) => return rank + run.partition(below),
                Node::Inner(inner) => {
                    let kid = inner.separators.partition(below);
                    rank += inner.counts[..kid].iter().sum::<usize>();
                    node = &inner.kids[kid];
                }
            }
        }
    }

    /// The leaf of the pair with this rank, and its number therein. O(log n).
    #[inline]
    pub(super) fn seek(&self, mut rank: usize) -> (&Run, usize) {
        let mut node = self;
        loop {
            match node {
                Node::Leaf(run) => return (run, rank),
                Node::Inner(inner) => {
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

    /// Removes the pairs whose rank is from `from` to before `to`, showing each to `visit`.
    pub(super) fn remove_ranks(
        &mut self,
        from: usize,
        to: usize,
        visit: &mut dyn FnMut(Pair<'_>),
        bytes: &mut usize,
    ) {
        match self {
            Node::Leaf(run) => {
                (from..to).for_each(|i| visit(run.pair(i)));
                accounted!(bytes, run, run.remove(from, to));
            }
            Node::Inner(inner) => inner.remove_ranks(from, to, visit, bytes),
        }
    }

    /// Shows every pair in order. O(n).
    fn visit(&self, visit: &mut dyn FnMut(Pair<'_>)) {
        match self {
            Node::Leaf(run) => (0..run.len()).for_each(|i| visit(run.pair(i))),
            Node::Inner(inner) => inner.kids.iter().for_each(|kid| kid.visit(visit)),
        }
    }

    /// Bytes allocated by the node and all below it. O(nodes).
    pub(super) fn recount_memory(&self) -> usize {
        match self {
            Node::Leaf(run) => run.memory(),
            Node::Inner(inner) => {
                let below: usize = inner.kids.iter().map(Node::recount_memory).sum();
                inner.memory() + below
            }
        }
    }

    fn is_small(&self) -> bool {
        match self {
            Node::Leaf(run) => run.len() < SMALL,
            Node::Inner(inner) => inner.kids.len() < SMALL,
        }
    }

    /// Whether the two are better one.
    fn may_merge(&self, right: &Node) -> bool {
        match (self, right) {
            (Node::Leaf(a), Node::Leaf(b)) => {
                a.len() + b.len() <= ROOMY && a.bytes() + b.bytes() <= MOST_BYTES * 3 / 4
            }
            (Node::Inner(a), Node::Inner(b)) => {
                a.kids.len() + b.kids.len() <= ROOMY
                    && a.separators.bytes() + b.separators.bytes() <= MOST_SEPARATORS / 2
            }
            _ => false, // never: siblings are of the same height
        }
    }

    /// Puts a new root above this one after it has split.
    pub(super) fn raise(&mut self, split: Split, count: usize, bytes: &mut usize) {
        let mut inner = Inner::default();
        inner.push(None, std::mem::take(self), count);
        inner.push(Some(split.separator), split.right, split.count);
        *bytes += inner.memory();
        *self = Node::Inner(Box::new(inner));
    }

    /// Takes roots with less than two kids away.
    pub(super) fn lower(&mut self, bytes: &mut usize) {
        while let Node::Inner(inner) = self
            && inner.kids.len() < 2
        {
            *bytes -= inner.memory();
            *self = inner.kids.pop().unwrap_or_default();
        }
    }
}

/// Whether a leaf of `len` pairs in `bytes` bytes is to be split before it takes `member`.
pub(super) fn is_full(len: usize, bytes: usize, member: &[u8]) -> bool {
    len >= MOST || bytes + FIXED + member.len() > MOST_BYTES
}

fn insert_in_leaf(run: &mut Run, pair: Pair<'_>, bytes: &mut usize) -> Option<Split> {
    run.touch();
    let i = run.lower_bound(pair);
    if run.len() == 0 || !is_full(run.len(), run.bytes(), pair.1) {
        accounted!(bytes, run, run.insert(i, pair));
        return None;
    }
    let at = if i == 0 || i == run.len() { i } else { run.len() / 2 };
    let right = accounted!(bytes, run, {
        let mut right = run.split_off(at);
        if i > at || right.len() == 0 {
            right.insert(i - at, pair);
        } else {
            run.insert(i, pair);
        }
        right
    });
    *bytes += right.memory();
    let separator = separator(run.last().unwrap_or(pair), right.pair(0));
    let count = right.len();
    Some(Split { separator, right: Node::Leaf(right), count })
}

impl Inner {
    /// Bytes of the node itself. O(1).
    fn memory(&self) -> usize {
        size_class(size_of::<Inner>())
            + self.separators.memory()
            + room::of_vec(&self.counts)
            + room::of_vec(&self.kids)
    }

    /// The kid in whose bounds `pair` lies.
    #[inline]
    fn kid_of(&self, pair: Pair<'_>) -> usize {
        self.separators.partition(&mut |run, i| run.order_to(i, pair).is_le())
    }

    /// Appends a kid; the first has no separator.
    pub(super) fn push(&mut self, separator: Option<(f64, Vec<u8>)>, kid: Node, count: usize) {
        if let Some((score, member)) = separator {
            self.separators.push((score, &member));
        }
        room::reserve(&mut self.kids, 1);
        self.kids.push(kid);
        room::reserve(&mut self.counts, 1);
        self.counts.push(count);
    }

    fn insert(&mut self, pair: Pair<'_>, bytes: &mut usize) -> Option<Split> {
        let kid = self.kid_of(pair);
        let split = self.kids[kid].insert(pair, bytes);
        self.counts[kid] += 1;
        let Split { separator, right, count } = split?;
        self.counts[kid] -= count;
        accounted!(bytes, self, {
            self.separators.insert(kid, (separator.0, &separator.1));
            room::reserve(&mut self.kids, 1);
            self.kids.insert(kid + 1, right);
            room::reserve(&mut self.counts, 1);
            self.counts.insert(kid + 1, count);
        });
        let kids = self.kids.len();
        let full = kids > MOST || (kids > 4 && self.separators.bytes() > MOST_SEPARATORS);
        // Loading in order leaves full nodes behind.
        full.then(|| self.split(if kid + 2 == kids { kids - 1 } else { kids / 2 }, bytes))
    }

    /// Splits before kid `at`, which is neither the first nor beyond the last.
    fn split(&mut self, at: usize, bytes: &mut usize) -> Split {
        let (separator, right) = accounted!(bytes, self, {
            let mut right = Inner { separators: self.separators.split_off(at), ..Inner::default() };
            room::reserve(&mut right.kids, self.kids.len() - at);
            right.kids.extend(self.kids.drain(at..));
            room::shrink(&mut self.kids);
            room::reserve(&mut right.counts, self.counts.len() - at);
            right.counts.extend(self.counts.drain(at..));
            room::shrink(&mut self.counts);
            let (score, member) = self.separators.pair(at - 1);
            let separator = (score, member.to_vec());
            self.separators.remove(at - 1, at);
            (separator, right)
        });
        *bytes += right.memory();
        let count = right.counts.iter().sum();
        Split { separator, right: Node::Inner(Box::new(right)), count }
    }

    fn remove_ranks(
        &mut self,
        from: usize,
        to: usize,
        visit: &mut dyn FnMut(Pair<'_>),
        bytes: &mut usize,
    ) {
        let (mut kid, mut start) = (0, 0);
        let mut touched = None;
        while kid < self.kids.len() && start < to {
            let here = self.counts[kid];
            let first = from.saturating_sub(start).min(here);
            let last = (to - start).min(here);
            start += here;
            if first < last {
                touched = touched.or(Some(kid));
                if last - first == here {
                    self.kids[kid].visit(visit);
                    self.remove_kid(kid, bytes);
                    continue;
                }
                self.kids[kid].remove_ranks(first, last, visit, bytes);
                self.counts[kid] -= last - first;
            }
            kid += 1;
        }
        // Nothing between the first and the last kid touched is left.
        let first = touched.unwrap_or(kid);
        for kid in (first..=kid).rev() {
            if kid < self.kids.len() {
                self.settle(kid, bytes);
            }
        }
    }

    /// After pairs were removed below `kid`: takes it away if nothing is left, or merges it with
    /// a neighbour if it has become small.
    fn settle(&mut self, kid: usize, bytes: &mut usize) {
        if self.counts[kid] == 0 {
            self.remove_kid(kid, bytes);
        } else if self.kids[kid].is_small() {
            let fits = |left: usize| {
                left + 1 < self.kids.len() && self.kids[left].may_merge(&self.kids[left + 1])
            };
            if kid > 0 && fits(kid - 1) {
                self.merge(kid - 1, bytes);
            } else if fits(kid) {
                self.merge(kid, bytes);
            }
        }
    }

    fn remove_kid(&mut self, kid: usize, bytes: &mut usize) {
        *bytes -= self.kids[kid].recount_memory();
        accounted!(bytes, self, {
            self.kids.remove(kid);
            self.counts.remove(kid);
            if self.separators.len() > 0 {
                let separator = kid.saturating_sub(1);
                self.separators.remove(separator, separator + 1);
            }
            room::shrink(&mut self.kids);
            room::shrink(&mut self.counts);
        });
    }

    /// Joins kid `left` and its right neighbour.
    fn merge(&mut self, left: usize, bytes: &mut usize) {
        accounted!(bytes, self, {
            let right = self.kids.remove(left + 1);
            self.counts[left] += self.counts.remove(left + 1);
            match (&mut self.kids[left], right) {
                (Node::Leaf(a), Node::Leaf(b)) => {
                    accounted!(bytes, a, a.append(&b));
                    *bytes -= b.memory();
                }
                (Node::Inner(a), Node::Inner(b)) => {
                    *bytes -= b.memory();
                    accounted!(bytes, a, {
                        a.separators.push(self.separators.pair(left));
                        a.separators.append(&b.separators);
                        room::reserve(&mut a.kids, b.kids.len());
                        a.kids.extend(b.kids);
                        room::reserve(&mut a.counts, b.counts.len());
                        a.counts.extend(b.counts);
                    });
                }
                _ => {} // never: siblings are of the same height
            }
            self.separators.remove(left, left + 1);
            room::shrink(&mut self.kids);
            room::shrink(&mut self.counts);
        });
    }
}

#[cfg(test)]
#[path = "node_tests.rs"]
mod tests;
