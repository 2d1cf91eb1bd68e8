//! The workers of background requests, and what doors say of clients that wait for one.

use std::sync::Arc;

use config::Config;
use journal::wall_clock;
use store::Txn;

use super::Engine;
use crate::background::BackgroundWorker;
use crate::background::thread_pool::PoolWorker;
use crate::client::session::Session;

impl PoolWorker for BackgroundWorker {
    type Shared = Engine;

    fn new(engine: &Arc<Engine>, number: u64) -> Self {
        // To guess what it draws helps no client: it must differ, no more.
        let nanos = u64::try_from(engine.run.clock.elapsed().as_nanos()).unwrap_or(number);
        let seed = nanos.rotate_left(20) ^ wall_clock() ^ number.rotate_left(50);
        BackgroundWorker {
            // Background requests need random numbers only where an edit begins anew.
            txn: Txn::new(Arc::clone(&engine.store), seed),
            counters: engine.metrics.stats.register(engine.table.entries().len()),
        }
    }

    fn begin(&mut self, engine: &Arc<Engine>) {
        self.txn.begin(wall_clock());
        engine.take_settings(&engine.config(), &mut self.txn);
    }

    fn end(&mut self) {
        self.txn.report_memory();
    }
}

impl Engine {
    /// Has a transaction take over all that it copies of the settings in force.
    pub(crate) fn take_settings(&self, config: &Config, txn: &mut Txn) {
        txn.set_limits(self.store.limits());
        txn.set_query_bounds(config.queries.bounds());
        txn.set_measure(self.store.measure());
    }

    /// The client of a session that waits for another thread sends nothing more: it may listen, or
    /// have gone. Whether its connection is to be closed, as others need its place.
    pub fn client_has_ended(&self, session: &Session) -> bool {
        self.background.client_has_ended(session)
    }
}
