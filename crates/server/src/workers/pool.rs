//! What all workers and other threads know of the workers.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;

use super::inbox::Inbox;
use super::progress::Progress;
use crate::connection::ThreadState;

/// What workers and other threads know of all workers.
pub struct WorkerPool {
    /// Their inboxes.
    pub inboxes: Vec<Arc<Inbox>>,
    /// How far each of them is.
    pub progress: Vec<Progress>,
    /// Connections accepted and not closed yet, of all workers.
    pub connected: AtomicUsize,
    /// The most connections at a time: `maxclients`, or fewer if descriptors are scarce.
    pub most: AtomicUsize,
    /// Threads that have handed over their loops, and the thread states they left.
    pub replacements: Replacements,
}

/// Threads that have handed over their loops, and spare thread states.
#[derive(Default)]
pub struct Replacements {
    /// How many there are.
    pub running: AtomicUsize,
    /// States of threads that ended: each has a write buffer of the journal and counters, which
    /// live as long as the process.
    spare: Mutex<Vec<ThreadState>>,
}

impl Replacements {
    /// An unused thread state.
    pub fn take_state(&self) -> Option<ThreadState> {
        self.spare.lock().pop()
    }

    /// Keeps a thread state for the next thread.
    pub fn put_state(&self, thread: ThreadState) {
        self.spare.lock().push(thread);
    }
}

impl WorkerPool {
    /// Wakes all workers, mostly to make them see the order to stop.
    pub fn wake_all(&self) {
        self.inboxes.iter().for_each(|inbox| inbox.wake());
    }

    /// Counts a connection of another door, if there is room for one more.
    pub fn admit(&self) -> bool {
        let most = self.most.load(Ordering::Relaxed);
        let room = |connected| (connected < most).then_some(connected + 1);
        self.connected.fetch_update(Ordering::Relaxed, Ordering::Relaxed, room).is_ok()
    }

    /// One that was counted has gone.
    pub fn release(&self) {
        self.connected.fetch_sub(1, Ordering::Relaxed);
    }

    /// Tells the workers that wait for it that something has become durable.
    pub fn tell_durable(&self) {
        for inbox in &self.inboxes {
            if inbox.waits_for_disk.take() {
                inbox.wake();
            }
        }
    }
}
