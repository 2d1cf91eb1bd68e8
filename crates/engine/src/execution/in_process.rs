//! Requests of doors inside the process: words come in as they are, and what a command replies goes
//! straight to the caller, without being encoded and decoded.
//!
//! Only commands on data go this way, and only in a session to which nothing special applies.
//! All others take the path in `execute.rs`, whose replies are bytes: a session that queues,
//! monitors or is silent is rare, and one path through those rules is enough.

use base::Property;
use wire::RespWriter;

use super::direct_reply::DirectReply;
use super::reply_limit::Limited;
use super::request::Request;
use crate::client::replies::Replies;
use crate::client::session::Session;
use crate::engine::Engine;
use crate::engine::entry::{Action, Entry, Facts};
use crate::engine::worker::{Worker, WorkerParts};

/// Where the reply to a request is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answered {
    /// In the direct reply. There may be messages out of band beside it, as bytes.
    Direct,
    /// Among the bytes, unless the session is blocked, paused or silent.
    Encoded,
}

impl Worker {
    /// Runs one request of `session`. Its reply goes to `answer`, or as bytes to `out`, to which
    /// messages out of band go in any case. `answer` must be empty and speak the session's
    /// protocol. Call [`Worker::begin`] before.
    pub fn answer(
        &mut self,
        session: &mut Session,
        argv: &[&[u8]],
        answer: &mut dyn DirectReply,
        out: &mut Vec<u8>,
    ) -> Answered {
        let mut how = Answered::Encoded;
        self.one(session, argv, |worker, session, request| {
            worker.answer(session, request, (answer, out), &mut how)
        });
        how
    }
}

impl WorkerParts<'_> {
    /// Whether the request ran.
    fn answer(
        &mut self,
        session: &mut Session,
        request: &Request<'_>,
        (answer, out): (&mut dyn DirectReply, &mut Vec<u8>),
        how: &mut Answered,
    ) -> bool {
        let run = match request.entry {
            // Those that need the ordered index may have to wait for it, and find keys by rights.
            Some(Entry {
                action: Action::Data(run), facts: Facts { ordered: false, .. }, ..
            }) if is_ordinary(self.engine, session) => *run,
            _ => return self.execute(session, *request, out),
        };
        let done = self.admit(session, request).and_then(|entry| {
            let limit = self.context.reply_limits.of(session);
            let mut limited = Limited::new(answer, limit);
            self.enter(session);
            let done = self.run_data(session, entry, request, run, &mut limited);
            limited.finish();
            if done.is_ok() && !session.wait.postponed {
                self.has_run(entry);
            }
            done
        });
        if let Err(refusal) = done {
            let mut writer = RespWriter::new(out, session.protocol);
            self.refuse(session, request, &refusal, &mut writer);
            return false;
        }
        if std::mem::take(&mut session.wait.postponed) {
            self.engine.postpone(session, request.argv);
            return false;
        }
        if session.blocked.is_none() {
            *how = Answered::Direct;
        }
        self.txn.notifications.serve(0);
        if self.txn.notifications.has_own() {
            out.extend_from_slice(&self.txn.notifications.take_own());
        }
        true
    }
}

/// Whether nothing applies to a session's requests that only `execute.rs` knows how to do.
#[inline]
fn is_ordinary(engine: &Engine, session: &Session) -> bool {
    let flags = engine.run.request_flags.now();
    session.transaction.multi.is_none()
        && session.replies == Replies::default()
        && session.reader().is_none()
        && !session.tracking.caching
        && !session.listens.monitors
        && !flags.monitored()
        && !flags.all_wait()
}

impl Engine {
    /// Whether a request is about the session it comes in: not to be run in one that many share.
    #[must_use]
    pub fn changes_connection(&self, argv: &[&[u8]]) -> bool {
        self.table.find(argv).is_some_and(|entry| entry.is(Property::OfSession))
    }
}
