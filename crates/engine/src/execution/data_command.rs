//! How a command on data runs: one way for all that run one.
//!
//! ```text
//!   a request        a request with      EXEC         a script      a blocked request
//!   (execute.rs)     words (answer.rs)   (multi.rs)   (caller.rs)   that is fed (serving.rs)
//!        └──────┬──────────┘                └─────────────┼─────────────┘
//!           run_data: locks, the pause,               run_held: locks are held,
//!           blocking, serving others                  a panic goes no further
//!               └──────────────► perform ◄────────────────┘
//!                     run, settle, count, note who has read
//! ```
//!
//! Whether a command may run is asked before, where the request came in: the questions differ, the
//! way it runs does not. What is read back from a journal or a file is none of this: it runs its
//! commands without rights, clients and effects.

use base::{Args, CmdError, EditedSlot, Flag, Handler, Locks, Reply, error};
use store::{Failed, Scope, Txn};
use wire::RespWriter;

use super::direct_reply::DirectReply;
use super::reply_limit::Limited;
use crate::client::ClientId;
use crate::client::session::Session;
use crate::engine::Engine;
use crate::engine::entry::Entry;
use crate::engine::plan::Plan;
use crate::engine::worker::WorkerParts;
use crate::execution::block;
use crate::execution::prepare;
use crate::execution::propagate;
use crate::execution::query::{self, edit};
use crate::execution::request::Request;
use crate::execution::rights;
use crate::execution::serving;
use crate::execution::settle::{Unfinished, settle};
use crate::metrics::stats::Counters;

/// A data command about to run.
pub(crate) struct Call<'a, T> {
    pub engine: &'a Engine,
    /// Where it is counted.
    pub counters: T,
    pub entry: &'a Entry,
    pub request: &'a Request<'a>,
    pub run: Handler<Txn>,
    /// The client whose reads of its keys are tracked.
    pub reader: Option<ClientId>,
    /// What it is to install, when it has changed a fork.
    pub edited: Option<&'a EditedSlot>,
}

/// Where it is counted what a command did: by default in the counters of all threads.
pub(crate) trait Counting: Copy {
    /// It was blocked before, and is served now: its lookups were counted then.
    const SERVED: bool;

    /// It has changed something.
    fn changed(self, engine: &Engine) {
        engine.metrics.stats.changed_by_served();
    }

    /// It has failed.
    fn failed(self, engine: &Engine, _entry: &Entry, failure: &CmdError) {
        engine.metrics.stats.error(failure.code());
    }

    /// It has panicked.
    fn broke(self, engine: &Engine) {
        engine.metrics.stats.changed_by_served();
    }
}

/// The thread's own counters.
impl Counting for &Counters {
    const SERVED: bool = false;

    #[inline]
    fn changed(self, _: &Engine) {
        self.changes.add(1);
    }

    fn failed(self, engine: &Engine, entry: &Entry, failure: &CmdError) {
        engine.metrics.stats.error(failure.code());
        self.commands[entry.number].failed.add(1);
        self.errors.add(1);
    }

    fn broke(self, _: &Engine) {}
}

/// The counters of all threads: a blocked request is served by whichever fed it.
#[derive(Clone, Copy)]
pub(crate) struct Served;

impl Counting for Served {
    const SERVED: bool = true;
}

/// Where a reply is written, and can be taken back from.
pub(crate) trait Retractable {
    /// Where it is written.
    fn reply(&mut self) -> &mut dyn Reply;

    /// Forgets what was written.
    fn retract(&mut self);
}

/// A reply among the bytes of others.
pub(crate) struct Encoded<'a, 'w> {
    writer: &'a mut RespWriter<'w>,
    mark: usize,
}

impl<'a, 'w> Encoded<'a, 'w> {
    /// It begins here.
    pub fn new(writer: &'a mut RespWriter<'w>) -> Self {
        let mark = writer.raw().len();
        Encoded { writer, mark }
    }
}

impl Retractable for Encoded<'_, '_> {
    #[inline]
    fn reply(&mut self) -> &mut dyn Reply {
        self.writer
    }

    fn retract(&mut self) {
        self.writer.raw().truncate(self.mark);
    }
}

impl Retractable for Limited<'_> {
    #[inline]
    fn reply(&mut self) -> &mut dyn Reply {
        self
    }

    fn retract(&mut self) {
        self.clear();
    }
}

impl<'a, T: Counting> Call<'a, T> {
    /// The call of a request of `session`, whose command runs by `own` unless its user's rights
    /// have something else run in its place.
    #[inline]
    pub fn new(
        engine: &'a Engine,
        txn: &mut Txn,
        counters: T,
        session: &mut Session,
        entry: &'a Entry,
        request: &'a Request<'a>,
        own: Handler<Txn>,
    ) -> Self {
        if entry.facts.ordered {
            rights::limit_keys(engine, txn, session, entry);
        }
        let run = rights::sort_in_place_of(engine, session, entry, request.argv).unwrap_or(own);
        Call { engine, counters, entry, request, run, reader: session.reader(), edited: None }
    }

    /// Runs under locks that are held for more than this command; a panic goes no further.
    /// What is left of it if the request would block, or reads for long; nothing is written then.
    ///
    /// # Errors
    /// What to answer instead of what was written.
    pub fn run_held(
        &self,
        txn: &mut Txn,
        out: &mut dyn Reply,
    ) -> Result<Option<Unfinished>, CmdError> {
        let done = txn.contain(|txn| self.perform(txn, out));
        done.unwrap_or_else(|failed| {
            propagate::keys(self.engine, txn, self.entry, self.request.argv);
            self.counters.broke(self.engine);
            Err(broke(self.entry, &failed))
        })
    }

    /// Runs under the locks and sends the notifications of what has changed. What is left of it if
    /// the request blocks, or reads for long; nothing is written then.
    ///
    /// # Errors
    /// What to answer instead of what was written.
    #[inline]
    pub fn perform(
        &self,
        txn: &mut Txn,
        out: &mut dyn Reply,
    ) -> Result<Option<Unfinished>, CmdError> {
        let Call { engine, counters, entry, request, .. } = *self;
        let hasher = engine.store.hasher();
        let mut args = Args::new(request.argv, entry.naming.words, request.hash, hasher);
        if let Some(edited) = self.edited {
            args = args.installing(edited);
        } else if T::SERVED {
            args = args.woken();
        } else {
            txn.lookups.count(entry.has(Flag::ReadOnly), entry.facts.tells_misses);
        }
        let done = (self.run)(txn, args, out);
        if !T::SERVED && self.edited.is_none() {
            txn.lookups.count(false, false);
        }
        let (changed, outcome) = settle(engine, txn, (entry, request.argv, request.hash), done);
        if changed {
            counters.changed(engine);
        }
        if let Err(failure) = &outcome {
            counters.failed(engine, entry, failure);
        }
        if let Some(reader) = self.reader
            && entry.has(Flag::ReadOnly)
        {
            propagate::note_reader(engine, txn, (entry, request.argv), reader);
        }
        outcome
    }
}

impl WorkerParts<'_> {
    /// Locks what a request needs and runs it. It has not run if the session must wait then.
    ///
    /// # Errors
    /// The shards are not to be had: nothing was done.
    #[inline]
    pub(crate) fn run_data(
        &mut self,
        session: &mut Session,
        entry: &Entry,
        request: &Request<'_>,
        own: Handler<Txn>,
        out: &mut impl Retractable,
    ) -> Result<(), CmdError> {
        let WorkerParts { engine, txn, context } = self;
        if engine.store.locks.is_obstructed()
            && (entry.spec.behaviour.cost.locks)(request.argv) == Locks::Each
        {
            // It would get half through the keyspace.
            return Err(engine.busy());
        }
        if entry.facts.ordered && engine.must_wait_for_index(txn, session.db) {
            (session.wait.postponed, session.wait.awaits_index) = (true, true);
            return Ok(());
        }
        prepare::request(engine, txn, &context.config, (entry, request.argv));
        let call = Call::new(engine, txn, &*context.counters, session, entry, request, own);
        let (scope, now) = (scope_of(engine, &mut context.plan, entry, request), context.now);
        // Whatever a command did before it broke is what the journal must bring back.
        let broken = |txn: &mut Txn| propagate::keys(engine, txn, entry, request.argv);
        let (mut reads, words) = (false, prepare::long_words(entry, request.argv));
        let work = |txn: &mut Txn| {
            // Asked again now that its shards are held: see `pause.rs`.
            if engine.run.request_flags.now().paused()
                && engine.is_paused_for(session, (entry, request.argv), now)
            {
                session.wait.postponed = true;
                return;
            }
            match call.perform(txn, out.reply()) {
                Ok(None) => {}
                Ok(Some(Unfinished::Waits(wait))) => block::block(&call, txn, session, *wait),
                Ok(Some(Unfinished::Reads(query))) => {
                    let limit = context.reply_limits.of(session);
                    reads = true;
                    query::begin(&call, session, limit, (query, words), out.reply());
                }
                Ok(Some(Unfinished::Edits(edit))) => {
                    let limit = context.reply_limits.of(session);
                    reads = true;
                    edit::begin(&call, session, limit, (edit, words), out.reply());
                }
                Err(failure) => {
                    out.retract();
                    out.reply().error_bytes(failure.bytes());
                }
            }
            serving::serve_ready(engine, txn);
        };
        let done = txn.with_or(&engine.store, scope, work, broken);
        if reads {
            query::begin_thread(engine);
        }
        match done {
            Ok(()) => {}
            Err(Failed::Busy) => {
                // What was written is taken back with it.
                out.retract();
                return Err(engine.busy());
            }
            Err(failed) => {
                out.retract();
                out.reply().error_bytes(broke(entry, &failed).bytes());
            }
        }
        Ok(())
    }
}

/// The shards of a request: one in the common case, else by search through its arguments.
#[inline]
fn scope_of<'s>(
    engine: &Engine,
    plan: &'s mut Plan,
    entry: &Entry,
    request: &Request<'_>,
) -> Scope<'s> {
    if entry.facts.one_key {
        let hash = request.hash.unwrap_or_else(|| engine.store.hasher().hash(request.argv[1]));
        return Scope::One(engine.store.shard_of(hash));
    }
    plan.clear();
    plan.add(&engine.store, entry.spec, request.argv);
    plan.scope()
}

/// What is answered for a command that has panicked.
#[cold]
fn broke(entry: &Entry, why: &Failed) -> CmdError {
    tracing::error!(command = entry.name(), %why, "a command panicked and was contained");
    error::INTERNAL
}
