//! A worker's queue, and when its thread must be woken: the protocol of `inbox.rs` without pollers.
//!
//! ```text
//!   a poster                              the worker
//!   lock: push                            posted = false
//!   posted = true ─► was it? nothing      lock: take all
//!                    else: wake, once     …serves…
//!                                          posted? again. else: sleep until woken
//! ```
//!
//! The flag is raised after the push and lowered before the take, so a message is either taken by a
//! read that has already begun or announced by this wake-up. A poster that finds the flag raised
//! relies on the wake-up of the thread that raised it: so no thread sleeps, or ends, with wake-ups
//! unsent.

use std::sync::Arc;

use sync::Mutex;
use sync::atomic::{AtomicBool, Ordering};

/// What lies in a queue.
pub trait Item {
    /// Bytes in it.
    fn bytes(&self) -> usize;
    /// Whether it is a connection that the worker has yet to take in.
    fn is_new_connection(&self) -> bool;
}

/// More than this in a queue is too much.
#[derive(Clone, Copy, Debug)]
pub struct QueueLimits {
    /// Messages.
    pub messages: usize,
    /// Bytes in them, all in all.
    pub bytes: usize,
}

struct Pending<M> {
    messages: Vec<M>,
    /// Bytes in them.
    bytes: usize,
}

/// A worker's queue.
pub struct Queue<M> {
    pending: Mutex<Pending<M>>,
    most: QueueLimits,
    /// There is more in it than should be.
    over_limit: AtomicBool,
    /// There is something in it, or there was a moment ago.
    posted: AtomicBool,
    /// A connection is among it, or was a moment ago.
    new_connections: AtomicBool,
}

/// What a poster has to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Posted {
    /// No other poster has announced the queue's contents: its worker must be woken.
    pub first: bool,
    /// There is too much in it.
    pub over_limit: bool,
}

impl<M: Item> Queue<M> {
    /// An empty queue.
    pub fn new(most: QueueLimits) -> Self {
        Queue {
            pending: Mutex::new(Pending { messages: Vec::new(), bytes: 0 }),
            most,
            over_limit: AtomicBool::new(false),
            posted: AtomicBool::new(false),
            new_connections: AtomicBool::new(false),
        }
    }

    /// Puts a message in; see [`Wakeups::note`] for what follows from that.
    pub fn post(&self, message: M) -> Posted {
        let mut pending = self.pending.lock();
        if message.is_new_connection() {
            self.new_connections.store(true, Ordering::SeqCst);
        }
        pending.bytes += message.bytes();
        pending.messages.push(message);
        let over_limit =
            pending.messages.len() > self.most.messages || pending.bytes > self.most.bytes;
        if over_limit {
            // Under the lock, as when it is lowered: it says what the queue is.
            self.over_limit.store(true, Ordering::Release);
        }
        drop(pending);
        Posted { first: !self.posted.swap(true, Ordering::AcqRel), over_limit }
    }

    /// Takes all messages; an empty `into` is swapped in, so neither side allocates in the long
    /// run.
    pub fn take(&self, into: &mut Vec<M>) {
        debug_assert!(into.is_empty());
        self.posted.store(false, Ordering::Release);
        let mut pending = self.pending.lock();
        self.new_connections.store(false, Ordering::SeqCst);
        std::mem::swap(&mut pending.messages, into);
        pending.bytes = 0;
        self.over_limit.store(false, Ordering::Release);
    }

    /// Takes the connections out that its worker has not taken in yet.
    pub fn take_new_connections(&self) -> Vec<M> {
        let mut pending = self.pending.lock();
        self.new_connections.store(false, Ordering::SeqCst);
        pending.messages.extract_if(.., |message| message.is_new_connection()).collect()
    }

    /// Whether there may be messages. Asked before its worker sleeps.
    #[inline]
    pub fn has_messages(&self) -> bool {
        self.posted.load(Ordering::Acquire)
    }

    /// Whether there may be connections that the worker has yet to take in.
    pub fn has_new_connections(&self) -> bool {
        self.new_connections.load(Ordering::SeqCst)
    }

    /// Whether there is too much in it.
    pub fn is_over_limit(&self) -> bool {
        self.over_limit.load(Ordering::Acquire)
    }
}

/// A queue with what wakes its worker.
pub trait Sleeper {
    /// Wakes the worker.
    fn wake(&self);
    /// Whether there is too much in its queue.
    fn is_over_limit(&self) -> bool;
}

/// What a thread notes about its posts.
#[derive(Debug)]
pub struct Wakeups<I> {
    /// The queue of the worker it is, if it is one.
    own: Option<Arc<I>>,
    /// Workers it has yet to wake.
    to_wake: Vec<Arc<I>>,
    /// The queues that it has posted to when they were over their limit.
    backlogged: Vec<Arc<I>>,
}

impl<I: Sleeper> Wakeups<I> {
    /// Of a thread that is no worker.
    pub const fn new() -> Self {
        Wakeups { own: None, to_wake: Vec::new(), backlogged: Vec::new() }
    }

    /// The thread is the worker with this queue from now on.
    pub fn attach_thread(&mut self, own: &Arc<I>) {
        self.own = Some(Arc::clone(own));
    }

    /// It is no longer a worker: pending wake-ups are sent now, and later ones at once.
    pub fn detach_thread(&mut self) {
        self.wake_others();
        self.own = None;
    }

    /// It has posted. A thread that is no worker sends the wake-up at once; a worker does so at the
    /// end of the turn, and need not wake itself.
    pub fn note(&mut self, to: &Arc<I>, posted: Posted) {
        if posted.over_limit && !self.backlogged.iter().any(|known| Arc::ptr_eq(known, to)) {
            self.backlogged.push(Arc::clone(to));
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

    /// Whether the thread has posted to a queue that is still over its limit.
    #[inline]
    pub fn must_back_off(&mut self) -> bool {
        if self.backlogged.is_empty() {
            return false;
        }
        self.backlogged.retain(|inbox| inbox.is_over_limit());
        !self.backlogged.is_empty()
    }
}
