//! Many changes at once, in order: each leaf is gone to once for all of those that fall into it.
//!
//! Going down, the changes are divided among kids. A leaf makes as many of its own as it can
//! without becoming too full or too small; the first that would need another shape of the tree is
//! left to an edit by itself, from the root, and then the rest goes on. So nodes are split and
//! merged in one place only (`edit.rs`), and a batch costs a descent more for each that is.

use crate::edit::accounted;
use crate::hold::{Account, Hold};
use crate::layout::Layout;
use crate::node::{Node, is_full, own_inner, own_leaf, small};
use crate::tree::Tree;

/// An element that is to be there, or is not to be.
pub type Change<I> = (I, bool);

/// How far a batch has got.
#[derive(Default)]
struct Progress {
    /// Changes made, from the first on.
    made: usize,
    /// Elements that came and went.
    came: usize,
    went: usize,
}

impl<L: Layout, H: Hold> Tree<L, H> {
    /// Makes these changes, which stand in the order of their elements, each once. Whether an
    /// element that comes was there already, or one that goes was not, makes no difference.
    /// Changes in another order are made one by one. O(m log n).
    ///
    /// ```
    /// use kvist_btree::{Fixed, Tree};
    ///
    /// let mut tree: Tree<Fixed<u64>> = Tree::build(0..4);
    /// tree.apply(&[(1, false), (2, true), (9, true)]);
    /// assert!(tree.iter(0..9).eq([0, 2, 3, 9]));
    /// ```
    pub fn apply(&mut self, changes: &[Change<L::Item<'_>>]) {
        if !changes.is_sorted_by(|a, b| L::order(a.0, b.0).is_lt()) {
            changes.iter().for_each(|&change| self.change(change));
        } else if self.is_shared() {
            // What changes nothing would copy the leaf that it falls into.
            let differs = |&&(item, is_there): &&_| self.contains(item) != is_there;
            let changes: Vec<_> = changes.iter().filter(differs).copied().collect();
            self.apply_in_order(&changes);
        } else {
            self.apply_in_order(changes);
        }
    }

    fn apply_in_order(&mut self, mut changes: &[Change<L::Item<'_>>]) {
        while !changes.is_empty() {
            let (view, mut account) = self.parts();
            let progress = view.root.apply(changes, &mut account);
            view.len = view.len + progress.came - progress.went;
            let Some((&change, rest)) = changes[progress.made..].split_first() else { return };
            self.change(change);
            changes = rest;
        }
    }

    /// Makes a change by itself.
    fn change(&mut self, (item, is_there): Change<L::Item<'_>>) {
        if is_there {
            self.insert(item);
        } else {
            self.remove(item);
        }
    }
}

impl<L: Layout, H: Hold> Node<L, H> {
    /// Makes changes from the first on, all of which are in the bounds of this node, until one
    /// would split or merge something.
    fn apply(&mut self, changes: &[Change<L::Item<'_>>], account: &mut Account<'_>) -> Progress {
        let inner = match self {
            Node::Leaf(leaf) => {
                let leaf = own_leaf::<L, H>(leaf, account);
                return accounted!(account, leaf, apply_to_leaf(leaf, changes));
            }
            Node::Inner(inner) => own_inner::<L, H>(inner, account),
        };
        let mut all = Progress::default();
        while let Some(&(first, _)) = changes.get(all.made) {
            let kid = inner.kid_of(first);
            let rest = &changes[all.made..];
            let here = if kid < inner.separators.len() {
                leading(rest, |(item, _)| inner.separators.order_to(kid, *item).is_gt())
            } else {
                rest.len()
            };
            let progress = inner.kids[kid].apply(&rest[..here], account);
            inner.counts[kid] = inner.counts[kid] + progress.came - progress.went;
            all.made += progress.made;
            all.came += progress.came;
            all.went += progress.went;
            if progress.made < here {
                break;
            }
        }
        all
    }
}

/// How many changes satisfy `below`, which holds for those at the front: most often few of many, so
/// the search begins there. O(log of how many).
fn leading<T>(changes: &[T], below: impl Fn(&T) -> bool) -> usize {
    let mut step = 1;
    while changes.get(step).is_some_and(&below) {
        step *= 2;
    }
    let (known, end) = (step / 2, step.min(changes.len()));
    known + changes[known..end].partition_point(below)
}

fn apply_to_leaf<L: Layout>(leaf: &mut L, changes: &[Change<L::Item<'_>>]) -> Progress {
    leaf.touch();
    let mut progress = Progress::default();
    for &(item, is_there) in changes {
        let at = leaf.lower_bound(item);
        let was_there = at < leaf.len() && leaf.order_to(at, item).is_eq();
        match (was_there, is_there) {
            (false, true) => {
                if leaf.is_empty() || is_full::<L>(leaf.len(), leaf.bytes(), item) {
                    break;
                }
                leaf.insert(at, item);
                progress.came += 1;
            }
            (true, false) => {
                if leaf.len() <= small::<L>().max(1) {
                    break;
                }
                leaf.remove(at, at + 1);
                progress.went += 1;
            }
            _ => {}
        }
        progress.made += 1;
    }
    progress
}
