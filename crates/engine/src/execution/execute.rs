//! The path of a request, on one screen: from its words to its reply.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use base::{Args, CmdError, Flag, Property, Protocol, Reply, error};
use store::Busy;
use wire::RespWriter;

use super::gate;
use super::request::{Request, SHOWN_MAX, contained, timed};
use crate::client::demands::Demands;
use crate::client::session::Session;
use crate::engine::Engine;
use crate::engine::context::{Control, ControlRun};
use crate::engine::entry::{Action, Entry};
use crate::engine::worker::{Worker, WorkerContext, WorkerParts};
use crate::execution::data_command::Encoded;
use crate::execution::monitor;
use crate::execution::multi;
use crate::execution::rights;
use crate::execution::serving;
use crate::metrics::latency_monitor::{COMMAND, FAST_COMMAND};

impl Worker {
    /// Runs one request of `session` and writes its reply to `out`. For doors that have words
    /// rather than bytes; call [`Worker::begin`] before.
    pub fn execute(&mut self, session: &mut Session, argv: &[&[u8]], out: &mut Vec<u8>) {
        self.one(session, argv, |worker, session, request| worker.execute(session, *request, out));
    }

    /// A batch of one request, which `run` runs; it tells whether that ran, for its time to count.
    pub(crate) fn one(
        &mut self,
        session: &mut Session,
        argv: &[&[u8]],
        run: impl FnOnce(&mut WorkerParts<'_>, &mut Session, &Request<'_>) -> bool,
    ) {
        let mut worker = self.parts();
        let request = Request { argv, entry: worker.engine.table.find(argv), hash: None };
        session.client.last.store(worker.context.now, Ordering::Relaxed);
        if let Some(entry) = request.entry {
            session.client.command.store(entry.number + 1, Ordering::Relaxed);
        }
        let (ran, took) = timed(|| run(&mut worker, session, &request));
        if let (true, Some(entry)) = (ran, request.entry) {
            worker.context.took(worker.engine, entry, argv, session, took);
        }
        worker.end_batch();
        self.note_seen(session);
        session.leave_if_closing();
    }
}

impl WorkerParts<'_> {
    /// Runs one request of `session` and writes its reply to `out`. `false` if it was refused,
    /// only queued or postponed: then its time is not the command's.
    pub fn execute(
        &mut self,
        session: &mut Session,
        request: Request<'_>,
        out: &mut Vec<u8>,
    ) -> bool {
        let start = out.len();
        let limit = self.context.reply_limits.of(session);
        let mut writer = RespWriter::new(out, session.protocol).within(limit.bytes);
        let result = self.admit(session, &request).and_then(|entry| {
            if self.engine.run.request_flags.now().paused()
                && self.engine.is_paused_for(session, (entry, request.argv), self.context.now)
            {
                session.wait.postponed = true;
                return Ok(false);
            }
            if multi::must_queue(session, entry) {
                multi::queue(self.engine, session, entry, request.argv);
                writer.simple("QUEUED");
                return Ok(false);
            }
            self.dispatch(session, entry, &request, &mut writer)
        });
        let ran = result.unwrap_or_else(|refusal| {
            self.refuse(session, &request, &refusal, &mut writer);
            false
        });
        let over = writer.is_over();
        if std::mem::take(&mut session.wait.postponed) {
            // Nothing has happened yet: not even `CLIENT REPLY SKIP` has been used up.
            out.truncate(start);
            self.engine.postpone(session, request.argv);
            return false;
        }
        if over {
            let exceeded = self.context.exceeded.take();
            if exceeded.is_some() || !session.replies.silent() {
                self.context.reply_too_long(session, exceeded.unwrap_or(limit), (out, start));
            }
        }
        session.replies.request_done(out, start);
        self.after_request(session, &request, out);
        ran
    }

    /// Sends the client the notifications that its own request caused, and ends what held for it
    /// alone.
    #[inline]
    fn after_request(&mut self, session: &mut Session, request: &Request<'_>, out: &mut Vec<u8>) {
        if session.tracking.caching && session.transaction.multi.is_none() {
            let keeps = request.entry.is_some_and(|entry| entry.is(Property::KeepsCaching));
            session.tracking.caching = keeps;
        }
        self.txn.notifications.serve(0);
        if self.txn.notifications.has_own() {
            out.extend_from_slice(&self.txn.notifications.take_own());
        }
    }

    /// Answers a request that may not run, and spoils the transaction it would have joined.
    pub(crate) fn refuse(
        &mut self,
        session: &mut Session,
        request: &Request<'_>,
        refusal: &CmdError,
        writer: &mut RespWriter<'_>,
    ) {
        // A subcommand that is not there is no command, so nothing is told of its container.
        let subcommand =
            |entry: &&Entry| entry.naming.children.is_empty() || request.argv.len() < 2;
        self.context.refused(self.engine, request.entry.filter(subcommand), refusal);
        if request.entry.is_none() && is_http(request.argv) {
            tracing::warn!(client = session.client.origin.addr, "HTTP on a RESP port; closing");
            session.closing = true;
            return;
        }
        if request.entry.is_some_and(multi::executes) {
            multi::discard(self.engine, self.txn, session);
            writer.error_bytes(multi::exec_refused(refusal).bytes());
            return;
        }
        multi::abort(session);
        writer.error_bytes(refusal.bytes());
    }

    /// Everything that can refuse a request before it runs, in Redis's order.
    pub(crate) fn admit<'e>(
        &self,
        session: &mut Session,
        request: &Request<'e>,
    ) -> Result<&'e Entry, CmdError> {
        let Some(entry) = request.entry else { return Err(unknown_command(request.argv)) };
        if !entry.naming.children.is_empty() && request.argv.len() > 1 {
            return Err(unknown_subcommand(request.argv));
        }
        if !entry.accepts(request.argv.len()) {
            return Err(error::wrong_arity(entry.name()));
        }
        gate::pass(&self.context.config, &session.client.origin, entry)?;
        let locked_out = !session.user.authenticated && self.engine.users.asks_password();
        if locked_out && !entry.has(Flag::NoAuth) {
            return Err(error::NO_AUTH);
        }
        if session.transaction.multi.is_some() && entry.has(Flag::NoMulti) {
            return Err(CmdError::new("ERR Command not allowed inside a transaction"));
        }
        if !session.user.login.is_free(&self.engine.users) {
            rights::admit((self.engine, self.context.now), session, entry, request.argv)?;
        }
        if self.context.full || self.context.hindered {
            let demands = self.demands(session, entry, request.argv);
            self.context.grant(self.engine, demands)?;
        }
        let confined = session.protocol == Protocol::Resp2 && session.is_subscriber();
        if confined && !entry.is(Property::AllowedWhileSubscribed) {
            return Err(CmdError::owned(format!(
                "ERR Can't execute '{}': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / \
                 RESET are allowed in this context",
                entry.name()
            )));
        }
        if session.listens.monitors && touches_keys(entry) {
            return Err(CmdError::new("ERR Replica can't interact with the keyspace"));
        }
        Ok(entry)
    }

    /// What a request demands; `EXEC` demands what it has queued does.
    #[cold]
    fn demands(&self, session: &Session, entry: &Entry, argv: &[&[u8]]) -> Demands {
        let demands = Demands::of(self.engine, entry, argv);
        match &session.transaction.multi {
            Some(multi) if multi::executes(entry) => demands | multi.demands(),
            // A transaction that is being queued takes memory, too; whatever does not end it is
            // refused, as in Redis.
            Some(_) if !multi::ends(entry) => demands | Demands::GROWS,
            _ => demands,
        }
    }

    fn dispatch(
        &mut self,
        session: &mut Session,
        entry: &Entry,
        request: &Request<'_>,
        writer: &mut RespWriter<'_>,
    ) -> Result<bool, CmdError> {
        self.enter(session);
        match entry.action {
            Action::Data(own) => {
                self.run_data(session, entry, request, own, &mut Encoded::new(writer))?;
            }
            Action::Control(run) => {
                let start = writer.raw().len();
                let WorkerParts { engine, txn, context } = self;
                Control { engine, txn, context, session, in_exec: false, in_script: false }.run(
                    entry,
                    run,
                    request.argv,
                    writer,
                );
                context.follow(engine, txn);
                self.hand_over_files(session, start, writer);
            }
            Action::Container => return Err(error::wrong_arity(entry.name())),
        }
        if session.wait.postponed {
            return Ok(false);
        }
        self.has_run(entry);
        if self.engine.run.request_flags.now().monitored() {
            monitor::tell(&self.engine.notify.monitors, session, entry, request.argv, writer.raw());
        }
        Ok(true)
    }

    /// Makes the transaction one of a session's request.
    #[inline]
    pub(crate) fn enter(&mut self, session: &Session) {
        self.txn.select(session.db);
        self.txn.keep_access(session.client.state.no_touch.load(Ordering::Relaxed));
        self.txn.notifications.serve(session.client.id);
    }

    /// A request has run: it is counted, and keys are looked at that others could not serve.
    #[inline]
    pub(crate) fn has_run(&mut self, entry: &Entry) {
        self.context.counters.commands[entry.number].calls.add(1);
        serving::serve_noted(self.engine, self.txn);
    }
}

impl Control<'_> {
    /// Runs a control command; a panic in it goes no further than its reply.
    pub(crate) fn run(
        &mut self,
        entry: &Entry,
        run: ControlRun,
        argv: &[&[u8]],
        writer: &mut RespWriter<'_>,
    ) {
        let engine = self.engine;
        let args = Args::new(argv, entry.naming.words, None, engine.store.hasher());
        let (mark, left) = (writer.raw().len(), self.context.after_locks.file_requests.len());
        let guarded = std::panic::AssertUnwindSafe(|| run(self, args, writer));
        let ended = std::panic::catch_unwind(guarded);
        self.settle_file_requests(left, entry.number, !matches!(ended, Ok(Ok(()))));
        match ended {
            Ok(Ok(())) => {}
            Ok(Err(failure)) => {
                writer.raw().truncate(mark);
                writer.error_bytes(failure.bytes());
                self.engine.metrics.stats.error(failure.code());
                self.context.counters.commands[entry.number].failed.add(1);
                self.context.counters.errors.add(1);
            }
            Err(panic) if panic.is::<Busy>() => {
                writer.raw().truncate(mark);
                writer.error_bytes(self.engine.busy().bytes());
            }
            Err(_) => contained(entry, &"a control command panicked", mark, writer),
        }
        writer.set_protocol(self.session.protocol);
        if self.in_exec {
            // It may have changed the subscriptions for what comes next.
            self.txn.look_around();
        }
    }
}

/// With a slow log threshold under this many microseconds every command is timed by itself.
const TIME_EACH_BELOW_US: i64 = 1000;

impl WorkerContext {
    /// Whether every command is timed by itself.
    #[inline]
    pub(crate) fn times_each(&self) -> bool {
        (0..TIME_EACH_BELOW_US).contains(&self.config.logging.slowlog_log_slower_than)
            || self.config.logging.latency_monitor_threshold.is_some()
    }

    /// Counts a request that was refused before it ran.
    fn refused(&self, engine: &Engine, entry: Option<&Entry>, refusal: &CmdError) {
        engine.metrics.stats.error(refusal.code());
        self.counters.errors.add(1);
        if let Some(entry) = entry {
            self.counters.commands[entry.number].rejected.add(1);
        }
    }

    /// Divides the time since `start` evenly among commands, given by their numbers: a clock read
    /// per command would cost a tenth of a quick one. What is the same many times over, as in most
    /// pipelines, is counted at once.
    pub(crate) fn share_time(&self, start: Instant, numbers: &[usize]) {
        if !numbers.is_empty() {
            self.share(start.elapsed(), numbers);
        }
    }

    /// Divides a time among commands.
    pub(crate) fn share(&self, took: Duration, numbers: &[usize]) {
        let nanos = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        let share = nanos / numbers.len().max(1) as u64;
        for run in numbers.chunk_by(|a, b| a == b) {
            let counters = &self.counters.commands[run[0]];
            counters.took(share, run.len() as u64, self.config.logging.latency.tracking);
        }
    }

    /// Counts the time of a request, and remembers a slow one.
    pub(crate) fn took(
        &self,
        engine: &Engine,
        entry: &Entry,
        argv: &[&[u8]],
        session: &Session,
        took: Duration,
    ) {
        if let Some(blocked) = session.blocked.as_ref().filter(|blocked| !blocked.ends_by_itself())
        {
            // It counts when it has been served.
            return blocked.took(took);
        }
        let nanos = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        self.counters.commands[entry.number].took(nanos, 1, self.config.logging.latency.tracking);
        if let Some(threshold) = self.config.logging.latency_monitor_threshold {
            let event = if entry.has(Flag::Fast) { FAST_COMMAND } else { COMMAND };
            engine.metrics.latency_monitor.note(event, took, threshold, self.now);
        }
        let threshold = self.config.logging.slowlog_log_slower_than;
        let slow = u64::try_from(threshold).is_ok_and(|limit| nanos / 1000 >= limit);
        if slow && !entry.has(Flag::SkipSlowlog) {
            let client = &session.client;
            let who = (client.origin.addr.clone(), client.labels.lock().name.clone());
            engine.metrics.slowlog.add(
                entry.spec,
                argv,
                took,
                self.now,
                who,
                self.config.logging.slowlog_max_len,
            );
        }
    }
}

/// Whether a command reads or writes keys, or would be told to replicas.
fn touches_keys(entry: &Entry) -> bool {
    [Flag::ReadOnly, Flag::Write, Flag::MayReplicate].into_iter().any(|flag| entry.has(flag))
}

fn shown(word: &[u8], max: usize) -> &[u8] {
    let visible = error::until_zero(word);
    &visible[..visible.len().min(max)]
}

fn unknown_command(argv: &[&[u8]]) -> CmdError {
    let mut rest = Vec::new();
    for arg in argv.iter().skip(1) {
        if rest.len() >= SHOWN_MAX {
            break;
        }
        let quoted = shown(arg, SHOWN_MAX - rest.len());
        rest.extend_from_slice(&[b"'", quoted, b"' "].concat());
    }
    let name = shown(argv.first().copied().unwrap_or_default(), SHOWN_MAX);
    let parts = [b"ERR unknown command '", name, b"', with args beginning with: ", &rest];
    CmdError::from_bytes(parts.concat())
}

fn unknown_subcommand(argv: &[&[u8]]) -> CmdError {
    let container = String::from_utf8_lossy(error::until_zero(argv[0])).to_ascii_uppercase();
    let after = format!("'. Try {container} HELP.");
    CmdError::quoting("ERR unknown subcommand '", shown(argv[1], SHOWN_MAX), &after)
}

/// A browser was tricked into talking to us: what follows is not for us.
fn is_http(argv: &[&[u8]]) -> bool {
    let name = argv.first().copied().unwrap_or_default();
    name.eq_ignore_ascii_case(b"post") || name.eq_ignore_ascii_case(b"host:")
}

impl WorkerParts<'_> {
    /// Publishes what the batch counted: memory, hits and misses.
    pub fn end_batch(&mut self) {
        let (hits, misses) = self.txn.lookups.take();
        self.context.counters.hits.add(hits);
        self.context.counters.misses.add(misses);
    }
}
