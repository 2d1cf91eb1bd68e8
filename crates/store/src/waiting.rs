//! Blocked clients: who waits for a key of this shard, in the order they came.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use base::Kind;
use hashbrown::HashMap;

/// One blocked request. It stands in the queue of every key it waits for; whoever settles it
/// first (a push, a timeout, a disconnect) wins, and it is served at most once.
#[derive(Debug)]
pub struct Waiter {
    /// The engine's number for it.
    pub ticket: u64,
    /// The type a key must have to end the wait.
    pub kind: Kind,
    /// Every shard its request needs (the destination of `BLMOVE` too), ascending.
    pub shards: Vec<usize>,
    state: AtomicU8,
}

/// Somebody has claimed the waiter.
const CLAIMED: u8 = 1;
/// Its time was up while somebody else had it.
const OVERDUE: u8 = 2;

impl Waiter {
    /// A request that waits.
    #[must_use]
    pub fn new(ticket: u64, kind: Kind, shards: Vec<usize>) -> Self {
        Waiter { ticket, kind, shards, state: AtomicU8::new(0) }
    }

    /// Claims it; `true` for exactly one caller, until that one lets go of it.
    #[must_use]
    pub fn settle(&self) -> bool {
        self.state.fetch_or(CLAIMED, Ordering::AcqRel) & CLAIMED == 0
    }

    /// As [`settle`](Self::settle), for whom its time is up: who has it now must end the wait.
    #[must_use]
    pub fn settle_overdue(&self) -> bool {
        let next = |state: u8| Some(if state & CLAIMED == 0 { CLAIMED } else { state | OVERDUE });
        // The closure always answers, so this cannot fail.
        let before = self.state.fetch_update(Ordering::AcqRel, Ordering::Acquire, next);
        before.is_ok_and(|state| state & CLAIMED == 0)
    }

    /// Lets go of it again: it could not be served and waits on. `false` if its time was up
    /// meanwhile: then it stays claimed, and the caller must end the wait.
    #[must_use]
    pub fn unsettle(&self) -> bool {
        self.state.compare_exchange(CLAIMED, 0, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }

    /// Whether somebody has claimed it.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.state.load(Ordering::Acquire) & CLAIMED != 0
    }
}

type Queue = VecDeque<Arc<Waiter>>;

/// The waiting requests of one shard.
#[derive(Default)]
pub(crate) struct Waiting {
    keys: HashMap<(usize, Box<[u8]>), Queue>,
}

impl Waiting {
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    pub fn add(&mut self, db: usize, key: &[u8], waiter: &Arc<Waiter>) {
        let queue = self.keys.entry((db, key.into())).or_default();
        // A key named twice in one request is waited for once.
        if !queue.iter().any(|w| Arc::ptr_eq(w, waiter)) {
            queue.push_back(Arc::clone(waiter));
        }
    }

    pub fn remove(&mut self, db: usize, key: &[u8], waiter: &Arc<Waiter>) {
        let place = (db, Box::from(key));
        if let Some(queue) = self.keys.get_mut(&place) {
            queue.retain(|w| !Arc::ptr_eq(w, waiter));
            if queue.is_empty() {
                self.keys.remove(&place);
            }
        }
    }

    /// Those who wait for `key`, longest first, without the settled ones.
    pub fn queue(&self, db: usize, key: &[u8]) -> Vec<Arc<Waiter>> {
        let queue = self.keys.get(&(db, Box::from(key)));
        queue.into_iter().flatten().filter(|w| !w.is_settled()).map(Arc::clone).collect()
    }

    pub fn is_awaited(&self, db: usize, key: &[u8]) -> bool {
        !self.keys.is_empty() && self.keys.contains_key(&(db, Box::from(key)))
    }

    /// The awaited keys of `db`.
    pub fn keys_of(&self, db: usize) -> Vec<Box<[u8]>> {
        self.keys.keys().filter(|(at, _)| *at == db).map(|(_, key)| key.clone()).collect()
    }

    /// Every shard that serving any of the waiting requests would need.
    pub fn companions(&self) -> impl Iterator<Item = usize> {
        self.keys.values().flatten().flat_map(|w| w.shards.iter().copied())
    }
}
