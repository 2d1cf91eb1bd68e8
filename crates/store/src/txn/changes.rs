//! What the request that runs has changed, and who hears of it: the one place where changes of keys
//! go through.
//!
//! ```text
//!   a command ─► touched ── it has ended ─► publish ─┬► readers of the key: their copies are stale
//!   expiry, eviction ────── the key is gone ─► went ─┼► clients that watch it
//!   a flush, a swap ───────────────────────────────┐ ├► clients that wait for it
//!                                                  └─┴► pending ── at its end ─► ChangeStream
//! ```
//!
//! What a command touches is gathered while it runs, and told when it has: only then is it known
//! whether it changed anything, and whether the key is still there. Names of keys that came and
//! went the tables note for the ordered index by themselves (`shard/noted.rs`): it follows what is
//! read back and taken back, too.

use base::Class;

use super::held::HeldShards;
use super::notifications::TxnNotifications;
use super::pending_changes::PendingChanges;
use crate::{Change, ChangeKind, Shard, Store, Touched};

/// Who hears of what a command has changed; consumers of the change stream always do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Those who watch the keys, wait for them, or have copies of their values.
    Everyone,
    /// Only those who wait for the keys.
    Waiting,
    /// None of them.
    Nobody,
}

/// What the request that runs has changed.
#[derive(Default)]
pub struct Changes {
    /// The request that runs has changed something.
    changed: bool,
    /// Keys that it has changed, of shards that keep track of that.
    touched: Vec<Touched>,
    /// Keys that were fed and may serve blocked clients.
    ready: Vec<Touched>,
    /// What the change stream is told when the transaction ends.
    pub(crate) pending: PendingChanges,
}

impl Changes {
    /// Notes that `key` of database `db` changes, if its shard keeps track of that.
    #[inline]
    pub(crate) fn touch(
        &mut self,
        held: &mut HeldShards,
        notifications: &TxnNotifications,
        (db, hash, key): (usize, u64, &[u8]),
    ) {
        self.changed = true;
        if notifications.concern_keys() || held.shard(hash).observed(db, hash, key) {
            held.shard_mut(hash).spoil_copy(db, hash);
            self.touched.push(Touched { db, hash, key: key.into() });
        }
    }

    /// The same for a change that leaves the value as it was, or was noted for the thread that
    /// copies it.
    #[inline]
    pub(crate) fn touch_noted(
        &mut self,
        held: &HeldShards,
        notifications: &TxnNotifications,
        (db, hash, key): (usize, u64, &[u8]),
    ) {
        self.changed = true;
        if notifications.concern_keys() || held.shard(hash).observed(db, hash, key) {
            self.touched.push(Touched { db, hash, key: key.into() });
        }
    }

    /// Tells what was touched.
    #[inline]
    pub(crate) fn publish(
        &mut self,
        held: &mut HeldShards,
        notifications: &TxnNotifications,
        reach: Reach,
    ) {
        self.changed = false;
        if !self.touched.is_empty() {
            self.publish_touched(held, notifications, reach);
        }
    }

    #[cold]
    fn publish_touched(
        &mut self,
        held: &mut HeldShards,
        notifications: &TxnNotifications,
        reach: Reach,
    ) {
        for touched in std::mem::take(&mut self.touched) {
            let Touched { db, hash, key } = &touched;
            if reach == Reach::Everyone {
                notifications.stale_held(held, *hash, key, true);
                held.shard(*hash).watching.touch(*db, key);
            }
            let shard = held.shard(*hash);
            if notifications.concern_change_consumers() {
                let kind = match shard.dbs[*db].keys.find(*hash, key) {
                    Some(_) => ChangeKind::Written,
                    None => ChangeKind::Removed,
                };
                let change = Change::Key { db: *db, hash: *hash, key: key.clone(), kind };
                self.pending.add((&held.store, notifications), shard.number(), change);
            }
            if reach != Reach::Nobody && shard.waiting.is_awaited(*db, *hash, key) {
                self.ready.push(touched);
            }
        }
    }

    /// Tells that a key of this shard, which is locked, went without a command that asked for it:
    /// it expired, or was dropped to make room. `told` if the event was told when the key was met
    /// past its deadline.
    #[cold]
    pub(crate) fn went(
        &mut self,
        shard: &mut Shard,
        (store, notifications): (&Store, &TxnNotifications),
        (db, hash, key): (usize, u64, &[u8]),
        (kind, told): (ChangeKind, bool),
    ) {
        shard.watching.touch(db, key);
        if shard.waiting.is_awaited(db, hash, key) {
            store.to_serve.note(Touched { db, hash, key: key.into() });
        }
        if !told {
            match kind {
                ChangeKind::Evicted => notifications.event(Class::Evicted, "evicted", db, key),
                _ => notifications.event(Class::Expired, "expired", db, key),
            }
        }
        notifications.stale(shard, (hash, key), false);
        if notifications.concern_change_consumers() {
            let change = Change::Key { db, hash, key: key.into(), kind };
            self.pending.add((store, notifications), shard.number(), change);
        }
    }

    /// Whether the request that just ran has changed anything.
    #[must_use]
    pub fn has_changed(&self) -> bool {
        self.changed
    }

    /// The request that just ran changed nothing after all.
    pub fn forget(&mut self) {
        self.changed = false;
        self.touched.clear();
    }

    /// The changes of the request that runs, so far.
    pub(crate) fn so_far(&self) -> (bool, usize) {
        (self.changed, self.touched.len())
    }

    /// What came after these was none.
    pub(crate) fn forget_since(&mut self, (changed, touched): (bool, usize)) {
        self.changed = changed;
        self.touched.truncate(touched);
    }

    /// Whether keys were fed that may serve blocked clients.
    #[inline]
    #[must_use]
    pub fn has_ready(&self) -> bool {
        !self.ready.is_empty()
    }

    /// These keys, in the order they were fed. Empties the list.
    #[inline]
    pub fn take_ready(&mut self) -> Vec<Touched> {
        std::mem::take(&mut self.ready)
    }

    /// Lets those be served who wait for a key that went; its shard is held.
    pub fn note_ready(&mut self, key: Touched) {
        self.ready.push(key);
    }

    /// No client is served for what has been fed so far.
    pub(crate) fn forget_ready(&mut self) {
        self.ready.clear();
    }
}
