//! Clients that wait for the journal to be durable: see `persistence/flush.rs`.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use crate::background::thread_pool::ThreadPool;

/// Clients that wait for the journal to be durable, and the thread that answers them.
pub(crate) struct Flushes {
    pub(crate) state: Mutex<State>,
    pub(crate) thread: Arc<ThreadPool<FlushThread>>,
}

/// How far it is.
pub(crate) struct State {
    /// So many have asked so far.
    pub(crate) asked: u64,
    /// So many of them had when the last sync began, and what came of it.
    pub(crate) synced: (u64, Result<(), String>),
}

/// It needs nothing of its own.
pub(crate) struct FlushThread;

impl Default for Flushes {
    fn default() -> Self {
        let state = State { asked: 0, synced: (0, Ok(())) };
        Flushes { state: Mutex::new(state), thread: ThreadPool::new(("flush", 1), Duration::ZERO) }
    }
}
