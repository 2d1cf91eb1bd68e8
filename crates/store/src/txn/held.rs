//! The shards that a transaction holds, and those that it locks for a moment.
//!
//! While locked, a shard is moved out of its slot into `shards` (one pointer), and the slot's guard
//! stays on the stack of [`Txn::with`](crate::Txn::with). That keeps transactions free of lifetimes
//! and of unsafe code.
//!
//! What is done to a shard is in the log before its lock is given back: so the records of this
//! transaction, and its account of memory, are here too.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::time::Instant;

use base::Millis;
use journal::record::Kind;
use smallvec::SmallVec;
use sync::atomic::Ordering;

use super::expired::ExpiredKeys;
use super::memory_account::MemoryAccount;
use super::records::Records;
use crate::shard::waiting::DeferredServe;
use crate::store::locks::{Busy, Guard};
use crate::{Change, Db, Queued, Shard, Store, Touched, Watch};

/// Values from this size on are copied only if all of the copy stays within the limit: requests are
/// refused before they run where the dataset is at its limit, so each may take it beyond by what it
/// adds. That is little but for a copy of a value: of a gigabyte it is another.
pub const COPY_ASKS: usize = 64 << 10;

pub(crate) struct HeldShard {
    pub(crate) number: usize,
    pub(crate) shard: Box<Shard>,
}

/// The shards that a transaction holds, and the database that its requests use.
pub struct HeldShards {
    pub(crate) store: Arc<Store>,
    pub(crate) shards: SmallVec<[HeldShard; 1]>,
    /// It holds all that there are.
    pub(crate) everything: bool,
    /// The database of the requests.
    pub(crate) db: usize,
    /// It serves clients: it does not wait for threads that hold shards for too long.
    pub(crate) hurried: bool,
    /// Since when they are held, if anything that may take its time has said so.
    since: Option<Instant>,
    /// Clients were served so long that others had to be told.
    overran: bool,
    /// Nothing runs before all deferred serves of the shards have run: see `locking.rs`.
    pub(crate) insists: bool,
    /// What was done to the shards is half of a transaction: they are not given back.
    pub(crate) broken_off: bool,
    /// Keys of the shards that were met after their deadline.
    pub(crate) expired: ExpiredKeys,
    pub(crate) records: Records,
    pub(crate) memory: MemoryAccount,
}

impl HeldShards {
    /// None yet.
    pub(crate) fn new(store: Arc<Store>) -> Self {
        let records = Records::new(&store);
        HeldShards {
            store,
            shards: SmallVec::new(),
            everything: false,
            db: 0,
            hurried: false,
            since: None,
            overran: false,
            insists: false,
            broken_off: false,
            expired: ExpiredKeys::default(),
            records,
            memory: MemoryAccount::default(),
        }
    }

    /// The store.
    #[inline]
    #[must_use]
    pub fn store(&self) -> &Arc<Store> {
        &self.store
    }

    /// How many shards are held.
    #[must_use]
    pub fn count(&self) -> usize {
        self.shards.len()
    }

    /// Whether no shard is held.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.shards.is_empty()
    }

    /// Whether the shard of `hash` is held.
    #[inline]
    #[must_use]
    pub fn holds(&self, hash: u64) -> bool {
        self.find_place(hash).is_some()
    }

    /// Whether all these shards are held.
    #[must_use]
    pub fn holds_all(&self, numbers: &[usize]) -> bool {
        numbers.iter().all(|&number| self.find_held(number).is_some())
    }

    /// The held shard of `hash`.
    #[inline]
    pub(crate) fn shard(&self, hash: u64) -> &Shard {
        &self.shards[self.place(hash)].shard
    }

    /// The held shard of `hash`, to change.
    #[inline]
    pub(crate) fn shard_mut(&mut self, hash: u64) -> &mut Shard {
        let place = self.place(hash);
        &mut self.shards[place].shard
    }

    /// What the held shard of `hash` has of the current database.
    #[inline]
    pub(crate) fn table(&self, hash: u64) -> &Db {
        &self.shard(hash).dbs[self.db]
    }

    /// The same, to change.
    #[inline]
    pub(crate) fn table_mut(&mut self, hash: u64) -> &mut Db {
        let db = self.db;
        self.shard_mut(hash).db_mut(db)
    }

    /// Where in `shards` the shard of `hash` is. A request that reaches for a key whose shard it
    /// did not declare is a bug in its spec: it panics, and the panic is contained.
    #[inline]
    fn place(&self, hash: u64) -> usize {
        match self.find_place(hash) {
            Some(place) => place,
            None => panic!("a request used a key of a shard that it did not lock"),
        }
    }

    /// The same, or none if it is not held.
    #[inline]
    fn find_place(&self, hash: u64) -> Option<usize> {
        self.find_held(self.store.shard_of(hash))
    }

    /// Where in `shards` the shard with this number is.
    #[inline]
    fn find_held(&self, number: usize) -> Option<usize> {
        if self.everything {
            return Some(number);
        }
        if self.shards.len() == 1 && self.shards[0].number == number {
            return Some(0);
        }
        self.shards.binary_search_by_key(&number, |h| h.number).ok()
    }

    /// Takes a locked shard out of its slot.
    pub(crate) fn hold(&mut self, number: usize, slot: &mut Option<Box<Shard>>) {
        // The slot is full whenever its lock is free, unless a transaction was broken off: that is
        // looked at before.
        if let Some(shard) = slot.take() {
            self.shards.push(HeldShard { number, shard });
        }
    }

    /// Gives the shards back: not those of a transaction that was broken off.
    pub(crate) fn give_back<'g, 's: 'g>(
        &mut self,
        guards: impl Iterator<Item = &'g mut Guard<'s>>,
    ) {
        let broken_off = std::mem::take(&mut self.broken_off);
        self.since = None;
        for (guard, held) in guards.zip(self.shards.drain(..)) {
            match broken_off {
                true => self.store.locks.withhold(held.shard),
                // The slot is empty since the shard was taken out: there is nothing to drop.
                false => std::mem::forget(guard.replace(held.shard)),
            }
        }
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
        if let Some(held) = self.shards.iter_mut().find(|h| h.number == number) {
            return Some(work(&mut held.shard));
        }
        assert!(self.shards.is_empty(), "a walk locks shards only while it holds none");
        let mut guard = self.store.locks.lock(number, self.hurried)?;
        // Missing after a transaction was broken off: not to be had for ever.
        let shard = guard.as_mut()?;
        let result = work(shard);
        self.records.append_of(shard);
        self.memory.grow(self.store.indexes.settle(shard));
        Some(result)
    }

    /// Does something with a shard that is held, found by its place, or with one that is not.
    pub(crate) fn at_shard<R>(&mut self, number: usize, work: impl FnOnce(&mut Shard) -> R) -> R {
        match self.find_held(number) {
            Some(at) => work(&mut self.shards[at].shard),
            None => self.with_shard(number, work),
        }
    }

    /// Whether every shard is held.
    #[must_use]
    pub fn holds_everything(&self) -> bool {
        self.everything
    }

    /// Waits for the threads that hold a shard now to release it, but for overdue ones. Holds none
    /// itself.
    pub fn let_others_pass(&mut self) {
        for number in 0..self.store.shards() {
            let _: Option<()> = self.try_with_shard(number, |_| ());
        }
    }

    /// The request that runs is overdue: no thread that serves clients waits for its shards, until
    /// it gives them back.
    pub fn obstruct(&mut self) {
        for held in &self.shards {
            self.store.locks.mark(held.number, &held.shard);
        }
    }

    /// Since when the shards are held: who says it first knows best, of those who say it while
    /// they are.
    pub fn held_since(&mut self, began: Instant) -> Instant {
        if self.shards.is_empty() {
            return began;
        }
        *self.since.get_or_insert(began)
    }

    /// Clients have been served so long with the shards in hand that another thread may have
    /// to go on with those of this one.
    pub fn overrun(&mut self) {
        self.overran = true;
    }

    /// Whether it was so since this was asked last.
    #[inline]
    pub fn take_overran(&mut self) -> bool {
        std::mem::take(&mut self.overran)
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

    /// Looks at something that is about no key while nothing happens in shard 0, and tells the
    /// epoch of the log that holds what is seen there: unless shard 0 is held already, and this
    /// transaction itself has changed it. As [`beside_keys`](Self::beside_keys).
    pub fn look_beside_keys<R>(&mut self, look: impl FnOnce() -> R) -> (R, u64) {
        self.with_shard(0, |shard| (look(), shard.history.epoch))
    }
}

/// Those who wait for keys of the held shards, or watch them.
impl HeldShards {
    /// The first of each queue of a key.
    #[must_use]
    pub fn heads(&self, key: &Touched) -> Vec<Queued> {
        self.shard(key.hash).waiting.heads(key.db, key.hash, &key.key)
    }

    /// The client behind `one` in its queue.
    #[must_use]
    pub fn behind(&self, key: &Touched, one: &Queued) -> Option<Queued> {
        self.shard(key.hash).waiting.behind((key.db, key.hash), &key.key, one)
    }

    /// A key was fed, but the client that waits for it cannot be served without these shards, too.
    pub fn defer(&mut self, key: &Touched, needs: &[usize]) {
        let one = DeferredServe { key: key.clone(), needs: needs.to_vec() };
        self.shard_mut(key.hash).waiting.defer(one);
        // So that cron serves it, if no request locks the shard.
        self.store.to_serve.note(key.clone());
    }

    /// Puts a blocked request into a queue of a key of the current database.
    pub fn add_waiter(&mut self, hash: u64, key: &[u8], one: &Queued) {
        let db = self.db;
        self.shard_mut(hash).waiting.add((db, hash), key, one);
    }

    /// Takes a blocked request out of a queue of a key.
    pub fn remove_waiter(&mut self, db: usize, hash: u64, key: &[u8], one: &Queued) {
        self.shard_mut(hash).waiting.remove((db, hash), key, one);
    }

    /// Whether serves are deferred in any of the shards.
    pub(crate) fn has_deferred(&self) -> bool {
        self.shards.iter().any(|held| held.shard.waiting.has_deferred())
    }

    /// Watches a key of the current database.
    pub fn add_watch(&mut self, hash: u64, key: &[u8], watch: &Arc<Watch>) {
        let db = self.db;
        self.shard_mut(hash).watching.add(db, key, watch);
    }

    /// Ends watching a key.
    pub fn remove_watch(&mut self, db: usize, hash: u64, key: &[u8], watch: &Arc<Watch>) {
        self.shard_mut(hash).watching.remove(db, key, watch);
    }
}

/// What the held shards tell.
impl HeldShards {
    /// Tells the change stream what has changed in a held shard.
    pub(crate) fn publish_in(&mut self, number: usize, changes: Vec<Change>, missed: u64) {
        if let Some(at) = self.find_held(number) {
            self.store.change_stream.publish(&mut self.shards[at].shard, changes, missed);
        }
    }
}

/// Keys of the held shards that have expired.
impl HeldShards {
    /// Deletes a key if its deadline has passed, and counts it; whether it was so.
    pub(crate) fn reap(&mut self, db: usize, hash: u64, key: &[u8], now: Millis) -> bool {
        let Some(garbage) = self.shard_mut(hash).reap(db, hash, key, now) else { return false };
        self.store.counts.expired.fetch_add(1, Ordering::Relaxed);
        self.store.discard(garbage);
        true
    }
}

impl HeldShards {
    /// Whether a copy of a value of so many bytes stays within the limit, with what the
    /// transaction has changed so far.
    pub(crate) fn is_within_limit(&self, bytes: usize) -> bool {
        if bytes < COPY_ASKS {
            return true;
        }
        let unreported = self.shards.iter().map(|held| held.shard.unreported_yet()).sum::<i64>();
        self.memory.is_within_limit(&self.store, unreported, bytes as u64)
    }
}
