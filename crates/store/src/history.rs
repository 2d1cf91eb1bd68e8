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
//! made of other keys, is the exception: see `moved.rs`.

use sync::atomic::Ordering;

use base::Key;
use journal::record::{self, Derived, Half, Kind, RecordId};
use journal::{Log, WriteBuffer};
use smallvec::SmallVec;

use crate::image;
use crate::moved::Name;
use crate::{Object, Shard, Touched, Txn};

/// A lot of memory for the records of one hold; more is given back.
const KEPT: usize = 64 << 10;
/// Values from this size on that go from one key to another are told by the keys' names, unless
/// another size is set. Of smaller ones an image takes a fraction of a millisecond, and recovery
/// need not wait for the other shard.
pub(crate) const NAMED: usize = 128 << 10;
/// Keys of at most so many other shards may be read by a command that is told by itself.
const BARRIERS: usize = 32;
/// How many bytes of the write buffer are fetched ahead, at most.
const AHEAD: usize = 512;

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
    fn next(&mut self, kind: Kind, db: usize) -> Option<record::Head> {
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
    fn gather(&mut self, out: &mut Vec<u8>) {
        if !self.records.is_empty() {
            out.append(&mut self.records);
            forget(&mut self.records);
        }
    }
}

/// Empties a buffer, and gives a lot of memory back.
#[inline]
fn forget(records: &mut Vec<u8>) {
    records.clear();
    if records.capacity() > KEPT {
        *records = Vec::new();
    }
}

/// Appends what a shard recorded that was locked for a moment; the epoch of its last change.
pub(crate) fn append_of(shard: &mut Shard, log: &Log, write_buffer: &WriteBuffer) -> u64 {
    if !shard.history.records.is_empty() {
        shard.history.epoch = log.append(write_buffer, &shard.history.records);
        forget(&mut shard.history.records);
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
        if let Some(head) = self.shard_mut(hash).history.next(Kind::Command, db) {
            record::put(&mut self.told, head, |out| record::put_words(out, words));
        }
    }

    /// As [`record_command`](Self::record_command), of a `SET` with nothing but key and value.
    #[inline]
    pub fn record_set(&mut self, key: Key<'_>, value: &[u8]) {
        self.tell_overdue();
        let db = self.db;
        if let Some((_, shard, seq, db)) = self.shard_mut(key.hash).history.next(Kind::Set, db) {
            record::put_set(&mut self.told, (shard, seq, db), key.bytes, value);
        }
    }

    /// Records a key of database `db` as it is now, or that it is gone.
    pub fn record_key(&mut self, db: usize, key: Key<'_>) {
        self.tell_overdue();
        let mut told = std::mem::take(&mut self.told);
        let Shard { dbs, history, .. } = self.shard_mut(key.hash);
        let entry = dbs[db].keys.find(key.hash, key.bytes);
        let kind = if entry.is_some() { Kind::Image } else { Kind::Delete };
        if let Some(head) = history.next(kind, db) {
            record::put(&mut told, head, |out| match &entry {
                Some(entry) => {
                    // Growing step by step would copy all of it, again and again.
                    out.reserve(Object::memory_of(entry));
                    image::put(out, entry);
                }
                None => out.extend_from_slice(key.bytes),
            });
        }
        self.told = told;
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
        if !self.store.moved.note(|| Name::of(to_shard, scanned_as, to.bytes)) {
            return false;
        }
        self.tell_overdue();
        let head = self.shard_mut(from.hash).history.next(Kind::From, from_db);
        let Some(first @ (_, from_shard, from_seq, _)) = head else { return false };
        let head = self.shard_mut(to.hash).history.next(Kind::To, to_db);
        let Some(second @ (_, _, to_seq, _)) = head else { return false };
        record::put(&mut self.told, first, |out| {
            Half { stays, shard: to_shard, seq: to_seq, key: from.bytes }.put(out);
        });
        record::put(&mut self.told, second, |out| {
            Half { stays, shard: from_shard, seq: from_seq, key: to.bytes }.put(out);
        });
        if stays {
            self.log.figures.implied.fetch_add(size, Ordering::Relaxed);
        }
        true
    }

    /// The bytes that a key's value takes, if it is large.
    fn large(&self, db: usize, key: Key<'_>) -> Option<u64> {
        let entry = self.shard(key.hash).dbs[db].keys.find(key.hash, key.bytes)?;
        self.store.is_named(&entry).then(|| Object::memory_of(&entry) as u64)
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
        if read.len() > BARRIERS || !self.store.moved.note(name) {
            return false;
        }
        self.tell_overdue();
        let head = self.shard_mut(to.hash).history.next(Kind::Derived, db);
        let Some(derived @ (_, shard, seq, _)) = head else { return false };
        let mut barriers = Vec::with_capacity(read.len());
        for (_, hash) in read {
            let head = self.shard_mut(hash).history.next(Kind::Barrier, db);
            let Some(barrier) = head else { continue };
            barriers.push(RecordId { shard: barrier.1, seq: barrier.2 });
            record::put(&mut self.told, barrier, |out| RecordId { shard, seq }.put(out));
        }
        let body = Derived { barriers, words: words.to_vec() };
        record::put(&mut self.told, derived, |out| body.put(out));
        self.log.figures.implied.fetch_add(size, Ordering::Relaxed);
        true
    }

    /// Does something that is about no key at a moment that has its place among the changes of
    /// shard 0: nothing happens there meanwhile. If `change` returns the body of a record of this
    /// kind beside its result, it is recorded there. Holds no shard, or shard 0 among others.
    pub fn beside_keys<R>(
        &mut self,
        kind: Kind,
        change: impl FnOnce() -> (R, Option<Vec<u8>>),
    ) -> R {
        self.with_shard(0, |shard| {
            let (result, told) = change();
            if let Some(body) = told {
                shard.history.record(kind, 0, |out| out.extend_from_slice(&body));
            }
            result
        })
    }

    /// What follows may have seen what was recorded up to this epoch of the log.
    #[inline]
    pub fn note_seen(&mut self, epoch: u64) {
        self.seen = self.seen.max(epoch);
    }

    /// Looks at something that is about no key while nothing happens in shard 0, and tells the
    /// epoch of the log that holds what is seen there: unless shard 0 is held already, and this
    /// transaction itself has changed it. As [`beside_keys`](Self::beside_keys).
    pub fn look_beside_keys<R>(&mut self, look: impl FnOnce() -> R) -> (R, u64) {
        self.with_shard(0, |shard| (look(), shard.history.epoch))
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
        let mut overdue = std::mem::take(self.overdue.get_mut());
        for met in overdue.iter_mut().filter(|met| !met.told) {
            let Touched { db, hash, key } = &met.touched;
            let Shard { history, .. } = self.shard_mut(*hash);
            history.record(Kind::Delete, *db, |out| out.extend_from_slice(key));
            met.told = true;
        }
        // They are deleted when the request is done, and that is recorded then: what stands there
        // now may be what this command has put, overdue itself.
        *self.overdue.get_mut() = overdue;
    }

    /// Appends what this transaction did to the log, all of it in one epoch: it is there as a whole
    /// or not at all. Notes the last epoch whose changes it may have seen, and by how many bytes
    /// the shards have grown.
    #[inline]
    pub(crate) fn append_history(&mut self) {
        for held in &mut self.held {
            held.shard.history.gather(&mut self.told);
            self.seen = self.seen.max(held.shard.history.epoch);
            self.memory_delta += held.shard.unreported(&self.store.indexes);
        }
        if self.told.is_empty() {
            return;
        }
        let epoch = if self.told.len() > KEPT {
            // What takes much is not copied once more.
            self.log.append_all(&self.write_buffer, &mut self.told)
        } else {
            // The next transaction's are likely to be as long.
            let ahead = |room: &[_]| table::prefetch_room(room, self.told.len().min(AHEAD) + 64);
            self.log.append_with(&self.write_buffer, &self.told, ahead)
        };
        forget(&mut self.told);
        self.seen = self.seen.max(epoch);
        // Also shards that were only read: what was read there is as old or older.
        for held in &mut self.held {
            held.shard.history.epoch = epoch;
        }
    }

    /// The last epoch of the log whose changes the requests since the last call may have seen or
    /// made: what they answer is durable when that epoch is.
    #[inline]
    pub fn take_seen(&mut self) -> u64 {
        std::mem::take(&mut self.seen)
    }

    /// Waits while the disk cannot keep up with this worker's records. Holds no shard.
    pub fn wait_for_disk(&self) {
        self.log.wait_for_room(&self.write_buffer);
    }
}
