//! An edit whose turn it is, on a thread for queries: its fork is changed, and installed.
//!
//! ```text
//!   Begin ─► Edit ─► Install ─► Done        Read, if it turns out to change nothing
//!     ▲                 │
//!     └── the key has changed meanwhile; the third time it runs with the shard in hand
//! ```
//!
//! While writes are paused nothing is installed: the edit waits with its fork, which begins anew if
//! the key has changed until then. It waits in the queue of the threads, so that queries that only
//! read have them meanwhile.
//!
//! What its request was granted when it came is asked again when it begins on a thread and when it
//! is installed: rights, a disk that takes writes, memory. What is held for the edit itself does
//! not count then: like any write it is refused for what is there, not for what it adds.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use base::{CmdError, Edit, Edited, Handler, Keyspace, Query, Reply, error};
use journal::wall_clock;
use store::{Failed, Txn};
use wire::RespWriter;

use super::super::{GONE, OfClient, contain};
use super::{Turn, in_place};
use crate::background::thread_pool::PoolWorker;
use crate::background::{BackgroundWorker, PendingEdit, QueryWorker, Waiting};
use crate::client::blocked::{Blocked, QueryEnd};
use crate::client::demands::Demands;
use crate::engine::Engine;
use crate::engine::entry::Entry;
use crate::engine::plan::Plan;
use crate::execution::admission;
use crate::execution::data_command::{Call, Counting};
use crate::execution::propagate;
use crate::execution::query_under_locks::Holder;
use crate::execution::request::Request;
use crate::execution::rights;
use crate::execution::serving;
use crate::execution::settle::Unfinished;

/// How often an edit begins anew before it runs with the shard in hand.
const ROUNDS: usize = 3;
/// How often an edit asks whether a pause is over.
const PAUSE: Duration = Duration::from_millis(2);

/// An edit whose turn it is, as far as it has come.
pub(super) struct AtWork {
    turn: Turn,
    waiting: Waiting,
    most: usize,
    run: Handler<Txn>,
    entry: usize,
    db: usize,
    started: Instant,
    next: Next,
    /// How often it was begun.
    rounds: usize,
    reply: Vec<u8>,
    too_long: bool,
}

impl AtWork {
    pub fn begin(turn: Turn, pending: PendingEdit) -> Self {
        let PendingEdit { waiting, most, edit, run, entry, db } = pending;
        let next = edit.map_or(Next::Begin, Next::Edit);
        let (started, reply) = (Instant::now(), Vec::new());
        let (rounds, too_long) = (0, false);
        AtWork { turn, waiting, most, run, entry, db, started, next, rounds, reply, too_long }
    }

    /// Works at it, and answers its client; or has it go on behind what else the threads have to
    /// do.
    pub fn go_on(mut self, worker: &mut QueryWorker) {
        let engine = Arc::clone(&self.turn.engine);
        let next = std::mem::replace(&mut self.next, Next::Done);
        let (db, most, started, run) = (self.db, self.most, self.started, self.run);
        let Some(entry) = engine.table.entries().get(self.entry) else { return };
        let AtWork { waiting, reply, rounds, .. } = &mut self;
        let Some(blocked) = waiting.blocked().cloned() else { return };
        let words = blocked.words();
        let request = Request { argv: &words, entry: Some(entry), hash: None };
        let call = Call {
            engine: &engine,
            counters: Beside,
            entry,
            request: &request,
            run,
            reader: None,
            edited: None,
        };
        let writer = worker.writer.get_or_insert_with(|| PoolWorker::new(&engine, 0));
        writer.begin(&engine);
        let (done, is_over) = {
            let out = RespWriter::new(reply, waiting.protocol()).within(most);
            let mut beside = OwnThread { call, db, waiting, writer, out, most, started, rounds };
            (beside.all(next), beside.out.is_over())
        };
        self.too_long |= is_over;
        let failure = match done {
            Ok(Next::Done) => None,
            Ok(next) => return AtWork { next, ..self }.rest(&engine),
            Err(failure) => Some(failure),
        };
        self.answer(writer, failure);
    }

    /// Waits for the end of a pause, behind what else the threads have to do. How long is shared
    /// among those that wait so.
    fn rest(self, engine: &Arc<Engine>) {
        let queries = &engine.background.queries;
        let others = u32::try_from(queries.waiting()).unwrap_or(u32::MAX);
        std::thread::sleep(PAUSE / others.saturating_add(1));
        queries.enqueue(Box::new(move |worker: &mut QueryWorker| self.go_on(worker)));
    }

    fn answer(self, writer: &mut BackgroundWorker, failure: Option<CmdError>) {
        let AtWork { waiting, mut reply, started, too_long, turn, .. } = self;
        if let Some(failure) = &failure
            && waiting.is_wanted()
        {
            reply.clear();
            RespWriter::new(&mut reply, waiting.protocol()).error_bytes(failure.bytes());
        }
        if let Some(own) =
            writer.txn.notifications.has_own().then(|| writer.txn.notifications.take_own())
        {
            reply.extend_from_slice(&own);
        }
        writer.txn.notifications.serve(0);
        let failed = failure.is_some();
        waiting.end_query(QueryEnd { reply, took: started.elapsed(), failed, too_long });
        // The next one begins when this is answered.
        drop(turn);
    }
}

/// An edit at work on a thread for queries.
struct OwnThread<'a, 'w> {
    call: Call<'a, Beside>,
    db: usize,
    /// Claimed when it is being installed, or has been: no client ends it any more.
    waiting: &'a mut Waiting,
    writer: &'a mut BackgroundWorker,
    out: RespWriter<'w>,
    most: usize,
    started: Instant,
    rounds: &'a mut usize,
}

/// What is to be done next.
enum Next {
    /// The key changed meanwhile, or is looked at for the first time.
    Begin,
    Edit(Edit),
    Read(Query),
    Install(Edited),
    Done,
}

impl OwnThread<'_, '_> {
    /// Does what there is to be done, however often it begins anew; up to where it is done, or a
    /// pause keeps it from going on.
    fn all(&mut self, mut next: Next) -> Result<Next, CmdError> {
        loop {
            next = match next {
                Next::Begin => match self.locked(None, false)? {
                    Ok(next) => next,
                    Err(_) => return Ok(Next::Begin),
                },
                Next::Edit(edit) => {
                    *self.rounds += 1;
                    self.out.raw().clear();
                    let words = self.call.request.argv;
                    let (mut pace, out) = self.pace();
                    Next::Install(contain(|| edit.run(words, &mut pace, out))?)
                }
                Next::Install(edited) => {
                    let here = *self.rounds >= ROUNDS;
                    match self.locked(Some(edited), here)? {
                        Ok(next) => next,
                        Err(Some(edited)) => return Ok(Next::Install(edited)),
                        Err(None) => return Err(error::INTERNAL),
                    }
                }
                Next::Read(query) => {
                    self.out.raw().clear();
                    let words = self.call.request.argv;
                    let (mut pace, out) = self.pace();
                    contain(|| query.run(words, &mut pace, out))?;
                    return Ok(Next::Done);
                }
                Next::Done => return Ok(Next::Done),
            };
        }
    }

    fn pace(&mut self) -> (OfClient<'_>, &mut dyn Reply) {
        let OwnThread { call, waiting, out, most, started, .. } = self;
        let pace = OfClient {
            engine: call.engine,
            waiting,
            version: None,
            most: *most,
            started: *started,
        };
        (pace, out)
    }

    /// Runs the command under its locks: to begin, or to install. `here`: what it leaves is done
    /// here and now. While clients are paused nothing is done, and what is to be installed comes
    /// back.
    fn locked(
        &mut self,
        edited: Option<Edited>,
        here: bool,
    ) -> Result<Result<Next, Option<Edited>>, CmdError> {
        if !self.waiting.is_wanted() {
            return Err(GONE);
        }
        if self.call.engine.run.stopping.load(Ordering::Acquire) {
            return Err(error::QUERY_STOPPED);
        }
        let slot = RefCell::new(edited);
        let Some(granted) = self.is_granted() else { return Ok(Err(slot.into_inner())) };
        match self.try_locked(&slot, here, granted)? {
            Some(next) => self.let_go_of(next).map(Ok),
            None => Ok(Err(slot.into_inner())),
        }
    }

    /// Begins a transaction, and asks once more, before any shard is held, for what was granted
    /// when the request came. `None` while clients are paused: no room is made then.
    fn is_granted(&mut self) -> Option<Result<(), CmdError>> {
        let Call { engine, entry, request, .. } = self.call;
        let txn = &mut self.writer.txn;
        txn.begin(wall_clock());
        txn.held.wait_for_disk();
        if engine.is_edit_paused((entry, request.argv), txn.now()) {
            return None;
        }
        let demands = Demands::of(engine, entry, request.argv);
        // Nothing is refused for what it has made itself: no write is.
        Some(self.waiting.uncounted(|| admission::grant_now(engine, txn, demands)))
    }

    /// What is not installed after all can be ended from outside again.
    fn let_go_of(&mut self, next: Next) -> Result<Next, CmdError> {
        if matches!(next, Next::Done) {
            return Ok(next);
        }
        self.waiting.release_claim();
        let Some(blocked) = self.waiting.blocked() else { return Err(GONE) };
        let has_gone = blocked.client.state.gone.load(Ordering::Acquire);
        if has_gone { Err(GONE) } else { Ok(next) }
    }

    /// The same unless clients are paused.
    fn try_locked(
        &mut self,
        slot: &base::EditedSlot,
        here: bool,
        granted: Result<(), CmdError>,
    ) -> Result<Option<Next>, CmdError> {
        let OwnThread {
            call: Call { engine, entry, request, run, .. },
            db,
            waiting,
            writer,
            out,
            ..
        } = self;
        let (engine, entry, request, run) = (*engine, *entry, *request, *run);
        let Some(blocked) = waiting.blocked().cloned() else { return Err(GONE) };
        let client = Arc::clone(&blocked.client);
        let txn = &mut writer.txn;
        txn.notifications.serve(client.id);
        let mut plan = Plan::default();
        plan.add(&engine.store, entry.spec, request.argv);
        let broken = |txn: &mut Txn| propagate::keys(engine, txn, entry, request.argv);
        let work = |txn: &mut Txn| {
            let now = txn.now();
            if engine.is_edit_paused((entry, request.argv), now) {
                return Ok(None);
            }
            txn.select(*db);
            rights::may_be_served((engine, now), &client, entry, request.argv)?;
            granted.map_err(|refusal| refused(engine, &blocked, refusal))?;
            let is_installing = slot.borrow().is_some();
            // Who has been told that it has ended finds nothing of it. What begins claims, too: it
            // may take effect in this very call, so its client must not be told meanwhile that it
            // has ended.
            if !waiting.claim() {
                return Err(GONE);
            }
            let edited = is_installing.then_some(slot);
            let call = Call { engine, counters: Beside, entry, request, run, reader: None, edited };
            if !is_installing {
                out.raw().clear();
            }
            let answered = out.raw().len();
            let next = match call.perform(txn, out)? {
                None => {
                    keep_one_answer(out.raw(), if is_installing { answered } else { 0 });
                    Next::Done
                }
                Some(Unfinished::Reads(query)) => Next::Read(query),
                Some(Unfinished::Waits(_)) => return Err(error::INTERNAL),
                Some(Unfinished::Edits(edit)) if here => {
                    out.raw().clear();
                    let since = txn.held.held_since(Instant::now());
                    let ticket = Some(blocked.waiter.ticket);
                    let holder = Holder { client: &client, cancelled: None, since, ticket };
                    in_place(&call, txn, edit, holder, out)?;
                    Next::Done
                }
                Some(Unfinished::Edits(edit)) => Next::Edit(edit),
            };
            serving::serve_ready(engine, txn);
            Ok(Some(next))
        };
        match txn.with_or(&engine.store, plan.scope(), work, broken) {
            Ok(done) => done,
            Err(Failed::Busy) => Err(engine.busy()),
            Err(failed) => {
                let command = entry.name();
                tracing::error!(command, %failed, "an edit panicked and was contained");
                Err(error::INTERNAL)
            }
        }
    }
}

/// Takes off the first bytes of a reply if there are more: the answer to a fork. An edit writes
/// nothing when it is installed; one that begins anew then, and is answered at once as there is
/// nothing to be done any more, has another answer.
fn keep_one_answer(reply: &mut Vec<u8>, first: usize) {
    if reply.len() > first {
        reply.drain(..first);
    }
}

/// Counts the refusal of an edit that had been admitted: it tells of nothing that a crash could
/// take back, so it does not wait for the disk, which may be what refuses.
#[cold]
fn refused(engine: &Engine, blocked: &Blocked, refusal: CmdError) -> CmdError {
    engine.metrics.stats.error(refusal.code());
    blocked.end_at_once();
    refusal
}

impl Engine {
    /// Whether a pause holds what is about to be installed.
    fn is_edit_paused(&self, request: (&Entry, &[&[u8]]), now: base::Millis) -> bool {
        self.run.request_flags.now().paused()
            && self.is_paused(now)
            && (self.run.request_flags.now().all_wait()
                || Demands::of(self, request.0, request.1).may_change())
    }
}

/// Counts for an edit that runs beside others: how it has ended is counted by the client's thread.
#[derive(Clone, Copy)]
struct Beside;

impl Counting for Beside {
    const SERVED: bool = false;
}
