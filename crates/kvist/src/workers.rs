//! The workers on which calling threads run requests.
//!
//! A worker has what only one thread may use at a time: counters, a write buffer of the journal,
//! Lua interpreters. Each thread uses the same one every time, and finds it free unless more
//! threads than there are workers run requests; so the lock is normally uncontended. A worker is
//! made at its first use. A thread that waits (for a key, for the disk) releases its worker
//! meanwhile.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

use engine::{Engine, Worker};
use parking_lot::{MappedMutexGuard, Mutex, MutexGuard};

use crate::client_session::ClientSession;

/// How many threads can run requests at a time without waiting for a worker.
const SLOTS: usize = 64;

/// A worker, and the session of requests without one.
pub(crate) struct WorkerSlot {
    pub worker: Worker,
    /// The client of requests that belong to no session.
    pub own: Option<Box<ClientSession>>,
}

/// A lock with a cache line of its own.
#[repr(align(128))]
#[derive(Default)]
struct Padded(Mutex<Option<Box<WorkerSlot>>>);

/// All workers.
pub(crate) struct Workers {
    slots: Box<[Padded]>,
    seed: u64,
    made: AtomicU64,
}

/// A locked worker.
pub(crate) type WorkerGuard<'s> = MappedMutexGuard<'s, WorkerSlot>;

thread_local! {
    /// The slot that this thread uses.
    static SLOT: Cell<usize> = const { Cell::new(usize::MAX) };
}

static NEXT: AtomicUsize = AtomicUsize::new(0);

fn slot_index() -> usize {
    SLOT.with(|slot_index| {
        if slot_index.get() == usize::MAX {
            slot_index.set(NEXT.fetch_add(1, Ordering::Relaxed) % SLOTS);
        }
        slot_index.get()
    })
}

impl Workers {
    pub fn new(seed: u64) -> Self {
        Workers {
            slots: (0..SLOTS).map(|_| Padded::default()).collect(),
            seed,
            made: AtomicU64::new(0),
        }
    }

    /// Locks this thread's worker, or a free one.
    pub fn lock(&self, engine: &Arc<Engine>) -> WorkerGuard<'_> {
        let first = slot_index();
        let guard = self.slots[first].0.try_lock().or_else(|| self.any_free(first));
        let guard = guard.unwrap_or_else(|| self.slots[first].0.lock());
        MutexGuard::map(guard, |slot| &mut **slot.get_or_insert_with(|| self.new_slot(engine)))
    }

    #[cold]
    fn new_slot(&self, engine: &Arc<Engine>) -> Box<WorkerSlot> {
        let seed = self.seed.wrapping_add(self.made.fetch_add(1, Ordering::Relaxed));
        Box::new(WorkerSlot { worker: Worker::new(engine, seed), own: None })
    }

    #[cold]
    fn any_free(&self, first: usize) -> Option<MutexGuard<'_, Option<Box<WorkerSlot>>>> {
        (1..SLOTS).find_map(|step| self.slots[(first + step) % SLOTS].0.try_lock())
    }

    /// Waits until all workers are free, and takes them away. Calls `late` if they are not all
    /// free at this time, and waits on.
    pub fn clear(&self, patience: Instant, late: impl Fn()) {
        for padded in &self.slots {
            let free = padded.0.try_lock_until(patience);
            let mut slot = free.unwrap_or_else(|| {
                late();
                padded.0.lock()
            });
            let slot = slot.take();
            if let Some(mut slot) = slot
                && let Some(mut client) = slot.own.take()
            {
                slot.worker.disconnect(&mut client.session);
            }
        }
    }
}
