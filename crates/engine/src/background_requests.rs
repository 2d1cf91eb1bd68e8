//! Requests that wait for something outside: another server, files. A background thread runs the
//! request, its client waits for the reply, and the worker serves its other clients.
//!
//! A background request must hold no shard while it waits. It goes on when its client has gone:
//! what it has begun elsewhere must be brought to an end.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use base::{Reply, error};
use parking_lot::Mutex;
use store::Txn;
use wire::RespWriter;

use crate::block::Blocked;
use crate::engine::Engine;
use crate::session::Session;
use crate::stats::Counters;
use journal::wall_clock;

/// So many background requests run at the same time; others wait.
const THREADS: usize = 16;

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

/// What a background thread needs to run commands. These are used again: each has a write buffer in
/// the log, and counters that are never removed.
pub(crate) struct BackgroundWorker {
    pub txn: Txn,
    pub counters: Arc<Counters>,
}

/// Something to be done.
pub(crate) type Job = Box<dyn FnOnce(&Arc<Engine>, &mut BackgroundWorker) + Send>;

/// The threads, and what waits for them.
#[derive(Default)]
pub(crate) struct BackgroundRequests {
    workers: Mutex<Vec<BackgroundWorker>>,
    queue: Mutex<Queue>,
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

#[derive(Default)]
struct Queue {
    jobs: VecDeque<Job>,
    threads: usize,
}

impl BackgroundRequests {
    /// Runs `job` in another thread, soon.
    ///
    /// # Errors
    /// There is no thread, and none can be started.
    pub fn send(engine: &Arc<Engine>, job: Job) -> io::Result<()> {
        let mut queue = engine.background.queue.lock();
        queue.jobs.push_back(job);
        if queue.threads >= THREADS {
            return Ok(());
        }
        let own = Arc::clone(engine);
        let begun =
            std::thread::Builder::new().name("background".to_owned()).spawn(move || work(&own));
        match begun {
            Ok(_) => queue.threads += 1,
            Err(_) if queue.threads > 0 => {}
            Err(error) => {
                queue.jobs.pop_back();
                return Err(error);
            }
        }
        Ok(())
    }

    fn take_worker(engine: &Engine) -> BackgroundWorker {
        let kept = engine.background.workers.lock().pop();
        let mut worker = kept.unwrap_or_else(|| BackgroundWorker {
            // No background request runs a command that needs random numbers.
            txn: Txn::new(Arc::clone(&engine.store), 1),
            counters: engine.stats.register(engine.table.entries().len()),
        });
        worker.txn.begin(wall_clock());
        worker.txn.set_limits(engine.store.limits());
        worker
    }
}

/// Runs what there is, then ends.
fn work(engine: &Arc<Engine>) {
    loop {
        let job = {
            let mut queue = engine.background.queue.lock();
            let Some(job) = queue.jobs.pop_front() else {
                queue.threads -= 1;
                return;
            };
            job
        };
        let mut worker = BackgroundRequests::take_worker(engine);
        let guarded = std::panic::AssertUnwindSafe(|| job(engine, &mut worker));
        if std::panic::catch_unwind(guarded).is_ok() {
            worker.txn.report_memory();
            engine.background.workers.lock().push(worker);
        }
    }
}
