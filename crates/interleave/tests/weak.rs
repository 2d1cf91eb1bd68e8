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

#[path = "../../journal/src/durable.rs"]
#[allow(dead_code, unreachable_pub)]
mod durable;

use std::panic::{AssertUnwindSafe, catch_unwind};

use atomic::{AtomicBool, AtomicU64, Ordering};
use durable::{DiskWaiter, DurableEpoch};
use loom::sync::Arc;
use loom::thread;

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
