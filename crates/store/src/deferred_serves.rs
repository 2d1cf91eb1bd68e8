//! Locking several shards, and running the deferred serves of clients that wait for their keys.
//!
//! See `waiting.rs` for what is deferred. A deferred serve is run by the thread that locks the
//! shard next, under all the locks that it needs, taken anew and in ascending order; usually that
//! is the thread that fed the key, right afterwards. Running one may defer another, for the client
//! behind it: then it goes on from the beginning. Each time a client is served, so it ends.

use crate::txn::Failed;
use crate::waiting::{DeferredServe, Queued};
use crate::{Store, Touched, Txn};

impl Txn {
    /// Locks these shards, and more if serves are deferred there; runs these, and then `work`. The
    /// numbers are ascending, without repetition. A deferred serve that needs a shard whose holder
    /// is overdue is left until that is over: the caller must not wait for it.
    pub(crate) fn with_several<R>(
        &mut self,
        store: &Store,
        asked: Vec<usize>,
        work: impl FnOnce(&mut Txn) -> Result<R, Failed>,
    ) -> Result<R, Failed> {
        let (mut numbers, mut serves) = (asked.clone(), true);
        let mut work = Some(work);
        loop {
            let locked = store.lock_all(&numbers, self.hurried);
            let locked = locked.filter(|guards| guards.iter().all(|guard| guard.is_some()));
            let Some(mut guards) = locked else {
                if self.insists || numbers.len() == asked.len() {
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
                self.hold(number, guard);
            }
            let served = if !serves || self.serve_deferred(store) { work.take() } else { None };
            let done = served.map(|work| work(self));
            self.settle();
            self.give_back(guards.iter_mut());
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
        self.insists = true;
        let work = |txn: &mut Txn| txn.outermost(work, |_| ());
        let done = self.with_several(store, vec![shard], work);
        self.insists = false;
        done
    }

    /// Runs the deferred serves of the held shards; `false` if that was not enough: more shards are
    /// needed.
    fn serve_deferred(&mut self, store: &Store) -> bool {
        if !self.held.iter().any(|held| held.shard.waiting.has_deferred()) {
            return true;
        }
        for held in &mut self.held {
            let deferred = held.shard.waiting.take_deferred();
            self.ready.extend(deferred.into_iter().map(|one| one.key));
        }
        let asker = std::mem::take(&mut self.notifications.asker);
        let db = self.db;
        // A panic is contained here; a client that waits is served by the next request that feeds
        // the key.
        let serve = |txn: &mut Txn| {
            if let Some(notification_sink) = store.notification_sink.get() {
                notification_sink.serve(txn);
            }
        };
        let _ = self.outermost(serve, |_| ());
        self.ready.clear();
        self.db = db;
        self.settle_notifications();
        self.notifications.asker = asker;
        !self.held.iter().any(|held| held.shard.waiting.has_deferred())
    }
}

impl Txn {
    /// The first of each queue of a key whose shard is held.
    #[must_use]
    pub fn heads(&self, key: &Touched) -> Vec<Queued> {
        self.shard(key.hash).waiting.heads(key.db, key.hash, &key.key)
    }

    /// The client behind `one` in its queue.
    #[must_use]
    pub fn behind(&self, key: &Touched, one: &Queued) -> Option<Queued> {
        self.shard(key.hash).waiting.behind((key.db, key.hash), &key.key, one)
    }

    /// Whether all these shards are held.
    #[must_use]
    pub fn holds_all(&self, numbers: &[usize]) -> bool {
        numbers.iter().all(|&number| self.find_held(number).is_some())
    }

    /// How many shards are held.
    #[must_use]
    pub fn held(&self) -> usize {
        self.held.len()
    }

    /// A key was fed, but the client that waits for it cannot be served without these shards, too.
    pub fn defer(&mut self, key: &Touched, needs: &[usize]) {
        let one = DeferredServe { key: key.clone(), needs: needs.to_vec() };
        self.shard_mut(key.hash).waiting.defer(one);
        // So that cron serves it, if no request locks the shard.
        self.store.note_gone(key.clone());
    }

    /// Puts a blocked request into a queue of a key whose shard is held.
    pub fn add_waiter(&mut self, hash: u64, key: &[u8], one: &Queued) {
        let db = self.db;
        self.shard_mut(hash).waiting.add((db, hash), key, one);
    }

    /// Takes a blocked request out of a queue of a key whose shard is held.
    pub fn remove_waiter(&mut self, db: usize, hash: u64, key: &[u8], one: &Queued) {
        self.shard_mut(hash).waiting.remove((db, hash), key, one);
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
            for key in txn.take_ready() {
                for one in txn.heads(&key) {
                    if txn.holds_all(&one.waiter.needs) {
                        txn.remove_waiter(key.db, key.hash, &key.key, &one);
                        self.0.fetch_add(txn.held(), Ordering::Relaxed);
                    }
                    if let Some(next) = txn.heads(&key).first() {
                        txn.defer(&key, &next.waiter.needs);
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
            txn.with(&store, scope, |txn| txn.add_waiter(key.hash, &key.key, &one)).unwrap();
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
        assert_eq!(txn.with(&store, Scope::One(home), |txn| txn.held()).unwrap(), 1);
        assert_eq!(txn.with(&store, Scope::Many(&two), |txn| txn.held()).unwrap(), 2);
        assert_eq!(used.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn the_next_lock_holder_runs_deferred_serves_first() {
        let (store, key, used) = waiting(&[&[3], &[5], &[7]]);
        let mut txn = Txn::new(Arc::clone(&store), 1);
        let home = store.shard_of(key.hash);
        txn.with(&store, Scope::One(home), |txn| txn.defer(&key, &[3])).unwrap();
        let after = txn.with(&store, Scope::One(home), |txn| (txn.heads(&key).len(), txn.held()));
        // Each of the three needed one more shard than the one before.
        assert_eq!(after.unwrap().0, 0, "somebody still waits");
        assert!(used.load(Ordering::Relaxed) >= 6);
        assert_eq!(txn.with(&store, Scope::One(home), |txn| txn.held()).unwrap(), 1);
        assert_eq!(store.take_gone().len(), 3, "nobody would have come if all had stayed away");
    }
}
