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
//! thread back and comes again when it goes on ([`crate::door::exchange`]).

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use journal::wall_clock;
use parking_lot::Mutex;

use crate::background::thread_pool::{PoolWorker, ThreadPool};
use crate::engine::Engine;
use crate::engine::worker::Worker;

/// Requests that may wait for their turn.
const WAITING: usize = 1024;
/// A thread that has had nothing to do for so long ends.
const IDLE: Duration = Duration::from_secs(5);

/// The threads for long requests of one port, and what waits for them.
pub struct LongRequests {
    shared: Arc<Seeded>,
    threads: usize,
    /// Requests that run or wait, for whatever.
    entered: AtomicUsize,
    pool: Arc<ThreadPool<Worker>>,
}

/// What workers are made of: an engine, and unpredictable bits.
pub(crate) struct Seeded(Arc<Engine>, u64);

impl PoolWorker for Worker {
    type Shared = Seeded;

    fn new(shared: &Arc<Seeded>, number: u64) -> Self {
        Worker::new(&shared.0, shared.1.wrapping_add(number))
    }

    fn begin(&mut self, _: &Arc<Self::Shared>) {
        Worker::begin(self, wall_clock());
    }

    fn end(&mut self) {
        self.txn.report_memory();
    }
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
            shared: Arc::new(Seeded(Arc::clone(engine), seed)),
            threads: threads.max(1),
            entered: AtomicUsize::new(0),
            pool: ThreadPool::new((name, threads), IDLE),
        })
    }

    /// Lets a request in. `None` if too many run or wait already.
    #[must_use]
    pub fn enter(self: &Arc<Self>) -> Option<LongRequest> {
        let entered = LongRequest(Arc::clone(self));
        let before = self.entered.fetch_add(1, Ordering::Relaxed);
        (before < self.threads + WAITING).then_some(entered)
    }

    /// Lets a part of a request in that was let in before: some of it has happened, so the rest is
    /// not refused.
    #[must_use]
    pub fn enter_again(self: &Arc<Self>) -> LongRequest {
        self.entered.fetch_add(1, Ordering::Relaxed);
        LongRequest(Arc::clone(self))
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
        let number = self.0.pool.send(&self.0.shared, Box::new(job));
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
            self.requests.pool.withdraw(self.number);
        }
    }
}
