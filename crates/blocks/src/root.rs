//! One thing of a value by itself, copied when it is edited while something else holds it: what
//! holds a value's trees together, for instance.

use std::sync::Arc;

use base::Versions;

use crate::ledger::Ledger;
use crate::node::{Block, Node, charge};

/// A block by itself. A clone is one more reference to it: a version, or the beginning of a fork.
///
/// ```
/// # use std::sync::Arc;
/// use base::Versions;
/// use kvist_blocks::{Block, Ledger, Root};
///
/// #[derive(Clone)]
/// struct Name(String);
/// impl Block for Name {
///     fn memory(&self) -> usize { self.0.capacity() }
/// }
///
/// let versions = Arc::new(Versions::default());
/// let mut ledger = Ledger::default();
/// let mut name = Root::new(Name("kvist".into()), &mut ledger);
/// let (mut fork, mut of_fork) = (name.clone(), ledger.fork(&versions));
/// fork.edit(&mut of_fork, |name, _| name.0 = "gren".into());
/// assert_eq!(name.get().0, "kvist");
/// assert!(fork.is_other_than(&name));
/// name = fork;
/// drop(ledger.adopt(of_fork));
/// assert_eq!((name.get().0.as_str(), versions.kept()), ("gren", 0));
/// ```
pub struct Root<T>(Arc<Node<T>>);

impl<T> Clone for Root<T> {
    fn clone(&self) -> Self {
        Root(Arc::clone(&self.0))
    }
}

impl<T: Block> Root<T> {
    /// The thing, which counts from now on.
    #[must_use]
    pub fn new(value: T, ledger: &mut Ledger) -> Self {
        let node = Node::new(value);
        ledger.bytes += node.block_size();
        Root(node)
    }

    /// The thing, to read.
    #[inline]
    #[must_use]
    pub fn get(&self) -> &T {
        &self.0.value
    }

    /// Whether one of both was edited since one was cloned from the other.
    #[must_use]
    pub fn is_other_than(&self, other: &Self) -> bool {
        !Arc::ptr_eq(&self.0, &other.0)
    }

    /// Whether a version or a fork has it, too.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        Arc::strong_count(&self.0) > 1
    }

    /// Edits it, and what else counts in the ledger.
    pub fn edit<R>(
        &mut self,
        ledger: &mut Ledger,
        edit: impl FnOnce(&mut T, &mut Ledger) -> R,
    ) -> R {
        let (size, before) = (self.0.block_size(), self.0.value.memory());
        let own = ledger.own(&mut self.0, size);
        let result = edit(own, ledger);
        // A copy has less room to spare than the original, so `before` is what was counted.
        ledger.resized(before, self.0.value.memory());
        result
    }

    /// The value goes, and all that hangs below it: versions keep what they hold, and are charged
    /// for it. `below` does this for what hangs below, and is told whether versions hold that: see
    /// [`Tree::leave_whole`](crate::Tree::leave_whole). For a fork nothing is done: its blocks are
    /// its value's, or are dropped with it.
    pub fn leave_whole(&self, ledger: &Ledger, below: impl FnOnce(&T, &Arc<Versions>, bool)) {
        let Some(versions) = ledger.versions().filter(|_| !ledger.is_fork()) else { return };
        let held = self.leave_below(versions, false);
        below(self.get(), versions, held);
    }

    /// Leaves to versions something below another root, of which it is said whether versions hold
    /// it. Returns whether they hold this, and so what hangs below it.
    pub fn leave_below(&self, versions: &Arc<Versions>, held: bool) -> bool {
        let held = held || Arc::strong_count(&self.0) > 1;
        if held {
            charge(&self.0, Some(versions), self.0.block_size());
        }
        held
    }
}
