//! How a query runs: here if it is short, else on a thread for queries.
//!
//! ```text
//!   FT.SEARCH ─► here, for as long as a client's thread may be taken ─► answered
//!                  └─► not done: begun anew on a thread for queries, its client waits
//!   in EXEC, in a script ─► here; when it takes long, the thread's other clients get another one
//! ```
//!
//! What it has done in vain until it is begun anew is bounded ([`BRIEF`]).

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use ::search::error::{Error, Result};
use base::{CmdError, Millis, error};
use store::{HeldShards, KeyFilter};
use wire::RespWriter;

use crate::background::thread_pool::PoolWorker;
use crate::background::{Place, QueryWorker, Waiting};
use crate::control::Control;
use crate::engine::Engine;
use crate::execution::query;
use crate::scripts::LONG;

/// So long a query may keep the thread of its client.
const BRIEF: Duration = Duration::from_micros(300);

/// What a query works with, on whichever thread.
pub(super) struct Asking<'a> {
    pub engine: &'a Engine,
    pub held: &'a mut HeldShards,
    pub db: usize,
    pub now: Millis,
    /// The keys that its user may read, if not all.
    pub may_read: Option<KeyFilter>,
    pub pace: Pace<'a>,
}

/// A command's work: reads its words, and answers when everything is done.
pub(super) type Work =
    fn(&mut Asking<'_>, &[&[u8]], &mut RespWriter<'_>) -> std::result::Result<(), CmdError>;

/// The clock of one query.
pub(super) struct Pace<'e> {
    engine: &'e Engine,
    place: Runs<'e>,
    started: Instant,
    /// It fails after so long.
    timeout: Option<Duration>,
    /// It takes longer than it may here.
    is_too_long: bool,
    /// It takes long: the loop of this thread has another thread by now.
    is_long: bool,
}

/// Where a query runs.
#[derive(Clone, Copy)]
enum Runs<'e> {
    /// On the thread of its client, briefly.
    Here,
    /// In a transaction or a script: it cannot be begun anew. The function hands the clients of its
    /// thread over.
    InTransaction(fn(bool)),
    /// On a thread for queries, as long as its client waits.
    Elsewhere(&'e Waiting),
}

/// Runs a query of this command.
///
/// # Errors
/// Those of its work; there is no place among the queries that wait.
pub(super) fn run(
    control: &mut Control<'_>,
    (command, words): (&'static str, &[&[u8]]),
    work: Work,
    out: &mut RespWriter<'_>,
) -> std::result::Result<(), CmdError> {
    let may_read = control.readable(command);
    if control.in_exec {
        control.txn.publish_changes_so_far();
    }
    let place = match control.in_exec {
        true => Runs::InTransaction(control.context.threads.hand_over),
        false => Runs::Here,
    };
    let (db, now) = (control.session.db, control.context.now);
    let (pace, held) = (Pace::new(control.engine, place), &mut control.txn.held);
    let filter = may_read.clone();
    let mut asking = Asking { engine: control.engine, held, db, now, may_read: filter, pace };
    let done = work(&mut asking, words, out);
    let Pace { is_too_long, is_long, .. } = asking.pace;
    control.context.overran |= is_long;
    if is_too_long { run_elsewhere(control, (command, words), may_read, work) } else { done }
}

/// Has a thread for queries run it; the client waits.
fn run_elsewhere(
    control: &mut Control<'_>,
    (command, words): (&'static str, &[&[u8]]),
    may_read: Option<KeyFilter>,
    work: Work,
) -> std::result::Result<(), CmdError> {
    let engine = control.engine.me().ok_or(error::INTERNAL)?;
    let entry = engine.table.find_own(&[command.as_bytes()]).ok_or(error::INTERNAL)?.number;
    let place = Place::take_for_query(&engine.background, control.session)?;
    let most = control.context.reply_limits.of(control.session).bytes;
    let (db, now) = (control.session.db, control.context.now);
    let name = std::iter::once(command.as_bytes());
    let request = (entry, name.chain(words.iter().copied()).map(<[u8]>::to_vec).collect());
    let waiting = Waiting::for_query(&engine.waits.blocked, place, control.session, request);
    let own = Arc::clone(&engine);
    waiting.wait_for_thread(
        &engine.background.queries,
        move |waiting, worker: &mut QueryWorker| {
            let writer = worker.writer.get_or_insert_with(|| PoolWorker::new(&own, 0));
            writer.begin(&own);
            query::answer_by(&own, waiting, most, |waiting, words, out| {
                let pace = Pace::new(&own, Runs::Elsewhere(waiting));
                let held = &mut writer.txn.held;
                let mut asking = Asking { engine: &own, held, db, now, may_read, pace };
                work(&mut asking, words.get(1..).unwrap_or(&[]), out)
            });
        },
    );
    query::begin_thread(&engine);
    Ok(())
}

impl<'e> Pace<'e> {
    fn new(engine: &'e Engine, place: Runs<'e>) -> Self {
        let timeout = engine.config().queries.search_timeout;
        let timeout = (timeout > 0).then(|| Duration::from_millis(timeout));
        let (is_too_long, is_long) = (false, false);
        Pace { engine, place, started: Instant::now(), timeout, is_too_long, is_long }
    }

    /// It has a timeout of its own, in milliseconds: 0 is no limit.
    pub fn limit(&mut self, timeout: Option<u64>) {
        if let Some(millis) = timeout {
            self.timeout = (millis > 0).then(|| Duration::from_millis(millis));
        }
    }

    /// Whether it goes on: asked after some thousand rows.
    ///
    /// # Errors
    /// It has had its time, or its time here; the server ends; its client has gone.
    pub fn check(&mut self) -> Result<()> {
        let took = self.started.elapsed();
        if self.timeout.is_some_and(|most| took > most) {
            return Err(Error::new("Timeout limit was reached"));
        }
        if self.engine.run.stopping.load(Ordering::Acquire) {
            return Err(Error::new("ERR the query was ended: the server is shutting down"));
        }
        match self.place {
            Runs::Here if took >= BRIEF => {
                self.is_too_long = true;
                Err(Error::new("ERR the query is begun anew"))
            }
            Runs::InTransaction(hand_over) if took >= LONG => {
                self.is_long = true;
                hand_over(false);
                Ok(())
            }
            Runs::Elsewhere(waiting) if !waiting.is_wanted() => {
                Err(Error::new("ERR the client has gone"))
            }
            _ => Ok(()),
        }
    }
}
