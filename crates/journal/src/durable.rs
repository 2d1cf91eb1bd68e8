//! The last durable epoch, and the threads that sleep until it rises.
//!
//! ```text
//!   the flusher                        a thread that holds replies back
//!   durable = epoch                    waits = true
//!   ───────────────────────── fence ─────────────────────────────
//!   waits? it is woken                 durable < what it awaits? it sleeps
//! ```
//!
//! Each of the two writes a word of its own and then reads the other's. Without a fence between the
//! writing and the reading, a processor may do both readings first: then the flusher sees no
//! waiting thread, the thread sees nothing durable, and it sleeps for ever. A release and an
//! acquire do not prevent that; two fences of one order do.

use sync::atomic::{AtomicBool, AtomicU64, Ordering, fence};

/// The last epoch that is durable, with all those before it.
#[derive(Debug, Default)]
pub(crate) struct DurableEpoch(AtomicU64);

impl DurableEpoch {
    /// Which one it is.
    #[inline]
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Acquire)
    }

    /// The disk has confirmed this epoch. A thread that waits is woken after this.
    pub fn reach(&self, epoch: u64) {
        self.0.store(epoch, Ordering::Release);
    }
}

/// Whether a thread that holds replies back sleeps until the disk has what they tell.
#[derive(Debug, Default)]
pub struct DiskWaiter(AtomicBool);

impl DiskWaiter {
    /// Says so, or that it does not. A thread that is about to sleep says so before it looks for
    /// the last time at what is durable.
    pub fn set(&self, waits: bool) {
        self.0.store(waits, Ordering::Release);
        if waits {
            fence(Ordering::SeqCst);
        }
    }

    /// Whether it is to be woken: for one caller, once. Asked after something has become durable.
    pub fn take(&self) -> bool {
        fence(Ordering::SeqCst);
        self.0.swap(false, Ordering::AcqRel)
    }
}
