//! The shards of a transaction: locked before its work, given back behind it, whatever it does.
//! With `txn/held.rs` and `store/locks.rs`, all about concurrency.
//!
//! Shards are locked in ascending order and all at once, so that no two transactions can wait for
//! each other; a request that turns out to need more first gives everything back.
//!
//! See `shard/waiting.rs` for the serves that are deferred. A deferred serve is run by the thread
//! that locks the shard next, under all the locks that it needs, taken anew and in ascending order;
//! usually that is the thread that fed the key, right afterwards. Running one may defer another,
//! for the client behind it: then it goes on from the beginning. Each time a client is served, so
//! it ends.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::Txn;
use super::changes::Reach;
use crate::Store;
use crate::containment::message;
use crate::store::locks::Busy;

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

impl Txn {
    /// Locks `scope`, runs `work`, gives everything back. `store` is this transaction's own store,
    /// borrowed from the caller so that no reference count is touched per request.
    ///
    /// # Errors
    /// `work` panicked; the panic goes no further. Or a shard is not to be had: then nothing was
    /// done, unless `work` walks over shards it does not hold.
    #[inline]
    pub fn with<R>(
        &mut self,
        store: &Store,
        scope: Scope<'_>,
        work: impl FnOnce(&mut Txn) -> R,
    ) -> Result<R, Failed> {
        self.with_or(store, scope, work, |_| ())
    }

    /// As [`Txn::with`]; if `work` panics, `broken` runs too, before anything is given back: no
    /// other thread sees what was left behind before it is, say, in the journal.
    ///
    /// # Errors
    /// As [`Txn::with`].
    #[inline]
    pub fn with_or<R>(
        &mut self,
        store: &Store,
        scope: Scope<'_>,
        work: impl FnOnce(&mut Txn) -> R,
        broken: impl FnOnce(&mut Txn),
    ) -> Result<R, Failed> {
        debug_assert!(self.held.is_empty(), "a transaction locks once");
        let work = |txn: &mut Txn| txn.outermost(work, broken);
        match scope {
            Scope::None => {
                let result = work(self);
                self.notifications.deliver(store);
                result
            }
            Scope::One(number) => {
                let mut guard = store.locks.lock(number, self.held.hurried).ok_or(Failed::Busy)?;
                if guard.is_none() {
                    return Err(Failed::Busy);
                }
                if guard.as_ref().is_some_and(|s| s.waiting.has_deferred()) {
                    drop(guard);
                    return self.with_several(store, vec![number], work);
                }
                self.held.hold(number, &mut guard);
                let result = work(self);
                self.settle();
                self.held.give_back(std::iter::once(&mut guard));
                result
            }
            Scope::Many(numbers) => self.with_several(store, numbers.to_vec(), work),
            Scope::All => {
                let numbers = (0..store.shards()).collect();
                self.held.everything = true;
                let result = self.with_several(store, numbers, work);
                self.held.everything = false;
                result
            }
        }
    }

    fn outermost<R>(
        &mut self,
        work: impl FnOnce(&mut Txn) -> R,
        broken: impl FnOnce(&mut Txn),
    ) -> Result<R, Failed> {
        #[cfg(debug_assertions)]
        let _at_work = crate::store::locks::AtWork::begin(!self.held.is_empty());
        self.notifications.look_around(&self.held.store);
        let result = self.contain(work);
        if let Err(failed) = &result {
            if matches!(failed, Failed::Panicked(_)) {
                // Contained as well: what it is about may be what is broken.
                let _ = self.contain(broken);
            }
            // Clients that wait for these keys are served by the next request that feeds them.
            self.changes.forget_ready();
        }
        result
    }

    /// Runs `work` on the shards that are held already.
    ///
    /// # Errors
    /// `work` panicked; the panic goes no further, and the accounts of the shards are right.
    pub fn contain<R>(&mut self, work: impl FnOnce(&mut Txn) -> R) -> Result<R, Failed> {
        let result = catch_unwind(AssertUnwindSafe(|| work(self)));
        result.map_err(|panic| {
            // What it touched may have changed: watchers had better know.
            self.publish_changes();
            if self.held.is_empty() {
                // A walk broke off: the shards that they are of have been given back.
                self.changes.pending.leave_behind();
            }
            for held in &mut self.held.shards {
                held.shard.recount();
            }
            if panic.is::<Busy>() {
                return Failed::Busy;
            }
            Failed::Panicked(message(&*panic))
        })
    }

    /// Deletes keys found expired, delivers the notifications and settles the memory account.
    fn settle(&mut self) {
        if self.held.broken_off {
            return self.forget_all();
        }
        self.settle_notifications();
        self.held.memory.settle(&self.held.store);
    }

    /// Deletes keys found expired and delivers the notifications, with the shards still in hand.
    fn settle_notifications(&mut self) {
        if !self.held.expired.is_empty() {
            let expired = self.held.expired.take();
            let still = self.store().is_still(self.now);
            for touched in expired.filter(|_| !still) {
                self.reap_met(touched.db, touched.hash, &touched.key);
            }
        }
        self.held.append_history();
        if self.notifications.is_due() {
            self.tell();
        }
    }

    /// Tells what there is to tell, with the shards still in hand.
    #[cold]
    fn tell(&mut self) {
        self.notifications.clear_due();
        if self.changes.pending.publish(&mut self.held) {
            self.notifications.note_due();
        }
        self.notifications.deliver(&self.held.store);
    }

    /// Delivers in its middle what there is, to the clients that listen now.
    pub fn deliver_notifications(&mut self) {
        self.notifications.deliver(&self.held.store);
    }

    /// Learns in its middle which notifications are wanted.
    pub fn look_around(&mut self) {
        self.notifications.look_around(&self.held.store);
    }

    /// The request that just ran changed something: tells the watchers of what it touched, and
    /// collects keys that blocked clients wait for.
    pub fn publish_changes(&mut self) {
        self.publish_changes_to(Reach::Everyone);
    }

    /// The same, where fewer than all hear of it.
    #[inline]
    pub fn publish_changes_to(&mut self, reach: Reach) {
        self.changes.publish(&mut self.held, &self.notifications, reach);
    }

    /// Makes every key again what it was when the undo log noted it.
    pub fn roll_back(&mut self) {
        self.undo.roll_back(&mut self.held, &mut self.changes, &mut self.notifications);
    }

    /// Breaks the transaction off in the middle: nothing of it is recorded, and the shards it holds
    /// count from now on as held by an overdue request, for ever.
    pub fn break_off(&mut self) {
        self.held.broken_off = !self.held.is_empty();
        self.changes.forget();
        self.changes.forget_ready();
    }

    /// Whether it was broken off, and its shards are still held.
    #[inline]
    #[must_use]
    pub fn is_broken_off(&self) -> bool {
        self.held.broken_off
    }

    /// What it did never happened, for the journal and for those who listen.
    #[cold]
    fn forget_all(&mut self) {
        self.held.records.clear();
        self.held.expired.clear();
        self.undo.forget();
        self.changes.pending.clear();
        self.changes.forget();
        self.changes.forget_ready();
        self.notifications.forget_events(|_, _| false);
        self.notifications.deliver(&self.held.store);
    }
}

/// Several shards, and the deferred serves of clients that wait for their keys.
impl Txn {
    /// Locks these shards, and more if serves are deferred there; runs these, and then `work`. The
    /// numbers are ascending, without repetition. A deferred serve that needs a shard whose holder
    /// is overdue is left until that is over: the caller must not wait for it.
    fn with_several<R>(
        &mut self,
        store: &Store,
        asked: Vec<usize>,
        work: impl FnOnce(&mut Txn) -> Result<R, Failed>,
    ) -> Result<R, Failed> {
        let (mut numbers, mut serves) = (asked.clone(), true);
        let mut work = Some(work);
        loop {
            let locked = store.locks.lock_all(&numbers, self.held.hurried);
            let locked = locked.filter(|guards| guards.iter().all(|guard| guard.is_some()));
            let Some(mut guards) = locked else {
                if self.held.insists || numbers.len() == asked.len() {
                    return Err(Failed::Busy);
                }
                (numbers, serves) = (asked.clone(), false);
                continue;
            };
            let deferring =
                guards.iter().filter_map(|g| g.as_ref()).filter(|s| s.waiting.has_deferred());
            let needed: Vec<usize> = deferring.flat_map(|s| s.waiting.companions()).collect();
            let missing = needed.into_iter().filter(|n| numbers.binary_search(n).is_err());
            let missing: Vec<usize> = missing.collect();
            if serves && !missing.is_empty() {
                drop(guards);
                numbers.extend(missing);
                numbers.sort_unstable();
                numbers.dedup();
                continue;
            }
            for (&number, guard) in numbers.iter().zip(&mut guards) {
                self.held.hold(number, guard);
            }
            let served = if !serves || self.serve_deferred(store) { work.take() } else { None };
            let done = served.map(|work| work(self));
            self.settle();
            self.held.give_back(guards.iter_mut());
            if let Some(done) = done {
                return done;
            }
        }
    }

    /// As `with` a shard, but all its deferred serves are run.
    ///
    /// # Errors
    /// As `with`; also if a shard that the deferred serves need is not available.
    pub fn with_deferred_served<R>(
        &mut self,
        store: &Store,
        shard: usize,
        work: impl FnOnce(&mut Txn) -> R,
    ) -> Result<R, Failed> {
        self.held.insists = true;
        let work = |txn: &mut Txn| txn.outermost(work, |_| ());
        let done = self.with_several(store, vec![shard], work);
        self.held.insists = false;
        done
    }

    /// Runs the deferred serves of the held shards; `false` if that was not enough: more shards are
    /// needed.
    fn serve_deferred(&mut self, store: &Store) -> bool {
        if !self.held.has_deferred() {
            return true;
        }
        for held in &mut self.held.shards {
            let deferred = held.shard.waiting.take_deferred();
            deferred.into_iter().for_each(|one| self.changes.note_ready(one.key));
        }
        let asker = std::mem::take(&mut self.notifications.asker);
        let db = self.held.db;
        // A panic is contained here; a client that waits is served by the next request that feeds
        // the key.
        let serve = |txn: &mut Txn| {
            if let Some(notification_sink) = store.listeners.sink() {
                notification_sink.serve(txn);
            }
        };
        let _ = self.outermost(serve, |_| ());
        self.changes.forget_ready();
        self.held.db = db;
        self.settle_notifications();
        self.notifications.asker = asker;
        !self.held.has_deferred()
    }
}

#[cfg(test)]
mod tests {
    // In a test a panic is how a failure is told.
    #![allow(clippy::unwrap_used)]

    use std::sync::Arc;
    use sync::atomic::{AtomicUsize, Ordering};

    use base::Kind;

    use crate::{
        Notification, NotificationSink, Options, Queued, Scope, Store, Touched, Txn, Waiter,
    };

    /// Runs a deferred serve by taking all waiting clients out of the queue; counts the shards it
    /// could use.
    struct Serving(Arc<AtomicUsize>);

    impl NotificationSink for Serving {
        fn deliver(&self, _: Vec<Notification>, _: u64, _: &mut Vec<u8>) {}

        fn serve(&self, txn: &mut Txn) {
            for key in txn.changes.take_ready() {
                for one in txn.held.heads(&key) {
                    if txn.held.holds_all(&one.waiter.needs) {
                        txn.held.remove_waiter(key.db, key.hash, &key.key, &one);
                        self.0.fetch_add(txn.held.count(), Ordering::Relaxed);
                    }
                    if let Some(next) = txn.held.heads(&key).first() {
                        txn.held.defer(&key, &next.waiter.needs);
                    }
                }
            }
        }
    }

    fn waiting(needs: &[&[usize]]) -> (Arc<Store>, Touched, Arc<AtomicUsize>) {
        let store = Arc::new(Store::new(Options {
            shards: 16,
            databases: 1,
            hashing: base::Hashing::new(7),
        }));
        let used = Arc::new(AtomicUsize::new(0));
        store.set_notification_sink(Box::new(Serving(Arc::clone(&used))));
        let key = Touched { db: 0, hash: store.hasher().hash(b"key"), key: b"key"[..].into() };
        let mut txn = Txn::new(Arc::clone(&store), 1);
        for (ticket, needs) in needs.iter().enumerate() {
            let waiter = Arc::new(Waiter::new(ticket as u64, Kind::List, needs.to_vec()));
            let scope = Scope::One(store.shard_of(key.hash));
            let one = Queued::new(&waiter, b"");
            txn.with(&store, scope, |txn| txn.held.add_waiter(key.hash, &key.key, &one)).unwrap();
        }
        (store, key, used)
    }

    #[test]
    fn a_thread_that_feeds_no_key_locks_nothing_more_for_waiting_clients() {
        let (store, key, used) =
            waiting(&[&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]]);
        let mut txn = Txn::new(Arc::clone(&store), 1);
        let home = store.shard_of(key.hash);
        let two = [home.min(home ^ 1), home.max(home ^ 1)];
        assert_eq!(txn.with(&store, Scope::One(home), |txn| txn.held.count()).unwrap(), 1);
        assert_eq!(txn.with(&store, Scope::Many(&two), |txn| txn.held.count()).unwrap(), 2);
        assert_eq!(used.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn the_next_lock_holder_runs_deferred_serves_first() {
        let (store, key, used) = waiting(&[&[3], &[5], &[7]]);
        let mut txn = Txn::new(Arc::clone(&store), 1);
        let home = store.shard_of(key.hash);
        txn.with(&store, Scope::One(home), |txn| txn.held.defer(&key, &[3])).unwrap();
        let after = txn
            .with(&store, Scope::One(home), |txn| (txn.held.heads(&key).len(), txn.held.count()));
        // Each of the three needed one more shard than the one before.
        assert_eq!(after.unwrap().0, 0, "somebody still waits");
        assert!(used.load(Ordering::Relaxed) >= 6);
        assert_eq!(txn.with(&store, Scope::One(home), |txn| txn.held.count()).unwrap(), 1);
        assert_eq!(store.to_serve.take().len(), 3, "nobody would have come if all had stayed away");
    }
}
