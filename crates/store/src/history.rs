//! What happens to a shard, for the journal.
//!
//! A shard gathers the records of the changes made under one hold of its lock; whoever holds it
//! appends them to the log before letting go, all at once. So the log has the records of a shard in
//! the order in which they happened, and those of one transaction in one epoch.
//!
//! A change is told in one of two ways: a command with one key that only this key decides is told
//! as the command; anything else as the keys it left behind, each as it is now. Either concerns one
//! shard, so that recovery can replay shards independently, and a snapshot that saw one key before
//! the change and another after it can be completed exactly.

use base::Key;
use journal::record::{self, Kind};
use journal::{Lane, Log};

use crate::image;
use crate::{Shard, Touched, Txn};

/// A lot of memory for the records of one hold; more is given back.
const KEPT: usize = 64 << 10;

/// A shard's part of the history.
#[derive(Debug, Default)]
pub(crate) struct History {
    /// Somebody keeps the records.
    pub on: bool,
    /// The shard's number.
    pub shard: u16,
    /// The number of the last record.
    pub seq: u64,
    /// The epoch of the log that the last record joined.
    pub epoch: u64,
    /// Records not yet appended to the log.
    pub records: Vec<u8>,
}

impl History {
    /// Adds a record, if anybody keeps them.
    #[inline]
    pub fn record(&mut self, kind: Kind, db: usize, write: impl FnOnce(&mut Vec<u8>)) {
        if self.on {
            self.seq += 1;
            // Databases are numbered far below 2^32.
            let db = u32::try_from(db).unwrap_or(u32::MAX);
            record::put(&mut self.records, (kind, self.shard, self.seq, db), write);
        }
    }

    /// The records have been appended and joined this epoch.
    #[inline]
    fn appended(&mut self, epoch: u64) {
        self.epoch = epoch;
        self.records.clear();
        if self.records.capacity() > KEPT {
            self.records = Vec::new();
        }
    }
}

/// Appends what a shard recorded that was locked for a moment; the epoch of its last change.
pub(crate) fn append_of(shard: &mut Shard, log: &Log, lane: &Lane) -> u64 {
    if !shard.history.records.is_empty() {
        let epoch = log.append(lane, &shard.history.records);
        shard.history.appended(epoch);
    }
    shard.history.epoch
}

impl Txn {
    /// Whether changes of the held shard of `hash` are recorded.
    #[inline]
    #[must_use]
    pub fn is_recording(&self, hash: u64) -> bool {
        self.shard(hash).history.on
    }

    /// Whether changes of any held shard are recorded.
    #[must_use]
    pub fn is_recording_any(&self) -> bool {
        self.held.iter().any(|held| held.shard.history.on)
    }

    /// Records that this command ran; its only key, in the current database, has this hash.
    #[inline]
    pub fn record_command<'a>(
        &mut self,
        hash: u64,
        words: impl ExactSizeIterator<Item = &'a [u8]>,
    ) {
        self.tell_overdue();
        let db = self.db;
        let history = &mut self.shard_mut(hash).history;
        history.record(Kind::Command, db, |out| record::put_words(out, words));
    }

    /// Records a key of database `db` as it is now, or that it is gone.
    pub fn record_key(&mut self, db: usize, key: Key<'_>) {
        self.tell_overdue();
        let Shard { dbs, history, .. } = self.shard_mut(key.hash);
        match dbs[db].keys.find(key.hash, key.bytes) {
            Some(entry) => history.record(Kind::Image, db, |out| image::put(out, &entry)),
            None => history.record(Kind::Delete, db, |out| out.extend_from_slice(key.bytes)),
        }
    }

    /// Records that keys met after their deadline are gone: a command that found such a key missing
    /// and made it anew (`SET … NX`) must find it missing when it runs again.
    #[inline]
    fn tell_overdue(&mut self) {
        if !self.overdue.get_mut().is_empty() {
            self.tell_all_overdue();
        }
    }

    #[cold]
    fn tell_all_overdue(&mut self) {
        for Touched { db, hash, key } in std::mem::take(self.overdue.get_mut()) {
            self.shard_mut(hash)
                .history
                .record(Kind::Delete, db, |out| out.extend_from_slice(&key));
            self.reap_met(db, hash, &key);
        }
    }

    /// Appends what the held shards recorded to the log, and notes the last epoch whose changes
    /// this transaction may have seen.
    #[inline]
    pub(crate) fn append_history(&mut self) {
        let mut several = 0;
        for held in &self.held {
            self.seen = self.seen.max(held.shard.history.epoch);
            several += usize::from(!held.shard.history.records.is_empty());
        }
        match several {
            0 => {}
            1 => {
                for held in &mut self.held {
                    let history = &mut held.shard.history;
                    if !history.records.is_empty() {
                        let epoch = self.log.append(&self.lane, &history.records);
                        history.appended(epoch);
                        self.seen = self.seen.max(epoch);
                    }
                }
            }
            _ => self.append_together(),
        }
    }

    /// All of it in one epoch: what one transaction did is there as a whole or not at all.
    fn append_together(&mut self) {
        let mut all = Vec::new();
        for held in &self.held {
            all.extend_from_slice(&held.shard.history.records);
        }
        let epoch = self.log.append(&self.lane, &all);
        for held in &mut self.held {
            if !held.shard.history.records.is_empty() {
                held.shard.history.appended(epoch);
            }
        }
        self.seen = self.seen.max(epoch);
    }

    /// The last epoch of the log whose changes the requests since the last call may have seen or
    /// made: what they answer is durable when that epoch is.
    #[inline]
    pub fn take_seen(&mut self) -> u64 {
        std::mem::take(&mut self.seen)
    }

    /// Waits while the disk cannot keep up with this seat's records. Holds no shard.
    pub fn wait_for_disk(&self) {
        self.log.wait_for_room(&self.lane);
    }
}
