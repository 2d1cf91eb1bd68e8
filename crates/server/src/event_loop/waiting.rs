//! Connections of one worker whose request or replies wait for something, by what they wait for.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use base::Millis;
use engine::Engine;

use crate::connection::{Connection, Listed};
use crate::slab::ConnectionKey;
use crate::withheld_replies::HeldReplies;
use crate::workers::{DeferredQueue, WorkerPool};

/// What waits.
pub(super) struct WaitingConnections {
    /// Until when blocked requests wait, soonest first.
    deadlines: BTreeSet<(Millis, ConnectionKey)>,
    /// Connections whose replies wait for the disk.
    pub(super) held: HeldReplies<ConnectionKey>,
    /// Connections whose request waits for the end of a pause, in the order they came.
    paused: VecDeque<ConnectionKey>,
    /// Connections whose request waits for other workers to serve what came before it.
    pub(super) deferred: DeferredQueue,
}

impl WaitingConnections {
    /// Nothing, of the worker of this number.
    pub(super) fn new(pool: &Arc<WorkerPool>, number: usize) -> Self {
        WaitingConnections {
            deadlines: BTreeSet::new(),
            held: HeldReplies::new(),
            paused: VecDeque::new(),
            deferred: DeferredQueue::new(Arc::clone(pool), number),
        }
    }

    /// Notes what a connection waits for after its turn.
    #[inline]
    pub(super) fn note(&mut self, key: ConnectionKey, connection: &mut Connection, now: Millis) {
        let until = connection.session.blocked.as_ref().and_then(|blocked| blocked.until);
        let until = until.unwrap_or(Listed::NEVER);
        if until != connection.listed.deadline {
            self.forget(key, connection.listed.deadline);
            if until != Listed::NEVER {
                self.deadlines.insert((until, key));
            }
            connection.listed.deadline = until;
        }
        self.held.note(key, connection.withheld());
        // A request that waits for an index is woken when it is ready, independent of pauses.
        let is_paused = connection.session.is_paused() && !connection.session.awaits_index();
        if !connection.listed.paused && is_paused {
            connection.listed.paused = true;
            if connection.session.lets_others_first() {
                self.deferred.keep(key, now);
            } else {
                self.paused.push_back(key);
            }
        }
    }

    /// A connection with such a deadline has gone, or waits no longer until then.
    pub(super) fn forget(&mut self, key: ConnectionKey, deadline: Millis) {
        if deadline != Listed::NEVER {
            self.deadlines.remove(&(deadline, key));
        }
    }

    /// When the first of the waits ends that end with the time.
    pub(super) fn until(&self, engine: &Engine) -> Option<Millis> {
        let deadline = self.deadlines.first().map(|&(deadline, _)| deadline);
        let pause = (!self.paused.is_empty()).then(|| engine.waits.pauses.until());
        [deadline, pause, self.deferred.until()].into_iter().flatten().min()
    }

    /// The next blocked request whose time is up, taken from the list.
    pub(super) fn next_due(&mut self, now: Millis) -> Option<(Millis, ConnectionKey)> {
        let due = self.deadlines.first().is_some_and(|&(deadline, _)| deadline <= now);
        if due { self.deadlines.pop_first() } else { None }
    }

    /// The next connection whose request waited for the end of a pause, if it is over.
    pub(super) fn next_paused(&mut self, engine: &Engine, now: Millis) -> Option<ConnectionKey> {
        if self.paused.is_empty() || engine.waits.pauses.until() > now {
            return None;
        }
        self.paused.pop_front()
    }
}
