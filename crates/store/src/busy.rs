//! Requests that hold shards for too long, and those that do not wait for them.
//!
//! Locks are held for microseconds, so waiting for one is right. A script may hold some for as long
//! as it likes. Once it is overdue its shards are marked, and those who serve clients do not wait
//! for them: their clients are told that the server is busy. Threads of the background wait.

use std::sync::atomic::Ordering;
use std::time::Duration;

use parking_lot::MutexGuard;

use crate::{Shard, Store, Txn};

/// How long to wait for a lock before looking whether its holder is overdue.
const GLANCE: Duration = Duration::from_millis(5);

/// What a request panics with that meets an overdue holder in the middle of a walk. It is caught
/// where panics are contained, and is no failure.
#[derive(Debug)]
pub struct Busy;

#[cfg(debug_assertions)]
thread_local! {
    /// This thread runs something with shards in hand.
    static AT_WORK: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

/// Says that this thread runs something with shards in hand, as long as it is kept.
#[cfg(debug_assertions)]
pub(crate) struct AtWork(bool);

#[cfg(debug_assertions)]
impl AtWork {
    pub fn begin(holds: bool) -> Self {
        AtWork(AT_WORK.replace(holds || AT_WORK.get()))
    }
}

#[cfg(debug_assertions)]
impl Drop for AtWork {
    fn drop(&mut self) {
        AT_WORK.set(self.0);
    }
}

/// A locked slot.
pub(crate) type Guard<'s> = MutexGuard<'s, Option<Box<Shard>>>;

impl Store {
    /// Whether some request holds shards for longer than it should.
    #[inline]
    #[must_use]
    pub fn is_obstructed(&self) -> bool {
        self.obstructions.load(Ordering::Relaxed) != 0
    }

    /// Locks a shard; none if somebody overdue holds it and the caller is in a hurry.
    #[inline]
    pub(crate) fn lock(&self, number: usize, hurried: bool) -> Option<Guard<'_>> {
        match self.slots[number].0.try_lock() {
            Some(guard) => Some(guard),
            None => self.wait_for(number, hurried),
        }
    }

    /// Locks a slot however long that takes. Never with shards in hand: their holder would wait
    /// for itself, or for somebody who waits for it. (Builds with assertions look.)
    pub(crate) fn wait_for_slot(&self, number: usize) -> Guard<'_> {
        #[cfg(debug_assertions)]
        assert!(!AT_WORK.get(), "a thread that holds shards waits for one");
        self.slots[number].0.lock()
    }

    #[cold]
    fn wait_for(&self, number: usize, hurried: bool) -> Option<Guard<'_>> {
        let slot = &self.slots[number];
        if !hurried {
            return Some(self.wait_for_slot(number));
        }
        loop {
            if slot.1.load(Ordering::Acquire) {
                return None;
            }
            if let Some(guard) = slot.0.try_lock_for(GLANCE) {
                return Some(guard);
            }
        }
    }
}

impl Txn {
    /// Makes this seat one that serves clients: it does not wait for those who are overdue.
    pub fn hurry(&mut self) {
        self.hurried = true;
    }

    /// The request that runs is overdue: nobody who serves clients waits for its shards.
    pub fn obstruct(&mut self) {
        if !self.obstructing {
            self.obstructing = true;
            self.mark_held(true);
            self.store().obstructions.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// It is over. Before the shards are given back.
    #[inline]
    pub(crate) fn clear_the_way(&mut self) {
        if self.obstructing {
            self.obstructing = false;
            self.mark_held(false);
            self.store().obstructions.fetch_sub(1, Ordering::Relaxed);
        }
    }

    fn mark_held(&self, overdue: bool) {
        for number in self.held_numbers() {
            self.store().slots[number].1.store(overdue, Ordering::Release);
        }
    }
}
