//! The tree: its root, its account of memory, and what can be done to it.

use std::ops::{Deref, Range};
use std::sync::Arc;

use base::Versions;

use crate::build::build;
use crate::hold::{Account, Alone, Hold, Shared};
use crate::layout::Layout;
use crate::view::{Frozen, View};

/// An ordered set of elements that knows their ranks. What only reads it is in [`View`].
///
/// ```
/// use kvist_btree::{Fixed, Tree};
///
/// // An index over numbers: what is looked for, and the number of the row that has it.
/// let mut tree: Tree<Fixed<(u64, u32)>> = Tree::default();
/// for (row, age) in [31, 27, 31, 45].into_iter().enumerate() {
///     tree.insert((age, row as u32));
/// }
/// let thirties = tree.rank((30, 0))..tree.rank((40, 0));
/// assert_eq!(thirties.len(), 2);
/// assert!(tree.iter(thirties).eq([(31, 0), (31, 2)]));
/// assert!(tree.remove((31, 0)) && !tree.remove((31, 0)));
/// ```
pub struct Tree<L: Layout, H: Hold = Alone> {
    now: View<L, H>,
    /// Bytes allocated by all nodes.
    bytes: usize,
    known: H::Known,
}

/// A tree of which versions can be kept.
///
/// ```
/// # use std::sync::Arc;
/// use base::Versions;
/// use kvist_btree::{Fixed, SharedTree};
///
/// let versions = Arc::new(Versions::default());
/// let mut tree: SharedTree<Fixed<u64>> = SharedTree::build(0..1000);
/// let before = tree.freeze(&versions);
/// tree.remove(500);
/// assert_eq!((before.len(), tree.len()), (1000, 999));
/// // The leaf that was written is there twice, and what is above it.
/// assert!(versions.kept() > 0);
/// drop(before);
/// assert_eq!(versions.kept(), 0);
/// ```
pub type SharedTree<L> = Tree<L, Shared>;

impl<L: Layout, H: Hold> Default for Tree<L, H> {
    fn default() -> Self {
        Tree::of(View::default())
    }
}

impl<L: Layout, H: Hold> Deref for Tree<L, H> {
    type Target = View<L, H>;

    #[inline]
    fn deref(&self) -> &View<L, H> {
        &self.now
    }
}

/// A copy shares nothing with it. O(n).
impl<L: Layout, H: Hold> Clone for Tree<L, H> {
    fn clone(&self) -> Self {
        Tree::build(self.iter(0..self.len()))
    }
}

impl<L: Layout, H: Hold> Drop for Tree<L, H> {
    fn drop(&mut self) {
        if H::SHARES {
            let mut account = Account::alone(&mut self.bytes, H::versions(&self.known));
            self.now.root.leave_whole(&mut account.leaving, false);
        }
    }
}

impl<L: Layout, H: Hold> Tree<L, H> {
    fn of(now: View<L, H>) -> Self {
        // The node of an empty tree takes something where nodes are counted.
        let bytes = now.root.recount_memory();
        Tree { now, bytes, known: H::Known::default() }
    }

    /// A tree of elements that come in order, each once; one that comes out of order makes a tree
    /// that finds less than it has. O(n).
    pub fn build<'a>(items: impl Iterator<Item = L::Item<'a>>) -> Self {
        let mut len = 0;
        let root = build(items.inspect(|_| len += 1));
        Tree::of(View { root, len })
    }

    /// Bytes allocated, whether versions share them or not. O(1).
    #[inline]
    #[must_use]
    pub fn memory(&self) -> usize {
        self.bytes
    }

    /// Inserts an element; whether it was not there. O(log n).
    pub fn insert(&mut self, item: L::Item<'_>) -> bool {
        if H::SHARES && self.now.contains(item) {
            return false; // and nothing was copied
        }
        let mut account = Account::alone(&mut self.bytes, H::versions(&self.known));
        self.now.insert(item, &mut account)
    }

    /// Removes an element; whether it was there. O(log n).
    pub fn remove(&mut self, item: L::Item<'_>) -> bool {
        if H::SHARES && !self.now.contains(item) {
            return false;
        }
        let mut account = Account::alone(&mut self.bytes, H::versions(&self.known));
        self.now.remove(item, &mut account)
    }

    /// Puts an element in the place of another, if that is there; whether it was. O(log n); in
    /// place if it stays within its leaf.
    pub fn replace(&mut self, old: L::Item<'_>, new: L::Item<'_>) -> bool {
        if H::SHARES && !self.now.contains(old) {
            return false;
        }
        let mut account = Account::alone(&mut self.bytes, H::versions(&self.known));
        if self.now.root.replace(old, new, &mut account) {
            return true;
        }
        let found = self.remove(old);
        if found {
            self.insert(new);
        }
        found
    }

    /// Removes the elements of these ranks, as far as they exist, showing each to `visit`.
    /// O(log n + elements removed).
    pub fn remove_ranks(&mut self, ranks: Range<usize>, visit: &mut dyn FnMut(L::Item<'_>)) {
        let end = ranks.end.min(self.now.len);
        if ranks.start >= end {
            return;
        }
        if ranks.start == 0 && end == self.now.len {
            self.now.root.visit(visit);
            self.clear();
            return;
        }
        let mut account = Account::alone(&mut self.bytes, H::versions(&self.known));
        self.now.root.remove_ranks(ranks.start, end, visit, &mut account);
        self.now.len -= end - ranks.start;
        self.now.root.lower(&mut account);
    }

    /// Frees the last elements, at most so many: for a tree that is to go in steps, each of them
    /// short. Whether there are more. O(log n + elements freed).
    pub fn free_some(&mut self, most: usize) -> bool {
        let len = self.now.len;
        self.remove_ranks(len.saturating_sub(most)..len, &mut |_| {});
        !self.now.is_empty()
    }

    /// Empties the tree. O(n).
    pub fn clear(&mut self) {
        let mut account = Account::alone(&mut self.bytes, H::versions(&self.known));
        self.now.root.leave_whole(&mut account.leaving, false);
        self.now = View::default();
        self.bytes = self.now.root.memory();
    }

    /// Whether versions may share nodes that an edit would have to copy.
    pub(crate) fn is_shared(&self) -> bool {
        H::SHARES && H::versions(&self.known).is_some_and(Versions::are_any)
    }

    /// The root, and what edits of it tell.
    pub(crate) fn parts(&mut self) -> (&mut View<L, H>, Account<'_>) {
        let account = Account::alone(&mut self.bytes, H::versions(&self.known));
        (&mut self.now, account)
    }
}

impl<L: Layout> SharedTree<L> {
    /// The tree as it is now, to keep. What the tree leaves of it counts there. O(1).
    #[must_use]
    pub fn freeze(&self, versions: &Arc<Versions>) -> Frozen<L> {
        versions.join(self.known.get_or_init(|| Arc::clone(versions)));
        View { root: self.now.root.clone(), len: self.now.len }
    }
}
