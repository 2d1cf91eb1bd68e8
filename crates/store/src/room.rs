//! Whether a large value may come in addition: asked before it is made.
//!
//! Requests are refused before they run where the dataset is at its limit, so each may take it
//! beyond by what it adds. That is little but for a copy of a value: of a gigabyte it is another.

use base::Key;
use sync::atomic::Ordering;

use crate::{Object, Txn};

/// Values from this size on are copied only if there is room for all of the copy.
pub const COPY_ASKS: usize = 64 << 10;

impl Txn {
    /// Tells how many bytes the shards may take in all from now on, whatever the requests so far
    /// have added; `None`: there is no limit.
    pub fn set_room(&mut self, most: Option<u64>) {
        self.room = most.map(|most| i64::try_from(most).unwrap_or(i64::MAX));
    }

    /// Whether a copy of a value of so many bytes has room.
    pub(crate) fn has_room(&self, bytes: usize) -> bool {
        let fits = |room| self.memory_now().saturating_add_unsigned(bytes as u64) <= room;
        bytes < COPY_ASKS || self.unlimited || self.room.is_none_or(fits)
    }

    /// Bytes of the value that a copy from this key of the current database to that one would make;
    /// `None` if it would make none. It counts as no use of either, and their shards are held.
    #[must_use]
    pub fn size_to_copy(
        &self,
        from: Key<'_>,
        (to_db, to): (usize, Key<'_>),
        replace: bool,
    ) -> Option<usize> {
        if !replace && self.unexpired(to_db, to).is_some() {
            return None;
        }
        self.unexpired(self.db, from).map(|entry| Object::memory_of(&entry))
    }

    /// Bytes of the shards, with what this transaction has changed so far.
    fn memory_now(&self) -> i64 {
        let unreported = self.held.iter().map(|held| held.shard.unreported_yet()).sum::<i64>();
        self.store.memory.load(Ordering::Relaxed) + self.memory_delta + unreported
    }
}
