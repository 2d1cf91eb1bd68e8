//! Inner nodes, and what is done to them going down and coming back.
//!
//! Everything that allocates or frees tells the account of the tree, and so does everything that
//! leaves a node to versions.

use table::room;

use crate::edit::accounted;
use crate::hold::{Account, Held, Hold};
use crate::layout::Layout;
use crate::node::{Node, Split, most_separators, own_inner, own_leaf};

/// A node above others.
pub struct Inner<L: Layout, H: Hold> {
    /// One less than kids.
    pub(crate) separators: L,
    pub(crate) counts: Vec<usize>,
    pub(crate) kids: Vec<Node<L, H>>,
}

impl<L: Layout, H: Hold> Default for Inner<L, H> {
    fn default() -> Self {
        Inner { separators: L::default(), counts: Vec::new(), kids: Vec::new() }
    }
}

impl<L: Layout, H: Hold> Clone for Inner<L, H> {
    fn clone(&self) -> Self {
        let mut copy = Inner { separators: self.separators.clone(), ..Inner::default() };
        room::reserve(&mut copy.kids, self.kids.len());
        copy.kids.extend(self.kids.iter().cloned());
        room::reserve(&mut copy.counts, self.counts.len());
        copy.counts.extend_from_slice(&self.counts);
        copy
    }
}

impl<L: Layout, H: Hold> Inner<L, H> {
    /// Bytes that the node has allocated. O(1).
    pub(crate) fn memory(&self) -> usize {
        self.separators.memory() + room::of_vec(&self.counts) + room::of_vec(&self.kids)
    }

    /// The kid in whose bounds `item` lies.
    #[inline]
    pub(crate) fn kid_of(&self, item: L::Item<'_>) -> usize {
        self.separators.upper_bound(item)
    }

    /// Appends a kid; the first has no separator.
    pub(crate) fn push(&mut self, separator: Option<&L::Owned>, kid: Node<L, H>, count: usize) {
        if let Some(separator) = separator {
            self.separators.insert(self.separators.len(), L::item_of(separator));
        }
        room::reserve(&mut self.kids, 1);
        self.kids.push(kid);
        room::reserve(&mut self.counts, 1);
        self.counts.push(count);
    }

    /// Takes what has split off kid `kid`, and splits itself if that is one too many.
    pub(crate) fn take_in(
        &mut self,
        kid: usize,
        split: Split<L, H>,
        account: &mut Account<'_>,
    ) -> Option<Split<L, H>> {
        let Split { separator, right, count } = split;
        self.counts[kid] -= count;
        accounted!(account, self, {
            self.separators.insert(kid, L::item_of(&separator));
            room::reserve(&mut self.kids, 1);
            self.kids.insert(kid + 1, right);
            room::reserve(&mut self.counts, 1);
            self.counts.insert(kid + 1, count);
        });
        let kids = self.kids.len();
        let full = kids > L::MOST || (kids > 4 && self.separators.bytes() > most_separators::<L>());
        // Loading in order leaves full nodes behind.
        full.then(|| self.split(if kid + 2 == kids { kids - 1 } else { kids / 2 }, account))
    }

    /// Splits before kid `at`, which is neither the first nor beyond the last.
    fn split(&mut self, at: usize, account: &mut Account<'_>) -> Split<L, H> {
        let (separator, right) = accounted!(account, self, {
            let mut right = Inner { separators: self.separators.split_off(at), ..Inner::default() };
            room::reserve(&mut right.kids, self.kids.len() - at);
            right.kids.extend(self.kids.drain(at..));
            room::shrink(&mut self.kids);
            room::reserve(&mut right.counts, self.counts.len() - at);
            right.counts.extend(self.counts.drain(at..));
            room::shrink(&mut self.counts);
            let separator = L::own(self.separators.item(at - 1));
            self.separators.remove(at - 1, at);
            (separator, right)
        });
        let count = right.counts.iter().sum();
        let right = Node::Inner(Held::new(right));
        *account.bytes += right.memory();
        Split { separator, right, count }
    }

    pub(crate) fn remove_ranks(
        &mut self,
        from: usize,
        to: usize,
        visit: &mut dyn FnMut(L::Item<'_>),
        account: &mut Account<'_>,
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
                    self.remove_kid(kid, account);
                    continue;
                }
                self.kids[kid].remove_ranks(first, last, visit, account);
                self.counts[kid] -= last - first;
            }
            kid += 1;
        }
        // Nothing between the first and the last kid touched is left.
        let first = touched.unwrap_or(kid);
        for kid in (first..=kid).rev() {
            if kid < self.kids.len() {
                self.settle(kid, account);
            }
        }
    }

    /// After elements were removed below `kid`: takes it away if nothing is left, or merges it with
    /// a neighbour if it has become small.
    pub(crate) fn settle(&mut self, kid: usize, account: &mut Account<'_>) {
        if self.counts[kid] == 0 {
            self.remove_kid(kid, account);
        } else if self.kids[kid].is_small() {
            let fits = |left: usize| {
                left + 1 < self.kids.len() && self.kids[left].may_merge(&self.kids[left + 1])
            };
            if kid > 0 && fits(kid - 1) {
                self.merge(kid - 1, account);
            } else if fits(kid) {
                self.merge(kid, account);
            }
        }
    }

    fn remove_kid(&mut self, kid: usize, account: &mut Account<'_>) {
        *account.bytes -= self.kids[kid].recount_memory();
        accounted!(account, self, {
            self.kids.remove(kid).leave_whole(&mut account.leaving, false);
            self.counts.remove(kid);
            if !self.separators.is_empty() {
                let separator = kid.saturating_sub(1);
                self.separators.remove(separator, separator + 1);
            }
            room::shrink(&mut self.kids);
            room::shrink(&mut self.counts);
        });
    }

    /// Joins kid `left` and its right neighbour.
    fn merge(&mut self, left: usize, account: &mut Account<'_>) {
        accounted!(account, self, {
            let right = self.kids.remove(left + 1);
            self.counts[left] += self.counts.remove(left + 1);
            let went = right.memory();
            *account.bytes -= went;
            match (&mut self.kids[left], right) {
                (Node::Leaf(a), Node::Leaf(b)) => {
                    let a = own_leaf::<L, H>(a, account);
                    accounted!(account, a, a.append(b.get()));
                    b.leave(&mut account.leaving, false, went);
                }
                (Node::Inner(a), Node::Inner(b)) => {
                    let b = b.take(&mut account.leaving, went);
                    let a = own_inner::<L, H>(a, account);
                    accounted!(account, a, {
                        a.separators.insert(a.separators.len(), self.separators.item(left));
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
