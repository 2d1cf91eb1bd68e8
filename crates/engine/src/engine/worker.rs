//! A worker thread's context: what it alone writes, so that threads share no cache lines.

use std::sync::Arc;

use base::Millis;
use config::Config;
use store::Txn;

use super::Engine;
use super::context::{FileRequest, WhenFree};
use super::plan::Plan;
use crate::client::reply_limit::{ReplyLimit, ReplyLimits};
use crate::metrics::stats::Counters;
use crate::scripts::InterpreterPool;

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
    /// What the thread asks and tells the others.
    pub(crate) threads: ThreadHooks,
    /// A script of this batch has taken long: the batch ends with its request.
    pub(crate) overran: bool,
    /// What commands have left to be done.
    pub(crate) after_locks: AfterLocks,
    /// The disk was in trouble at the start of this batch: all its writes are refused.
    pub(crate) troubled: bool,
}

/// What the thread asks and tells the others.
pub(crate) struct ThreadHooks {
    /// Whether this thread has posted more to others than they should have waiting.
    pub(crate) is_crowding: fn() -> bool,
    /// Has another thread serve this one's other clients while a script of one of them takes long;
    /// too long, if that is said.
    pub(crate) hand_over: fn(bool),
    /// Whether another thread has yet to serve what came before the requests of this one.
    pub(crate) others_first: fn() -> bool,
}

/// What commands have left to be done.
#[derive(Default)]
pub(crate) struct AfterLocks {
    /// What commands of a transaction have left to be done when it has given its shards back.
    pub(crate) when_free: Vec<WhenFree>,
    /// What commands of the request that runs have left to be done with files.
    pub(crate) file_requests: Vec<FileRequest>,
}

impl Worker {
    /// A worker of `engine`; `seed` seeds the random numbers of commands.
    #[must_use]
    pub fn new(engine: &Arc<Engine>, seed: u64) -> Self {
        let config = engine.config();
        let context = WorkerContext {
            counters: engine.metrics.stats.register(engine.table.entries().len()),
            reply_limits: ReplyLimits::new(&config),
            exceeded: None,
            config,
            now: 0,
            config_version: u64::MAX,
            plan: Plan::default(),
            interpreters: InterpreterPool::default(),
            words: Vec::new(),
            full: false,
            threads: ThreadHooks {
                is_crowding: || false,
                hand_over: |_| (),
                others_first: || false,
            },
            overran: false,
            hindered: false,
            after_locks: AfterLocks::default(),
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
        self.context.threads.is_crowding = is_crowding;
        self
    }

    /// The same worker, which calls `hand_over` every so often once a script takes long, so that
    /// another thread, with a worker of its own, can serve this one's other clients. It is told
    /// whether the script is overdue.
    #[must_use]
    pub fn hand_over(mut self, hand_over: fn(bool)) -> Self {
        self.context.threads.hand_over = hand_over;
        // One function for all threads of a server; it does nothing in those that have no clients.
        let _ = self.engine.hooks.hand_over.set(hand_over);
        self
    }

    /// How many keys there are in all databases together, those past their deadline included.
    pub fn key_count(&mut self) -> usize {
        store::key_counts(&mut self.txn).iter().map(|db| db.keys).sum()
    }

    pub(crate) fn parts(&mut self) -> WorkerParts<'_> {
        WorkerParts { engine: &self.engine, txn: &mut self.txn, context: &mut self.context }
    }
}

impl WorkerContext {
    /// Says what this thread's interpreters take, after they have run.
    #[inline]
    pub(crate) fn tell_interpreters(&self) {
        let (scripts, functions) = self.interpreters.memory();
        self.counters.scripts_vm.set(scripts as u64);
        self.counters.functions_vm.set(functions as u64);
    }
}
