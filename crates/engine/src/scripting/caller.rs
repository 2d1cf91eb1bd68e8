//! What a script asks for: commands, as its user, on the shards it holds.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use base::{Channels, CmdError, Flag, Locks, Pace, Property, Reply, error};
use script::{Host, Refusal};
use store::Txn;
use wire::{ReplyParser, RespWriter};

use crate::client::demands::Demands;
use crate::client::session::Session;
use crate::engine::Engine;
use crate::engine::context::{Control, ControlRun};
use crate::engine::entry::{Action, Entry};
use crate::engine::worker::WorkerContext;
use crate::execution::block;
use crate::execution::data_command::Call;
use crate::execution::monitor;
use crate::execution::propagate;
use crate::execution::query;
use crate::execution::request::{Request, timed};
use crate::execution::rights;
use crate::execution::settle::Unfinished;
use crate::scripts::{LONG, Registered, RunKind, Running};

/// After commands that have taken so long together the script looks at the clock.
const SLOW: Duration = Duration::from_millis(5);

const UNKNOWN: CmdError = CmdError::new("ERR Unknown Redis command called from script");
const ARITY: CmdError = CmdError::new("ERR Wrong number of args calling Redis command from script");
const NOT_ALLOWED: CmdError = CmdError::new("ERR This Redis command is not allowed from script");
const WAITS: &str = "command is not allowed with BLOCK option from scripts";
const READ_ONLY: CmdError =
    CmdError::new("ERR Write commands are not allowed from read-only scripts.");

/// What a script may do, said before it runs.
#[derive(Clone, Copy, Default)]
#[allow(clippy::struct_excessive_bools)] // facts that are independent of each other
pub(super) struct ScriptMode {
    /// It may not write.
    pub read_only: bool,
    /// It may grow the dataset though memory is full.
    pub allow_oom: bool,
    /// It holds every shard.
    pub wide: bool,
    /// It is a function.
    pub function: bool,
}

/// A message a script has published, sent when it has run.
pub(crate) struct Published {
    /// In a shard channel.
    sharded: bool,
    channel: Vec<u8>,
    message: Vec<u8>,
}

/// Why a script was ended from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// It had written nothing.
    Unwritten,
    /// What it has written can be undone.
    Undone,
    /// What it has written cannot be undone, and the engine ends.
    BrokenOff,
}

/// A script that runs, as its host.
pub(super) struct Caller<'c> {
    pub engine: &'c Engine,
    pub txn: &'c mut Txn,
    pub context: &'c mut WorkerContext,
    pub session: &'c mut Session,
    mode: ScriptMode,
    /// Names it to others.
    name: &'c dyn Fn() -> (String, Vec<Vec<u8>>),
    /// The database its commands see.
    db: usize,
    /// It has called a command that writes.
    wrote: bool,
    /// What has become of it.
    pub(crate) outcome: Outcome,
    /// Set while others can see that it runs.
    running: Option<Registered<'c>>,
    /// How long it and its commands take.
    pub(crate) clock: Clock,
    /// What others are told when it has run.
    pub(crate) after: AfterScript,
    /// Replies of commands that write bytes.
    bytes: Vec<u8>,
}

/// What has become of it.
#[derive(Default)]
#[allow(clippy::struct_excessive_bools)] // facts that are independent of each other
pub(crate) struct Outcome {
    /// It needs more shards than it holds, or has to wait for others: what it did does not count.
    pub abandoned: bool,
    /// It wants to publish, and others may have to be served first.
    pub publishes: bool,
    /// It takes too long for the thread it has begun in.
    pub late: bool,
    /// It was ended.
    pub ended: Option<Ended>,
    /// How many errors its client is answered with.
    pub errors: usize,
}

/// How long it and its commands take.
pub(crate) struct Clock {
    pub(crate) started: Instant,
    /// How long its commands have taken since it last looked at the clock, where they are timed.
    pub(crate) took: Duration,
    /// Its commands are timed one by one.
    pub(crate) timed: bool,
    /// The numbers of those that are not.
    pub(crate) ran: Vec<usize>,
}

/// What others are told when it has run.
#[derive(Default)]
pub(crate) struct AfterScript {
    /// What the monitoring clients are shown.
    pub(crate) shown: Vec<Vec<u8>>,
    pub(crate) lines: Vec<(u8, Vec<u8>)>,
    pub(crate) published: Vec<Published>,
}

impl<'c> Caller<'c> {
    pub fn new(
        engine: &'c Engine,
        txn: &'c mut Txn,
        (context, session): (&'c mut WorkerContext, &'c mut Session),
        (mode, started): (ScriptMode, Instant),
        name: &'c dyn Fn() -> (String, Vec<Vec<u8>>),
    ) -> Self {
        let (db, timed) = (session.db, context.times_each());
        Caller {
            engine,
            txn,
            context,
            session,
            mode,
            name,
            db,
            wrote: false,
            outcome: Outcome::default(),
            running: None,
            clock: Clock { started, took: Duration::ZERO, timed, ran: Vec::new() },
            after: AfterScript::default(),
            bytes: Vec::new(),
        }
    }

    /// Everything that can refuse a command, in Redis's order.
    fn admit(&mut self, words: &[&[u8]]) -> Result<&'c Entry, CmdError> {
        let engine = self.engine;
        let entry = engine.table.find(words).ok_or(UNKNOWN)?;
        if !entry.naming.children.is_empty() && words.len() > 1 {
            return Err(UNKNOWN);
        }
        self.look_at(entry, words).map(|()| entry).inspect_err(|_| {
            self.context.counters.commands[entry.number].rejected.add(1);
        })
    }

    fn look_at(&mut self, entry: &Entry, words: &[&[u8]]) -> Result<(), CmdError> {
        if !entry.accepts(words.len()) {
            return Err(ARITY);
        }
        if entry.has(Flag::NoScript) && !self.is_permitted(entry) {
            return Err(NOT_ALLOWED);
        }
        let at = (self.engine, self.context.now);
        if let Some(refusal) = rights::script_refusal(at, self.session, entry, words) {
            return Err(refusal);
        }
        let writes = entry.has(Flag::Write);
        if self.mode.read_only && (writes || entry.has(Flag::MayReplicate)) {
            return Err(READ_ONLY);
        }
        if self.wrote {
            return Ok(());
        }
        if !self.context.full && !self.context.hindered {
            return Ok(());
        }
        let demands = Demands::of_command(entry).of_queued();
        if writes {
            self.context.grant(self.engine, demands.without(Demands::GROWS))?;
        }
        if self.mode.allow_oom {
            return Ok(());
        }
        self.context.grant(self.engine, demands.without(Demands::WRITES))
    }

    /// Whether it runs all the same: `DEBUG SET-DISABLE-DENY-SCRIPTS`. Not what would begin a
    /// transaction, another script or a subscription inside this one, or end the session.
    fn is_permitted(&self, entry: &Entry) -> bool {
        self.engine.scripts.run_all.load(Ordering::Relaxed)
            && (matches!(entry.action, Action::Data(_))
                || entry.is(Property::AllowedInScriptsByDebug))
    }

    /// A command that writes is about to run.
    fn note_write(&mut self) -> Result<(), Refusal> {
        if !self.wrote {
            let may = |running: &Registered<'_>| self.engine.scripts.runs.may_write(running);
            if !self.running.as_ref().is_none_or(may) {
                // The next look at the clock ends it.
                return Err(CmdError::new("ERR the script is being killed").into());
            }
            self.wrote = true;
        }
        Ok(())
    }

    fn abandon(&mut self) -> Refusal {
        self.outcome.abandoned = true;
        Refusal::Abandon
    }

    /// Whether the shards of a command are held and, if it writes, what it may change is noted.
    fn is_in_hand(&mut self, entry: &Entry, words: &[&[u8]]) -> bool {
        if self.mode.wide {
            return true;
        }
        match (entry.spec.behaviour.cost.locks)(words) {
            Locks::Nothing => return true,
            Locks::Every | Locks::Each => return false,
            Locks::Keys => {}
        }
        let hasher = self.engine.store.hasher();
        if entry.facts.one_key {
            if !self.txn.held.holds(hasher.hash(words[1])) {
                return false;
            }
        } else {
            let mut positions = Vec::new();
            // A request whose keys cannot be found fails before it touches one.
            let _ = entry.spec.key_positions(words, &mut positions);
            if !positions.iter().all(|&at| self.txn.held.holds(hasher.hash(words[at]))) {
                return false;
            }
        }
        if !entry.has(Flag::Write) {
            return true;
        }
        if entry.facts.one_key && !entry.facts.moves {
            let place = (self.db, hasher.key(words[1]));
            return self.txn.undo.note(&self.txn.held, &self.txn.changes, place);
        }
        let changed = propagate::changed(entry, words, (self.db, self.txn.store().databases()));
        changed
            .iter()
            .map(|&(db, at)| (db, hasher.key(words[at])))
            .all(|place| self.txn.undo.note(&self.txn.held, &self.txn.changes, place))
    }

    fn data(
        &mut self,
        entry: &Entry,
        own: base::Handler<Txn>,
        words: &[&[u8]],
        out: &mut dyn Reply,
    ) -> Result<(), CmdError> {
        let Caller { engine, txn, context, session, .. } = self;
        let request = Request { argv: words, entry: Some(entry), hash: None };
        let call = Call::new(engine, txn, &*context.counters, session, entry, &request, own);
        txn.select(self.db);
        txn.set_scripted(true);
        txn.set_unlimited(self.mode.allow_oom);
        let done = call.run_held(txn, out);
        txn.set_scripted(false);
        txn.set_unlimited(false);
        match done? {
            None => Ok(()),
            Some(Unfinished::Waits(wait)) => {
                block::nothing(wait.in_transaction, out);
                Ok(())
            }
            Some(Unfinished::Reads(query)) => {
                let (engine, counters) = (self.engine, Arc::clone(&self.context.counters));
                let pace = &mut OfScript { started: Instant::now(), caller: self };
                query::in_place(engine, (&*counters, entry), query, pace, out)
            }
        }
    }

    fn run(&mut self, entry: &Entry, words: &[&[u8]], out: &mut dyn Reply) -> Result<(), Refusal> {
        match entry.action {
            _ if entry.facts.publishes => {
                let sharded = entry.spec.behaviour.words.channels == Channels::PublishShard;
                out.count(self.publish(sharded, words[1], words[2]));
            }
            _ if entry.has(Flag::Blocking) && (entry.spec.behaviour.words.asks_to_wait)(words) => {
                let text = [b"ERR ", words[0], b" ", WAITS.as_bytes()].concat();
                return Err(CmdError::from_bytes(text).into());
            }
            Action::Data(run) => return Ok(self.data(entry, run, words, out)?),
            Action::Control(run) => self.control(entry, run, words, out),
            Action::Container => return Err(UNKNOWN.into()),
        }
        Ok(())
    }

    /// Runs a command about sessions or the server, which writes bytes.
    fn control(&mut self, entry: &Entry, run: ControlRun, words: &[&[u8]], out: &mut dyn Reply) {
        let mut bytes = std::mem::take(&mut self.bytes);
        bytes.clear();
        // It sees the database and the protocol of the script; the client's own stay.
        let (db, protocol) = (self.session.db, self.session.protocol);
        (self.session.db, self.session.protocol) = (self.db, out.protocol());
        let Caller { engine, txn, context, session, .. } = self;
        let most = context.config.clients.callers.max_reply_size;
        let mut writer = RespWriter::new(&mut bytes, out.protocol()).within(most);
        Control { engine, txn, context, session, in_exec: true, in_script: true }.run(
            entry,
            run,
            words,
            &mut writer,
        );
        let over = writer.is_over();
        self.db = self.session.db;
        self.session.select(db);
        self.session.protocol = protocol;
        if over {
            out.error_bytes(error::REPLY_TOO_LONG.bytes());
        } else {
            repeat(&bytes, out);
        }
        self.bytes = bytes;
    }

    /// Publishes when the script has run; how many listen now.
    fn publish(&mut self, sharded: bool, channel: &[u8], message: &[u8]) -> usize {
        let (channel, message) = (channel.to_vec(), message.to_vec());
        let receivers = self.engine.notify.pubsub.receivers(&channel, sharded);
        self.after.published.push(Published { sharded, channel, message });
        receivers
    }

    /// Whether it has told subscribers something.
    pub fn has_published(&self) -> bool {
        !self.after.published.is_empty()
    }

    /// Makes visible what the script did beside changing keys. `mark` is where its reply begins.
    pub fn finish(mut self, writer: &mut RespWriter<'_>, mark: usize) {
        self.leave();
        let engine = self.engine;
        let publisher = self.session.client.id;
        let mut own = Vec::new();
        for Published { sharded, channel, message } in &self.after.published {
            let mut take = |message: &[u8]| own.extend_from_slice(message);
            if *sharded {
                engine.notify.pubsub.publish_shard(channel, message, publisher, &mut take);
            } else {
                engine.notify.pubsub.publish(channel, message, publisher, &mut take);
            }
        }
        if !own.is_empty() {
            writer.raw().splice(mark..mark, own);
        }
        for (level, text) in &self.after.lines {
            tell(*level, text);
        }
        for line in &self.after.shown {
            engine.notify.monitors.send(line, 0);
        }
        self.context.share_time(self.clock.started, &self.clock.ran);
    }

    /// It is not among those that run any more.
    pub fn leave(&mut self) {
        self.running = None;
    }

    /// Lets others know that it takes long, once it does. Whether it was killed.
    fn look_at_clock(&mut self) -> bool {
        let (took, threshold) =
            (self.clock.started.elapsed(), self.context.config.scripts.busy_after);
        let overdue = threshold.is_some_and(|limit| took >= limit);
        let running = self.show();
        let killed = running.killed.load(Ordering::Acquire);
        if overdue && running.is_overdue_now() {
            let script = running.name.clone();
            self.txn.held.obstruct();
            // Told when it is so: what reads the line and then asks is not kept waiting.
            tracing::warn!(script, "a script has run for longer than busy-reply-threshold");
        }
        if overdue || took >= LONG {
            self.context.overran = true;
            (self.context.threads.hand_over)(overdue);
        }
        killed
    }

    /// Whether it is to end, `killed` if others have asked for that.
    fn must_end(&self, killed: bool) -> Option<Ended> {
        let stops = self.engine.run.stopping.load(Ordering::Acquire);
        let cancelled = self.session.is_cancelled();
        if !self.wrote {
            return (killed || stops || cancelled).then_some(Ended::Unwritten);
        }
        // The journal must have all of it or nothing. It has its time to get to its end, unless its
        // client does not want that any more.
        let ends = self.engine.scripts.runs.are_ending() || (stops && cancelled);
        match self.mode.wide {
            // One that holds every shard remembers nothing.
            true => ends.then_some(Ended::BrokenOff),
            false => (ends || cancelled).then_some(Ended::Undone),
        }
    }

    /// Whether it is to begin anew where it may take its time. One that holds every shard is there
    /// from its start.
    fn is_late(&self) -> bool {
        self.session.terms.leaves_long && !self.mode.wide && self.clock.started.elapsed() >= LONG
    }

    /// Makes it visible to others.
    fn show(&mut self) -> &Registered<'c> {
        let Caller { engine, name, wrote, mode, clock: Clock { started, .. }, running, .. } = self;
        running.get_or_insert_with(|| {
            let (name, command) = name();
            engine.scripts.runs.add(Running {
                kind: if mode.function { RunKind::Function } else { RunKind::Script },
                name,
                command,
                since: *started,
                wrote: AtomicBool::new(*wrote),
                overdue: AtomicBool::new(false),
                killed: AtomicBool::new(false),
            })
        })
    }
}

/// The pace of a query inside a script: what ends the script ends it.
struct OfScript<'a, 'c> {
    caller: &'a mut Caller<'c>,
    started: Instant,
}

impl Pace for OfScript<'_, '_> {
    fn go_on(&mut self, out: &dyn Reply, _: usize) -> Result<(), CmdError> {
        if self.caller.interrupted() {
            return Err(query::BEGUN_ANEW);
        }
        if out.is_over() { Err(error::REPLY_TOO_LONG) } else { Ok(()) }
    }

    fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }
}

impl Host for Caller<'_> {
    fn call(&mut self, words: &[&[u8]], out: &mut dyn Reply) -> Result<(), Refusal> {
        if self.outcome.abandoned {
            return Err(Refusal::Abandon);
        }
        if self.outcome.ended.is_some() {
            return Err(Refusal::End);
        }
        let entry = self.admit(words).inspect_err(|refusal| {
            self.engine.metrics.stats.error(refusal.code());
            self.context.counters.errors.add(1);
        })?;
        if !self.is_in_hand(entry, words) {
            return Err(self.abandon());
        }
        // One that holds every shard cannot be taken back any more.
        if entry.facts.publishes && !self.session.terms.in_order && !self.mode.wide {
            self.outcome.publishes = true;
            return Err(self.abandon());
        }
        if entry.has(Flag::Write) {
            self.note_write()?;
        }
        self.context.counters.commands[entry.number].calls.add(1);
        let done = if entry.facts.quick && !self.clock.timed {
            self.clock.ran.push(entry.number);
            self.run(entry, words, out)
        } else {
            let (done, took) = timed(|| self.run(entry, words, out));
            self.context.took(self.engine, entry, words, self.session, took);
            self.clock.took += took;
            done
        };
        if self.engine.run.request_flags.now().monitored() {
            self.after.shown.extend(monitor::of_script(self.db, entry, words));
        }
        // The interpreter counts its own steps, not those of commands.
        if self.clock.took >= SLOW && self.interrupted() {
            return Err(Refusal::End);
        }
        done
    }

    fn note_error(&mut self, text: &[u8], counted: bool) {
        self.outcome.errors += 1;
        if !counted && !self.outcome.abandoned {
            self.engine.metrics.stats.error(CmdError::from_bytes(text.to_vec()).code());
            self.context.counters.errors.add(1);
        }
    }

    fn log(&mut self, level: u8, text: &[u8]) {
        if self.mode.wide {
            tell(level, text);
        } else if !self.outcome.abandoned {
            // It may have to run again.
            self.after.lines.push((level, text.to_vec()));
        }
    }

    fn may(&mut self, words: &[&[u8]]) -> Option<bool> {
        let entry = self.engine.table.find(words)?;
        if !entry.naming.children.is_empty() && words.len() > 1 {
            return None;
        }
        Some(rights::may_run(self.engine, self.session, entry, words))
    }

    fn interrupted(&mut self) -> bool {
        if self.outcome.abandoned || self.outcome.ended.is_some() {
            return true;
        }
        self.clock.took = Duration::ZERO;
        let killed = self.look_at_clock();
        self.outcome.ended = self.must_end(killed);
        self.outcome.late = self.outcome.ended.is_none() && self.is_late();
        self.outcome.abandoned = self.outcome.late;
        self.outcome.late || self.outcome.ended.is_some()
    }

    fn set_repl(&mut self, _: u8) {
        // What a script changes is always kept: a journal with holes is no journal.
    }
}

/// Writes a line of a script to the server's log.
pub(super) fn tell(level: u8, text: &[u8]) {
    let text = String::from_utf8_lossy(text);
    match level {
        0 => tracing::trace!("{text}"),
        1 => tracing::debug!("{text}"),
        2 => tracing::info!("{text}"),
        _ => tracing::warn!("{text}"),
    }
}

/// Writes a reply that has been written as bytes.
fn repeat(bytes: &[u8], out: &mut dyn Reply) {
    let mut parser = ReplyParser::default();
    parser.feed(bytes);
    match parser.next_value() {
        Ok(Some(value)) => value.write(out),
        // A command that answers nothing has nothing to say to a script either.
        Ok(None) | Err(_) => out.null(),
    }
}
