//! Requests that may run for long, on threads beside the few that serve a port.
//!
//! ```text
//!   request ─► enter ─► queue ─► a thread with a context of its own: one step ─► answered
//!                         ▲                                            │
//!                         └── later ◄── waits: a pause, an index ◄─────┘  the thread is free
//! ```
//!
//! A few of them run at a time; others wait for their turn without a thread, and no more than so
//! many. Giving up takes a request out of the queue; one that runs goes on to its end, but for a
//! script, which others can end (`SCRIPT KILL`). A request that has to wait for something gives its
//! thread back and comes again when it goes on ([`crate::exchange`]).

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use journal::wall_clock;
use parking_lot::{Condvar, Mutex};

use crate::engine::Engine;
use crate::worker::Worker;

/// Requests that may wait for their turn.
const WAITING: usize = 1024;
/// A thread that has had nothing to do for so long ends.
const IDLE: Duration = Duration::from_secs(5);

/// Something to be done with a worker.
type Job = Box<dyn FnOnce(&mut Worker) + Send>;

/// The threads for long requests of one port, and what waits for them.
pub struct LongRequests {
    engine: Arc<Engine>,
    name: &'static str,
    threads: usize,
    seed: u64,
    /// Requests that run or wait, for whatever.
    entered: AtomicUsize,
    queue: Mutex<Queue>,
    /// Told when there is a job more.
    more: Condvar,
}

#[derive(Default)]
struct Queue {
    /// By the numbers they are withdrawn by.
    jobs: VecDeque<(u64, Job)>,
    numbers: u64,
    threads: usize,
    /// Threads that have nothing to do.
    idle: usize,
    /// Those that have ended leave their workers: each has a place in the log, and counters that
    /// count for ever.
    workers: Vec<Worker>,
}

impl LongRequests {
    /// With at most so many threads of this name, of which none is there before it is needed.
    /// `seed` is unpredictable bits.
    #[must_use]
    pub fn new(
        engine: &Arc<Engine>,
        (name, threads): (&'static str, usize),
        seed: u64,
    ) -> Arc<Self> {
        Arc::new(LongRequests {
            engine: Arc::clone(engine),
            name,
            threads: threads.max(1),
            seed,
            entered: AtomicUsize::new(0),
            queue: Mutex::default(),
            more: Condvar::new(),
        })
    }

    /// Lets a request in. `None` if too many run or wait already.
    #[must_use]
    pub fn enter(self: &Arc<Self>) -> Option<LongRequest> {
        let entered = LongRequest(Arc::clone(self));
        let before = self.entered.fetch_add(1, Ordering::Relaxed);
        (before < self.threads + WAITING).then_some(entered)
    }

    fn send(self: &Arc<Self>, job: Job) -> u64 {
        let mut queue = self.queue.lock();
        queue.numbers += 1;
        let number = queue.numbers;
        queue.jobs.push_back((number, job));
        if queue.idle >= queue.jobs.len() || queue.threads >= self.threads {
            self.more.notify_one();
            return number;
        }
        let own = Arc::clone(self);
        let thread = std::thread::Builder::new().name(self.name.to_owned());
        let begun = thread.spawn(move || own.serve());
        match begun {
            Ok(_) => queue.threads += 1,
            // One of those there are will come to it.
            Err(_) if queue.threads > 0 => {}
            Err(error) => {
                tracing::warn!(%error, "no thread for a request that may take long");
                let job = queue.jobs.pop_back();
                drop(queue);
                // Outside the lock: who waits for it is told by its end.
                drop(job);
            }
        }
        number
    }

    /// Takes a job out of the queue that nobody waits for any more.
    fn withdraw(&self, number: u64) {
        let mut queue = self.queue.lock();
        let at = queue.jobs.iter().position(|(other, _)| *other == number);
        let job = at.and_then(|at| queue.jobs.remove(at));
        drop(queue);
        // Outside the lock: its session is given back to the engine.
        drop(job);
    }

    /// A thread: does what there is, and ends when there is nothing for a while.
    fn serve(&self) {
        let kept = self.queue.lock().workers.pop();
        let mut worker = kept.unwrap_or_else(|| self.new_worker());
        while let Some(job) = self.next() {
            worker.begin(wall_clock());
            if catch_unwind(AssertUnwindSafe(|| job(&mut worker))).is_err() {
                // It has been reported by the panic hook, and told to who waits.
                worker = self.new_worker();
            }
            worker.txn.report_memory();
        }
        self.queue.lock().workers.push(worker);
    }

    fn new_worker(&self) -> Worker {
        let mut queue = self.queue.lock();
        queue.numbers += 1;
        Worker::new(&self.engine, self.seed.wrapping_add(queue.numbers))
    }

    /// The next job; `None` if there is none for a while: the thread counts no more then.
    fn next(&self) -> Option<Job> {
        let mut queue = self.queue.lock();
        loop {
            if let Some((_, job)) = queue.jobs.pop_front() {
                return Some(job);
            }
            queue.idle += 1;
            let late = self.more.wait_for(&mut queue, IDLE).timed_out();
            queue.idle -= 1;
            if late && queue.jobs.is_empty() {
                queue.threads -= 1;
                return None;
            }
        }
    }
}

/// One among the requests that run or wait; its place is free again when this is dropped.
pub struct LongRequest(Arc<LongRequests>);

impl LongRequest {
    /// Does a step of it on one of the threads, when its turn comes.
    pub fn run<R: Send + 'static>(
        &self,
        step: impl FnOnce(&mut Worker) -> R + Send + 'static,
    ) -> Running<R> {
        let outcome: Arc<Mutex<Outcome<R>>> = Arc::new(Mutex::new(Outcome::Awaited(None)));
        let promise = Promise(Arc::clone(&outcome));
        let job = move |worker: &mut Worker| {
            let result = step(worker);
            promise.keep(result);
        };
        let number = self.0.send(Box::new(job));
        Running { requests: Arc::clone(&self.0), number, outcome }
    }
}

impl Drop for LongRequest {
    fn drop(&mut self) {
        self.0.entered.fetch_sub(1, Ordering::Relaxed);
    }
}

enum Outcome<R> {
    /// With whom to tell of it.
    Awaited(Option<Waker>),
    Done(R),
    /// It broke, or there was no thread for it.
    Broken,
    Told,
}

/// Whatever becomes of a step, who waits for it is told.
struct Promise<R>(Arc<Mutex<Outcome<R>>>);

impl<R> Promise<R> {
    fn keep(self, result: R) {
        self.settle(Outcome::Done(result));
    }

    fn settle(&self, outcome: Outcome<R>) {
        let mut awaited = self.0.lock();
        let Outcome::Awaited(waker) = &mut *awaited else { return };
        let waker = waker.take();
        *awaited = outcome;
        drop(awaited);
        waker.inspect(Waker::wake_by_ref);
    }
}

impl<R> Drop for Promise<R> {
    fn drop(&mut self) {
        self.settle(Outcome::Broken);
    }
}

/// What a step comes to; `None` if it broke. Dropped before its turn, it is not done at all.
pub struct Running<R> {
    requests: Arc<LongRequests>,
    number: u64,
    outcome: Arc<Mutex<Outcome<R>>>,
}

impl<R> Future for Running<R> {
    type Output = Option<R>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<R>> {
        let mut outcome = self.outcome.lock();
        match std::mem::replace(&mut *outcome, Outcome::Told) {
            Outcome::Done(result) => Poll::Ready(Some(result)),
            Outcome::Broken | Outcome::Told => Poll::Ready(None),
            Outcome::Awaited(_) => {
                *outcome = Outcome::Awaited(Some(context.waker().clone()));
                Poll::Pending
            }
        }
    }
}

impl<R> Drop for Running<R> {
    fn drop(&mut self) {
        if matches!(*self.outcome.lock(), Outcome::Awaited(_)) {
            self.requests.withdraw(self.number);
        }
    }
}
