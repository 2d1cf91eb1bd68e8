//! The names of `crates/sync`, for things whose every step a scheduler of tests decides.
//!
//! A thin cover that gives the locks of `shuttle`, which are those of the standard library, the
//! manners of `parking_lot`'s: no poison, and waits that borrow the guard. Memory is as if every
//! access were `SeqCst`; what weaker orders allow is tried by `loom`, in `tests/weak.rs`.
//!
//! Time does not pass here. A wait with a short limit ([`SHORT`]) ends whenever the scheduler
//! likes, as it does on a slow machine. One with a longer limit never ends by itself: such limits
//! are there to look again for safety's sake, and a model must show that no thread depends on them.

#![forbid(unsafe_code)]

use std::ops::{Deref, DerefMut};
use std::sync::{PoisonError, TryLockError};
use std::time::{Duration, Instant};

use shuttle::rand::Rng;
use shuttle::sync as inner;
pub use shuttle::thread_local;

/// Limits below this may be reached at any time, longer ones never are.
pub const SHORT: Duration = Duration::from_millis(50);

/// Words that several threads read and write.
pub mod atomic {
    pub use shuttle::sync::atomic::{
        AtomicBool, AtomicI64, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence,
    };
}

/// Queues between threads.
pub mod mpsc {
    pub use shuttle::sync::mpsc::{Receiver, SyncSender, sync_channel};
    pub use std::sync::mpsc::SendError;
}

/// Threads.
pub mod thread {
    pub use shuttle::thread::{Builder, JoinHandle, yield_now};
}

/// A lock.
#[derive(Debug, Default)]
pub struct Mutex<T: ?Sized>(inner::Mutex<T>);

/// A lock that is held; not while its holder waits.
#[derive(Debug)]
pub struct MutexGuard<'m, T: ?Sized> {
    lock: &'m Mutex<T>,
    held: Option<inner::MutexGuard<'m, T>>,
}

impl<T> Mutex<T> {
    /// An open lock.
    pub const fn new(value: T) -> Self {
        Mutex(inner::Mutex::new(value))
    }

    /// What it protected.
    pub fn into_inner(self) -> T {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: ?Sized> Mutex<T> {
    /// Waits for the lock.
    pub fn lock(&self) -> MutexGuard<'_, T> {
        self.guard(self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Takes the lock if it is open.
    pub fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
        match self.0.try_lock() {
            Ok(held) => Some(self.guard(held)),
            Err(TryLockError::Poisoned(error)) => Some(self.guard(error.into_inner())),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Takes the lock if it opens in time.
    pub fn try_lock_for(&self, limit: Duration) -> Option<MutexGuard<'_, T>> {
        if limit >= SHORT {
            return Some(self.lock());
        }
        self.try_lock().or_else(|| {
            thread::yield_now();
            self.try_lock()
        })
    }

    fn guard<'m>(&'m self, held: inner::MutexGuard<'m, T>) -> MutexGuard<'m, T> {
        MutexGuard { lock: self, held: Some(held) }
    }

    /// What it protects, where no other thread can have it.
    pub fn get_mut(&mut self) -> &mut T {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: ?Sized> MutexGuard<'_, T> {
    /// Gives the lock away for as long as `work` takes.
    pub fn unlocked<R>(guard: &mut Self, work: impl FnOnce() -> R) -> R {
        drop(guard.held.take());
        let done = work();
        guard.held = guard.lock.lock().held;
        done
    }
}

impl<T: ?Sized> Deref for MutexGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.held.as_ref().expect("a guard that waits is not used")
    }
}

impl<T: ?Sized> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.held.as_mut().expect("a guard that waits is not used")
    }
}

/// Where threads wait until they are told.
#[derive(Debug, Default)]
pub struct Condvar(inner::Condvar);

/// How a wait ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitTimeoutResult(bool);

impl WaitTimeoutResult {
    /// Whether its time was up.
    #[must_use]
    pub fn timed_out(self) -> bool {
        self.0
    }
}

impl Condvar {
    /// No thread waits.
    #[must_use]
    pub const fn new() -> Self {
        Condvar(inner::Condvar::new())
    }

    /// Waits to be told.
    pub fn wait<T>(&self, guard: &mut MutexGuard<'_, T>) {
        let held = guard.held.take().expect("a guard waits once");
        guard.held = Some(self.0.wait(held).unwrap_or_else(PoisonError::into_inner));
    }

    /// Waits to be told, or for as long as this.
    pub fn wait_for<T>(&self, guard: &mut MutexGuard<'_, T>, limit: Duration) -> WaitTimeoutResult {
        if limit >= SHORT {
            self.wait(guard);
            return WaitTimeoutResult(false);
        }
        drop(guard.held.take());
        thread::yield_now();
        guard.held = guard.lock.lock().held;
        WaitTimeoutResult(shuttle::rand::thread_rng().gen_bool(0.5))
    }

    /// Waits to be told, or until this time.
    pub fn wait_until<T>(
        &self,
        guard: &mut MutexGuard<'_, T>,
        until: Instant,
    ) -> WaitTimeoutResult {
        self.wait_for(guard, until.saturating_duration_since(Instant::now()))
    }

    /// Tells one who waits.
    pub fn notify_one(&self) {
        self.0.notify_one();
    }

    /// Tells all who wait.
    pub fn notify_all(&self) {
        self.0.notify_all();
    }
}

/// A lock that any number may read.
#[derive(Debug, Default)]
pub struct RwLock<T: ?Sized>(inner::RwLock<T>);

impl<T> RwLock<T> {
    /// An open lock.
    pub const fn new(value: T) -> Self {
        RwLock(inner::RwLock::new(value))
    }
}

impl<T: ?Sized> RwLock<T> {
    /// Waits until no thread writes.
    pub fn read(&self) -> inner::RwLockReadGuard<'_, T> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads if no thread writes.
    pub fn try_read(&self) -> Option<inner::RwLockReadGuard<'_, T>> {
        match self.0.try_read() {
            Ok(guard) => Some(guard),
            Err(TryLockError::Poisoned(error)) => Some(error.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Waits until no thread reads or writes.
    pub fn write(&self) -> inner::RwLockWriteGuard<'_, T> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}
