//! Building an index while requests go on: see `index_upkeep.rs` for what gathers the keys.
//!
//! Threads come from elsewhere: each gathers shards, one after the other, until none is left, and
//! sorts what it has. One of them then merges the sorted runs into a tree. No lock of a shard is
//! held for longer than a slice takes.

use sync::atomic::{AtomicUsize, Ordering};

use base::Millis;
use index::{KeyList, merge};

use super::{Indexes, Keeping, Phase};

/// An index that is being built, shared by those who do it.
#[derive(Debug)]
pub struct Build {
    pub(crate) db: usize,
    pub(crate) generation: u64,
    /// The next shard to be read.
    pub(crate) next: AtomicUsize,
}

impl Build {
    /// The database.
    #[must_use]
    pub fn db(&self) -> usize {
        self.db
    }
}

/// What one thread has gathered.
#[derive(Debug, Default)]
pub struct Run {
    pub(crate) keys: KeyList,
    pub(crate) order: Vec<u32>,
}

impl Indexes {
    /// Begins to build the index of a database; `None` if there is one, if another is building it,
    /// or if none is wanted.
    #[must_use]
    pub fn begin(&self, db: usize) -> Option<Build> {
        self.begin_or_take_over(db, false)
    }

    /// The same; takes over from another who builds it, if `anyway`.
    pub(crate) fn begin_or_take_over(&self, db: usize, anyway: bool) -> Option<Build> {
        let slot = &self.slots[db];
        let _state = slot.state.lock();
        let free = slot.phase() == Phase::Off || (anyway && slot.phase() == Phase::Building);
        if !free || self.keeping() == Keeping::Never {
            return None;
        }
        let generation = self.next_generation();
        slot.empty(Phase::Building, generation);
        Some(Build { db, generation, next: AtomicUsize::new(0) })
    }

    /// Ends building: from now on there is an index, unless the database was emptied or has changed
    /// places meanwhile. Whether there is.
    pub fn finish(&self, build: &Build, runs: &[Run], took: Millis) -> bool {
        let lists: Vec<(&KeyList, &[u32])> =
            runs.iter().map(|run| (&run.keys, &run.order[..])).collect();
        let tree = merge(&lists);
        let slot = &self.slots[build.db];
        let _state = slot.state.lock();
        if slot.generation() != build.generation {
            return false;
        }
        slot.built_in.store(took, Ordering::Relaxed);
        slot.complete(tree);
        true
    }

    /// Gives up what is being built, if that is still so: the thread that did it cannot go on.
    pub fn abandon(&self, build: &Build) {
        let slot = &self.slots[build.db];
        if slot.generation() == build.generation && slot.phase() == Phase::Building {
            self.give_up(build.db);
        }
    }
}
