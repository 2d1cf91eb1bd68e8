//! Requests that wait for something outside: another server, the disk. A thread runs the errand,
//! the client waits for its reply, and the worker serves everybody else.
//!
//! An errand must hold no shard while it waits. It goes on when its client has gone: what it has
//! begun elsewhere must be brought to an end.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;

use base::{Reply, error};
use parking_lot::Mutex;
use store::Txn;
use wire::RespWriter;

use crate::block::Blocked;
use crate::engine::Engine;
use crate::session::Session;
use crate::stats::Counters;
use journal::wall_clock;

/// So many errands run at the same time; others wait.
const THREADS: usize = 16;

/// A client that waits for an errand. Whatever becomes of the errand, it gets one reply.
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

    /// Lets the door answer it instead, which asks for it by this number.
    pub fn hand_over(mut self) -> u64 {
        self.0.take().map_or(0, |blocked| blocked.waiter.ticket)
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        // The errand broke: its panic has been reported by the panic hook.
        if let Some(blocked) = self.0.take() {
            blocked.answer(|writer| writer.error_bytes(error::INTERNAL.bytes()));
        }
    }
}

/// What a thread needs to run commands. Seats are used again: each has a lane in the log, and
/// counters that count for ever.
pub(crate) struct Seat {
    pub txn: Txn,
    pub counters: Arc<Counters>,
}

/// Something to be done.
pub(crate) type Job = Box<dyn FnOnce(&Arc<Engine>, &mut Seat) + Send>;

/// The threads, and what waits for them.
#[derive(Default)]
pub(crate) struct Errands {
    seats: Mutex<Vec<Seat>>,
    queue: Mutex<Queue>,
}

#[derive(Default)]
struct Queue {
    jobs: VecDeque<Job>,
    threads: usize,
}

impl Errands {
    /// Runs `job` in another thread, soon.
    ///
    /// # Errors
    /// There is no thread, and none can be started.
    pub fn send(engine: &Arc<Engine>, job: Job) -> io::Result<()> {
        let mut queue = engine.errands.queue.lock();
        queue.jobs.push_back(job);
        if queue.threads >= THREADS {
            return Ok(());
        }
        let own = Arc::clone(engine);
        let begun = std::thread::Builder::new().name("errand".to_owned()).spawn(move || work(&own));
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

    fn take_seat(engine: &Engine) -> Seat {
        let kept = engine.errands.seats.lock().pop();
        let mut seat = kept.unwrap_or_else(|| Seat {
            // No errand's command needs chance.
            txn: Txn::new(Arc::clone(&engine.store), 1),
            counters: engine.stats.register(engine.table.entries().len()),
        });
        seat.txn.begin(wall_clock());
        seat.txn.set_limits(engine.store.limits());
        seat
    }
}

/// Runs what there is, then ends.
fn work(engine: &Arc<Engine>) {
    loop {
        let job = {
            let mut queue = engine.errands.queue.lock();
            let Some(job) = queue.jobs.pop_front() else {
                queue.threads -= 1;
                return;
            };
            job
        };
        let mut seat = Errands::take_seat(engine);
        let guarded = std::panic::AssertUnwindSafe(|| job(engine, &mut seat));
        if std::panic::catch_unwind(guarded).is_ok() {
            seat.txn.report_memory();
            engine.errands.seats.lock().push(seat);
        }
    }
}
