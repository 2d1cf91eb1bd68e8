//! What worker 0 does besides what every worker does.

use std::sync::Arc;

use base::Millis;

use crate::accepting::{Acceptor, Listening, Rules};
use crate::connection::ThreadState;
use crate::logging::LevelSwitch;
use crate::workers::WorkerPool;

/// It accepts connections for all workers, and sets the log's level.
pub(super) struct WorkerZero {
    /// Until it stops.
    acceptor: Option<Acceptor>,
    /// The log's level, to follow the configuration.
    pub(super) levels: LevelSwitch,
}

impl WorkerZero {
    /// With these listeners.
    pub(super) fn new(listening: Arc<Listening>, levels: LevelSwitch) -> Self {
        WorkerZero { acceptor: Some(Acceptor::new(listening)), levels }
    }

    /// When the listeners must be tried again.
    pub(super) fn resting_until(&self) -> Option<Millis> {
        self.acceptor.as_ref().and_then(Acceptor::resting_until)
    }

    /// Accepts what has come, and deals it out.
    pub(super) fn accept(&mut self, pool: &WorkerPool, thread: &mut ThreadState) {
        if let Some(acceptor) = &mut self.acceptor {
            let context = &thread.worker.context;
            let without_password = thread.worker.engine.users.is_open();
            let rules = Rules { config: &context.config, without_password };
            acceptor.accept_all(pool, rules, &context.counters, thread.now);
        }
    }

    /// Closes the listeners.
    pub(super) fn stop_accepting(&mut self) {
        if let Some(acceptor) = self.acceptor.take() {
            acceptor.close();
        }
    }
}
