//! Requests of doors inside the process: words come in as they are, and what a command replies goes
//! straight to the caller, without being encoded and decoded.
//!
//! Only commands on data go this way, and only in a session to which nothing special applies.
//! All others take the path in `execute.rs`, whose replies are bytes: a session that queues,
//! monitors or is silent is rare, and one path through those rules is enough.
//!
//! What is written to an [`Answer`] is written while shards are locked. It must not wait for
//! anything, nor call back.

use std::sync::atomic::Ordering;

use base::{CmdError, Flag, Locks, Reply};
use store::{Failed, Txn};
use wire::RespWriter;

use crate::engine::Engine;
use crate::execute::{Call, Request, remember_broken, scope_of};
use crate::replies::Replies;
use crate::reply_limit::Limited;
use crate::session::Session;
use crate::table::{Action, Entry};
use crate::worker::{Worker, WorkerParts};
use crate::{access, block, prepare, serving};

/// A reply that can be taken back while it is written, because the command failed half-way.
pub trait Answer: Reply {
    /// Forgets everything written so far.
    fn clear(&mut self);
}

/// More words than this may take longer than a moment, whatever the command.
const MOMENT_WORDS: usize = 64;

/// Where the reply to a request is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answered {
    /// In the answer. There may be messages out of band beside it, as bytes.
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
        answer: &mut dyn Answer,
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
        (answer, out): (&mut dyn Answer, &mut Vec<u8>),
        how: &mut Answered,
    ) -> bool {
        let run = match request.entry {
            // Those that need the ordered index may have to wait for it, and find keys by rights.
            Some(Entry { action: Action::Data(run), ordered: false, .. })
                if is_ordinary(self.engine, session) =>
            {
                *run
            }
            _ => return self.execute(session, *request, out),
        };
        let done = self.admit(session, request).and_then(|entry| {
            let run =
                access::sort_in_place_of(self.engine, session, entry, request.argv).unwrap_or(run);
            let limit = self.context.reply_limits.of(session);
            let mut limited = Limited::new(answer, limit);
            let done = self.data(session, (entry, request), run, &mut limited);
            limited.finish();
            done
        });
        if let Err(refusal) = done {
            let mut writer = RespWriter::new(out, session.protocol);
            self.refuse(session, request, &refusal, &mut writer);
            return false;
        }
        if std::mem::take(&mut session.must_wait) {
            self.engine.postpone(session, request.argv);
            return false;
        }
        if session.blocked.is_none() {
            *how = Answered::Direct;
        }
        self.txn.serve(0);
        if self.txn.has_own() {
            out.extend_from_slice(&self.txn.take_own());
        }
        true
    }

    /// As `dispatch` for commands on data.
    fn data(
        &mut self,
        session: &mut Session,
        (entry, request): (&Entry, &Request<'_>),
        run: base::Handler<Txn>,
        answer: &mut dyn Answer,
    ) -> Result<(), CmdError> {
        let WorkerParts { engine, txn, context } = self;
        txn.select(session.db);
        txn.keep_access(session.client.no_touch.load(Ordering::Relaxed));
        txn.serve(session.client.id);
        if engine.store.is_obstructed() && (entry.spec.locks)(request.argv) == Locks::Each {
            return Err(engine.busy());
        }
        prepare::request(engine, txn, &context.config, (entry, request.argv));
        let scope = scope_of(engine, &mut context.plan, entry, request);
        let counters = &*context.counters;
        let call = Call { engine, counters, entry, request, run, reader: None };
        let now = context.now;
        let done = txn.with(&engine.store, scope, |txn| {
            // Asked now that its shards are held: see `pause.rs`.
            if engine.request_flags.now().paused()
                && engine.must_wait(session, (entry, request.argv), now)
            {
                session.must_wait = true;
                return;
            }
            match call.perform(txn, answer) {
                Ok(None) => {}
                Ok(Some(wait)) => block::block(&call, txn, session, *wait),
                Err(failure) => {
                    answer.clear();
                    answer.error_bytes(failure.bytes());
                }
            }
            serving::serve_ready(engine, txn);
        });
        match done {
            Ok(()) if session.must_wait => return Ok(()),
            Ok(()) => {}
            Err(Failed::Busy) => {
                answer.clear();
                return Err(engine.busy());
            }
            Err(failed) => {
                remember_broken(engine, txn, entry, request.argv);
                tracing::error!(command = entry.name(), %failed, "a command panicked");
                answer.clear();
                answer.error_bytes(base::error::INTERNAL.bytes());
            }
        }
        counters.commands[entry.number].calls.add(1);
        serving::serve_gone(engine, txn);
        Ok(())
    }
}

/// Whether nothing applies to a session's requests that only `execute.rs` knows how to do.
#[inline]
fn is_ordinary(engine: &Engine, session: &Session) -> bool {
    let flags = engine.request_flags.now();
    session.multi.is_none()
        && session.replies == Replies::default()
        && session.reader().is_none()
        && !session.tracking.caching
        && !session.monitors
        && !flags.monitored()
        && !flags.all_wait()
}

impl Engine {
    /// Whether this request takes no longer than a moment and, as things stand, waits for nothing.
    #[must_use]
    pub fn is_moment(&self, argv: &[&[u8]]) -> bool {
        let always = self.store.log().policy() == journal::Policy::Always;
        let entry = self.table.find(argv).filter(|entry| entry.quick && argv.len() <= MOMENT_WORDS);
        entry.is_some_and(|entry| {
            matches!(entry.action, Action::Data(_))
                && !entry.has(Flag::Blocking)
                && (!always || !self.persistence.is_journaling())
                && !self.request_flags.now().paused()
        })
    }
}

/// Commands whose effect on the session outlives their reply. `CLIENT` is among them for all of its
/// subcommands that speak of the session itself.
const ABOUT_CONNECTION: &[&str] = &[
    "asking",
    "auth",
    "client|caching",
    "client|getname",
    "client|getredir",
    "client|id",
    "client|info",
    "client|no-evict",
    "client|no-touch",
    "client|reply",
    "client|setinfo",
    "client|setname",
    "client|tracking",
    "client|trackinginfo",
    "discard",
    "exec",
    "hello",
    "monitor",
    "multi",
    "psubscribe",
    "psync",
    "punsubscribe",
    "quit",
    "readonly",
    "readwrite",
    "replconf",
    "reset",
    "select",
    "ssubscribe",
    "subscribe",
    "sunsubscribe",
    "sync",
    "unsubscribe",
    "unwatch",
    "watch",
];

impl Engine {
    /// Whether a request is about the session it comes in: not to be run in one that many share.
    #[must_use]
    pub fn changes_connection(&self, argv: &[&[u8]]) -> bool {
        self.table.find(argv).is_some_and(|entry| match entry.action {
            Action::Control(_) => ABOUT_CONNECTION.binary_search(&entry.name()).is_ok(),
            Action::Data(_) | Action::Container => false,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::ABOUT_CONNECTION;

    #[test]
    fn names_are_commands_and_in_order() {
        let table = crate::command_table().expect("the table is sound");
        assert!(ABOUT_CONNECTION.is_sorted());
        for name in ABOUT_CONNECTION {
            assert!(table.by_name(name.as_bytes()).is_some(), "{name}");
        }
    }
}
