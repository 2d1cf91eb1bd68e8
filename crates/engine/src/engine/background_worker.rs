//! The workers of background requests, and what doors say of clients that wait for one.

use std::sync::Arc;

use journal::wall_clock;
use store::Txn;

use super::Engine;
use crate::background::BackgroundWorker;
use crate::background::thread_pool::PoolWorker;
use crate::client::session::Session;

impl PoolWorker for BackgroundWorker {
    type Shared = Engine;

    fn new(engine: &Arc<Engine>, _: u64) -> Self {
        BackgroundWorker {
            // No background request runs a command that needs random numbers.
            txn: Txn::new(Arc::clone(&engine.store), 1),
            counters: engine.metrics.stats.register(engine.table.entries().len()),
        }
    }

    fn begin(&mut self) {
        self.txn.begin(wall_clock());
        let limits = self.txn.store().limits();
        self.txn.set_limits(limits);
    }

    fn end(&mut self) {
        self.txn.report_memory();
    }
}

impl Engine {
    /// The client of a session that waits for another thread sends nothing more: it may listen, or
    /// have gone. Whether its connection is to be closed, as others need its place.
    pub fn client_has_ended(&self, session: &Session) -> bool {
        self.background.client_has_ended(session)
    }
}
