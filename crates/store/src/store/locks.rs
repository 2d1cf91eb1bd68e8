//! Locks of shards, requests that hold some for too long, and threads that do not wait for them.
//!
//! Locks are held for microseconds, so waiting for one is right. A script may hold some for as long
//! as it likes. Once it is overdue its shards are marked, and threads that serve clients do not
//! wait for them: their clients are told that the server is busy. Threads of the background wait,
//! but never with another shard in their hands: no other thread could have what they held
//! meanwhile, and no mark would say so.
//!
//! A mark belongs to the lock: only the holder of the lock sets it, and it goes with the guard,
//! however the request ends.

use std::ops::{Deref, DerefMut};
use std::time::Duration;
use sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use sync::{Mutex, MutexGuard};

use crate::Shard;
use crate::shard::counts::ShardCounts;

/// How long to wait for a lock before looking whether its holder is overdue.
const PATIENCE: Duration = Duration::from_millis(5);

/// What a request panics with that meets an overdue holder in the middle of a walk. It is caught
/// where panics are contained, and is no failure.
#[derive(Debug)]
pub struct Busy;

/// A shard behind its lock, on cache lines of its own: neighbours must not slow each other down.
/// While a transaction holds it, the shard itself has been taken out, so that transactions need no
/// lifetime; the lock stays held all the while.
#[repr(align(128))]
struct Slot {
    lock: Mutex<Option<Box<Shard>>>,
    /// It is held by a request that has taken longer than it should.
    overdue: AtomicBool,
    /// What was in it when that was noticed.
    key_counts: Mutex<Box<[ShardCounts]>>,
}

impl Slot {
    fn new(shard: Box<Shard>) -> Self {
        Slot {
            lock: Mutex::new(Some(shard)),
            overdue: AtomicBool::new(false),
            key_counts: Mutex::default(),
        }
    }
}

/// The shards of a store behind their locks.
pub struct Locks {
    slots: Vec<Slot>,
    /// How many shards are held for longer than they should be.
    obstructed: AtomicUsize,
    /// Shards of transactions that were broken off: missing from their slots for ever.
    withheld: Mutex<Vec<Shard>>,
}

/// A locked slot. The lock is given back when it is dropped, and the mark with it.
pub(crate) struct Guard<'s> {
    locks: &'s Locks,
    slot: &'s Slot,
    shard: MutexGuard<'s, Option<Box<Shard>>>,
}

impl Deref for Guard<'_> {
    type Target = Option<Box<Shard>>;

    #[inline]
    fn deref(&self) -> &Option<Box<Shard>> {
        &self.shard
    }
}

impl DerefMut for Guard<'_> {
    #[inline]
    fn deref_mut(&mut self) -> &mut Option<Box<Shard>> {
        &mut self.shard
    }
}

impl Drop for Guard<'_> {
    #[inline]
    fn drop(&mut self) {
        // Only the holder of the lock changes it, and that is still this thread.
        if self.slot.overdue.load(Ordering::Relaxed) {
            self.locks.unmark(self.slot);
        }
    }
}

#[cfg(debug_assertions)]
sync::thread_local! {
    /// This thread runs something with shards in hand.
    static AT_WORK: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

/// Says that this thread runs something with shards in hand, as long as it is kept.
#[cfg(debug_assertions)]
pub(crate) struct AtWork(bool);

#[cfg(debug_assertions)]
impl AtWork {
    pub fn begin(holds: bool) -> Self {
        AtWork(AT_WORK.with(|at_work| at_work.replace(holds || at_work.get())))
    }
}

#[cfg(debug_assertions)]
impl Drop for AtWork {
    fn drop(&mut self) {
        AT_WORK.with(|at_work| at_work.set(self.0));
    }
}

/// Fails, in builds with assertions, where this thread holds shards: what follows may take any
/// time, and others would wait for it.
#[inline]
pub fn assert_no_shard_held() {
    #[cfg(debug_assertions)]
    assert!(!AT_WORK.with(std::cell::Cell::get), "this is not done with shards in hand");
}

impl Locks {
    /// Those of these shards, in the order of their numbers.
    pub(crate) fn new(shards: impl Iterator<Item = Shard>) -> Self {
        Locks {
            slots: shards.map(|shard| Slot::new(Box::new(shard))).collect(),
            obstructed: AtomicUsize::new(0),
            withheld: Mutex::new(Vec::new()),
        }
    }

    /// The number of shards.
    #[inline]
    pub(crate) fn count(&self) -> usize {
        self.slots.len()
    }

    /// Keeps for ever what a transaction held that was broken off.
    #[cold]
    pub(crate) fn withhold(&self, shard: Box<Shard>) {
        self.withheld.lock().push(*shard);
    }

    /// Whether some request holds shards for longer than it should.
    #[inline]
    #[must_use]
    pub fn is_obstructed(&self) -> bool {
        self.obstructed.load(Ordering::Relaxed) != 0
    }

    /// Whether the holder of this shard is overdue.
    #[must_use]
    pub fn is_overdue(&self, shard: usize) -> bool {
        self.slots[shard].overdue.load(Ordering::Acquire)
    }

    /// Locks a shard, however long that takes. Not for threads that serve clients, nor for any
    /// thread that has something in hand that they need; never with shards in hand: their holder
    /// would wait for itself, or for a thread that waits for it. (Builds with assertions look.)
    pub(crate) fn wait_for(&self, number: usize) -> Guard<'_> {
        #[cfg(debug_assertions)]
        assert!(!AT_WORK.with(std::cell::Cell::get), "a thread that holds shards waits for one");
        let slot = &self.slots[number];
        self.guard(slot, slot.lock.lock())
    }

    /// Locks a shard if that is to be had at once.
    #[inline]
    pub(crate) fn try_lock(&self, number: usize) -> Option<Guard<'_>> {
        let slot = &self.slots[number];
        slot.lock.try_lock().map(|shard| self.guard(slot, shard))
    }

    /// Locks a shard if that is to be had within a moment.
    pub(crate) fn lock_soon(&self, number: usize) -> Option<Guard<'_>> {
        let slot = &self.slots[number];
        slot.lock.try_lock_for(PATIENCE).map(|shard| self.guard(slot, shard))
    }

    /// Locks a shard; none if its holder is overdue and the caller is in a hurry.
    #[inline]
    pub(crate) fn lock(&self, number: usize, hurried: bool) -> Option<Guard<'_>> {
        match self.try_lock(number) {
            Some(guard) => Some(guard),
            None if hurried => self.wait_unless_overdue(number),
            None => Some(self.wait_for(number)),
        }
    }

    /// Locks several shards, by their numbers in ascending order; none if an overdue request holds
    /// one of them and the caller is in a hurry. Otherwise the caller waits for that one with none
    /// of the others, and begins anew.
    pub(crate) fn lock_all(&self, numbers: &[usize], hurried: bool) -> Option<Vec<Guard<'_>>> {
        loop {
            let mut guards = Vec::with_capacity(numbers.len());
            let overdue = numbers.iter().find(|&&number| {
                let guard = self.lock(number, true);
                guard.map(|guard| guards.push(guard)).is_none()
            });
            let Some(&overdue) = overdue else { return Some(guards) };
            drop(guards);
            if hurried {
                return None;
            }
            drop(self.wait_for(overdue));
        }
    }

    #[cold]
    fn wait_unless_overdue(&self, number: usize) -> Option<Guard<'_>> {
        let slot = &self.slots[number];
        loop {
            if slot.overdue.load(Ordering::Acquire) {
                return None;
            }
            if let Some(shard) = slot.lock.try_lock_for(PATIENCE) {
                return Some(self.guard(slot, shard));
            }
        }
    }

    #[inline]
    fn guard<'s>(&'s self, slot: &'s Slot, shard: MutexGuard<'s, Option<Box<Shard>>>) -> Guard<'s> {
        Guard { locks: self, slot, shard }
    }

    /// Marks a shard; the caller holds its lock.
    pub(crate) fn mark(&self, number: usize, shard: &Shard) {
        let slot = &self.slots[number];
        *slot.key_counts.lock() = shard.dbs().iter().map(ShardCounts::of).collect();
        if !slot.overdue.swap(true, Ordering::Release) {
            self.obstructed.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[cold]
    fn unmark(&self, slot: &Slot) {
        slot.overdue.store(false, Ordering::Release);
        self.obstructed.fetch_sub(1, Ordering::Relaxed);
    }

    /// Whether a transaction was broken off. What it held cannot be read any more, so the dataset
    /// is not to be saved: what is on disk is older, but whole.
    #[must_use]
    pub fn is_broken_off(&self) -> bool {
        !self.withheld.lock().is_empty()
    }

    /// What was in a shard when its holder was found overdue.
    pub(crate) fn key_counts_of_overdue(&self, number: usize) -> Box<[ShardCounts]> {
        self.slots[number].key_counts.lock().clone()
    }
}

#[cfg(test)]
#[path = "locks_tests.rs"]
mod tests;
