//! `CLIENT PAUSE`: requests wait until a time is reached, or until `CLIENT UNPAUSE`.
//!
//! A request that must wait is kept whole in its session (`Session::wait`); what comes
//! behind it is not even decoded. When the pause is over it is checked anew and runs first, so the
//! requests of a client run in their order. There is no polling: the worker that owns the
//! connection waits until `Pauses::until`, and `UNPAUSE` posts a message to every client that
//! waits.
//!
//! ```text
//!   request ─► admit ─► waits? ──yes──► postponed ─► time is up, or Message::Resume ─┐
//!                ▲                                                                   │
//!                └───────────────────────────────────────────────────────────────────┘
//! ```
//!
//! While clients are paused the dataset stands still: keys past their deadline are missing to
//! readers, but stay (`store::Store::stand_still`). `PAUSE` holds every shard while it says so, and
//! requests on data ask while they hold theirs; so once `PAUSE` has answered, nothing changes.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use base::Millis;

use crate::client::demands::Demands;
use crate::client::pauses::Pause;
use crate::client::session::Session;
use crate::client::transaction::Multi;
use crate::client::{Message, words_memory};
use crate::engine::Engine;
use crate::engine::entry::Entry;
use crate::execution::multi;

impl Engine {
    /// Whether clients are paused at time `now`: nothing may be deleted by itself then. Ends a
    /// pause whose time is up.
    #[must_use]
    pub fn is_paused(&self, now: Millis) -> bool {
        match self.waits.pauses.until() {
            0 => false,
            until if until > now => true,
            _ => {
                let mut state = self.waits.pauses.state.lock();
                // Another pause may have begun meanwhile.
                if state.until <= now {
                    self.set_pause(&mut state, Pause::default());
                }
                state.until > now
            }
        }
    }

    /// Begins a pause, or prolongs and widens the one there is: it never gets shorter. Call while
    /// holding every shard, so that no request is half-way.
    pub(crate) fn pause(&self, now: Millis, until: Millis, all: bool) {
        if until <= now {
            return;
        }
        let mut state = self.waits.pauses.state.lock();
        let old = if state.until > now { std::mem::take(&mut *state) } else { Pause::default() };
        let pause = Pause { until: until.max(old.until), all: all || old.all };
        self.set_pause(&mut state, pause);
    }

    /// Ends the pause: clients that wait are told.
    pub fn unpause(&self) {
        let mut state = self.waits.pauses.state.lock();
        self.set_pause(&mut state, Pause::default());
        drop(state);
        for client in self.waits.pauses.all_waiting() {
            client.mailbox.post(client.id, Message::Resume);
        }
    }

    fn set_pause(&self, state: &mut Pause, pause: Pause) {
        *state = pause;
        self.waits.pauses.until.store(state.until, Ordering::Release);
        self.store.stand_still(state.until);
        self.run.request_flags.set_waiting(state.until > 0, state.all);
    }

    /// Whether a pause holds a request. Only asked where the byte says that there is a pause.
    #[cold]
    pub(crate) fn is_paused_for(
        &self,
        session: &Session,
        (entry, argv): (&Entry, &[&[u8]]),
        now: Millis,
    ) -> bool {
        // A client that monitors sends nothing that changes anything.
        if session.listens.monitors || !self.is_paused(now) {
            return false;
        }
        let transaction = session.transaction.multi.as_ref().filter(|_| multi::executes(entry));
        self.run.request_flags.now().all_wait()
            || Demands::of(self, entry, argv).may_change()
            || transaction.is_some_and(|multi| multi.demands().may_change())
    }

    /// The same of an `EXEC` that has taken its commands up.
    #[cold]
    pub(crate) fn is_transaction_paused(
        &self,
        session: &Session,
        multi: &Multi,
        now: Millis,
    ) -> bool {
        !session.listens.monitors
            && self.is_paused(now)
            && (self.run.request_flags.now().all_wait() || multi.demands().may_change())
    }

    /// The same of a script that holds its shards.
    #[cold]
    pub(crate) fn is_script_paused(&self, session: &Session, reads: bool, now: Millis) -> bool {
        !session.listens.monitors
            && self.is_paused(now)
            && (self.run.request_flags.now().all_wait() || !reads)
    }

    /// Keeps a request that has to wait.
    #[cold]
    pub(crate) fn postpone(&self, session: &mut Session, argv: &[&[u8]]) {
        session.wait.words = Some(argv.iter().map(|word| word.to_vec()).collect());
        session.client.bytes.waiting.store(words_memory(argv), Ordering::Relaxed);
        if session.wait.gives_way || session.wait.goes_aside {
            return;
        }
        session.client.state.paused.store(true, Ordering::Relaxed);
        let mut waiting = self.waits.pauses.waiting.lock();
        waiting.insert(session.client.id, Arc::clone(&session.client));
        drop(waiting);
        // The thread that ended the pause, or built the index, before this client was in the
        // register has not told it.
        if self.resumes_at(session) == 0 {
            session.client.mailbox.post(session.client.id, Message::Resume);
        }
    }

    /// The request that waited, to be checked anew.
    pub(crate) fn resumed(&self, session: &mut Session) -> Option<Vec<Vec<u8>>> {
        let words = std::mem::take(session.wait.words.as_mut()?);
        self.forget_postponed(session);
        Some(words)
    }

    /// The session waits no longer; its client may be gone.
    pub(crate) fn forget_postponed(&self, session: &mut Session) {
        if session.wait.words.take().is_some() {
            session.client.bytes.waiting.store(0, Ordering::Relaxed);
        }
        (session.wait.gives_way, session.wait.awaits_index) = (false, false);
        session.wait.goes_aside = false;
        if session.client.state.paused.swap(false, Ordering::Relaxed) {
            self.waits.pauses.waiting.lock().remove(&session.client.id);
        }
    }
}
