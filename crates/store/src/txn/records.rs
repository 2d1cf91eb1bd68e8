//! What a transaction records of what it does, for the journal: see `shard/history.rs`.

use std::sync::Arc;
use sync::atomic::Ordering;

use base::Key;
use journal::record::{self, Derived, Half, Kind, RecordId};
use journal::{Log, WriteBuffer};
use smallvec::SmallVec;

use super::held::{HeldShard, HeldShards};
use crate::shard::history::{KEPT, forget};
use crate::{Name, Object, Shard, Store, Touched, image};

/// Keys of at most so many other shards may be read by a command that is told by itself.
const BARRIERS: usize = 32;
/// How many bytes of the write buffer are fetched ahead, at most.
const AHEAD: usize = 512;

/// The records of one transaction.
pub(crate) struct Records {
    /// Those of what it has done so far.
    pending: Vec<u8>,
    /// The log, and this transaction's write buffer in it.
    log: Arc<Log>,
    write_buffer: Arc<WriteBuffer>,
    /// The last epoch of the log whose changes may have been seen.
    seen: u64,
}

impl Records {
    pub fn new(store: &Store) -> Self {
        let log = Arc::clone(store.log());
        let write_buffer = log.open_write_buffer();
        Records { pending: Vec::new(), log, write_buffer, seen: 0 }
    }

    /// Appends what a shard recorded that was locked for a moment; its last change may have been
    /// seen.
    pub fn append_of(&mut self, shard: &mut Shard) {
        let history = &mut shard.history;
        if !history.records.is_empty() {
            history.epoch = self.log.append(&self.write_buffer, &history.records);
            forget(&mut history.records);
        }
        self.seen = self.seen.max(history.epoch);
    }

    /// Adds what a held shard recorded by itself; its last change may have been seen.
    #[inline]
    fn gather(&mut self, shard: &mut Shard) {
        shard.history.gather(&mut self.pending);
        self.seen = self.seen.max(shard.history.epoch);
    }

    /// Appends all of them to the log, in one epoch.
    #[inline]
    fn append(&mut self, shards: &mut [HeldShard]) {
        if self.pending.is_empty() {
            return;
        }
        let epoch = if self.pending.len() > KEPT {
            // What takes much is not copied once more.
            self.log.append_all(&self.write_buffer, &mut self.pending)
        } else {
            // The next transaction's are likely to be as long.
            let ahead = |free: &[_]| table::prefetch_room(free, self.pending.len().min(AHEAD) + 64);
            self.log.append_with(&self.write_buffer, &self.pending, ahead)
        };
        forget(&mut self.pending);
        self.seen = self.seen.max(epoch);
        // Also shards that were only read: what was read there is as old or older.
        for held in shards {
            held.shard.history.epoch = epoch;
        }
    }

    /// What was done never happened.
    pub fn clear(&mut self) {
        self.pending.clear();
    }
}

impl HeldShards {
    /// Whether changes of the held shard of `hash` are recorded.
    #[inline]
    #[must_use]
    pub fn is_recording(&self, hash: u64) -> bool {
        self.shard(hash).history.on
    }

    /// Whether changes of any held shard are recorded.
    #[must_use]
    pub fn is_recording_any(&self) -> bool {
        self.shards.iter().any(|held| held.shard.history.on)
    }

    /// Records that this command ran; its only key, in the current database, has this hash.
    #[inline]
    pub fn record_command<'a>(
        &mut self,
        hash: u64,
        words: impl ExactSizeIterator<Item = &'a [u8]>,
    ) {
        self.record_expired();
        let db = self.db;
        if let Some(head) = self.shard_mut(hash).history.next(Kind::Command, db) {
            record::put(&mut self.records.pending, head, |out| record::put_words(out, words));
        }
    }

    /// As [`record_command`](Self::record_command), of a `SET` with nothing but key and value.
    #[inline]
    pub fn record_set(&mut self, key: Key<'_>, value: &[u8]) {
        self.record_expired();
        let db = self.db;
        if let Some((_, shard, seq, db)) = self.shard_mut(key.hash).history.next(Kind::Set, db) {
            record::put_set(&mut self.records.pending, (shard, seq, db), key.bytes, value);
        }
    }

    /// Records a key of database `db` as it is now, or that it is gone.
    pub fn record_key(&mut self, db: usize, key: Key<'_>) {
        self.record_expired();
        let mut pending = std::mem::take(&mut self.records.pending);
        let Shard { dbs, history, .. } = self.shard_mut(key.hash);
        let entry = dbs[db].keys.find(key.hash, key.bytes);
        let kind = if entry.is_some() { Kind::Image } else { Kind::Delete };
        if let Some(head) = history.next(kind, db) {
            record::put(&mut pending, head, |out| match &entry {
                Some(entry) => {
                    // Growing step by step would copy all of it, again and again.
                    out.reserve(Object::memory_of(entry));
                    image::put(out, entry);
                }
                None => out.extend_from_slice(key.bytes),
            });
        }
        self.records.pending = pending;
    }

    /// Records that a large value has gone from one key to another, or was copied, by their names
    /// alone: a database and a key each. `false` if it is not large, or more has to be told; then
    /// nothing is recorded.
    pub fn record_move(
        &mut self,
        (from_db, from): (usize, Key<'_>),
        (to_db, to): (usize, Key<'_>),
        stays: bool,
    ) -> bool {
        let Some(size) = self.large(to_db, to) else { return false };
        if !self.is_recording(from.hash) || !self.is_recording(to.hash) {
            return false;
        }
        let to_shard = self.shard(to.hash).history.shard;
        let scanned_as = self.shard(to.hash).dbs[to_db].scanned_as();
        if !self.store().large.moved.note(|| Name::of(to_shard, scanned_as, to.bytes)) {
            return false;
        }
        self.record_expired();
        let head = self.shard_mut(from.hash).history.next(Kind::From, from_db);
        let Some(first @ (_, from_shard, from_seq, _)) = head else { return false };
        let head = self.shard_mut(to.hash).history.next(Kind::To, to_db);
        let Some(second @ (_, _, to_seq, _)) = head else { return false };
        record::put(&mut self.records.pending, first, |out| {
            Half { stays, shard: to_shard, seq: to_seq, key: from.bytes }.put(out);
        });
        record::put(&mut self.records.pending, second, |out| {
            Half { stays, shard: from_shard, seq: from_seq, key: to.bytes }.put(out);
        });
        if stays {
            self.records.log.figures.implied.fetch_add(size, Ordering::Relaxed);
        }
        true
    }

    /// The bytes that a key's value takes, if it is large.
    fn large(&self, db: usize, key: Key<'_>) -> Option<u64> {
        let entry = self.shard(key.hash).dbs[db].keys.find(key.hash, key.bytes)?;
        self.store().large.is_named(&entry).then(|| Object::memory_of(&entry) as u64)
    }

    /// Records by itself a command that has stored a large value under a key of the current
    /// database, and has read only keys with these hashes. `false` if it is not large, or more has
    /// to be told; then nothing is recorded.
    pub fn record_derived(&mut self, to: Key<'_>, hashes: &[u64], words: &[&[u8]]) -> bool {
        let db = self.db;
        let Some(size) = self.large(db, to) else { return false };
        if !hashes.iter().chain([&to.hash]).all(|&hash| self.is_recording(hash)) {
            return false;
        }
        let to_shard = self.shard(to.hash).history.shard;
        let mut read: SmallVec<[(u16, u64); 8]> = hashes
            .iter()
            .map(|&hash| (self.shard(hash).history.shard, hash))
            .filter(|&(shard, _)| shard != to_shard)
            .collect();
        read.sort_unstable();
        read.dedup_by_key(|(shard, _)| *shard);
        let scanned_as = self.shard(to.hash).dbs[db].scanned_as();
        let name = || Name::of(to_shard, scanned_as, to.bytes);
        if read.len() > BARRIERS || !self.store().large.moved.note(name) {
            return false;
        }
        self.record_expired();
        let head = self.shard_mut(to.hash).history.next(Kind::Derived, db);
        let Some(derived @ (_, shard, seq, _)) = head else { return false };
        let mut barriers = Vec::with_capacity(read.len());
        for (_, hash) in read {
            let head = self.shard_mut(hash).history.next(Kind::Barrier, db);
            let Some(barrier) = head else { continue };
            barriers.push(RecordId { shard: barrier.1, seq: barrier.2 });
            record::put(&mut self.records.pending, barrier, |out| RecordId { shard, seq }.put(out));
        }
        let body = Derived { barriers, words: words.to_vec() };
        record::put(&mut self.records.pending, derived, |out| body.put(out));
        self.records.log.figures.implied.fetch_add(size, Ordering::Relaxed);
        true
    }

    /// Records that keys met after their deadline are gone: a command that found such a key missing
    /// and made it anew (`SET … NX`) must find it missing when it runs again.
    #[inline]
    fn record_expired(&mut self) {
        if self.expired.has_unjournalled() {
            self.record_all_expired();
        }
    }

    /// They are deleted when the request is done, and that is recorded then: what stands there now
    /// may be what this command has put, expired itself.
    #[cold]
    fn record_all_expired(&mut self) {
        let mut expired = std::mem::take(&mut self.expired);
        expired.journal(|Touched { db, hash, key }| {
            let Shard { history, .. } = self.shard_mut(*hash);
            history.record(Kind::Delete, *db, |out| out.extend_from_slice(key));
        });
        self.expired = expired;
    }

    /// Appends what this transaction did to the log, all of it in one epoch: it is there as a whole
    /// or not at all. Notes the last epoch whose changes it may have seen, and by how many bytes
    /// the shards have grown.
    #[inline]
    pub(crate) fn append_history(&mut self) {
        for held in &mut self.shards {
            self.records.gather(&mut held.shard);
            self.memory.grow(self.store.indexes.settle(&mut held.shard));
        }
        self.records.append(&mut self.shards);
    }

    /// What follows may have seen what was recorded up to this epoch of the log.
    #[inline]
    pub fn note_seen(&mut self, epoch: u64) {
        self.records.seen = self.records.seen.max(epoch);
    }

    /// The last epoch of the log whose changes the requests since the last call may have seen or
    /// made: what they answer is durable when that epoch is.
    #[inline]
    pub fn take_seen(&mut self) -> u64 {
        std::mem::take(&mut self.records.seen)
    }

    /// Waits while the disk cannot keep up with this worker's records. Holds no shard.
    pub fn wait_for_disk(&self) {
        self.records.log.wait_for_room(&self.records.write_buffer);
    }
}
