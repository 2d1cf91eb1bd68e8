//! How a query goes on while it takes long: its time, and the other clients of its thread.

use std::time::{Duration, Instant};

use ::search::error::{Error, Result};

use crate::control::Control;
use crate::engine::Engine;
use crate::scripts::LONG;

/// The clock of one query.
pub(super) struct Pace<'e> {
    engine: &'e Engine,
    hand_over: fn(bool),
    started: Instant,
    /// It fails after so long.
    timeout: Option<Duration>,
    /// It takes long: the loop of this thread has another thread by now.
    pub is_long: bool,
}

impl<'c> Control<'c> {
    /// The clock of a query that begins now, with its own timeout if it brings one. 0 milliseconds
    /// are no limit.
    pub(super) fn pace(&self, timeout: Option<u64>) -> Pace<'c> {
        let engine = self.engine;
        let timeout = timeout.unwrap_or(engine.config().queries.search_timeout);
        let timeout = (timeout > 0).then(|| Duration::from_millis(timeout));
        let hand_over = self.context.threads.hand_over;
        Pace { engine, hand_over, started: Instant::now(), timeout, is_long: false }
    }
}

impl Pace<'_> {
    /// Whether it goes on: asked after some thousand rows.
    ///
    /// # Errors
    /// It has had its time, or the server ends.
    pub fn check(&mut self) -> Result<()> {
        let took = self.started.elapsed();
        if self.timeout.is_some_and(|most| took > most) {
            return Err(Error::new("Timeout limit was reached"));
        }
        if self.engine.run.stopping.load(std::sync::atomic::Ordering::Acquire) {
            return Err(Error::new("ERR the query was ended: the server is shutting down"));
        }
        if took >= LONG {
            self.is_long = true;
            (self.hand_over)(false);
        }
        Ok(())
    }
}
