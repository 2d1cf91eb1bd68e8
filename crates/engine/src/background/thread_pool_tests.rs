//! Pools whose workers break where workers can.
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use super::{PoolWorker, ThreadPool};

/// How often each of its steps is to break still.
#[derive(Default)]
struct Plan {
    new: AtomicUsize,
    begin: AtomicUsize,
    end: AtomicUsize,
    drop: AtomicUsize,
}

fn step(left: &AtomicUsize) {
    let less = left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
    assert!(less.is_err(), "as it should");
}

struct Fragile(Arc<Plan>);

impl PoolWorker for Fragile {
    type Shared = Plan;

    fn new(plan: &Arc<Plan>, _: u64) -> Self {
        step(&plan.new);
        Fragile(Arc::clone(plan))
    }

    fn begin(&mut self, _: &Arc<Self::Shared>) {
        step(&self.0.begin);
    }

    fn end(&mut self) {
        step(&self.0.end);
    }
}

impl Drop for Fragile {
    fn drop(&mut self) {
        step(&self.0.drop);
    }
}

/// Says so when it is dropped, run or not.
struct Told(mpsc::Sender<bool>, bool);

impl Told {
    fn ran(mut self) {
        self.1 = true;
    }
}

impl Drop for Told {
    fn drop(&mut self) {
        let _ = self.0.send(self.1);
    }
}

/// Whether a job of this pool runs; each is heard of, whatever becomes of it.
fn runs(pool: &Arc<ThreadPool<Fragile>>, plan: &Arc<Plan>, breaks: bool) -> bool {
    let (sender, receiver) = mpsc::channel();
    let told = Told(sender, false);
    let job = move |_: &mut Fragile| {
        assert!(!breaks, "as it should");
        told.ran();
    };
    pool.send(plan, Box::new(job));
    receiver.recv_timeout(Duration::from_secs(60)).expect("a job of which no result comes")
}

#[test]
fn a_panic_anywhere_on_a_thread_costs_no_thread() {
    for idle in [Duration::ZERO, Duration::from_secs(60)] {
        let pool = ThreadPool::<Fragile>::new(("fragile", 2), idle);
        let plan = Arc::new(Plan::default());
        // More often than there are threads.
        for left in [&plan.new, &plan.begin, &plan.end, &plan.drop] {
            left.store(7, Ordering::SeqCst);
            while left.load(Ordering::SeqCst) > 0 {
                // What breaks has its worker dropped, which is where that can break.
                runs(&pool, &plan, std::ptr::eq(left, &plan.drop));
            }
        }
        for _ in 0..5 {
            assert!(!runs(&pool, &plan, true));
            assert!(runs(&pool, &plan, false));
        }
        assert!(pool.queue.lock().threads <= 2);
    }
}

#[test]
fn threads_that_end_leave_their_workers() {
    let pool = ThreadPool::<Fragile>::new(("fragile", 2), Duration::ZERO);
    let plan = Arc::new(Plan::default());
    for _ in 0..20 {
        assert!(runs(&pool, &plan, false));
        while pool.queue.lock().threads > 0 {
            std::thread::yield_now();
        }
    }
    let queue = pool.queue.lock();
    assert_eq!((queue.workers.len(), queue.threads), (1, 0));
}

#[test]
fn a_thread_that_does_not_begin_counts_no_more_and_no_job_waits_for_it() {
    let pool = ThreadPool::<Fragile>::new(("no\0name", 1), Duration::ZERO);
    let plan = Arc::new(Plan::default());
    let sent = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| runs(&pool, &plan, false)));
    assert!(sent.is_err() || !sent.unwrap());
    let queue = pool.queue.lock();
    assert_eq!((queue.threads, queue.jobs.len()), (0, 0));
}
