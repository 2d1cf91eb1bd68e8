//! A worker thread's context: what it alone writes, so that threads share no cache lines.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use base::Millis;
use config::Config;
use store::Txn;

use crate::control::WhenFree;
use crate::engine::Engine;
use crate::evict;
use crate::file_requests::FileRequest;
use crate::plan::Plan;
use crate::reply_limit::{ReplyLimit, ReplyLimits};
use crate::scripting::InterpreterPool;
use crate::session::Session;
use crate::stats::Counters;

/// A worker: its transaction, its counters, its view of the configuration.
pub struct Worker {
    /// What all workers share.
    pub engine: Arc<Engine>,
    /// The transaction at the store.
    pub txn: Txn,
    /// The rest of what belongs to this thread.
    pub context: WorkerContext,
}

/// A worker at work: its parts borrowed side by side, so that no reference count of the shared
/// engine is touched on the way of a request.
pub(crate) struct WorkerParts<'w> {
    pub engine: &'w Engine,
    pub txn: &'w mut Txn,
    pub context: &'w mut WorkerContext,
}

/// What belongs to a thread beside its transaction.
pub struct WorkerContext {
    /// Statistics of this thread.
    pub counters: Arc<Counters>,
    /// The configuration as of the start of this batch.
    pub config: Arc<Config>,
    /// How long replies may become by it.
    pub(crate) reply_limits: ReplyLimits,
    /// The limit that the reply of an `EXEC` has become too long for.
    pub(crate) exceeded: Option<ReplyLimit>,
    /// The time as of the start of this batch.
    pub now: Millis,
    pub(crate) config_version: u64,
    pub(crate) plan: Plan,
    /// Interpreters for scripts.
    pub(crate) interpreters: InterpreterPool,
    /// Reusable memory for decoding.
    pub(crate) words: Vec<wire::Word>,
    /// `maxmemory` was passed at the start of this batch, and nothing could be dropped.
    pub(crate) full: bool,
    /// Something may keep requests from running: loading, or trouble with the disk.
    pub(crate) hindered: bool,
    /// Whether this thread has posted more to others than they should have waiting.
    pub(crate) is_crowding: fn() -> bool,
    /// Has another thread serve this one's other clients while a script of one of them takes long;
    /// too long, if that is said.
    pub(crate) hand_over: fn(bool),
    /// A script of this batch has taken long: the batch ends with its request.
    pub(crate) overran: bool,
    /// Whether another thread has yet to serve what came before the requests of this one.
    pub(crate) others_first: fn() -> bool,
    /// What commands of a transaction have left to be done when it has given its shards back.
    pub(crate) when_free: Vec<WhenFree>,
    /// What commands of the request that runs have left to be done with files.
    pub(crate) file_requests: Vec<FileRequest>,
    /// The disk was in trouble at the start of this batch: all its writes are refused.
    pub(crate) troubled: bool,
}

impl Worker {
    /// A worker of `engine`; `seed` seeds the random numbers of commands.
    #[must_use]
    pub fn new(engine: &Arc<Engine>, seed: u64) -> Self {
        let config = engine.config();
        let context = WorkerContext {
            counters: engine.stats.register(engine.table.entries().len()),
            reply_limits: ReplyLimits::new(&config),
            exceeded: None,
            config,
            now: 0,
            config_version: u64::MAX,
            plan: Plan::default(),
            interpreters: InterpreterPool::default(),
            words: Vec::new(),
            full: false,
            is_crowding: || false,
            hand_over: |_| (),
            overran: false,
            others_first: || false,
            hindered: false,
            when_free: Vec::new(),
            file_requests: Vec::new(),
            troubled: false,
        };
        let mut txn = Txn::new(Arc::clone(&engine.store), seed);
        txn.hurry();
        Worker { engine: Arc::clone(engine), txn, context }
    }

    /// The same worker, which stops after each sixteen requests while `is_crowding` says that this
    /// thread has posted more to others than they should have waiting.
    #[must_use]
    pub fn mind(mut self, is_crowding: fn() -> bool) -> Self {
        self.context.is_crowding = is_crowding;
        self
    }

    /// The same worker, which calls `hand_over` every so often once a script takes long, so that
    /// another thread, with a worker of its own, can serve this one's other clients. It is told
    /// whether the script is overdue.
    #[must_use]
    pub fn hand_over(mut self, hand_over: fn(bool)) -> Self {
        self.context.hand_over = hand_over;
        self
    }

    pub(crate) fn parts(&mut self) -> WorkerParts<'_> {
        WorkerParts { engine: &self.engine, txn: &mut self.txn, context: &mut self.context }
    }

    /// Starts a batch at time `now`: reads the clock and the configuration once for all of it.
    pub fn begin(&mut self, now: Millis) {
        self.context.now = now;
        self.context.overran = false;
        self.txn.begin(now);
        self.txn.wait_for_disk();
        let log = self.engine.store.log();
        self.context.troubled = self.engine.persistence.is_journaling() && log.is_troubled();
        self.context.hindered = self.context.troubled || self.engine.persistence.hinders(log);
        self.context.learn_config(&self.engine, &mut self.txn);
        self.context.full = evict::make_room(&self.engine, &mut self.txn, &self.context.config);
    }

    /// What `session` has just seen or changed must be durable before its replies are sent, so that
    /// no client is told what a crash could take back.
    #[inline]
    pub(crate) fn note_seen(&mut self, session: &mut Session) {
        let seen = self.txn.take_seen();
        // With a broken disk reads go on; writes are refused, since the start of this batch.
        if seen > 0 && self.engine.waits_for_disk() && !self.context.troubled {
            session.awaits = session.awaits.max(seen);
        }
    }

    /// As `note_seen`, for what another thread has done for `session` just now.
    pub fn note_now(&mut self, session: &mut Session) {
        if self.engine.waits_for_disk() {
            session.awaits = session.awaits.max(self.engine.store.log().epoch());
        }
    }

    /// Whether the replies of `session` must wait for the disk still.
    #[inline]
    #[must_use]
    pub fn must_hold(&self, session: &Session) -> bool {
        self.engine.must_hold(session.awaits)
    }
}

impl WorkerContext {
    /// Learns what is configured, if that has changed. `true` if it has.
    fn learn_config(&mut self, engine: &Engine, txn: &mut Txn) -> bool {
        let version = engine.config_version.load(Ordering::Acquire);
        if version == self.config_version {
            return false;
        }
        self.config_version = version;
        self.configure(engine, txn);
        true
    }

    /// Takes over the settings in force, in the middle of a transaction too: everything that a
    /// worker or its transaction has copied of them is copied anew here.
    pub(crate) fn configure(&mut self, engine: &Engine, txn: &mut Txn) {
        self.config = engine.config();
        self.reply_limits = ReplyLimits::new(&self.config);
        // Without a limit there is room; with another one it is found out for the next request.
        self.full &= self.config.maxmemory.is_some();
        txn.set_limits(engine.store.limits());
        txn.set_measure(engine.store.measure());
        evict::tell_room(engine, txn, &self.config);
    }

    /// After a command about the server, with no shard in hand: does what it has left to be done,
    /// and learns what it has changed for the requests that come with it, such as whether memory is
    /// full by a new limit.
    #[inline]
    pub(crate) fn follow(&mut self, engine: &Engine, txn: &mut Txn) {
        for work in std::mem::take(&mut self.when_free) {
            work(engine, None);
        }
        if self.learn_config(engine, txn) {
            self.full = evict::make_room(engine, txn, &self.config);
        }
    }

    /// Says what this thread's interpreters take, after they have run.
    #[inline]
    pub(crate) fn tell_interpreters(&self) {
        let (scripts, functions) = self.interpreters.memory();
        self.counters.scripts_vm.set(scripts as u64);
        self.counters.functions_vm.set(functions as u64);
    }
}
