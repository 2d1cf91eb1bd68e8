//! Blocked clients: those that wait for a key of this shard, in the order they came.
//!
//! Each awaited key has queues: in one of them wait clients that can be served alike, so where the
//! first cannot be served now no client behind it needs to be looked at. A thread that feeds a key
//! looks at the heads of its queues and at the clients it serves, however many wait.
//!
//! Most are served with nothing but the key's own shard. `BLMOVE` may need another one. A thread
//! that feeds the key and does not hold that shard records that the key's queue has a deferred
//! serve, and releases its shards; the thread that locks the shard next, for whatever purpose,
//! locks what the deferred serve needs and runs it before doing anything else
//! (`txn/locking.rs`). So only a thread that feeds a key locks more on behalf of waiting
//! clients, and no request can take the element in between.

use std::collections::BTreeMap;
use std::sync::Arc;
use sync::atomic::{AtomicU8, Ordering};

use base::Kind;
use hashbrown::HashTable;

use crate::Touched;

/// One blocked request. It stands in a queue of every key it waits for; the first to claim it (a
/// push, a timeout, a disconnect) wins, and it is served at most once.
#[derive(Debug)]
pub struct Waiter {
    /// The engine's number for it. Clients that come to a key later have larger ones.
    pub ticket: u64,
    /// The type a key must have to end the wait.
    pub kind: Kind,
    /// The shards that serving it needs beside that of the key that is fed: the destination of
    /// `BLMOVE`.
    pub needs: Vec<usize>,
    state: AtomicU8,
}

/// A thread has claimed the waiter.
const CLAIMED: u8 = 1;
/// Its time was up while a thread had claimed it.
const OVERDUE: u8 = 2;
/// Another of its keys was fed while a thread had claimed it.
const MISSED: u8 = 4;

/// What has become of a waiter that could not be served and was let go of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LetGo {
    /// It waits on.
    Waits,
    /// It waits on, but another of its keys was fed meanwhile: all of them must be looked at.
    Missed,
    /// Its time was up meanwhile: it stays claimed, and the caller must end the wait.
    Overdue,
}

impl Waiter {
    /// A request that waits.
    #[must_use]
    pub fn new(ticket: u64, kind: Kind, needs: Vec<usize>) -> Self {
        Waiter { ticket, kind, needs, state: AtomicU8::new(0) }
    }

    /// Claims it; `true` for exactly one caller, until that one lets go of it.
    #[must_use]
    pub fn claim(&self) -> bool {
        self.claim_or(0)
    }

    /// As [`claim`](Self::claim), when its time is up: the thread that has claimed it must end
    /// the wait.
    #[must_use]
    pub fn claim_overdue(&self) -> bool {
        self.claim_or(OVERDUE)
    }

    /// As [`claim`](Self::claim), for a thread that feeds one of its keys: the one that has it now
    /// must look at all its keys if it lets go of it.
    #[must_use]
    pub fn claim_fed(&self) -> bool {
        self.claim_or(MISSED)
    }

    /// Whether it is claimed at the moment.
    #[must_use]
    pub fn is_claimed(&self) -> bool {
        self.state.load(Ordering::Acquire) & CLAIMED != 0
    }

    fn claim_or(&self, note: u8) -> bool {
        let next = |state: u8| Some(if state & CLAIMED == 0 { CLAIMED } else { state | note });
        // The closure always answers, so this cannot fail.
        let before = self.state.fetch_update(Ordering::AcqRel, Ordering::Acquire, next);
        before.is_ok_and(|state| state & CLAIMED == 0)
    }

    /// Lets go of it again: it could not be served.
    #[must_use]
    pub fn release_claim(&self) -> LetGo {
        let next = |state: u8| (state & OVERDUE == 0).then_some(0);
        match self.state.fetch_update(Ordering::AcqRel, Ordering::Acquire, next) {
            Err(_) => LetGo::Overdue,
            Ok(state) if state & MISSED != 0 => LetGo::Missed,
            Ok(_) => LetGo::Waits,
        }
    }
}

/// Which queue of a key: those of one kind whose requests can be served alike.
type Name = (u8, Box<[u8]>);
/// Those who wait in a queue, by ticket.
type Queue = BTreeMap<u64, Arc<Waiter>>;

/// One who waits at a key, and in which of its queues.
#[derive(Clone, Debug)]
pub struct Queued {
    /// Who waits.
    pub waiter: Arc<Waiter>,
    queue: Name,
}

impl Queued {
    /// A waiter in the queue of those who can be served exactly when it can: with the same words.
    #[must_use]
    pub fn new(waiter: &Arc<Waiter>, alike: &[u8]) -> Self {
        Queued { waiter: Arc::clone(waiter), queue: (waiter.kind as u8, alike.into()) }
    }
}

/// An awaited key.
struct Awaited {
    db: usize,
    hash: u64,
    key: Box<[u8]>,
    queues: BTreeMap<Name, Queue>,
}

/// A key whose queues could not be served by who fed it.
pub(crate) struct DeferredServe {
    pub key: Touched,
    pub needs: Vec<usize>,
}

/// The waiting requests of one shard.
#[derive(Default)]
pub(crate) struct Waiting {
    keys: HashTable<Awaited>,
    deferred: Vec<DeferredServe>,
}

impl Waiting {
    pub fn add(&mut self, (db, hash): (usize, u64), key: &[u8], one: &Queued) {
        let is_it = |a: &Awaited| a.db == db && *a.key == *key;
        let fresh = || Awaited { db, hash, key: key.into(), queues: BTreeMap::new() };
        let awaited = self.keys.entry(hash, is_it, |a| a.hash).or_insert_with(fresh).into_mut();
        // A key named twice in one request is waited for once.
        let queue = awaited.queues.entry(one.queue.clone()).or_default();
        queue.insert(one.waiter.ticket, Arc::clone(&one.waiter));
    }

    pub fn remove(&mut self, (db, hash): (usize, u64), key: &[u8], one: &Queued) {
        let is_it = |a: &Awaited| a.db == db && *a.key == *key;
        let Ok(mut found) = self.keys.find_entry(hash, is_it) else { return };
        let queues = &mut found.get_mut().queues;
        if let Some(queue) = queues.get_mut(&one.queue) {
            queue.remove(&one.waiter.ticket);
            if queue.is_empty() {
                queues.remove(&one.queue);
            }
        }
        if queues.is_empty() {
            found.remove();
        }
    }

    fn find(&self, db: usize, hash: u64, key: &[u8]) -> Option<&Awaited> {
        if self.keys.is_empty() {
            return None;
        }
        self.keys.find(hash, |a| a.db == db && *a.key == *key)
    }

    /// The first of each of a key's queues.
    pub fn heads(&self, db: usize, hash: u64, key: &[u8]) -> Vec<Queued> {
        let queues = self.find(db, hash, key).into_iter().flat_map(|a| &a.queues);
        let head = |(name, queue): (&Name, &Queue)| {
            let waiter = Arc::clone(queue.values().next()?);
            Some(Queued { waiter, queue: name.clone() })
        };
        queues.filter_map(head).collect()
    }

    /// Who comes next in the queue of one who waits, or waited, for this key.
    pub fn behind(&self, (db, hash): (usize, u64), key: &[u8], one: &Queued) -> Option<Queued> {
        let queue = self.find(db, hash, key)?.queues.get(&one.queue)?;
        let (_, waiter) = queue.range(one.waiter.ticket + 1..).next()?;
        Some(Queued { waiter: Arc::clone(waiter), queue: one.queue.clone() })
    }

    #[inline]
    pub fn is_awaited(&self, db: usize, hash: u64, key: &[u8]) -> bool {
        self.find(db, hash, key).is_some()
    }

    /// The awaited keys of `db`.
    pub fn keys_of(&self, db: usize) -> Vec<Box<[u8]>> {
        self.keys.iter().filter(|a| a.db == db).map(|a| a.key.clone()).collect()
    }

    /// Whether a key here was fed and those who wait for it have yet to be served.
    #[inline]
    pub fn has_deferred(&self) -> bool {
        !self.deferred.is_empty()
    }

    pub fn defer(&mut self, one: DeferredServe) {
        let is_it = |d: &DeferredServe| d.key.db == one.key.db && d.key.key == one.key.key;
        match self.deferred.iter_mut().find(|d| is_it(d)) {
            Some(known) => known.needs = one.needs,
            None => self.deferred.push(one),
        }
    }

    /// Every shard that the deferred serves need.
    pub fn companions(&self) -> impl Iterator<Item = usize> {
        self.deferred.iter().flat_map(|one| one.needs.iter().copied())
    }

    pub fn take_deferred(&mut self) -> Vec<DeferredServe> {
        std::mem::take(&mut self.deferred)
    }
}
