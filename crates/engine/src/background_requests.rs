//! Requests that wait for something outside: another server, files. A background thread runs the
//! request, its client waits for the reply, and the worker serves its other clients.
//!
//! A background request must hold no shard while it waits. It goes on when its client has gone:
//! what it has begun elsewhere must be brought to an end.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

use base::{Reply, error};
use parking_lot::Mutex;
use store::Txn;
use wire::RespWriter;

use crate::block::Blocked;
use crate::engine::Engine;
use crate::session::Session;
use crate::stats::Counters;
use crate::thread_pool::{Job, PoolWorker, ThreadPool};
use journal::wall_clock;

/// So many background requests run at the same time; others wait.
const THREADS: usize = 16;
/// Of those that wait for files, which for the most part wait for each other.
const FILE_THREADS: usize = 4;

/// A client that waits for a background request. Whatever becomes of the request, the client gets
/// one reply.
pub(crate) struct Waiting(Option<Arc<Blocked>>);

impl Waiting {
    /// Makes `session` wait.
    pub fn begin(engine: &Engine, session: &mut Session) -> Self {
        Waiting(Some(Blocked::elsewhere(engine, session)))
    }

    /// Of which the reply tells of nothing that a crash could take back: that something was saved,
    /// or that the disk refuses.
    pub fn at_once(self) -> Self {
        if let Some(blocked) = &self.0 {
            blocked.end_at_once();
        }
        self
    }

    /// Answers it.
    pub fn answer(mut self, write: impl FnOnce(&mut RespWriter<'_>)) {
        if let Some(blocked) = self.0.take() {
            blocked.answer(write);
        }
    }

    /// Answers it with bytes from which what it does not want has been left out already; `gone`:
    /// the session ends behind them.
    pub fn answer_whole(mut self, reply: Vec<u8>, gone: bool) {
        if let Some(blocked) = self.0.take() {
            blocked.answer_whole(reply, gone);
        }
    }

    /// Lets the door answer it instead, which asks for it by this number.
    pub fn hand_over(mut self) -> u64 {
        self.0.take().map_or(0, |blocked| blocked.waiter.ticket)
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        // The request panicked: the panic has been reported by the panic hook.
        if let Some(blocked) = self.0.take() {
            blocked.answer(|writer| writer.error_bytes(error::INTERNAL.bytes()));
        }
    }
}

/// What a background thread needs to run commands.
pub(crate) struct BackgroundWorker {
    pub txn: Txn,
    pub counters: Arc<Counters>,
}

impl PoolWorker for BackgroundWorker {
    type Shared = Engine;

    fn new(engine: &Arc<Engine>, _: u64) -> Self {
        BackgroundWorker {
            // No background request runs a command that needs random numbers.
            txn: Txn::new(Arc::clone(&engine.store), 1),
            counters: engine.stats.register(engine.table.entries().len()),
        }
    }

    fn begin(&mut self) {
        self.txn.begin(wall_clock());
        let limits = self.txn.store().limits();
        self.txn.set_limits(limits);
    }

    fn end(&mut self) {
        self.txn.report_memory();
    }
}

/// The threads, and what their requests hold.
pub(crate) struct BackgroundRequests {
    /// For those that wait for other servers. None of the kinds is in another's way.
    remote: Arc<ThreadPool<BackgroundWorker>>,
    /// For those that wait for files.
    file_threads: Arc<ThreadPool<BackgroundWorker>>,
    /// For parts of ordered indexes.
    indexes: Arc<ThreadPool<BackgroundWorker>>,
    /// What they hold while they wait for files.
    pub files: FileLocks,
    /// Bytes of values on their way to other servers.
    pub migrating: AtomicUsize,
}

/// Held while files are waited for, by background threads alone: a thread that serves clients never
/// waits for one of them.
#[derive(Default)]
pub(crate) struct FileLocks {
    /// The file of the settings is read and written.
    pub rewriting: Mutex<()>,
    /// Settings are changed that reach out of the process.
    pub reaching_out: Mutex<()>,
}

impl Default for BackgroundRequests {
    fn default() -> Self {
        BackgroundRequests {
            remote: ThreadPool::new(("background", THREADS), Duration::ZERO),
            file_threads: ThreadPool::new(("files", FILE_THREADS), Duration::ZERO),
            indexes: ThreadPool::new(("indexes", THREADS), Duration::ZERO),
            files: FileLocks::default(),
            migrating: AtomicUsize::new(0),
        }
    }
}

impl BackgroundRequests {
    /// Runs a job that waits for another server, in another thread, soon. Without any thread it is
    /// dropped.
    pub fn send(&self, engine: &Arc<Engine>, job: Job<BackgroundWorker>) {
        self.remote.send(engine, job);
    }

    /// The same for one that waits for files.
    pub fn send_for_files(&self, engine: &Arc<Engine>, job: Job<BackgroundWorker>) {
        self.file_threads.send(engine, job);
    }

    /// The same for a part of an ordered index.
    pub fn send_for_index(&self, engine: &Arc<Engine>, job: Job<BackgroundWorker>) {
        self.indexes.send(engine, job);
    }
}
