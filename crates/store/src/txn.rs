//! A worker's transaction at the store: with `locking.rs`, `deferred_serves.rs` and `busy.rs`, all
//! about concurrency.
//!
//! A `Txn` locks the shards a request needs, runs the request as its host, and gives the shards
//! back. Shards are locked in ascending order and all at once, so that no two transactions can
//! wait for each other; a request that turns out to need more first gives everything back.
//!
//! While locked, a shard is moved out of its slot into `held` (one pointer), and the slot's guard
//! stays on the stack of [`Txn::with`]. That keeps `Txn` free of lifetimes and of unsafe code.
//!
//! Must never: keep a shard after `with` returns, or lock a second time while holding.

use std::cell::{Cell, RefCell};
use std::panic::resume_unwind;
use std::sync::Arc;
use sync::atomic::Ordering;

use base::{Millis, PackLimits, Rng};
use journal::{Log, WriteBuffer};
use smallvec::SmallVec;
use types::Contexts;

use crate::busy::Busy;
use crate::history::append_of;
use crate::notifications::TxnNotifications;
use crate::undo::Before;
use crate::{Db, Garbage, Measure, Shard, Store, Watch};

/// The shards a request must hold.
#[derive(Clone, Copy, Debug)]
pub enum Scope<'a> {
    /// None beforehand; single shards are locked as a walk reaches them.
    None,
    /// The shard with this number.
    One(usize),
    /// These shards: ascending, without repetition.
    Many(&'a [usize]),
    /// Every shard.
    All,
}

/// Why a request did not run to its end. Its shards were given back.
#[derive(Debug)]
pub enum Failed {
    /// It panicked and said this. The accounts of its shards were checked.
    Panicked(String),
    /// A shard it needs is held by a request that is overdue.
    Busy,
}

impl std::fmt::Display for Failed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Failed::Panicked(said) => said,
            Failed::Busy => "a shard is held for too long",
        })
    }
}

/// A key that needs attention after a request: changed while clients watch or wait for keys of its
/// shard, or met after its deadline.
#[derive(Clone, Debug)]
pub struct Touched {
    /// The database.
    pub db: usize,
    /// The key's hash.
    pub hash: u64,
    /// The key.
    pub key: Box<[u8]>,
}

/// A key that was met after its deadline.
pub(crate) struct Overdue {
    pub touched: Touched,
    /// The journal knows that it was missing from then on.
    pub told: bool,
}

pub(crate) struct HeldShard {
    pub(crate) number: usize,
    pub(crate) shard: Box<Shard>,
}

/// Decides about a key by its name.
pub type KeyFilter = Arc<dyn Fn(&[u8]) -> bool + Send + Sync>;

/// A worker's transaction at the store, reused for every request it runs.
pub struct Txn {
    pub(crate) store: Arc<Store>,
    pub(crate) held: SmallVec<[HeldShard; 1]>,
    pub(crate) everything: bool,
    pub(crate) db: usize,
    pub(crate) now: Millis,
    pub(crate) clock: u32,
    pub(crate) minute: u32,
    pub(crate) measure: Measure,
    /// Where counting uses takes its random numbers from.
    pub(crate) entropy: Cell<u64>,
    pub(crate) rng: Rng,
    pub(crate) limits: PackLimits,
    /// Keys met after their deadline, deleted when the request is done: reads take `&self`.
    pub(crate) overdue: RefCell<Vec<Overdue>>,
    pub(crate) touched: Vec<Touched>,
    pub(crate) ready: Vec<Touched>,
    /// How keys were before a script that may be taken back.
    pub(crate) before: Vec<Before>,
    pub(crate) memory_delta: i64,
    /// What the shards may take, if there is a limit: as of the last look at it.
    pub(crate) room: Option<i64>,
    /// What the values share that are made here.
    pub(crate) contexts: Box<Contexts>,
    /// Bytes of it that the store knows of.
    shared: usize,
    pub(crate) lookups: Lookups,
    /// Reads leave the access time of keys alone: `CLIENT NO-TOUCH`.
    pub(crate) keeping_access: bool,
    /// Records of what the transaction has done so far.
    pub(crate) told: Vec<u8>,
    /// The log, and this transaction's write buffer in it.
    pub(crate) log: Arc<Log>,
    pub(crate) write_buffer: Arc<WriteBuffer>,
    /// The last epoch of the log whose changes may have been seen.
    pub(crate) seen: u64,
    /// The request that runs has changed something.
    changed: bool,
    /// It serves clients: it does not wait for those who hold shards for too long.
    pub(crate) hurried: bool,
    /// What others want to hear.
    pub(crate) notifications: TxnNotifications,
    /// Which keys a request may touch that finds them by itself; none may touch all.
    pub(crate) key_filter: Option<KeyFilter>,
    /// A script asks.
    pub(crate) scripted: bool,
    /// It may take the dataset beyond its limit.
    pub(crate) unlimited: bool,
    /// Nothing runs before all deferred serves of its shards have run: see `deferred_serves.rs`.
    pub(crate) insists: bool,
    /// What was done to the held shards is half of a transaction: they are not given back.
    pub(crate) broken_off: bool,
}

impl Drop for Txn {
    fn drop(&mut self) {
        self.report_shared(0);
    }
}

/// What the requests of a batch found; read through `&self`, hence the cells.
#[derive(Default)]
pub(crate) struct Lookups {
    counting: Cell<bool>,
    telling: Cell<bool>,
    hits: Cell<u64>,
    misses: Cell<u64>,
}

impl Lookups {
    #[inline]
    pub fn is_telling(&self) -> bool {
        self.telling.get()
    }

    #[inline]
    pub fn note(&self, hit: bool) {
        if self.counting.get() {
            let cell = if hit { &self.hits } else { &self.misses };
            cell.set(cell.get() + 1);
        }
    }
}

/// Report memory to the store's total when this much has accumulated; keeps workers off one
/// shared cache line.
const REPORT_BYTES: i64 = 16 * 1024;

impl Txn {
    /// A transaction at `store`; `seed` is for commands that need random numbers.
    #[must_use]
    pub fn new(store: Arc<Store>, seed: u64) -> Self {
        let (limits, measure) = (store.limits(), store.measure());
        let log = Arc::clone(store.log());
        let write_buffer = log.open_write_buffer();
        Txn {
            store,
            held: SmallVec::new(),
            everything: false,
            db: 0,
            now: 0,
            clock: 0,
            minute: 0,
            measure,
            entropy: Cell::new(seed),
            rng: Rng::new(seed),
            limits,
            overdue: RefCell::new(Vec::new()),
            touched: Vec::new(),
            ready: Vec::new(),
            before: Vec::new(),
            memory_delta: 0,
            room: None,
            contexts: Box::new(Contexts::new(seed.rotate_left(32))),
            shared: 0,
            lookups: Lookups::default(),
            keeping_access: false,
            told: Vec::new(),
            log,
            write_buffer,
            seen: 0,
            changed: false,
            hurried: false,
            notifications: TxnNotifications::default(),
            key_filter: None,
            scripted: false,
            unlimited: false,
            insists: false,
            broken_off: false,
        }
    }

    /// The store.
    #[must_use]
    pub fn store(&self) -> &Arc<Store> {
        &self.store
    }

    /// Sets the time for the requests that follow; call once per batch.
    pub fn begin(&mut self, now: Millis) {
        self.now = now;
        // 24 bits of seconds, as Redis keeps them.
        self.clock = ((now / 1000) & 0xff_ffff) as u32;
        self.minute = ((now / 60_000) & 0xffff) as u32;
    }

    /// Learns changed limits; the engine calls it when the configuration has changed.
    pub fn set_limits(&mut self, limits: PackLimits) {
        self.limits = limits;
    }

    /// Chooses who decides which keys the requests that follow may touch, of those they find by
    /// themselves: ranges. Without, they may touch all.
    #[inline]
    pub fn set_key_filter(&mut self, key_filter: Option<KeyFilter>) {
        self.key_filter = key_filter;
    }

    /// Says whether a script makes the requests that follow.
    #[inline]
    pub fn set_scripted(&mut self, scripted: bool) {
        self.scripted = scripted;
    }

    /// Says whether the requests that follow may take the dataset beyond its limit.
    #[inline]
    pub fn set_unlimited(&mut self, unlimited: bool) {
        self.unlimited = unlimited;
    }

    /// Chooses the database for the requests that follow.
    #[inline]
    pub fn select(&mut self, db: usize) {
        self.db = db;
    }

    /// The time set by [`Txn::begin`].
    #[inline]
    #[must_use]
    pub fn time(&self) -> Millis {
        self.now
    }

    /// Deletes keys found overdue, delivers the notifications and settles the memory account.
    pub(crate) fn settle(&mut self) {
        if self.broken_off {
            return self.forget_all();
        }
        self.settle_notifications();
        if self.memory_delta.abs() >= REPORT_BYTES {
            self.report_memory();
        }
    }

    /// Deletes keys found overdue and delivers the notifications, with the shards still in hand.
    pub(crate) fn settle_notifications(&mut self) {
        if !self.overdue.get_mut().is_empty() {
            let overdue = std::mem::take(self.overdue.get_mut());
            let still = self.store.is_still(self.now);
            for Overdue { touched, .. } in overdue.into_iter().filter(|_| !still) {
                self.reap_met(touched.db, touched.hash, &touched.key);
            }
        }
        self.append_history();
        self.notifications.deliver(&self.store);
    }

    /// Tells the store how many bytes the values share that were made here.
    pub(crate) fn report_contexts(&mut self) {
        let bytes = self.contexts.memory();
        self.report_shared(bytes);
    }

    fn report_shared(&mut self, bytes: usize) {
        let before = std::mem::replace(&mut self.shared, bytes);
        if bytes != before {
            self.store.shared.fetch_add(bytes as i64 - before as i64, Ordering::Relaxed);
        }
    }

    /// Adds what this worker's requests allocated and freed to the store's total.
    pub fn report_memory(&mut self) {
        if self.memory_delta != 0 {
            self.store.memory.fetch_add(self.memory_delta, Ordering::Relaxed);
            self.memory_delta = 0;
        }
    }

    /// Whether the next request's look-ups count as hits and misses: those of reads do. And whether
    /// misses are told as events.
    #[inline]
    pub fn count_lookups(&mut self, counting: bool, telling: bool) {
        self.lookups.counting.set(counting);
        self.lookups.telling.set(telling);
    }

    /// Whether the next requests' reads leave the access time of keys alone.
    #[inline]
    pub fn keep_access(&mut self, keeping: bool) {
        self.keeping_access = keeping;
    }

    /// Hits and misses since this was last asked.
    pub fn take_lookups(&mut self) -> (u64, u64) {
        (self.lookups.hits.take(), self.lookups.misses.take())
    }

    /// The held shard of `hash`.
    #[inline]
    pub(crate) fn shard(&self, hash: u64) -> &Shard {
        &self.held[self.place(hash)].shard
    }

    /// The held shard of `hash`, to change.
    #[inline]
    pub(crate) fn shard_mut(&mut self, hash: u64) -> &mut Shard {
        let place = self.place(hash);
        &mut self.held[place].shard
    }

    #[inline]
    pub(crate) fn table(&self, hash: u64) -> &Db {
        &self.shard(hash).dbs[self.db]
    }

    #[inline]
    pub(crate) fn table_mut(&mut self, hash: u64) -> &mut Db {
        let db = self.db;
        self.shard_mut(hash).db_mut(db)
    }

    /// Where in `held` the shard of `hash` is. A request that reaches for a key whose shard it
    /// did not declare is a bug in its spec: it panics, and the panic is contained.
    #[inline]
    pub(crate) fn place(&self, hash: u64) -> usize {
        match self.find_place(hash) {
            Some(place) => place,
            None => panic!("a request used a key of a shard that it did not lock"),
        }
    }

    /// The same, or none if it is not held.
    #[inline]
    pub(crate) fn find_place(&self, hash: u64) -> Option<usize> {
        self.find_held(self.store.shard_of(hash))
    }

    /// Where in `held` the shard with this number is.
    #[inline]
    pub(crate) fn find_held(&self, number: usize) -> Option<usize> {
        if self.everything {
            return Some(number);
        }
        if self.held.len() == 1 && self.held[0].number == number {
            return Some(0);
        }
        self.held.binary_search_by_key(&number, |h| h.number).ok()
    }

    /// Runs `work` on a shard: one that is held, or one that is locked for a moment. A transaction
    /// that does not wait panics with [`Busy`] if it is not to be had.
    pub(crate) fn with_shard<R>(&mut self, number: usize, work: impl FnOnce(&mut Shard) -> R) -> R {
        match self.try_with_shard(number, work) {
            Some(result) => result,
            None => resume_unwind(Box::new(Busy)),
        }
    }

    /// The same; `None` if the shard is not to be had.
    pub(crate) fn try_with_shard<R>(
        &mut self,
        number: usize,
        work: impl FnOnce(&mut Shard) -> R,
    ) -> Option<R> {
        if let Some(held) = self.held.iter_mut().find(|h| h.number == number) {
            return Some(work(&mut held.shard));
        }
        assert!(self.held.is_empty(), "a walk locks shards only while it holds none");
        let mut guard = self.store.lock(number, self.hurried)?;
        // Missing after a transaction was broken off: not to be had for ever.
        let shard = guard.as_mut()?;
        let result = work(shard);
        self.seen = self.seen.max(append_of(shard, &self.log, &self.write_buffer));
        self.memory_delta += shard.unreported(&self.store.indexes);
        Some(result)
    }

    /// Waits for the threads that hold a shard now to release it, but for overdue ones. Holds none
    /// itself.
    pub fn let_others_pass(&mut self) {
        for number in 0..self.store.slots.len() {
            let _: Option<()> = self.try_with_shard(number, |_| ());
        }
    }

    /// Sends a value to be freed off the data path.
    #[inline]
    pub(crate) fn discard(&self, garbage: Garbage) {
        if !matches!(garbage, Garbage::Nothing) {
            self.store.discard(garbage);
        }
    }

    /// Deletes the key if its deadline has passed.
    #[inline]
    pub(crate) fn reap(&mut self, db: usize, hash: u64, key: &[u8]) {
        // Where nothing has a deadline nothing needs to be looked for.
        if self.shard(hash).dbs[db].keys.expiring() != 0 {
            self.reap_overdue(db, hash, key);
        }
    }

    fn reap_overdue(&mut self, db: usize, hash: u64, key: &[u8]) {
        let now = self.now;
        if let Some(garbage) = self.shard_mut(hash).reap(db, hash, key, now) {
            self.store.expired.fetch_add(1, Ordering::Relaxed);
            if self.shard(hash).waiting.is_awaited(db, hash, key) {
                self.store.note_gone(Touched { db, hash, key: key.into() });
            }
            self.discard(garbage);
            if self.notifications.interest != 0 {
                let met = |met: &Overdue| met.touched.db == db && *met.touched.key == *key;
                let met = self.overdue.get_mut().iter().any(met);
                self.tell_expired(db, hash, key, met);
            }
        }
    }

    /// The same for a key that was met after its deadline, and told to have expired then.
    pub(crate) fn reap_met(&mut self, db: usize, hash: u64, key: &[u8]) {
        let now = self.now;
        if let Some(garbage) = self.shard_mut(hash).reap(db, hash, key, now) {
            self.store.expired.fetch_add(1, Ordering::Relaxed);
            self.discard(garbage);
            if self.notifications.interest != 0 {
                self.tell_expired(db, hash, key, true);
            }
        }
    }

    /// Notes that `key` of database `db` changes, if its shard keeps track of that.
    #[inline]
    pub(crate) fn touch_in(&mut self, db: usize, hash: u64, key: &[u8]) {
        self.changed = true;
        if self.notifications.concerns_copies() || self.shard(hash).observed(db, hash, key) {
            self.shard_mut(hash).spoil_copy(db, hash);
            self.touched.push(Touched { db, hash, key: key.into() });
        }
    }

    /// The same for a change that leaves the value as it was, or was noted for the thread that
    /// copies it.
    #[inline]
    pub(crate) fn touch_noted(&mut self, db: usize, hash: u64, key: &[u8]) {
        self.changed = true;
        if self.notifications.concerns_copies() || self.shard(hash).observed(db, hash, key) {
            self.touched.push(Touched { db, hash, key: key.into() });
        }
    }

    /// The request that just ran changed something: tells the watchers of what it touched, and
    /// collects keys that blocked clients wait for.
    pub fn publish_changes(&mut self) {
        self.changed = false;
        for touched in std::mem::take(&mut self.touched) {
            self.tell_stale(touched.hash, &touched.key, true);
            let shard = self.shard(touched.hash);
            shard.watching.touch(touched.db, &touched.key);
            if shard.waiting.is_awaited(touched.db, touched.hash, &touched.key) {
                self.ready.push(touched);
            }
        }
    }

    /// As [`publish_changes`](Self::publish_changes), but watchers are not told: for what only ends
    /// waits.
    pub fn publish_unwatched(&mut self) {
        self.changed = false;
        for touched in std::mem::take(&mut self.touched) {
            let waiting = &self.shard(touched.hash).waiting;
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
    pub fn forget_changes(&mut self) {
        self.changed = false;
        self.touched.clear();
    }

    /// The changes of the request that runs, so far.
    pub(crate) fn changes(&self) -> (bool, usize) {
        (self.changed, self.touched.len())
    }

    /// What came after these was none.
    pub(crate) fn forget_changes_since(&mut self, (changed, touched): (bool, usize)) {
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

    /// No client is served for what has been fed so far.
    pub(crate) fn forget_ready(&mut self) {
        self.ready.clear();
    }

    /// Lets those be served who wait for a key that went; its shard is held.
    pub fn note_ready(&mut self, key: Touched) {
        self.ready.push(key);
    }

    /// Deletes a key of the current database whose shard is held, if its deadline has passed.
    pub fn expire_key(&mut self, hash: u64, key: &[u8]) {
        if !self.store.is_still(self.now) {
            self.reap(self.db, hash, key);
        }
    }

    /// Watches a key whose shard is held.
    pub fn add_watch(&mut self, hash: u64, key: &[u8], watch: &Arc<Watch>) {
        let db = self.db;
        self.shard_mut(hash).watching.add(db, key, watch);
    }

    /// Ends watching a key whose shard is held.
    pub fn remove_watch(&mut self, db: usize, hash: u64, key: &[u8], watch: &Arc<Watch>) {
        self.shard_mut(hash).watching.remove(db, key, watch);
    }
}
