//! Locking several shards, and paying what is owed to those who wait for keys of theirs.
//!
//! See `waiting.rs` for what is owed. A debt is paid by whoever locks the shard next, under all
//! the locks that this needs, taken anew and in ascending order; usually that is the thread that
//! fed the key, right afterwards. Paying one may leave another, for who waits behind: then it goes
//! on from the beginning. Each time somebody is served, so it ends.

use crate::txn::Failed;
use crate::waiting::{Debt, Queued};
use crate::{Store, Touched, Txn};

impl Txn {
    /// Locks these shards, and more if those who wait there are owed something; pays, and runs
    /// `work`. The numbers are ascending, without repetition. A debt that needs a shard which
    /// somebody overdue holds is left until that is over: it is nobody's fault who comes here.
    pub(crate) fn with_several<R>(
        &mut self,
        store: &Store,
        asked: Vec<usize>,
        work: impl FnOnce(&mut Txn) -> R,
    ) -> Result<R, Failed> {
        let (mut numbers, mut pays) = (asked.clone(), true);
        let mut work = Some(work);
        loop {
            let Some(mut guards) = store.lock_all(&numbers, self.hurried) else {
                if self.insists || numbers.len() == asked.len() {
                    return Err(Failed::Busy);
                }
                (numbers, pays) = (asked.clone(), false);
                continue;
            };
            let debtors = guards.iter().filter_map(|g| g.as_ref()).filter(|s| s.waiting.owes());
            let needed: Vec<usize> = debtors.flat_map(|s| s.waiting.companions()).collect();
            let missing = needed.into_iter().filter(|n| numbers.binary_search(n).is_err());
            let missing: Vec<usize> = missing.collect();
            if pays && !missing.is_empty() {
                drop(guards);
                numbers.extend(missing);
                numbers.sort_unstable();
                numbers.dedup();
                continue;
            }
            for (&number, guard) in numbers.iter().zip(&mut guards) {
                self.hold(number, guard);
            }
            let paid = if !pays || self.pay(store) { work.take() } else { None };
            let done = paid.map(|work| self.outermost(work));
            self.settle();
            for (guard, held) in guards.iter_mut().zip(self.held.drain(..)) {
                **guard = Some(held.shard);
            }
            if let Some(done) = done {
                return done;
            }
        }
    }

    /// As `with` a shard, but all that is owed there is paid.
    ///
    /// # Errors
    /// As `with`; also if a shard that the debts need is not to be had.
    pub fn with_debts_paid<R>(
        &mut self,
        store: &Store,
        shard: usize,
        work: impl FnOnce(&mut Txn) -> R,
    ) -> Result<R, Failed> {
        self.insists = true;
        let done = self.with_several(store, vec![shard], work);
        self.insists = false;
        done
    }

    /// Pays what is owed to those who wait for keys of the held shards; `false` if that was not
    /// enough: more shards are needed.
    fn pay(&mut self, store: &Store) -> bool {
        if !self.held.iter().any(|held| held.shard.waiting.owes()) {
            return true;
        }
        for held in &mut self.held {
            let debts = held.shard.waiting.take_debts();
            self.ready.extend(debts.into_iter().map(|debt| debt.key));
        }
        let asker = std::mem::take(&mut self.bulletin.asker);
        let db = self.db;
        // A panic is contained here; whoever waits is served by the next who feeds the key.
        let _ = self.outermost(|txn| {
            if let Some(audience) = store.audience.get() {
                audience.serve(txn);
            }
        });
        self.ready.clear();
        self.db = db;
        self.settle_news();
        self.bulletin.asker = asker;
        !self.held.iter().any(|held| held.shard.waiting.owes())
    }
}

impl Txn {
    /// The first of each queue of a key whose shard is held.
    #[must_use]
    pub fn heads(&self, key: &Touched) -> Vec<Queued> {
        self.shard(key.hash).waiting.heads(key.db, key.hash, &key.key)
    }

    /// Who stands behind `one` in its queue.
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

    /// A key was fed, but who waits for it cannot be served without these shards, too.
    pub fn owe(&mut self, key: &Touched, needs: &[usize]) {
        let debt = Debt { key: key.clone(), needs: needs.to_vec() };
        self.shard_mut(key.hash).waiting.owe(debt);
        // So that somebody comes, if nobody else does.
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

    use crate::{Audience, News, Options, Queued, Scope, Store, Touched, Txn, Waiter};

    /// Pays a debt by taking all who wait out of the queue; says how many shards it could use.
    struct Payer(Arc<AtomicUsize>);

    impl Audience for Payer {
        fn tell(&self, _: Vec<News>, _: u64, _: &mut Vec<u8>) {}

        fn serve(&self, txn: &mut Txn) {
            for key in txn.take_ready() {
                for one in txn.heads(&key) {
                    if txn.holds_all(&one.waiter.needs) {
                        txn.remove_waiter(key.db, key.hash, &key.key, &one);
                        self.0.fetch_add(txn.held(), Ordering::Relaxed);
                    }
                    if let Some(next) = txn.heads(&key).first() {
                        txn.owe(&key, &next.waiter.needs);
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
        store.set_audience(Box::new(Payer(Arc::clone(&used))));
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
    fn who_does_not_feed_a_key_locks_no_more_for_those_who_wait() {
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
    fn what_is_owed_is_paid_by_who_comes_next_before_anything_else() {
        let (store, key, used) = waiting(&[&[3], &[5], &[7]]);
        let mut txn = Txn::new(Arc::clone(&store), 1);
        let home = store.shard_of(key.hash);
        txn.with(&store, Scope::One(home), |txn| txn.owe(&key, &[3])).unwrap();
        let after = txn.with(&store, Scope::One(home), |txn| (txn.heads(&key).len(), txn.held()));
        // Each of the three needed one more shard than the one before.
        assert_eq!(after.unwrap().0, 0, "somebody still waits");
        assert!(used.load(Ordering::Relaxed) >= 6);
        assert_eq!(txn.with(&store, Scope::One(home), |txn| txn.held()).unwrap(), 1);
        assert_eq!(store.take_gone().len(), 3, "nobody would have come if all had stayed away");
    }
}
