//! A tree that is part of a value of several parts, and counts in the value's ledger.

use std::ops::Deref;
use std::sync::Arc;

use base::Versions;
use blocks::{Leaving, Ledger, Left, Whole};

use crate::build::build;
use crate::hold::Account;
use crate::layout::Layout;
use crate::view::{Frozen, View};

/// A part of a value: what [`blocks::Tree`] is for blocks by number, for elements in order. A clone
/// is one more reference to the root: a version, or the beginning of a fork; which it is, the
/// [`Ledger`] knows that is given with each edit.
///
/// ```
/// # use std::sync::Arc;
/// use base::Versions;
/// use blocks::Ledger;
/// use kvist_btree::{Fixed, Part};
///
/// let versions = Arc::new(Versions::default());
/// let mut ledger = Ledger::default();
/// let mut part: Part<Fixed<u64>> = Part::new(&mut ledger);
/// part.fill(&mut ledger, 0..1000);
/// let (mut fork, mut of_fork) = (part.clone(), ledger.fork(&versions));
/// fork.insert(&mut of_fork, 5000);
/// assert_eq!((part.len(), fork.len()), (1000, 1001));
/// part = fork;
/// drop(ledger.adopt(of_fork));
/// assert_eq!((part.len(), versions.kept(), part.memory()), (1001, 0, ledger.bytes()));
/// drop(part.drop_whole(&mut ledger));
/// assert_eq!(ledger.bytes(), 0);
/// ```
pub struct Part<L: Layout> {
    now: Frozen<L>,
    /// Bytes of its nodes.
    bytes: usize,
}

impl<L: Layout> Clone for Part<L> {
    fn clone(&self) -> Self {
        Part { now: self.share(), bytes: self.bytes }
    }
}

impl<L: Layout> Deref for Part<L> {
    type Target = Frozen<L>;

    #[inline]
    fn deref(&self) -> &Frozen<L> {
        &self.now
    }
}

impl<L: Layout> Whole for Part<L> {
    fn leave_whole(&self, versions: &Arc<Versions>) {
        Part::leave_whole(self, versions, false);
    }
}

impl<L: Layout> Part<L> {
    /// A part without elements, whose one node counts from now on.
    #[must_use]
    pub fn new(ledger: &mut Ledger) -> Self {
        let now: Frozen<L> = View::default();
        let bytes = now.root.recount_memory();
        ledger.resized(0, bytes);
        Part { now, bytes }
    }

    /// Bytes of its nodes, which count in the ledger. O(1).
    #[must_use]
    pub fn memory(&self) -> usize {
        self.bytes
    }

    /// The elements as they are now, to keep for as long as the value is not changed much: what an
    /// edit copies because of it counts nowhere if there never was a version. O(1).
    #[must_use]
    pub fn share(&self) -> Frozen<L> {
        View { root: self.now.root.clone(), len: self.now.len }
    }

    /// Inserts an element; whether it was not there. O(log n). (It does not look first, as a
    /// [`Tree`](crate::Tree) does: where it was, what is shared is copied all the same.)
    pub fn insert(&mut self, ledger: &mut Ledger, item: L::Item<'_>) -> bool {
        self.edit(ledger, |now, account| now.insert(item, account))
    }

    /// Removes an element; whether it was there. O(log n), in the same way.
    pub fn remove(&mut self, ledger: &mut Ledger, item: L::Item<'_>) -> bool {
        self.edit(ledger, |now, account| now.remove(item, account))
    }

    /// Puts elements that come in order, each once, in the place of all that are there. O(n).
    pub fn fill<'a>(&mut self, ledger: &mut Ledger, items: impl Iterator<Item = L::Item<'a>>) {
        let mut len = 0;
        let root = build(items.inspect(|_| len += 1));
        self.edit(ledger, |now, account| {
            now.root.leave_whole(&mut account.leaving, false);
            let before = now.root.recount_memory();
            *now = View { root, len };
            account.changed(before, now.root.recount_memory());
        });
    }

    /// The value goes without it from now on. O(1), but for what is returned.
    pub fn drop_whole(self, ledger: &mut Ledger) -> Left {
        let bytes = self.bytes;
        ledger.leave_whole(self, bytes)
    }

    /// The value goes, and leaves to versions what they hold of this. `held`: they hold what this
    /// is part of.
    pub fn leave_whole(&self, versions: &Arc<Versions>, held: bool) {
        self.now.root.leave_whole(&mut Leaving::to(Some(versions)), held);
    }

    fn edit<R>(
        &mut self,
        ledger: &mut Ledger,
        edit: impl FnOnce(&mut Frozen<L>, &mut Account<'_>) -> R,
    ) -> R {
        let before = ledger.bytes();
        let result = edit(&mut self.now, &mut Account::of_part(ledger));
        self.bytes = (self.bytes + ledger.bytes()).wrapping_sub(before);
        result
    }
}
