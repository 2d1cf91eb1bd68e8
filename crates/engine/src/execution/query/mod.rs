//! Queries: what is left of a command when it has taken a version of a value.
//!
//! ```text
//!   a request ─► under its locks: a version ─► its client waits ─► queue ─► a thread: the reply
//!   EXEC, a script ─► under its locks: a version, and the reply
//! ```
//!
//! The client waits as for a key: `CLIENT UNBLOCK` ends it, what it has sent behind stays behind,
//! and when it goes nothing is done for it any more. A query that has begun is told when it next
//! asks ([`Pace`]). What it has written and holds counts as its client's memory meanwhile.
//!
//! Threads for queries (`query-threads`) have a lower priority than those that serve clients. In
//! `EXEC`, in scripts, and where a blocked request is served, the work is done in place
//! (`execution/query_under_locks.rs`). What a statement may take (`QueryBounds`) the directives
//! say; a transaction has it for the command, and the `Pace` for what runs. Under `appendfsync
//! always` the reply waits for what the version has seen, and for nothing later. Queries that wait
//! or run are in the register of blocked requests, those in a transaction in that of scripts:
//! `GRAPH.INFO` and `GRAPH.KILL` look there. The words of a request are handed over where the rest
//! of it runs; long ones are copied once, before locks are taken (`execution/prepare.rs`).

pub(crate) mod edit;
pub(crate) mod import_folder;

use std::io::Read;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use base::{CmdError, Pace, Query, QueryBounds, Reply, Versions, error};
use wire::RespWriter;

use crate::background::thread_pool::PoolWorker;
use crate::background::{Place, QueryWorker, Waiting};
use crate::client::blocked::QueryEnd;
use crate::client::reply_limit::ReplyLimit;
use crate::client::session::Session;
use crate::engine::Engine;
use crate::engine::entry::Entry;
use crate::execution::data_command::{Call, Counting};
use crate::execution::prepare::own_words;
use crate::execution::query_under_locks::go_on;

/// What ends a query in a script that runs once more from its beginning, or is killed: the script
/// learns by itself why.
pub(crate) const BEGUN_ANEW: CmdError = CmdError::new("ERR the script is being killed");

/// Its client is answered nothing.
const GONE: CmdError = CmdError::new("ERR the client has gone");

/// Has a query run on a thread for queries; its client waits for it. Runs under the locks of the
/// request's keys, which nothing waits for here: [`begin_thread`] follows when they have been given
/// back. The words of the request are copied here unless they come along. Where too many requests
/// wait for other threads already, that is answered.
#[cold]
pub(crate) fn begin<T: Counting>(
    call: &Call<'_, T>,
    session: &mut Session,
    limit: ReplyLimit,
    query: (Query, Option<Vec<Vec<u8>>>),
    out: &mut dyn Reply,
) {
    answer_refusal(call, send(call, session, limit, query), out);
}

/// Answers a request whose query or edit was refused a place.
fn answer_refusal<T: Counting>(
    call: &Call<'_, T>,
    sent: Result<(), CmdError>,
    out: &mut dyn Reply,
) {
    if let Err(failure) = sent {
        call.counters.failed(call.engine, call.entry, &failure);
        out.error_bytes(failure.bytes());
    }
}

fn send<T>(
    call: &Call<'_, T>,
    session: &mut Session,
    limit: ReplyLimit,
    (query, words): (Query, Option<Vec<Vec<u8>>>),
) -> Result<(), CmdError> {
    let &Call { engine, entry, request, .. } = call;
    let place = Place::take_for_query(&engine.background, session)?;
    let Some(own) = engine.me() else { return Err(error::INTERNAL) };
    if session.tracking.mode.on {
        let mut positions = Vec::new();
        // They were found when the request was planned.
        let _ = entry.spec.key_positions(request.argv, &mut positions);
        let keys = positions.into_iter().map(|at| Box::from(request.argv[at]));
        session.client.tracking.query.begin(keys);
    }
    let words = words.unwrap_or_else(|| own_words(request.argv));
    let request = (entry.number, words);
    let waiting = Waiting::for_query(&engine.waits.blocked, place, session, request);
    let queries = &engine.background.queries;
    waiting.wait_for_thread(queries, move |waiting, _: &mut QueryWorker| {
        answer(&own, waiting, limit.bytes, query);
    });
    Ok(())
}

/// Begins the thread that a query may need which has just begun to wait. Nothing is held any more.
#[cold]
pub(crate) fn begin_thread(engine: &Engine) {
    engine.background.queries.begin_thread(&engine.store.versions);
}

/// Runs a query whose client waits, and answers it.
fn answer(engine: &Engine, waiting: Waiting, most: usize, query: Query) {
    let started = Instant::now();
    engine.store.versions.begin_to_read(query.version());
    let version = Some(query.version().number());
    answer_by(engine, waiting, most, |waiting, words, out| {
        let mut pace = OfClient { engine, waiting, version, most, started };
        query.run(words, &mut pace, out)
    });
}

/// Answers a client that waits by some work, which has the words of the request; its reply may have
/// so many bytes. A panic goes no further.
pub(crate) fn answer_by(
    engine: &Engine,
    mut waiting: Waiting,
    most: usize,
    work: impl FnOnce(&mut Waiting, &[&[u8]], &mut RespWriter<'_>) -> Result<(), CmdError>,
) {
    let (mut reply, started) = (Vec::new(), Instant::now());
    let mut writer = RespWriter::new(&mut reply, waiting.protocol()).within(most);
    let Some(blocked) = waiting.blocked().cloned() else { return };
    let words = blocked.words();
    let done = contain(|| work(&mut waiting, &words, &mut writer));
    let too_long = writer.is_over();
    if let Err(failure) = &done
        && waiting.is_wanted()
    {
        engine.metrics.stats.error(failure.code());
        reply.clear();
        RespWriter::new(&mut reply, waiting.protocol()).error_bytes(failure.bytes());
    }
    let failed = done.is_err();
    let ended = QueryEnd { reply, took: started.elapsed(), failed, too_long };
    waiting.end_query(ended);
}

/// Runs a query where its command has run, in a transaction or a script that holds its shards. What
/// its version shares with the value, which is all of it, has not changed meanwhile.
///
/// # Errors
/// What to answer instead of what was written.
#[cold]
pub(crate) fn in_place(
    engine: &Engine,
    counters: impl Counting,
    (entry, words): (&Entry, &[&[u8]]),
    query: Query,
    pace: &mut dyn Pace,
    out: &mut dyn Reply,
) -> Result<(), CmdError> {
    let version = query.version().number();
    let done = contained(query, words, pace, out);
    // At once, as the next command here may write: nothing is left to others that this one shared.
    drop(engine.store.versions.take_ended_one(version));
    if let Err(failure) = &done
        && *failure != BEGUN_ANEW
    {
        counters.failed(engine, entry, failure);
    }
    done
}

/// Runs a query; a panic goes no further.
fn contained(
    query: Query,
    words: &[&[u8]],
    pace: &mut dyn Pace,
    out: &mut dyn Reply,
) -> Result<(), CmdError> {
    contain(|| query.run(words, pace, out))
}

/// Runs what is left of a command; a panic goes no further.
fn contain<R>(work: impl FnOnce() -> Result<R, CmdError>) -> Result<R, CmdError> {
    // What it has broken is its own: a version does not change, and a fork is of one writer.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        tracing::error!("a query panicked and was contained");
        Err(error::INTERNAL)
    })
}

/// The pace of a query whose client waits.
struct OfClient<'a> {
    pub engine: &'a Engine,
    pub waiting: &'a mut Waiting,
    /// What it reads, unless it changes a fork.
    pub version: Option<u64>,
    /// Bytes that the reply may have.
    pub most: usize,
    pub started: Instant,
}

impl Pace for OfClient<'_> {
    fn go_on(&mut self, out: &dyn Reply, holds: usize) -> Result<(), CmdError> {
        if !self.waiting.is_wanted() {
            return Err(GONE);
        }
        self.waiting.holds(holds.saturating_add(self.most.saturating_sub(out.room())));
        if self.version.is_some_and(|number| self.engine.store.versions.gives_up(number)) {
            return Err(error::QUERY_GIVEN_UP);
        }
        go_on(self.engine, out)
    }

    fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    fn bounds(&self) -> QueryBounds {
        self.engine.config().queries.bounds()
    }

    fn open(&self, path: &str) -> Result<Box<dyn Read>, CmdError> {
        import_folder::open(self.engine.config().queries.graph_import_folder.as_deref(), path)
    }
}

/// What a thread for queries needs is in each query; it frees the versions that have ended.
impl PoolWorker for QueryWorker {
    type Shared = Versions;

    /// What is short is not to wait until these have used their time up.
    fn thread_begins() {
        journal::let_others_go_first(journal::A_CLIENT_WAITS);
    }

    fn new(versions: &Arc<Versions>, _: u64) -> Self {
        QueryWorker { versions: Arc::clone(versions), writer: None }
    }

    /// It has copied none: what uses its writer has that take them.
    fn begin(&mut self, _: &Arc<Versions>) {}

    fn end(&mut self) {
        drop(self.versions.take_ended());
        if let Some(writer) = &mut self.writer {
            writer.end();
        }
    }
}
