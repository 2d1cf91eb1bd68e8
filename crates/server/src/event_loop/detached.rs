//! Connections whose thread has handed over the loop: what comes for one meanwhile waits here.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use config::Overflow;
use engine::Message;

use super::job::Job;
use crate::connection::{self, PendingOutput, ThreadState};
use crate::slab::ConnectionKey;

/// How soon a thread that could not be started is tried again.
const RETRY: Duration = Duration::from_secs(1);

/// A connection that another thread owns, and what has arrived for it meanwhile.
struct DetachedConnection {
    key: ConnectionKey,
    jobs: Vec<Job>,
    /// Bytes of messages among them.
    bytes: usize,
}

/// The connection that would be detached, and those that are.
#[derive(Default)]
pub(super) struct DetachedConnections {
    /// The connection whose turn it is, or was.
    pub(super) in_turn: Option<ConnectionKey>,
    /// Connections that other threads own.
    away: Vec<DetachedConnection>,
    /// What was kept for connections that have returned.
    late: VecDeque<(ConnectionKey, Job)>,
    /// No thread could be started; when that is tried again.
    retry_at: Option<Instant>,
}

impl DetachedConnections {
    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.away.is_empty()
    }

    /// Whether it is too soon to try again to start a thread.
    pub(super) fn is_resting(&self) -> bool {
        self.retry_at.is_some_and(|at| Instant::now() < at)
    }

    /// No thread could be started.
    pub(super) fn rest(&mut self) {
        self.retry_at = Some(Instant::now() + RETRY);
    }

    /// The connection whose turn it is stays with its thread.
    pub(super) fn detach(&mut self) {
        let detached = |key| DetachedConnection { key, jobs: Vec::new(), bytes: 0 };
        self.away.extend(self.in_turn.map(detached));
    }

    /// Keeps an event or a message for a detached connection; drops it if the connection is closed.
    #[cold]
    pub(super) fn keep(&mut self, thread: &ThreadState, key: ConnectionKey, job: Job) {
        let Some(detached) = self.away.iter_mut().find(|detached| detached.key == key) else {
            return;
        };
        if let Job::Message(Message::Push(bytes)) = &job {
            detached.bytes += bytes.len();
            let waiting =
                PendingOutput { kept: detached.bytes, pushed: detached.bytes, subscriber: true };
            if matches!(connection::output_limit(waiting, None, thread), Overflow::Close) {
                // More than may wait to be sent to it: it is closed when it comes back.
                detached.jobs.clear();
                detached.jobs.push(Job::Message(Message::Kill));
                return;
            }
        }
        // However often its client sends something, it is read once.
        let known = detached.jobs.iter_mut().find_map(|known| match known {
            Job::Event(seen) => Some(seen),
            _ => None,
        });
        match (job, known) {
            (Job::Event(more), Some(seen)) => seen.add(more),
            (job, _) => detached.jobs.push(job),
        }
    }

    /// A connection is back; what has come for it meanwhile is the next that is done.
    pub(super) fn reattach(&mut self, key: ConnectionKey) {
        if let Some(at) = self.away.iter().position(|detached| detached.key == key) {
            let jobs = self.away.swap_remove(at).jobs.into_iter().chain([Job::Flush]);
            self.late.extend(jobs.map(|job| (key, job)));
        }
    }

    /// The next that was kept for a connection that has returned.
    pub(super) fn next_late(&mut self) -> Option<(ConnectionKey, Job)> {
        self.late.pop_front()
    }
}
