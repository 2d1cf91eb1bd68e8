//! Transactions: `MULTI` queues, `EXEC` runs all of it under one set of locks, `WATCH` makes it
//! depend on keys not having changed.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use base::{CmdError, InTransaction, Key, Locks, Property, Query, Reply, Types, error};
use store::{Failed, Scope, Txn};
use wire::RespWriter;

use crate::client::demands::Demands;
use crate::client::reply_limit::ReplyLimit;
use crate::client::session::Session;
use crate::client::transaction::{Multi, Queued, Watched};
use crate::client::words_memory;
use crate::engine::Engine;
use crate::engine::context::Control;
use crate::engine::entry::{Action, Entry};
use crate::engine::plan::Plan;
use crate::engine::worker::WorkerContext;
use crate::execution::block;
use crate::execution::data_command::Call;
use crate::execution::monitor;
use crate::execution::prepare;
use crate::execution::query::{self, edit};
use crate::execution::query_under_locks::{Holder, UnderLocks};
use crate::execution::request::{Request, contained, timed};
use crate::execution::rights;
use crate::execution::serving;
use crate::execution::settle::Unfinished;
use crate::scripts::BROKEN_OFF;

/// Bytes that a watched key takes beside its name, here and in its shard, about.
const WATCHED: usize = 112;

/// Whether a request is queued rather than run.
pub(crate) fn must_queue(session: &Session, entry: &Entry) -> bool {
    session.transaction.multi.is_some() && entry.spec.behaviour.transaction == InTransaction::Queued
}

/// Whether a request ends the transaction it comes in, one way or the other.
pub(crate) fn ends(entry: &Entry) -> bool {
    executes(entry) || entry.spec.behaviour.transaction == InTransaction::Ends
}

/// Whether a request runs what was queued.
pub(crate) fn executes(entry: &Entry) -> bool {
    entry.spec.behaviour.transaction == InTransaction::Executes
}

/// Queues a request.
pub(crate) fn queue(engine: &Engine, session: &mut Session, entry: &Entry, argv: &[&[u8]]) {
    if let Some(multi) = &mut session.transaction.multi {
        multi.demands = multi.demands | Demands::of(engine, entry, argv).of_queued();
        let words: Vec<Vec<u8>> = argv.iter().map(|word| word.to_vec()).collect();
        let bytes = size_of::<Queued>() + words_memory(argv);
        session.client.bytes.queued.fetch_add(bytes, Ordering::Relaxed);
        multi.queued.push(Queued { entry: entry.number, words });
        let queued = i64::try_from(multi.queued.len()).unwrap_or(i64::MAX);
        session.client.state.multi.store(queued, Ordering::Relaxed);
    }
}

/// A request was refused: the transaction it would have joined can no longer run.
pub(crate) fn abort(session: &mut Session) {
    if let Some(multi) = &mut session.transaction.multi {
        multi.aborted = true;
    }
}

/// Begins to queue.
///
/// # Errors
/// A transaction is open already.
pub(crate) fn begin(session: &mut Session) -> Result<(), CmdError> {
    if session.transaction.multi.is_some() {
        return Err(CmdError::new("ERR MULTI calls can not be nested"));
    }
    session.transaction.multi = Some(Multi::default());
    session.client.state.multi.store(0, Ordering::Relaxed);
    Ok(())
}

/// Throws the transaction and the watches away.
pub(crate) fn discard(engine: &Engine, txn: &mut Txn, session: &mut Session) {
    session.transaction.multi = None;
    no_longer_queueing(session);
    unwatch(engine, txn, session);
}

/// Lets others know that the session is in no transaction.
fn no_longer_queueing(session: &Session) {
    session.client.state.multi.store(-1, Ordering::Relaxed);
    session.client.bytes.queued.store(0, Ordering::Relaxed);
}

/// Watches keys.
///
/// # Errors
/// A key cannot be had now: it and those behind it are not watched.
pub(crate) fn watch(
    engine: &Engine,
    txn: &mut Txn,
    session: &mut Session,
    keys: &[Key<'_>],
) -> Result<(), CmdError> {
    let watch = Arc::clone(session.transaction.watched.watch.get_or_insert_with(Arc::default));
    txn.select(session.db);
    for key in keys {
        let place = (session.db, Box::from(key.bytes));
        if session.transaction.watched.keys.contains_key(&place) {
            continue;
        }
        let scope = Scope::One(engine.store.shard_of(key.hash));
        let existed = txn.with(&engine.store, scope, |txn| {
            // A key that is overdue already is gone before the watch begins.
            txn.expire_key(key.hash, key.bytes);
            txn.held.add_watch(key.hash, key.bytes, &watch);
            txn.kind(*key).is_some()
        });
        let existed = existed.map_err(|failed| engine.instead(&failed))?;
        // The key is noted here and in its shard, each time with its name.
        let bytes = WATCHED + 2 * key.bytes.len();
        session.client.bytes.watched.fetch_add(bytes, Ordering::Relaxed);
        session.transaction.watched.keys.insert(place, existed);
    }
    session.client.state.watching.store(true, Ordering::Relaxed);
    Ok(())
}

/// Ends all watches of a session.
pub(crate) fn unwatch(engine: &Engine, txn: &mut Txn, session: &mut Session) {
    let Watched { watch, keys } = std::mem::take(&mut session.transaction.watched);
    session.client.state.watching.store(false, Ordering::Relaxed);
    session.client.bytes.watched.store(0, Ordering::Relaxed);
    let Some(watch) = watch else { return };
    for (db, key) in keys.into_keys() {
        let hash = engine.store.hasher().hash(&key);
        let scope = Scope::One(engine.store.shard_of(hash));
        // Removing a watch does not panic; a forgotten one would only set a flag that is not read.
        let _ = txn.with(&engine.store, scope, |txn| {
            txn.held.remove_watch(db, hash, &key, &watch);
        });
    }
}

/// Whether a watched key has changed, or has expired since. Runs under the keys' locks.
fn has_changed(watched: &Watched, engine: &Engine, txn: &mut Txn) -> bool {
    if watched.watch.as_ref().is_some_and(|w| w.changed()) {
        return true;
    }
    watched.keys.iter().any(|((db, name), existed)| {
        txn.select(*db);
        *existed && txn.kind(engine.store.hasher().key(name)).is_none()
    })
}

/// Runs the queued commands: all of them, with no other request between, or none.
///
/// # Errors
/// No transaction is open, or a command was refused while queueing.
pub(crate) fn exec(control: &mut Control<'_>, writer: &mut RespWriter<'_>) -> Result<(), CmdError> {
    let Some(multi) = control.session.transaction.multi.take() else {
        return Err(CmdError::new("ERR EXEC without MULTI"));
    };
    let Control { engine, txn, session, .. } = control;
    if multi.aborted {
        no_longer_queueing(session);
        unwatch(engine, txn, session);
        return Err(error::EXEC_ABORT);
    }
    if is_put_off(control, &multi) {
        control.session.transaction.multi = Some(multi);
        return Ok(());
    }
    let Control { engine, txn, context, session, .. } = control;
    for queued in &multi.queued {
        prepare::paths(txn, &engine.table.entries()[queued.entry], &queued.words);
    }
    let mut plan = std::mem::take(&mut context.plan);
    plan_all(engine, &multi, &session.transaction.watched, &mut plan);
    let began = Instant::now();
    let (mut waits, mut broken_off) = (false, false);
    let done = txn.with(&engine.store, plan.scope(), |txn| {
        // Asked again now that the shards are held: see `pause.rs`.
        if engine.run.request_flags.now().paused()
            && engine.is_transaction_paused(session, &multi, context.now)
        {
            waits = true;
            return;
        }
        no_longer_queueing(session);
        txn.held.held_since(Instant::now());
        if has_changed(&session.transaction.watched, engine, txn) {
            return writer.null_array();
        }
        let mut bounds = Bounds::begin(context, session, writer);
        writer.array(multi.queued.len());
        bounds.ask_again(context, session, writer);
        let (mut rest, mut numbers) = (Duration::ZERO, Vec::new());
        for queued in &multi.queued {
            let mut control =
                Control { engine, txn, context, session, in_exec: true, in_script: false };
            match run_timed(&mut control, queued, writer) {
                Some(took) => rest += took,
                None => numbers.push(queued.entry),
            }
            bounds.ask_again(context, session, writer);
            if txn.is_broken_off() {
                broken_off = true;
                return;
            }
        }
        session.replies.keep(writer.raw());
        context.share(began.elapsed().saturating_sub(rest), &numbers);
        serving::serve_later(engine, txn, began);
    });
    context.plan = plan;
    if waits {
        (session.transaction.multi, session.wait.postponed) = (Some(multi), true);
        return Ok(());
    }
    no_longer_queueing(session);
    unwatch(engine, txn, session);
    if broken_off {
        return Err(exec_refused(&BROKEN_OFF));
    }
    done.map_err(|failed| match failed {
        Failed::Busy => exec_refused(&engine.busy()),
        Failed::Panicked(_) => error::INTERNAL,
    })
}

/// Whether a transaction is postponed before it begins, for what could not be waited for inside.
fn is_put_off(control: &mut Control<'_>, multi: &Multi) -> bool {
    let Control { engine, txn, context, session, .. } = control;
    if any(multi, engine, |entry| entry.facts.publishes) && context.must_give_way(session) {
        return true;
    }
    // Inside it no request could wait for an index that is built by others.
    if any(multi, engine, |entry| entry.facts.ordered)
        && engine.must_wait_for_index(txn, session.db)
    {
        (session.wait.postponed, session.wait.awaits_index) = (true, true);
        return true;
    }
    // A script inside it holds everything, so its thread could not leave it, nor a query.
    let is_long = |entry: &Entry| entry.runs_script() || entry.is(Property::RunsAsQuery);
    let leaves = session.terms.leaves_long && any(multi, engine, is_long);
    if leaves {
        (session.wait.postponed, session.wait.goes_aside) = (true, true);
    }
    leaves
}

/// What bounds the reply of a transaction: its commands may change that for those behind them.
struct Bounds {
    /// Where the reply begins, and where that of the next command does.
    start: usize,
    next: usize,
    /// How long it may become.
    limit: ReplyLimit,
    over: bool,
}

impl Bounds {
    fn begin(context: &mut WorkerContext, session: &Session, writer: &mut RespWriter<'_>) -> Self {
        context.exceeded = None;
        let start = writer.raw().len();
        Bounds {
            start,
            next: start,
            limit: context.reply_limits.of(session),
            over: writer.is_over(),
        }
    }

    /// Asks after each command whether replies are sent and how long they may become: what came
    /// before stays as it was then, and what is not sent has not become too long.
    fn ask_again(
        &mut self,
        context: &mut WorkerContext,
        session: &mut Session,
        writer: &mut RespWriter<'_>,
    ) {
        let silent = session.replies.silent();
        session.replies.hush(writer.raw(), self.next);
        self.next = writer.raw().len();
        if !self.over && writer.is_over() && !silent {
            self.over = true;
            context.exceeded = Some(self.limit);
        }
        if !self.over {
            self.limit = context.reply_limits.of(session);
            writer.set_limit(self.start, self.limit.bytes);
        }
    }
}

/// What `EXEC` answers when it is itself refused.
pub(crate) fn exec_refused(refusal: &CmdError) -> CmdError {
    let text = refusal.bytes();
    let text = text.strip_prefix(b"ERR ").unwrap_or(text);
    CmdError::from_bytes([b"EXECABORT Transaction discarded because of: ", text].concat())
}

/// Whether any queued command is of this kind.
fn any(multi: &Multi, engine: &Engine, is: impl Fn(&Entry) -> bool) -> bool {
    multi.queued.iter().any(|queued| is(&engine.table.entries()[queued.entry]))
}

fn plan_all(engine: &Engine, multi: &Multi, watched: &Watched, plan: &mut Plan) {
    plan.clear();
    for queued in &multi.queued {
        let argv: Vec<&[u8]> = queued.words.iter().map(Vec::as_slice).collect();
        let entry = &engine.table.entries()[queued.entry];
        if (entry.spec.behaviour.cost.locks)(&argv) == Locks::Each {
            plan.add_every();
        }
        plan.add(&engine.store, entry.spec, &argv);
    }
    for (_, key) in watched.keys.keys() {
        plan.add_shard(engine.store.shard_of(engine.store.hasher().hash(key)));
    }
}

/// Runs a queued command; how long that took, if it was timed by itself, as plain requests are.
fn run_timed(
    control: &mut Control<'_>,
    queued: &Queued,
    writer: &mut RespWriter<'_>,
) -> Option<Duration> {
    let entry = &control.engine.table.entries()[queued.entry];
    if entry.facts.quick && !control.context.times_each() {
        run_queued(control, queued, writer);
        return None;
    }
    let (ran, took) = timed(|| run_queued(control, queued, writer));
    if ran {
        let argv: Vec<&[u8]> = queued.words.iter().map(Vec::as_slice).collect();
        control.context.took(control.engine, entry, &argv, control.session, took);
    }
    Some(took)
}

/// Works a query out with the shards of the transaction in hand.
fn read(
    control: &mut Control<'_>,
    request: (&Entry, &[&[u8]]),
    query: Query,
    writer: &mut RespWriter<'_>,
) -> Result<(), CmdError> {
    let Control { engine, txn, context, session, .. } = control;
    let cancelled = session.terms.cancelled.as_deref();
    let since = txn.held.held_since(Instant::now());
    let holder = Holder { client: &session.client, cancelled, since, ticket: None };
    let mut pace = UnderLocks::new(engine, txn, request, holder)?;
    let counters = &*context.counters;
    let done = query::in_place(engine, counters, request, query, &mut pace, writer);
    pace.end(counters, done)
}

/// Runs a queued command. `false` if it may not run.
fn run_queued(control: &mut Control<'_>, queued: &Queued, writer: &mut RespWriter<'_>) -> bool {
    let argv: Vec<&[u8]> = queued.words.iter().map(Vec::as_slice).collect();
    let engine = control.engine;
    let entry = &engine.table.entries()[queued.entry];
    let at = (engine, control.context.now);
    if let Some(refusal) = rights::exec_refusal(at, control.session, entry, &argv) {
        engine.metrics.stats.error(refusal.code());
        writer.error_bytes(refusal.bytes());
        return false;
    }
    control.context.counters.commands[entry.number].calls.add(1);
    control.txn.select(control.session.db);
    // What came before it may have changed that.
    control.txn.keep_access(control.session.client.state.no_touch.load(Ordering::Relaxed));
    match entry.action {
        Action::Data(own) => {
            let request = Request { argv: &argv, entry: Some(entry), hash: None };
            let Control { txn, context, session, .. } = control;
            let call = Call::new(engine, txn, &*context.counters, session, entry, &request, own);
            let mark = writer.raw().len();
            match call.run_held(txn, writer) {
                Ok(None) => {}
                Ok(Some(Unfinished::Waits(wait))) => block::nothing(wait.in_transaction, writer),
                Ok(Some(Unfinished::Reads(query))) => {
                    let read = read(control, (entry, &argv), query, writer);
                    if let Err(failure) = read {
                        writer.raw().truncate(mark);
                        writer.error_bytes(failure.bytes());
                    }
                }
                Ok(Some(Unfinished::Edits(edit))) => {
                    let cancelled = session.terms.cancelled.as_deref();
                    let since = txn.held.held_since(Instant::now());
                    let holder = Holder { client: &session.client, cancelled, since, ticket: None };
                    if let Err(failure) = edit::in_place(&call, txn, edit, holder, writer) {
                        writer.raw().truncate(mark);
                        writer.error_bytes(failure.bytes());
                    }
                }
                Err(failure) => {
                    writer.raw().truncate(mark);
                    writer.error_bytes(failure.bytes());
                }
            }
        }
        Action::Control(run) => {
            // Nothing is told before others: what one transaction changed is one notice.
            if entry.is(Property::ChangesListeners) {
                control.txn.deliver_notifications();
            }
            control.run(entry, run, &argv, writer);
        }
        Action::Container => {
            contained(entry, &"a container was queued", writer.raw().len(), writer)
        }
    }
    if engine.run.request_flags.now().monitored() {
        monitor::tell(&engine.notify.monitors, control.session, entry, &argv, writer.raw());
    }
    true
}
