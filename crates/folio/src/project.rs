//! A project that is changed, forked and frozen.

use std::ops::Deref;
use std::sync::Arc;

use base::Versions;
use blocks::{Ledger, Left, Root};
use haystack::{Name, Tag};

use crate::error::{Error, ErrorKind};
use crate::view::View;

/// A project. What can be read is in [`View`].
pub struct Project {
    root: Root<View>,
    ledger: Ledger,
    /// Of a fork: the project as it was.
    base: Option<Root<View>>,
}

/// A project as it was. It is never changed, and may be read by several threads at once.
#[derive(Clone)]
pub struct FrozenProject(Root<View>);

/// What a fork has left when its changes have become those of the project. Dropping it takes as
/// long as the fork has changed blocks.
#[must_use = "dropping it here takes time on the data path"]
pub struct Settled {
    /// The project as it was. It goes first: what only it holds is not charged to versions then.
    _base: Option<Root<View>>,
    left: Left,
}

impl Settled {
    /// Whether dropping it takes no longer than a moment.
    #[must_use]
    pub fn is_small(&self) -> bool {
        self.left.is_small()
    }
}

impl Deref for FrozenProject {
    type Target = View;

    fn deref(&self) -> &View {
        self.0.get()
    }
}

impl Deref for Project {
    type Target = View;

    fn deref(&self) -> &View {
        self.root.get()
    }
}

impl Default for Project {
    fn default() -> Self {
        Project::with_prefix(None)
    }
}

impl Drop for Project {
    fn drop(&mut self) {
        self.root.leave_whole(&self.ledger, View::leave_whole);
    }
}

impl Project {
    /// An empty project whose ids may be given without this before them.
    #[must_use]
    pub fn with_prefix(prefix: Option<Name>) -> Project {
        let mut ledger = Ledger::default();
        let view = View::new(&mut ledger, prefix);
        let root = Root::new(view, &mut ledger);
        Project { root, ledger, base: None }
    }

    /// The project as it is now, to keep. O(1).
    #[must_use]
    pub fn freeze(&self, versions: &Arc<Versions>) -> FrozenProject {
        // A fork would count what its version holds as what its project holds.
        debug_assert!(!self.ledger.is_fork(), "a fork is read by its writer alone");
        self.ledger.share(versions);
        FrozenProject(self.root.clone())
    }

    /// A project that shares everything with this one, to be changed privately. O(1).
    #[must_use]
    pub fn fork(&self, versions: &Arc<Versions>) -> Project {
        debug_assert!(!self.ledger.is_fork(), "forks have no forks");
        let (root, base) = (self.root.clone(), Some(self.root.clone()));
        Project { root, ledger: self.ledger.fork(versions), base }
    }

    /// Takes over what a fork of this project has become. O(1), but for what is returned.
    ///
    /// # Errors
    /// This project has changed since it was forked, or was never: here is the fork again.
    pub fn adopt(&mut self, mut fork: Project) -> Result<Settled, Box<Project>> {
        let is_of_this = fork.base.as_ref().is_some_and(|base| !base.is_other_than(&self.root));
        if !is_of_this || self.ledger.is_fork() {
            return Err(Box::new(fork));
        }
        self.root = fork.root.clone();
        let left = self.ledger.adopt(std::mem::take(&mut fork.ledger));
        Ok(Settled { _base: fork.base.take(), left })
    }

    /// Bytes that the project takes, whether versions share them or not; texts that chunks share
    /// count for each chunk, those of ids and tags once. O(1).
    #[must_use]
    pub fn memory(&self) -> usize {
        self.ledger.bytes()
    }

    /// Bytes that a fork takes beyond what it shares. O(1).
    #[must_use]
    pub fn added(&self) -> usize {
        self.ledger.added()
    }

    /// How many pieces it consists of, about: what freeing it takes. O(1).
    #[must_use]
    pub fn free_effort(&self) -> usize {
        self.len() + self.memory() / 1024
    }

    /// The account of what versions keep of it, if there are any. O(1).
    #[must_use]
    pub fn versions(&self) -> Option<&Arc<Versions>> {
        self.ledger.living_versions()
    }

    /// What its ids may be given without.
    #[must_use]
    pub fn prefix(&self) -> Option<&Name> {
        self.prefix.as_ref()
    }

    /// Whether it is a fork of another project.
    #[must_use]
    pub fn is_fork(&self) -> bool {
        self.ledger.is_fork()
    }

    /// Finds the records by any value of a tag from now on, as they are found by refs in any case.
    /// Returns whether that is new. O(n log n), n being the records that have the tag.
    ///
    /// # Errors
    /// There are too many tags.
    pub fn create_index(&mut self, tag: &Tag) -> Result<bool, Error> {
        if self.is_indexed(tag) {
            return Ok(false);
        }
        let number = self.edit(|view, ledger| view.make_tag(ledger, tag));
        let number = number.ok_or_else(too_many_tags)?;
        self.edit(|view, ledger| view.index(ledger, number));
        Ok(true)
    }

    pub(crate) fn edit<R>(&mut self, edit: impl FnOnce(&mut View, &mut Ledger) -> R) -> R {
        self.root.edit(&mut self.ledger, edit)
    }
}

pub(crate) fn too_many_tags() -> Error {
    let most = crate::limits::MOST_TAGS;
    Error::new(ErrorKind::Commit, format!("More than {most} different tags"))
}
