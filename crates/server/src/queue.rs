//! A worker's queue, and when its thread must be woken: the protocol of `inbox.rs` without pollers.
//!
//! ```text
//!   who posts                             the worker
//!   lock: push                            posted = false
//!   posted = true ─► was it? nothing      lock: take all
//!                    else: wake, once     …serves…
//!                                          posted? again. else: sleep until woken
//! ```
//!
//! The flag is raised after the push and lowered before the take, so a letter is either taken by a
//! look that has already begun or announced by this wake-up. Whoever finds the flag raised relies
//! on the wake-up of who raised it: so nobody sleeps, or leaves for good, with wake-ups in hand.

use std::sync::Arc;

use sync::Mutex;
use sync::atomic::{AtomicBool, Ordering};

/// What lies in a queue.
pub trait Item {
    /// Bytes in it.
    fn bytes(&self) -> usize;
    /// Whether it is a connection that the worker has yet to take in.
    fn is_newcomer(&self) -> bool;
}

/// More than this in a queue is too much.
#[derive(Clone, Copy, Debug)]
pub struct Most {
    /// Letters.
    pub letters: usize,
    /// Bytes in them, all in all.
    pub bytes: usize,
}

struct Pile<L> {
    letters: Vec<L>,
    /// Bytes in them.
    bytes: usize,
}

/// A worker's queue.
pub struct Queue<L> {
    pile: Mutex<Pile<L>>,
    most: Most,
    /// There is more in it than should be.
    crowded: AtomicBool,
    /// There is something in it, or there was a moment ago.
    posted: AtomicBool,
    /// A connection is among it, or was a moment ago.
    newcomers: AtomicBool,
}

/// What somebody has to do who has posted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Posted {
    /// Nobody has announced what is in the queue: its worker must be woken.
    pub first: bool,
    /// There is too much in it.
    pub crowds: bool,
}

impl<L: Item> Queue<L> {
    /// An empty queue.
    pub fn new(most: Most) -> Self {
        Queue {
            pile: Mutex::new(Pile { letters: Vec::new(), bytes: 0 }),
            most,
            crowded: AtomicBool::new(false),
            posted: AtomicBool::new(false),
            newcomers: AtomicBool::new(false),
        }
    }

    /// Puts a letter in; see [`Wakeups::note`] for what follows from that.
    pub fn post(&self, letter: L) -> Posted {
        let mut pile = self.pile.lock();
        if letter.is_newcomer() {
            self.newcomers.store(true, Ordering::SeqCst);
        }
        pile.bytes += letter.bytes();
        pile.letters.push(letter);
        let crowds = pile.letters.len() > self.most.letters || pile.bytes > self.most.bytes;
        if crowds {
            // Under the lock, as when it is lowered: it says what the pile is.
            self.crowded.store(true, Ordering::Release);
        }
        drop(pile);
        Posted { first: !self.posted.swap(true, Ordering::AcqRel), crowds }
    }

    /// Takes all letters; an empty `into` is swapped in, so neither side allocates in the long run.
    pub fn take(&self, into: &mut Vec<L>) {
        debug_assert!(into.is_empty());
        self.posted.store(false, Ordering::Release);
        let mut pile = self.pile.lock();
        self.newcomers.store(false, Ordering::SeqCst);
        std::mem::swap(&mut pile.letters, into);
        pile.bytes = 0;
        self.crowded.store(false, Ordering::Release);
    }

    /// Takes the connections out that its worker has not taken in yet.
    pub fn take_newcomers(&self) -> Vec<L> {
        let mut pile = self.pile.lock();
        self.newcomers.store(false, Ordering::SeqCst);
        pile.letters.extract_if(.., |letter| letter.is_newcomer()).collect()
    }

    /// Whether there may be letters. Asked before its worker sleeps.
    #[inline]
    pub fn has_letters(&self) -> bool {
        self.posted.load(Ordering::Acquire)
    }

    /// Whether there may be connections that the worker has yet to take in.
    pub fn has_newcomers(&self) -> bool {
        self.newcomers.load(Ordering::SeqCst)
    }

    /// Whether there is too much in it.
    pub fn is_crowded(&self) -> bool {
        self.crowded.load(Ordering::Acquire)
    }
}

/// A queue with what wakes its worker.
pub trait Sleeper {
    /// Makes the worker look around.
    fn wake(&self);
    /// Whether there is too much in its queue.
    fn is_crowded(&self) -> bool;
}

/// What a thread that posts remembers of it.
#[derive(Debug)]
pub struct Wakeups<I> {
    /// The queue of the worker it is, if it is one.
    own: Option<Arc<I>>,
    /// Whom it has yet to wake.
    to_wake: Vec<Arc<I>>,
    /// The queues that it has posted to when they were crowded.
    crowding: Vec<Arc<I>>,
}

impl<I: Sleeper> Wakeups<I> {
    /// Of a thread that is no worker.
    pub const fn new() -> Self {
        Wakeups { own: None, to_wake: Vec::new(), crowding: Vec::new() }
    }

    /// The thread is the worker with this queue from now on.
    pub fn take_seat(&mut self, own: &Arc<I>) {
        self.own = Some(Arc::clone(own));
    }

    /// It is no worker any more: those it has yet to wake are woken, and from now on at once.
    pub fn leave_seat(&mut self) {
        self.wake_others();
        self.own = None;
    }

    /// It has posted. Whoever is no worker wakes at once; a worker does it at the end of the turn,
    /// and itself it need not wake at all.
    pub fn note(&mut self, to: &Arc<I>, posted: Posted) {
        if posted.crowds && !self.crowding.iter().any(|known| Arc::ptr_eq(known, to)) {
            self.crowding.push(Arc::clone(to));
        }
        if !posted.first {
            return;
        }
        match &self.own {
            None => to.wake(),
            Some(own) if Arc::ptr_eq(own, to) => {}
            Some(_) => self.to_wake.push(Arc::clone(to)),
        }
    }

    /// Sends the wake-ups collected.
    #[inline]
    pub fn wake_others(&mut self) {
        self.to_wake.drain(..).for_each(|inbox| inbox.wake());
    }

    /// Whether the thread has posted to a queue that is still crowded.
    #[inline]
    pub fn is_crowding(&mut self) -> bool {
        if self.crowding.is_empty() {
            return false;
        }
        self.crowding.retain(|inbox| inbox.is_crowded());
        !self.crowding.is_empty()
    }
}
