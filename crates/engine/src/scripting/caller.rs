//! What a script asks for: commands, as its user, on the shards it holds.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use base::{CmdError, Flag, Locks, Property, Reply};
use script::{Host, Refusal};
use store::Txn;
use wire::RespWriter;

use super::ending::Ended;
use crate::client::demands::Demands;
use crate::client::session::Session;
use crate::engine::Engine;
use crate::engine::entry::{Action, Entry};
use crate::engine::worker::WorkerContext;
use crate::execution::monitor;
use crate::execution::propagate;
use crate::execution::request::timed;
use crate::execution::rights;
use crate::scripts::Registered;

/// After commands that have taken so long together the script looks at the clock.
const SLOW: Duration = Duration::from_millis(5);

pub(super) const UNKNOWN: CmdError = CmdError::new("ERR Unknown Redis command called from script");
const ARITY: CmdError = CmdError::new("ERR Wrong number of args calling Redis command from script");
const NOT_ALLOWED: CmdError = CmdError::new("ERR This Redis command is not allowed from script");
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
    pub(super) sharded: bool,
    pub(super) channel: Vec<u8>,
    pub(super) message: Vec<u8>,
}

/// A script that runs, as its host.
pub(super) struct Caller<'c> {
    pub engine: &'c Engine,
    pub txn: &'c mut Txn,
    pub context: &'c mut WorkerContext,
    pub session: &'c mut Session,
    pub(super) mode: ScriptMode,
    /// Names it to others.
    pub(super) name: &'c dyn Fn() -> (String, Vec<Vec<u8>>),
    /// The database its commands see.
    pub(super) db: usize,
    /// It has called a command that writes.
    pub(super) wrote: bool,
    /// What has become of it.
    pub(crate) outcome: Outcome,
    /// Set while others can see that it runs.
    pub(super) running: Option<Registered<'c>>,
    /// How long it and its commands take.
    pub(crate) clock: Clock,
    /// What others are told when it has run.
    pub(crate) after: AfterScript,
    /// Replies of commands that write bytes.
    pub(super) bytes: Vec<u8>,
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
        // A query has asked by itself. The interpreter counts its own steps, not those of commands.
        let has_ended = self.outcome.ended.is_some() || self.outcome.abandoned;
        if has_ended || (self.clock.took >= SLOW && self.interrupted()) {
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
