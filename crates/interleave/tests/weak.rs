//! Words between two threads under all orders that memory allows, weaker ones than `x86` knows too.
//!
//! The schedulers of the other tests run one access after another, as if every one were `SeqCst`.
//! Here `loom` tries every order of a few accesses, and every value that a load may see.

// In a test a panic is how a failure is told.
#![allow(clippy::unwrap_used)]

// The files under test name the crate of locks and words: here it is this one.
extern crate self as sync;

/// Words whose every legal value is tried.
pub mod atomic {
    pub use loom::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize, Ordering, fence};
}

/// A lock.
pub struct Mutex<T>(loom::sync::Mutex<T>);

impl<T> Mutex<T> {
    /// An open lock.
    pub fn new(value: T) -> Self {
        Mutex(loom::sync::Mutex::new(value))
    }

    /// Waits for the lock.
    pub fn lock(&self) -> loom::sync::MutexGuard<'_, T> {
        self.0.lock().unwrap()
    }
}

#[path = "../../journal/src/durable.rs"]
#[allow(dead_code, unreachable_pub)]
mod durable;
#[path = "../../server/src/workers/queue.rs"]
#[allow(dead_code, missing_docs, unreachable_pub)]
mod queue;

use std::panic::{AssertUnwindSafe, catch_unwind};

use atomic::{AtomicBool, AtomicU64, Ordering};
use durable::{DiskWaiter, DurableEpoch};
use loom::sync::Arc;
use loom::thread;
use queue::{Item, Queue, QueueLimits};

/// Whether some order fails.
fn fails(model: impl Fn() + Send + Sync + 'static) -> bool {
    catch_unwind(AssertUnwindSafe(|| loom::model(model))).is_err()
}

/// Something becomes durable while a worker is about to sleep until it is.
#[test]
fn who_waits_for_the_disk_is_seen_or_sees() {
    loom::model(|| {
        let words = Arc::new((DurableEpoch::default(), DiskWaiter::default()));
        let flusher = Arc::clone(&words);
        let flusher = thread::spawn(move || {
            flusher.0.reach(1);
            flusher.1.take()
        });
        words.1.set(true);
        let sleeps = words.0.get() < 1;
        let woken = flusher.join().unwrap();
        assert!(woken || !sleeps, "it sleeps for ever");
    });
}

/// The same without fences, with a release and an acquire: as it once was.
#[test]
fn without_fences_both_may_look_too_early() {
    assert!(fails(|| {
        let words = Arc::new((AtomicU64::new(0), AtomicBool::new(false)));
        let flusher = Arc::clone(&words);
        let flusher = thread::spawn(move || {
            flusher.0.store(1, Ordering::Release);
            flusher.1.swap(false, Ordering::AcqRel)
        });
        words.1.store(true, Ordering::Release);
        let sleeps = words.0.load(Ordering::Acquire) < 1;
        let woken = flusher.join().unwrap();
        assert!(woken || !sleeps);
    }));
}

struct InboxMessage;

impl Item for InboxMessage {
    fn bytes(&self) -> usize {
        1
    }

    fn is_new_connection(&self) -> bool {
        false
    }
}

/// Two post while a worker takes and is about to sleep: it sees what they have posted, or is woken.
#[test]
fn what_is_posted_is_taken_or_announced() {
    let mut orders = loom::model::Builder::new();
    // Every order in which threads are interrupted no more often than this; all would take minutes.
    orders.preemption_bound = Some(3);
    orders.check(|| {
        let queue = Arc::new(Queue::new(QueueLimits { messages: 9, bytes: 9 }));
        let woken = Arc::new(AtomicBool::new(false));
        let posters = [(); 2].map(|()| {
            let (queue, woken) = (Arc::clone(&queue), Arc::clone(&woken));
            thread::spawn(move || {
                if queue.post(InboxMessage).first {
                    woken.swap(true, Ordering::AcqRel);
                }
            })
        });
        // As the poller is waited for: a wake-up before this is used up.
        woken.swap(false, Ordering::AcqRel);
        let mut messages = Vec::new();
        queue.take(&mut messages);
        let mut taken = messages.len();
        let sleeps = !queue.has_messages();
        posters.into_iter().for_each(|poster| poster.join().unwrap());
        messages.clear();
        queue.take(&mut messages);
        taken += messages.len();
        assert_eq!(taken, 2);
        let woken = woken.swap(false, Ordering::AcqRel);
        assert!(messages.is_empty() || woken || !sleeps, "it sleeps, and has messages");
    });
}
