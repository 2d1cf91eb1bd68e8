//! A worker's transaction at the store, and what its caller says of the requests that follow.
//!
//! A `Txn` locks the shards a request needs, runs the request as its host, and gives the shards
//! back (`locking.rs`). It is made of
//!
//! ```text
//!   held            the shards, the records of what was done to them, the account of their memory
//!   changes         what the request has changed, and who hears of it
//!   undo            how keys were before a script that may be rolled back
//!   notifications   what clients are to hear
//!   uses, lookups   how uses of keys are remembered, and how often they were found
//!   contexts        what the values share that it makes
//!   request_limits  what the requests may do, as their caller says
//! ```
//!
//! Must never: keep a shard after `with` returns, or lock a second time while holding.

mod changes;
mod expired;
mod held;
mod locking;
mod lookups;
mod memory_account;
mod noted_keys;
mod notifications;
mod pending_changes;
mod records;
mod shared_contexts;
mod undo;

use std::sync::Arc;

use base::{Class, Key, Millis, PackLimits, QueryBounds, Rng};
use table::EntryRef;

pub use changes::{Changes, Reach};
pub use held::{COPY_ASKS, HeldShards};
pub use locking::{Failed, Scope};
pub use lookups::Lookups;
pub use notifications::TxnNotifications;
use shared_contexts::SharedContexts;
pub use undo::UndoLog;

use crate::object::usage::Uses;
use crate::shard::db::put;
use crate::{ChangeKind, Measure, Object, Store};

/// Decides about a key by its name.
pub type KeyFilter = Arc<dyn Fn(&[u8]) -> bool + Send + Sync>;

/// What the requests that follow may do.
#[derive(Default)]
pub(crate) struct RequestLimits {
    /// Which keys a request may touch that finds them by itself; none may touch all.
    pub key_filter: Option<KeyFilter>,
    /// A script asks.
    pub scripted: bool,
    /// It may take the dataset beyond its limit.
    pub unlimited: bool,
}

/// A worker's transaction at the store, reused for every request it runs.
pub struct Txn {
    /// The shards that it holds.
    pub held: HeldShards,
    /// What the request that runs has changed.
    pub changes: Changes,
    /// How keys were before a script that may be rolled back.
    pub undo: UndoLog,
    /// What others want to hear.
    pub notifications: TxnNotifications,
    /// What the requests of a batch have looked up.
    pub lookups: Lookups,
    pub(crate) now: Millis,
    pub(crate) uses: Uses,
    pub(crate) rng: Rng,
    pub(crate) limits: PackLimits,
    /// What a statement of a query language may take.
    pub(crate) query_bounds: QueryBounds,
    /// What the values share that are made here.
    pub(crate) contexts: SharedContexts,
    pub(crate) request_limits: RequestLimits,
}

impl Drop for Txn {
    fn drop(&mut self) {
        self.contexts.end(&self.held.store);
    }
}

impl Txn {
    /// A transaction at `store`; `seed` is for commands that need random numbers.
    #[must_use]
    pub fn new(store: Arc<Store>, seed: u64) -> Self {
        let (limits, measure) = (store.limits(), store.measure());
        Txn {
            held: HeldShards::new(store),
            changes: Changes::default(),
            undo: UndoLog::default(),
            notifications: TxnNotifications::default(),
            lookups: Lookups::default(),
            now: 0,
            uses: Uses::new(measure, seed),
            rng: Rng::new(seed),
            limits,
            query_bounds: QueryBounds::default(),
            contexts: SharedContexts::new(seed.rotate_left(32)),
            request_limits: RequestLimits::default(),
        }
    }

    /// The store.
    #[inline]
    #[must_use]
    pub fn store(&self) -> &Arc<Store> {
        &self.held.store
    }

    /// Sets the time for the requests that follow; call once per batch.
    pub fn begin(&mut self, now: Millis) {
        self.now = now;
        self.uses.begin(now);
    }

    /// Sets the clock for running requests again: no key is expired, and keys are as used as they
    /// are at `now`.
    pub fn begin_replay(&mut self, now: Millis) {
        self.begin(now);
        self.now = 0;
        self.changes.pending.silence();
        self.limits.string_max = usize::MAX;
    }

    /// The time set by [`Txn::begin`].
    #[inline]
    #[must_use]
    pub fn time(&self) -> Millis {
        self.now
    }

    /// Learns changed limits; the engine calls it when the configuration has changed.
    pub fn set_limits(&mut self, limits: PackLimits) {
        self.limits = limits;
    }

    /// Learns what a statement may take; the engine calls it when the configuration has changed.
    pub fn set_query_bounds(&mut self, bounds: QueryBounds) {
        self.query_bounds = bounds;
    }

    /// Learns what to remember; the engine calls it when the configuration has changed.
    pub fn set_measure(&mut self, measure: Measure) {
        self.uses.measure = measure;
    }

    /// Tells how many bytes the shards may take in all from now on, whatever the requests so far
    /// have added; `None`: there is no limit.
    pub fn set_memory_limit(&mut self, most: Option<u64>) {
        self.held.memory.set_memory_limit(most);
    }

    /// Makes this transaction one that serves clients: it does not wait for overdue requests.
    pub fn hurry(&mut self) {
        self.held.hurried = true;
    }

    /// Chooses who decides which keys the requests that follow may touch, of those they find by
    /// themselves: ranges. Without, they may touch all.
    #[inline]
    pub fn set_key_filter(&mut self, key_filter: Option<KeyFilter>) {
        self.request_limits.key_filter = key_filter;
    }

    /// Says whether a script makes the requests that follow.
    #[inline]
    pub fn set_scripted(&mut self, scripted: bool) {
        self.request_limits.scripted = scripted;
    }

    /// Says whether the requests that follow may take the dataset beyond its limit.
    #[inline]
    pub fn set_unlimited(&mut self, unlimited: bool) {
        self.request_limits.unlimited = unlimited;
    }

    /// Whether the next requests' reads leave the access time of keys alone.
    #[inline]
    pub fn keep_access(&mut self, keeping: bool) {
        self.uses.keeping = keeping;
    }

    /// Chooses the database for the requests that follow.
    #[inline]
    pub fn select(&mut self, db: usize) {
        self.held.db = db;
    }

    /// Adds what this worker's requests allocated and freed to the store's total.
    pub fn report_memory(&mut self) {
        self.held.memory.report(&self.held.store);
    }
}

/// Keys, as every family of commands needs them.
impl Txn {
    /// The entry of `key` unless it is missing or expired. An expired one is noted, to be deleted
    /// when the request is done.
    #[inline]
    pub(crate) fn live(&self, key: Key<'_>) -> Option<EntryRef<'_, Object>> {
        let entry = self.peek_entry(key)?;
        if !self.uses.keeping {
            self.uses.note(&entry);
        }
        Some(entry)
    }

    /// As `live`, without marking the key as used.
    #[inline]
    pub(crate) fn peek_entry(&self, key: Key<'_>) -> Option<EntryRef<'_, Object>> {
        let found = self.held.table(key.hash).keys.find(key.hash, key.bytes);
        let expired = found.is_some_and(|e| e.deadline().is_some_and(|at| at <= self.now));
        self.lookups.note(found.is_some() && !expired);
        if expired {
            self.met_expired(key);
        }
        let found = found.filter(|_| !expired);
        if found.is_none() && self.lookups.is_telling() {
            self.notifications.event(Class::Missed, "keymiss", self.held.db, key.bytes);
        }
        found
    }

    /// Notes a key that was met after its deadline.
    #[cold]
    fn met_expired(&self, key: Key<'_>) {
        if self.held.expired.note(self.held.db, key) {
            self.notifications.event(Class::Expired, "expired", self.held.db, key.bytes);
        }
    }

    /// The entry of a key of database `db`, unless it is missing or expired. That is no use of it,
    /// and what is expired stays.
    pub(crate) fn unexpired(&self, db: usize, key: Key<'_>) -> Option<EntryRef<'_, Object>> {
        let found = self.held.shard(key.hash).dbs[db].keys.find(key.hash, key.bytes);
        found.filter(|entry| entry.deadline().is_none_or(|at| at > self.now))
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
        self.unexpired(self.held.db, from).map(|entry| Object::memory_of(&entry))
    }

    /// Deletes the key if its deadline has passed.
    #[inline]
    pub(crate) fn reap(&mut self, db: usize, hash: u64, key: &[u8]) {
        // Where nothing has a deadline nothing needs to be looked for.
        if self.held.shard(hash).dbs[db].keys.expiring() != 0 {
            self.reap_expired(db, hash, key);
        }
    }

    fn reap_expired(&mut self, db: usize, hash: u64, key: &[u8]) {
        if self.held.reap(db, hash, key, self.now) {
            let told = self.held.expired.has(db, hash, key);
            self.tell_expired((db, hash, key), told);
        }
    }

    /// The same for a key that was met after its deadline, and told to have expired then.
    pub(crate) fn reap_met(&mut self, db: usize, hash: u64, key: &[u8]) {
        if self.held.reap(db, hash, key, self.now) {
            self.tell_expired((db, hash, key), true);
        }
    }

    fn tell_expired(&mut self, (db, hash, key): (usize, u64, &[u8]), told: bool) {
        let Txn { held, changes, notifications, undo, .. } = self;
        undo.note_expired(db, hash, key);
        let store = Arc::clone(&held.store);
        let (shard, listeners) = (held.shard_mut(hash), (&*store, &*notifications));
        changes.went(shard, listeners, (db, hash, key), (ChangeKind::Expired, told));
    }

    /// Deletes a key of the current database whose shard is held, if its deadline has passed.
    pub fn expire_key(&mut self, hash: u64, key: &[u8]) {
        if !self.store().is_still(self.now) {
            self.reap(self.held.db, hash, key);
        }
    }

    /// Notes that `key` of database `db` changes, if its shard keeps track of that.
    #[inline]
    pub(crate) fn touch_in(&mut self, db: usize, hash: u64, key: &[u8]) {
        self.changes.touch(&mut self.held, &self.notifications, (db, hash, key));
    }

    /// The same for a change that leaves the value as it was, or was noted for the thread that
    /// copies it.
    #[inline]
    pub(crate) fn touch_noted(&mut self, db: usize, hash: u64, key: &[u8]) {
        self.changes.touch_noted(&self.held, &self.notifications, (db, hash, key));
    }

    /// Tells that a key of the current database is new, if it is.
    #[inline]
    pub(crate) fn tell_if_new(&self, key: Key<'_>) {
        if self.notifications.wants(Class::New)
            && self.held.table(key.hash).keys.find(key.hash, key.bytes).is_none()
        {
            self.notifications.new_key(self.held.db, key);
        }
    }

    /// Stores a value in database `db`, replacing what is there.
    pub(crate) fn give(
        &mut self,
        db: usize,
        key: Key<'_>,
        object: Object,
        at: Option<Millis>,
        flags: u8,
    ) {
        self.touch_in(db, key.hash, key.bytes);
        self.notifications.new_key(db, key);
        let used = self.uses.now();
        let table = self.held.shard_mut(key.hash).db_mut(db);
        let (mut entry, replaced) = put(table, key, object);
        entry.set_deadline(at);
        entry.set_user_flags(flags);
        entry.set_access(used.after(entry.access()));
        self.store().discard(replaced);
    }
}
