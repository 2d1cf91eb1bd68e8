//! The undo log: how keys were before a script changed them, so that it can be rolled back.
//!
//! A script that holds only the shards of the keys it declared may turn out to want others. It
//! cannot wait for them while it holds its own, so it is taken back and run again with every shard
//! in its hands. What it changed until then is remembered by value: few keys, and small ones, as
//! anything else is a reason to start with every shard at once.
//!
//! Rolling back is a change like any other to everything that follows the shard: copies being made
//! are spoiled, and the journal is told how the keys are now, so its records stay without a gap.
//! Only those who listen hear nothing of it, but that copies of the values are stale.
//!
//! What cannot be rolled back, as it was not remembered, can only be broken off, as a crash would:
//! nothing of it is recorded, and its shards are withheld from then on, since what they hold is
//! half of a transaction. That is for an engine which ends ([`Txn::break_off`]).

use base::{Key, Millis};
use table::Content;

use crate::keyspace::put;
use crate::object::Object;
use crate::{Store, Txn};

/// Values that take more bytes than this are not remembered.
const BYTES: usize = 32 << 10;
/// Nor those made of more allocations than this.
const PARTS: usize = 64;

/// A key as it was.
pub(crate) struct Before {
    db: usize,
    hash: u64,
    key: Box<[u8]>,
    /// None if it was missing.
    entry: Option<Was>,
}

struct Was {
    object: Object,
    deadline: Option<Millis>,
    flags: u8,
    access: u32,
}

impl Txn {
    /// Whether the shard of `hash` is held.
    #[inline]
    #[must_use]
    pub fn holds(&self, hash: u64) -> bool {
        self.find_place(hash).is_some()
    }

    /// Remembers how a key of database `db` is now, unless that is remembered already. Its shard is
    /// held. False if the value is too large.
    pub fn note_before(&mut self, db: usize, key: Key<'_>) -> bool {
        let is_this = |b: &Before| b.db == db && b.hash == key.hash && *b.key == *key.bytes;
        if self.before.iter().any(is_this) {
            return true;
        }
        let entry = match self.shard(key.hash).dbs[db].keys.find(key.hash, key.bytes) {
            None => None,
            Some(entry) => {
                let object = match entry.content() {
                    Content::Bytes(bytes) => Object::string(bytes.to_vec()),
                    Content::Object(large)
                        if large.memory() > BYTES || large.free_effort() > PARTS =>
                    {
                        return false;
                    }
                    Content::Object(object) => object.clone(),
                };
                let (deadline, flags) = (entry.deadline(), entry.user_flags());
                Some(Was { object, deadline, flags, access: entry.access() })
            }
        };
        self.before.push(Before { db, hash: key.hash, key: key.bytes.into(), entry });
        true
    }

    /// What is remembered is not needed any more.
    #[inline]
    pub fn forget_before(&mut self) {
        self.before.clear();
    }

    /// Makes every key again what it was when it was noted.
    pub fn take_back(&mut self) {
        for Before { db, hash, key, entry } in std::mem::take(&mut self.before) {
            let key = Key { hash, bytes: &key };
            match entry {
                Some(was) => {
                    self.touch_in(db, hash, key.bytes);
                    let table = self.shard_mut(hash).db_mut(db);
                    let (mut entry, replaced) = put(table, key, was.object);
                    entry.set_deadline(was.deadline);
                    entry.set_user_flags(was.flags);
                    entry.set_access(was.access);
                    self.discard(replaced);
                }
                None => {
                    self.touch_in(db, hash, key.bytes);
                    if let Some(garbage) = self.shard_mut(hash).db_mut(db).remove(hash, key.bytes) {
                        self.discard(garbage);
                    }
                }
            }
            if self.is_recording(hash) {
                self.record_key(db, key);
            }
        }
        self.forget_changes();
        self.forget_ready();
        self.notifications.forget_events();
    }

    /// Breaks the transaction off in the middle: nothing of it is recorded, and the shards it holds
    /// count from now on as held by an overdue request, for ever.
    pub fn break_off(&mut self) {
        self.broken_off = !self.held.is_empty();
        self.forget_changes();
        self.forget_ready();
    }

    /// Whether it was broken off, and its shards are still held.
    #[inline]
    #[must_use]
    pub fn is_broken_off(&self) -> bool {
        self.broken_off
    }

    /// What it did never happened, for the journal and for those who listen.
    #[cold]
    pub(crate) fn forget_all(&mut self) {
        self.told.clear();
        self.before.clear();
        self.overdue.get_mut().clear();
        self.forget_changes();
        self.forget_ready();
        self.notifications.forget_events();
        self.notifications.deliver(&self.store);
    }
}

impl Store {
    /// Whether a transaction was broken off. What it held cannot be read any more, so the dataset
    /// is not to be saved: what is on disk is older, but whole.
    #[must_use]
    pub fn is_broken_off(&self) -> bool {
        !self.withheld.lock().is_empty()
    }
}
