//! Whether a large value may come in addition: asked before it is made.
//!
//! Requests are refused before they run where the dataset is at its limit, so each may take it
//! beyond by what it adds. That is little but for a copy of a value: of a gigabyte it is another.

use base::Key;

use crate::{HeldShards, Object, Txn};

/// Values from this size on are copied only if there is room for all of the copy.
pub const COPY_ASKS: usize = 64 << 10;

/// Whether a copy of a value of so many bytes has room, with what the transaction has changed so
/// far.
pub(crate) fn has_room(held: &HeldShards, bytes: usize) -> bool {
    if bytes < COPY_ASKS {
        return true;
    }
    let unreported = held.shards.iter().map(|held| held.shard.unreported_yet()).sum::<i64>();
    held.memory.has_room(&held.store, unreported, bytes as u64)
}

/// Bytes of the value that a copy from this key of the current database to that one would make;
/// `None` if it would make none. It counts as no use of either, and their shards are held.
#[must_use]
pub fn size_to_copy(
    txn: &Txn,
    from: Key<'_>,
    (to_db, to): (usize, Key<'_>),
    replace: bool,
) -> Option<usize> {
    if !replace && txn.unexpired(to_db, to).is_some() {
        return None;
    }
    txn.unexpired(txn.held.db, from).map(|entry| Object::memory_of(&entry))
}
