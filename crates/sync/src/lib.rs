//! The locks, words and threads that protocols between threads are made of, by one name.
//!
//! Nothing but names: those of `parking_lot` and of the standard library. Crates with protocols of
//! their own take them from here, so that the very same files can be built a second time with
//! others in their place, whose every step a scheduler of tests decides: `crates/interleave`.

#![forbid(unsafe_code)]

pub use parking_lot::{Condvar, Mutex, MutexGuard, RwLock};
pub use std::thread_local;

/// Words that several threads read and write.
pub mod atomic {
    pub use std::sync::atomic::{
        AtomicBool, AtomicI64, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence,
    };
}

/// Queues between threads.
pub mod mpsc {
    pub use std::sync::mpsc::{Receiver, SendError, SyncSender, sync_channel};
}

/// Threads.
pub mod thread {
    pub use std::thread::{Builder, JoinHandle, yield_now};
}
