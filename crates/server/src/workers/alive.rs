//! What the threads of workers hold as long as they are alive.

use std::fmt::Display;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};

use engine::Engine;

use super::pool::WorkerPool;

/// Held by each thread of a worker. If one breaks, the whole server stops: clients of a dead thread
/// would wait for ever.
#[derive(Clone)]
pub struct Alive {
    engine: Arc<Engine>,
    pool: Arc<WorkerPool>,
    /// One of the threads has failed.
    pub broken: Arc<AtomicBool>,
    /// When all of these are gone the server ends. Nothing is ever sent.
    _working: Sender<()>,
}

impl Alive {
    /// The first of them, and what is disconnected when all are gone.
    pub fn new(engine: &Arc<Engine>, pool: &Arc<WorkerPool>) -> (Self, Receiver<()>) {
        let (working, ended) = channel();
        let alive = Alive {
            engine: Arc::clone(engine),
            pool: Arc::clone(pool),
            broken: Arc::default(),
            _working: working,
        };
        (alive, ended)
    }

    /// The thread cannot go on.
    pub fn fail(&self, error: &dyn Display) {
        tracing::error!(%error, "the event loop failed");
        self.stop_all();
    }

    fn stop_all(&self) {
        self.broken.store(true, Ordering::Release);
        self.engine.run.stopping.store(true, Ordering::Release);
        self.pool.wake_all();
    }
}

impl Drop for Alive {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.stop_all();
        }
    }
}
