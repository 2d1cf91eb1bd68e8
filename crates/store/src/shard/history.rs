//! What happens to a shard, for the journal.
//!
//! A shard numbers its records. Those of the changes made under one hold of its lock are appended
//! to the log before it is let go, all at once: so those of one transaction are in one epoch, and
//! no epoch holds a record that is older than one of an epoch before. Within an epoch the numbers
//! tell the order. A transaction gathers what its commands do in a buffer of its own, which stays
//! in the processor's cache; what a shard does by itself, such as expiring, waits in the shard.
//!
//! A change is told in one of two ways: a command with one key that only this key decides is told
//! as the command; anything else as the keys it left behind, each as it is now. Either concerns one
//! shard, so that recovery can replay shards independently, and a snapshot that saw one key before
//! the change and another after it can be completed exactly. A large value that was renamed, or
//! made of other keys, is the exception: see `store/moved.rs`.

use journal::record::{self, Kind};

/// A lot of memory for the records of one hold; more is given back.
pub(crate) const KEPT: usize = 64 << 10;

/// A shard's part of the history.
#[derive(Debug, Default)]
pub(crate) struct History {
    /// The records are kept.
    pub on: bool,
    /// The shard's number.
    pub shard: u16,
    /// The number of the last record.
    pub seq: u64,
    /// The epoch of the log that the last record joined.
    pub epoch: u64,
    /// Records of what the shard did by itself, not yet appended to the log.
    pub records: Vec<u8>,
}

impl History {
    /// The head of the next record, if they are kept.
    #[inline]
    pub fn next(&mut self, kind: Kind, db: usize) -> Option<record::Head> {
        self.on.then(|| {
            self.seq += 1;
            // Databases are numbered far below 2^32.
            (kind, self.shard, self.seq, u32::try_from(db).unwrap_or(u32::MAX))
        })
    }

    /// Adds a record of what the shard did by itself, if they are kept.
    #[inline]
    pub fn record(&mut self, kind: Kind, db: usize, write: impl FnOnce(&mut Vec<u8>)) {
        if let Some(head) = self.next(kind, db) {
            record::put(&mut self.records, head, write);
        }
    }

    /// Moves the records to the end of `out`.
    #[inline]
    pub fn gather(&mut self, out: &mut Vec<u8>) {
        if !self.records.is_empty() {
            out.append(&mut self.records);
            forget(&mut self.records);
        }
    }
}

/// Empties a buffer, and gives a lot of memory back.
#[inline]
pub(crate) fn forget(records: &mut Vec<u8>) {
    records.clear();
    if records.capacity() > KEPT {
        *records = Vec::new();
    }
}
