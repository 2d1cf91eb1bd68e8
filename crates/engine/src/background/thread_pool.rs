//! Threads for work that would keep clients waiting, begun as they are needed: pools for long
//! requests, for those that wait for something outside, for queries, and for `FLUSHWAL`.
//!
//! ```text
//!   send ─► queue ─► a thread of the pool, with a worker of its own ─► the next job
//!             │                                          │ there is none for a while
//!             └─ withdrawn                               └─► ends, and leaves its worker
//! ```
//!
//! Whatever panics on a thread, be it a job or what is done with a worker around one, the thread
//! goes on with another worker; and however a thread ends, or fails to begin, it counts no more. A
//! job that will not run is dropped: what it holds tells the client that waits for it.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

/// What a thread needs for its jobs. A thread that ends leaves it to the next: each may have a
/// place in the log, and counters that count for ever.
pub(crate) trait PoolWorker: Send + Sized + 'static {
    /// What all workers of a pool share.
    type Shared: Send + Sync + 'static;

    /// A thread of the pool begins.
    fn thread_begins() {}

    /// A worker, with a number that no other of the pool has.
    fn new(shared: &Arc<Self::Shared>, number: u64) -> Self;

    /// A job follows. What it has copied of settings it copies anew: it may be kept for ever.
    fn begin(&mut self, shared: &Arc<Self::Shared>);

    /// The job is done.
    fn end(&mut self);
}

/// Something to be done.
pub(crate) type Job<W> = Box<dyn FnOnce(&mut W) + Send>;

/// The threads, and what waits for them.
pub(crate) struct ThreadPool<W> {
    name: &'static str,
    /// So many threads at a time.
    most: usize,
    /// A thread that has had nothing to do for so long ends.
    idle: Duration,
    queue: Mutex<Queue<W>>,
    /// Told when there is a job more.
    more: Condvar,
}

struct Queue<W> {
    /// By the numbers they are withdrawn by.
    jobs: VecDeque<(u64, Job<W>)>,
    numbers: u64,
    threads: usize,
    /// Threads that have nothing to do.
    idle: usize,
    /// What threads that have ended left.
    workers: Vec<W>,
}

impl<W: PoolWorker> ThreadPool<W> {
    /// With at most so many threads of this name, of which none is there before it is needed.
    pub fn new((name, most): (&'static str, usize), idle: Duration) -> Arc<Self> {
        let queue =
            Queue { jobs: VecDeque::new(), numbers: 0, threads: 0, idle: 0, workers: Vec::new() };
        let (queue, more) = (Mutex::new(queue), Condvar::new());
        Arc::new(ThreadPool { name, most: most.max(1), idle, queue, more })
    }

    /// Has a job done, when its turn comes; the number that it can be withdrawn by. Without any
    /// thread it is dropped at once. Call without holding any shard.
    pub fn send(self: &Arc<Self>, shared: &Arc<W::Shared>, job: Job<W>) -> u64 {
        let number = self.enqueue(job);
        self.begin_thread(shared);
        number
    }

    /// Puts a job into the queue, where shards may be held: to begin a thread may take the system
    /// any time. The caller has [`ThreadPool::begin_thread`] follow when it holds none.
    pub fn enqueue(&self, job: Job<W>) -> u64 {
        let mut queue = self.queue.lock();
        queue.numbers += 1;
        let number = queue.numbers;
        queue.jobs.push_back((number, job));
        self.more.notify_one();
        number
    }

    /// How many jobs wait.
    pub fn waiting(&self) -> usize {
        self.queue.lock().jobs.len()
    }

    /// Begins a thread more, if jobs wait for one that may be there. Without any thread they are
    /// dropped. Call without holding any shard.
    pub fn begin_thread(self: &Arc<Self>, shared: &Arc<W::Shared>) {
        store::assert_no_shard_held();
        let mut queue = self.queue.lock();
        if queue.idle >= queue.jobs.len() || queue.threads >= self.most {
            return;
        }
        queue.threads += 1;
        drop(queue);
        let thread = PoolThread { pool: Arc::clone(self), worker: None, counts: true };
        let shared = Arc::clone(shared);
        let builder = std::thread::Builder::new().name(self.name.to_owned());
        // A thread that does not begin is dropped with what it was to do.
        if let Err(error) = builder.spawn(move || thread.serve(&shared)) {
            tracing::warn!(%error, "no thread {}", self.name);
        }
    }

    /// Takes a job out of the queue that is not wanted any more, if it has not begun.
    pub fn withdraw(&self, number: u64) {
        let mut queue = self.queue.lock();
        let at = queue.jobs.iter().position(|(other, _)| *other == number);
        let job = at.and_then(|at| queue.jobs.remove(at));
        drop(queue);
        // Outside the lock: what it holds may send another.
        drop(job);
    }
}

/// A thread of a pool, from before it begins until after it has ended.
struct PoolThread<W: PoolWorker> {
    pool: Arc<ThreadPool<W>>,
    worker: Option<W>,
    /// It is one of those that are counted.
    counts: bool,
}

impl<W: PoolWorker> PoolThread<W> {
    /// Does what there is, and ends when there is nothing for a while.
    fn serve(mut self, shared: &Arc<W::Shared>) {
        W::thread_begins();
        while let Some(job) = self.next() {
            let mut job = Some(job);
            let run = || {
                let worker = self.worker.get_or_insert_with(|| self.pool.worker(shared));
                worker.begin(shared);
                job.take().into_iter().for_each(|job| job(worker));
                worker.end();
            };
            // It has been reported by the panic hook.
            if catch_unwind(AssertUnwindSafe(run)).is_err() {
                let broken = (self.worker.take(), job);
                let _ = catch_unwind(AssertUnwindSafe(|| drop(broken)));
            }
        }
    }

    /// The next job; `None` if there is none for a while: the thread counts no more then.
    fn next(&mut self) -> Option<Job<W>> {
        let ThreadPool { queue, more, idle, .. } = &*self.pool;
        let mut queue = queue.lock();
        loop {
            if let Some((_, job)) = queue.jobs.pop_front() {
                return Some(job);
            }
            let mut late = idle.is_zero();
            if !late {
                queue.idle += 1;
                late = more.wait_for(&mut queue, *idle).timed_out();
                queue.idle -= 1;
            }
            if late && queue.jobs.is_empty() {
                // Both at once: a job that comes now begins another thread, which takes the worker.
                queue.threads -= 1;
                queue.workers.extend(self.worker.take());
                self.counts = false;
                return None;
            }
        }
    }
}

impl<W: PoolWorker> Drop for PoolThread<W> {
    fn drop(&mut self) {
        if !self.counts {
            return;
        }
        let mut queue = self.pool.queue.lock();
        queue.threads -= 1;
        // A job that came meanwhile may have counted on this thread alone.
        let lost =
            if queue.threads == 0 { std::mem::take(&mut queue.jobs) } else { VecDeque::new() };
        drop(queue);
        // Outside the lock: what they hold may send others.
        drop(lost);
    }
}

impl<W: PoolWorker> ThreadPool<W> {
    /// One that was left, or a new one.
    fn worker(&self, shared: &Arc<W::Shared>) -> W {
        let mut queue = self.queue.lock();
        if let Some(worker) = queue.workers.pop() {
            return worker;
        }
        queue.numbers += 1;
        let number = queue.numbers;
        drop(queue);
        W::new(shared, number)
    }
}

#[cfg(test)]
#[path = "thread_pool_tests.rs"]
mod tests;
