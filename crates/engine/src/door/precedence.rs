//! Which clients get a message: those whose subscription was sent before it, on whichever thread.
//!
//! Clients subscribe over one connection and publish over another without waiting for the reply to
//! the first, and so do the programs they tell: with one thread that works, as requests are served
//! in the order they come. Here the two connections may belong to different threads, and the one
//! with the subscription may be late. So a request that tells subscribers something is postponed,
//! as in a pause (`execution/pause.rs`), until the other threads have served what came before it.
//! Which they have is known to the door whose threads they are; the engine asks it once for all
//! requests that were read at a time (`Session::terms`).
//!
//! ```text
//!   PUBLISH ─► in order? ──no──► is a thread behind? ──yes──► postponed ─► the door resumes it ─┐
//!                 │ ▲                    │ no                                                   │
//!                 ▼ └────────────────────┴──────────────────────────────────────────────────────┘
//!               runs
//! ```
//!
//! A script is only known to publish when it does: the first time it is taken back, and from then
//! on it waits before it begins. Keyspace events do not wait: they would hold up every write.
//!
//! It waits 100 ms for them at most, so that none that is in something long holds it up.

use crate::client::session::Session;
use crate::engine::context::Control;
use crate::engine::worker::{Worker, WorkerContext};

impl Worker {
    /// The same worker, which asks `others_first` whether another thread has yet to serve requests
    /// that came before those it has just read. If so, a request that tells subscribers something
    /// is postponed, and [`Session::lets_others_first`]: the door resumes it.
    #[must_use]
    pub fn give_way(mut self, others_first: fn() -> bool) -> Self {
        self.context.threads.others_first = others_first;
        self
    }
}

impl WorkerContext {
    /// Whether a request that tells subscribers something must be postponed.
    pub(crate) fn must_give_way(&self, session: &mut Session) -> bool {
        if !session.terms.in_order {
            if (self.threads.others_first)() {
                (session.wait.gives_way, session.wait.postponed) = (true, true);
                return true;
            }
            session.terms.in_order = true;
        }
        false
    }
}

impl Control<'_> {
    /// The same of the request that runs: one inside `EXEC` runs now, as all of it does.
    pub(crate) fn must_give_way(&mut self) -> bool {
        !self.in_exec && self.context.must_give_way(self.session)
    }
}
