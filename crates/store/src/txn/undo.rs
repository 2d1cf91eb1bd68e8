//! The undo log: how keys were before a script changed them, so that it can be rolled back.
//!
//! A script that holds only the shards of the keys it declared may turn out to want others. It
//! cannot wait for them while it holds its own, so it is taken back and run again with every shard
//! in its hands. What it changed until then is remembered by value: few keys, and small ones, as
//! anything else is a reason to start with every shard at once.
//!
//! Rolling back is a change like any other to everything that follows the shard: copies being made
//! are spoiled, and the journal is told how the keys are now, so its records stay without a gap.
//! A key that expired and is put back expires again: that it did is taken back, too,
//! and not counted. Clients that listen hear nothing of it all, but only that copies of the values
//! are stale; those who read the change stream hear nothing at all.
//!
//! What cannot be rolled back, as it was not remembered, can only be broken off, as a crash would:
//! nothing of it is recorded, and its shards are withheld from then on, since what they hold is
//! half of a transaction. That is for an engine which ends
//! ([`Txn::break_off`](crate::Txn::break_off)).

use base::{Key, Millis};
use table::Content;

use super::changes::Changes;
use super::held::HeldShards;
use super::noted_keys::{NotedKeys, OfKey};
use super::notifications::TxnNotifications;
use crate::shard::db::put;
use crate::{Garbage, Object};

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
    /// How many times it has expired since.
    expired: u64,
}

impl OfKey for Before {
    fn hash(&self) -> u64 {
        self.hash
    }

    fn is_of(&self, db: usize, key: &[u8]) -> bool {
        self.db == db && *self.key == *key
    }
}

struct Was {
    object: Object,
    deadline: Option<Millis>,
    flags: u8,
    access: u32,
}

/// How keys were before a script changed them.
#[derive(Default)]
pub struct UndoLog {
    noted: NotedKeys<Before>,
    /// How many changes were pending when the first key was noted.
    pending: usize,
}

impl UndoLog {
    /// Notes how a key of database `db` is now, unless that is noted already. Its shard is held.
    /// False if the value is too large.
    pub fn note(
        &mut self,
        held: &HeldShards,
        changes: &Changes,
        (db, key): (usize, Key<'_>),
    ) -> bool {
        if self.noted.is_empty() {
            self.pending = changes.pending.count();
        }
        if self.noted.find(db, key.hash, key.bytes).is_some() {
            return true;
        }
        let entry = match held.shard(key.hash).dbs[db].keys.find(key.hash, key.bytes) {
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
        let (hash, key) = (key.hash, key.bytes.into());
        self.noted.add(Before { db, hash, key, entry, expired: 0 });
        true
    }

    /// Notes that a key has expired, which is taken back if the key is.
    #[inline]
    pub(crate) fn note_expired(&mut self, db: usize, hash: u64, key: &[u8]) {
        let place = self.noted.find(db, hash, key);
        if let Some(before) = place.and_then(|place| self.noted.at(place)) {
            before.expired += 1;
        }
    }

    /// What was noted is not needed any more.
    #[inline]
    pub fn forget(&mut self) {
        self.noted.clear();
    }

    /// Makes every key again what it was when it was noted.
    pub(crate) fn roll_back(
        &mut self,
        held: &mut HeldShards,
        changes: &mut Changes,
        notifications: &mut TxnNotifications,
    ) {
        let mut noted = std::mem::take(&mut self.noted);
        if !noted.is_empty() {
            changes
                .pending
                .take_back(self.pending, |db, hash, key| noted.find(db, hash, key).is_some());
        }
        for Before { db, hash, key, entry, expired } in noted.iter_mut() {
            let (db, hash) = (*db, *hash);
            let key = Key { hash, bytes: key };
            held.store().uncount_expired(*expired);
            changes.touch(held, notifications, (db, hash, key.bytes));
            let table = held.shard_mut(hash).db_mut(db);
            let garbage = match entry.take() {
                Some(was) => {
                    let (mut entry, replaced) = put(table, key, was.object);
                    entry.set_deadline(was.deadline);
                    entry.set_user_flags(was.flags);
                    entry.set_access(was.access);
                    replaced
                }
                None => table.remove(hash, key.bytes).unwrap_or(Garbage::Nothing),
            };
            held.store().discard(garbage);
            if held.is_recording(hash) {
                held.record_key(db, key);
            }
        }
        changes.forget();
        changes.forget_ready();
        // One that was met past its deadline is deleted at the end, and not told again then.
        notifications.forget_events(|db, key| {
            let hash = held.store.hasher().hash(key);
            noted.find(db, hash, key).is_some() && !held.expired.has(db, hash, key)
        });
    }
}
