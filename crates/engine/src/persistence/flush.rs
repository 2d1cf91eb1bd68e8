//! Making the journal durable for clients that ask for it: `FLUSHWAL`.
//!
//! A disk can take as long as it likes, so one thread waits for it, and all who ask wait for that
//! thread: those who came before a sync begins are answered by it.

use std::sync::Arc;

use crate::background::Waiting;
use crate::background::thread_pool::PoolWorker;
use crate::durability::FlushThread;
use crate::engine::Engine;
use base::Reply;

impl PoolWorker for FlushThread {
    type Shared = Engine;

    fn new(_: &Arc<Engine>, _: u64) -> Self {
        FlushThread
    }

    fn begin(&mut self, _: &Arc<Self::Shared>) {}

    fn end(&mut self) {}
}

impl Engine {
    /// Makes everything so far durable and answers a client that waits for it, in a thread of its
    /// own.
    pub(crate) fn flush_journal_for(self: &Arc<Self>, client: Waiting) {
        let flushes = &self.durability.flushes;
        let mut state = flushes.state.lock();
        state.asked += 1;
        let number = state.asked;
        drop(state);
        let engine = Arc::clone(self);
        let work = move |client: Waiting, _: &mut FlushThread| match engine.synced_for(number) {
            Ok(()) => client.answer(|out| out.simple("OK")),
            Err(error) => {
                engine.metrics.stats.error("ERR");
                client.answer(|out| out.error_bytes(format!("ERR {error}").as_bytes()));
            }
        };
        client.run_on(&flushes.thread, self, work);
    }

    /// What came of a sync that began after this one had asked. Waits for the disk, on the thread
    /// of flushes.
    fn synced_for(&self, number: u64) -> Result<(), String> {
        let state = &self.durability.flushes.state;
        let asked = {
            let state = state.lock();
            let (last, outcome) = &state.synced;
            if *last >= number {
                return outcome.clone();
            }
            state.asked
        };
        let outcome = self.store.log().sync().map_err(|error| error.to_string());
        state.lock().synced = (asked, outcome.clone());
        outcome
    }
}
