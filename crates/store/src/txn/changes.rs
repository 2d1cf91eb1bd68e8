//! What the request that runs has changed: for clients that watch its keys, wait for them, or have
//! copies of their values.

use super::held::HeldShards;
use super::notifications::TxnNotifications;
use crate::Touched;

/// What the request that runs has changed.
#[derive(Default)]
pub struct Changes {
    /// The request that runs has changed something.
    changed: bool,
    /// Keys that it has changed, of shards that keep track of that.
    touched: Vec<Touched>,
    /// Keys that were fed and may serve blocked clients.
    ready: Vec<Touched>,
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
        if notifications.concerns_copies() || held.shard(hash).observed(db, hash, key) {
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
        if notifications.concerns_copies() || held.shard(hash).observed(db, hash, key) {
            self.touched.push(Touched { db, hash, key: key.into() });
        }
    }

    /// Tells the watchers of what was touched, and collects keys that blocked clients wait for.
    pub(crate) fn publish(&mut self, held: &mut HeldShards, notifications: &TxnNotifications) {
        self.changed = false;
        for touched in std::mem::take(&mut self.touched) {
            notifications.stale_held(held, touched.hash, &touched.key, true);
            let shard = held.shard(touched.hash);
            shard.watching.touch(touched.db, &touched.key);
            if shard.waiting.is_awaited(touched.db, touched.hash, &touched.key) {
                self.ready.push(touched);
            }
        }
    }

    /// The same, but watchers are not told: for what only ends waits.
    pub fn publish_unwatched(&mut self, held: &HeldShards) {
        self.changed = false;
        for touched in std::mem::take(&mut self.touched) {
            let waiting = &held.shard(touched.hash).waiting;
            if waiting.is_awaited(touched.db, touched.hash, &touched.key) {
                self.ready.push(touched);
            }
        }
    }

    /// Whether the request that just ran has changed anything.
    #[must_use]
    pub fn has_changed(&self) -> bool {
        self.changed
    }

    /// The request that just ran changed nothing after all, or nothing that is notified.
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
