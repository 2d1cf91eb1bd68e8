//! Keeps new connections from waiting for a worker that is in the middle of something long while
//! another is free.
//!
//! Worker 0 accepts, and deals connections to all workers. But it may run a command that takes
//! long, and so may a worker that has just been dealt a connection. So this thread checks a moment
//! after connections have arrived: if worker 0 is stalled, it accepts in its place, and new
//! connections in the inbox of a stalled worker are moved to another. Without new connections it
//! sleeps.

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use engine::{Counters, Engine};
use journal::wall_clock;

use super::acceptor::{Acceptor, Rules};
use super::listening::Listening;
use crate::workers::WorkerPool;

/// How long after connections have arrived they are checked, and the interval of further checks.
const LOOK: Duration = Duration::from_millis(20);
/// The least number of checks: a long round may begin a little later.
const LOOKS: u32 = 3;

struct BackupAcceptor {
    engine: Arc<Engine>,
    pool: Arc<WorkerPool>,
    acceptor: Acceptor,
    counters: Arc<Counters>,
}

/// Starts the thread, which lasts as long as the process.
///
/// # Errors
/// There is no thread.
pub fn start(
    engine: &Arc<Engine>,
    pool: &Arc<WorkerPool>,
    listening: &Arc<Listening>,
) -> io::Result<()> {
    let listening = Arc::clone(listening);
    let mut backup_acceptor = BackupAcceptor {
        engine: Arc::clone(engine),
        pool: Arc::clone(pool),
        acceptor: Acceptor::new(Arc::clone(&listening)),
        counters: engine.metrics.stats.register(engine.table.entries().len()),
    };
    std::thread::Builder::new().name("acceptor".to_owned()).spawn(move || {
        while !backup_acceptor.is_over() {
            match listening.wait_for_connections() {
                Ok(()) => backup_acceptor.rebalance(),
                Err(error) => {
                    tracing::error!(%error, "newcomers may have to wait for long commands");
                    return;
                }
            }
        }
    })?;
    Ok(())
}

impl BackupAcceptor {
    fn is_over(&self) -> bool {
        self.engine.run.stopping.load(Ordering::Acquire)
    }

    /// Checks until every worker has left the round it was in when they arrived.
    fn rebalance(&mut self) {
        let rounds = self.pool.rounds();
        let mut looks = 0;
        while looks < LOOKS || self.pool.is_in_one_of(&rounds) {
            looks += 1;
            std::thread::sleep(LOOK);
            if self.is_over() {
                return;
            }
            let now = wall_clock();
            if self.pool.is_stalled(0, now) {
                let config = self.engine.config();
                let without_password = self.engine.users.is_open();
                let rules = Rules { config: &config, without_password };
                self.acceptor.accept_all(&self.pool, rules, &self.counters, now);
            }
            let pool = &self.pool;
            let stalled = (0..pool.inboxes.len()).filter(|&n| pool.is_stalled(n, now));
            for number in stalled.filter(|&n| pool.inboxes[n].has_new_connections()) {
                for message in pool.inboxes[number].take_new_connections() {
                    pool.inboxes[self.acceptor.next_of(pool)].post(message);
                }
            }
        }
    }
}
