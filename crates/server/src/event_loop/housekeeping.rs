//! What the clock brings to a worker: idle clients, soft limits, clients that do not authenticate,
//! memory that others have freed.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use base::Millis;
use engine::Engine;

use super::EventLoop;
use crate::connection::ThreadState;
use crate::slab::ConnectionKey;

/// The pause between ticks when there is something to look after.
const TICK: Millis = 100;
/// The pause between ticks otherwise.
pub(super) const IDLE_TICK: Millis = 1000;
/// Fewer turns than this between two ticks are a quiet time.
const QUIET: u32 = 20;

/// What is looked after with each tick.
#[derive(Default)]
pub(super) struct Housekeeping {
    pub(super) next_tick: Millis,
    /// When connections that have not authenticated were accepted.
    unknown: BTreeSet<(Millis, ConnectionKey)>,
    /// Connections whose replies are over the soft limit.
    over_soft: Vec<ConnectionKey>,
    /// Big values freed in the background so far, of which this thread has gathered its part.
    gathered: usize,
    /// What was gathered has not been given back to the system yet.
    owes_memory: bool,
    /// Turns of the loop with something to do since the last tick.
    pub(super) turns: u32,
}

impl Housekeeping {
    /// A connection has come to be over the soft limit.
    pub(super) fn watch(&mut self, key: ConnectionKey, now: Millis) {
        self.over_soft.push(key);
        self.next_tick = self.next_tick.min(now + TICK);
    }

    /// A connection was accepted at a time, and has not authenticated yet.
    pub(super) fn expect_to_authenticate(&mut self, key: ConnectionKey, since: Millis) {
        self.unknown.insert((since, key));
    }

    /// A connection that was accepted then has gone.
    pub(super) fn forget(&mut self, key: ConnectionKey, since: Millis) {
        if !self.unknown.is_empty() {
            self.unknown.remove(&(since, key));
        }
    }

    /// After something big was freed in the background: takes back this thread's part of it at
    /// once, and gives it to the system in the first second with little work, as that takes long.
    fn return_memory(&mut self, engine: &Engine) {
        let cleanups = engine.memory.cleanups.load(Ordering::Acquire);
        if cleanups != self.gathered {
            self.gathered = cleanups;
            self.owes_memory = true;
            allocator::gather();
        }
        if self.owes_memory && self.turns < QUIET {
            self.owes_memory = false;
            allocator::give_back();
        }
        self.turns = 0;
    }
}

impl EventLoop {
    /// Looks after what the clock brings, if it is time.
    pub(super) fn tick_if_due(&mut self, thread: &mut ThreadState) {
        // A tick too far away means that the clock has been set back.
        if thread.now >= self.housekeeping.next_tick
            || self.housekeeping.next_tick > thread.now + IDLE_TICK
        {
            self.tick(thread);
        }
    }

    /// What the clock brings: idle clients, soft limits, memory that others have freed.
    fn tick(&mut self, thread: &mut ThreadState) {
        let now = thread.now;
        let config = Arc::clone(&thread.worker.context.config);
        let mut over = std::mem::take(&mut self.housekeeping.over_soft);
        over.retain(|&key| {
            if self.connections.is_lent(key) {
                return true;
            }
            let Some(connection) = self.connections.get_mut(key) else { return false };
            if connection.overflowed(thread) {
                self.close(thread, key);
                return false;
            }
            connection.listed.watched = connection.is_over_soft();
            connection.listed.watched
        });
        over.append(&mut self.housekeeping.over_soft);
        self.housekeeping.over_soft = over;
        if let Some(silence) = config.network.timeout {
            let idle: Vec<ConnectionKey> = self
                .connections
                .iter_mut()
                .filter(|(_, connection)| connection.is_idle(now, silence.as_secs()))
                .map(|(key, _)| key)
                .collect();
            for key in idle {
                tracing::debug!("Closing idle client");
                self.close(thread, key);
            }
        }
        self.close_unknown(thread);
        self.housekeeping.return_memory(&self.engine);
        let pause = if self.housekeeping.over_soft.is_empty() { IDLE_TICK } else { TICK };
        self.housekeeping.next_tick = now + pause;
    }

    /// Closes connections that have not authenticated in time.
    fn close_unknown(&mut self, thread: &mut ThreadState) {
        let limits = &thread.worker.context.config.clients.callers;
        let time = limits.unauthenticated_timeout.map(|time| time.as_millis());
        let is_late = |came: Millis| {
            time.is_some_and(|time| u128::from(thread.now.saturating_sub(came)) >= time)
        };
        let late: Vec<(Millis, ConnectionKey)> = self
            .housekeeping
            .unknown
            .iter()
            .take_while(|(came, _)| is_late(*came))
            .copied()
            .collect();
        for (came, key) in late {
            self.housekeeping.unknown.remove(&(came, key));
            let engine = &thread.worker.engine;
            if self.connections.get(key).is_some_and(|late| late.is_unknown(engine)) {
                tracing::debug!("closing a client that has not authenticated in time");
                self.close(thread, key);
            }
        }
    }
}
