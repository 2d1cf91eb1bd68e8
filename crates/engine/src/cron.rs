//! The cron thread: one background thread for what no client asks for.
//!
//! It deletes keys whose deadline has passed, frees large values that were unlinked, and samples
//! rates. It holds a shard's lock for microseconds at a time, and waits for none whose holder is
//! overdue: the others are looked after meanwhile.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use journal::{Policy, wall_clock};
use store::{Failed, Txn};

use crate::engine::Engine;
use crate::engine::hooks::Allocator;
use crate::evict;
use crate::metrics::latency_monitor::{AOF_FSYNC_ALWAYS, AOF_WRITE, EXPIRE_CYCLE};
use crate::ordered::MAINTENANCE_PERIOD;

/// The pause between rounds when there is little to do; Redis's `hz 10`.
const PAUSE: Duration = Duration::from_millis(100);
/// The pause between rounds while there is something to free, to drop or to merge.
const FREE_PAUSE: Duration = Duration::from_millis(10);
/// So long after the last of it the rounds stay that close, as more may come.
const AWAKE: Duration = Duration::from_secs(1);
/// The pause between returns of free memory to the system.
const RETURN_PAUSE: Duration = Duration::from_secs(1);
/// The pause after a round that broke.
const BROKEN_PAUSE: Duration = Duration::from_millis(500);
/// Freeing something for this long frees enough for the serving threads to gather.
const BIG: Duration = Duration::from_millis(1);
/// A shard is walked again at once while at least one in this many of the keys seen was overdue.
const AGAIN_ONE_IN: usize = 10;

/// The running background thread.
pub struct Cron {
    thread: Option<JoinHandle<()>>,
    engine: Arc<Engine>,
}

impl Cron {
    /// Starts it; about once a second it lets `allocator` give free memory back to the system.
    ///
    /// # Errors
    /// The thread could not be started.
    pub fn start(engine: &Arc<Engine>, allocator: Allocator) -> std::io::Result<Self> {
        // A second one knows the same allocator.
        let _ = engine.hooks.allocator.set(allocator);
        let shared = Arc::clone(engine);
        let thread = std::thread::Builder::new()
            .name("cron".to_owned())
            .spawn(move || run(&shared, allocator.give_back))?;
        Ok(Cron { thread: Some(thread), engine: Arc::clone(engine) })
    }
}

impl Drop for Cron {
    fn drop(&mut self) {
        self.engine.run.stopping.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // A panic in it has been reported by the panic hook; there is nothing left to do.
            let _ = thread.join();
        }
    }
}

fn run(engine: &Arc<Engine>, give_back: fn()) {
    let mut rounds = CronRounds::new(engine);
    let (mut since_return, mut since_work) = (Duration::ZERO, Duration::ZERO);
    while !engine.run.stopping.load(Ordering::Acquire) {
        if engine.run.at_rest.load(Ordering::Relaxed) {
            std::thread::park_timeout(FREE_PAUSE);
            continue;
        }
        let gives_back = since_return >= RETURN_PAUSE;
        let round = AssertUnwindSafe(|| {
            let works = rounds.round();
            if gives_back {
                give_back();
            }
            works
        });
        match catch_unwind(round) {
            Ok(true) => since_work = Duration::ZERO,
            Ok(false) => {}
            // The panic hook has reported it. Whatever it held is given back, and the next round
            // has all of its own; as long as it breaks again, that is one report in a while.
            Err(_) => {
                let broken = std::mem::replace(&mut rounds, CronRounds::new(engine));
                let _ = catch_unwind(AssertUnwindSafe(|| drop(broken)));
                std::thread::park_timeout(BROKEN_PAUSE);
            }
        }
        if gives_back {
            since_return = Duration::ZERO;
        }
        // A server at rest is left alone, as far as Redis leaves it alone.
        let pause = if since_work < AWAKE { FREE_PAUSE } else { PAUSE };
        std::thread::park_timeout(pause);
        rounds.pass_over(pause - FREE_PAUSE);
        since_return += pause;
        since_work += pause;
    }
}

/// What the cron thread does, a round at a time: its thread makes one every 10 ms, or none of those
/// that are short while there is little to do.
pub struct CronRounds {
    engine: Arc<Engine>,
    txn: Txn,
    since_long: Duration,
    since_maintained: Duration,
}

impl CronRounds {
    /// The first one will be long.
    #[must_use]
    pub fn new(engine: &Arc<Engine>) -> Self {
        let mut txn = Txn::new(Arc::clone(&engine.store), engine.run.started);
        txn.hurry();
        let since_maintained = Duration::ZERO;
        CronRounds { engine: Arc::clone(engine), txn, since_long: PAUSE, since_maintained }
    }

    /// The next one; one in ten is long. Whether there was something to do that may go on.
    pub fn round(&mut self) -> bool {
        self.engine.store.leases.end_overdue(wall_clock());
        let mut works = free_trash(&self.engine);
        works |= make_room(&self.engine, &mut self.txn);
        unless_busy(&mut self.txn, |txn| works |= self.engine.merge_indexes(txn));
        if self.since_long >= PAUSE {
            self.since_long = Duration::ZERO;
            self.long_round();
        }
        self.since_long += FREE_PAUSE;
        works
    }

    /// So much time passes without a round.
    fn pass_over(&mut self, time: Duration) {
        self.since_long += time;
    }

    fn long_round(&mut self) {
        let (engine, txn) = (&self.engine, &mut self.txn);
        let expires = engine.run.active_expire.load(Ordering::Relaxed);
        // A pause whose time is up ends here at the latest.
        let paused = engine.is_paused(wall_clock());
        if expires && !paused && !engine.durability.is_loading() {
            expire_round(engine, txn);
        }
        // Usually the next thread to run a command does so, but there may be none.
        engine.store.to_serve.retry_put_off();
        crate::execution::serving::serve_noted(engine, txn);
        crate::execution::block::leave_at_last(engine, txn);
        engine.maintain_persistence();
        note_journal(engine);
        engine.maintain_tracking(txn);
        engine.evict_clients(&engine.config(), wall_clock());
        self.since_maintained += PAUSE;
        if self.since_maintained >= MAINTENANCE_PERIOD {
            self.since_maintained = Duration::ZERO;
            unless_busy(txn, |txn| engine.maintain_indexes(txn, wall_clock()));
        }
        let micros = u64::try_from(engine.run.clock.elapsed().as_micros()).unwrap_or(u64::MAX);
        engine.metrics.stats.sample(micros, engine.used_memory() as u64);
    }
}

/// Does something that gives up where a shard's holder is overdue: its time comes again.
fn unless_busy(txn: &mut Txn, work: impl FnOnce(&mut Txn)) {
    if let Err(Failed::Panicked(said)) = txn.contain(work) {
        tracing::error!(said, "the cron thread broke off something");
    }
}

/// Goes on where no client's request does: after `maxmemory` was lowered, or when its time was up.
/// Whether there is more of it to do.
fn make_room(engine: &Engine, txn: &mut Txn) -> bool {
    let config = engine.config();
    txn.begin(wall_clock());
    txn.set_measure(engine.store.measure());
    let nothing_left = evict::make_room(engine, txn, &config);
    let is_above = |limit| engine.used_memory() as u64 > limit;
    !nothing_left && config.memory.maxmemory.is_some_and(is_above)
}

/// Frees what was unlinked. The blocks of a big value lie in pages of the threads that made it,
/// which are told to take them back. Whether there was any.
pub(crate) fn free_trash(engine: &Engine) -> bool {
    let start = Instant::now();
    let trash = engine.store.take_trash();
    let any = !trash.is_empty();
    drop(trash);
    if start.elapsed() > BIG {
        engine.memory.cleanups.fetch_add(1, Ordering::Release);
    }
    any
}

/// Walks a part of every shard; stays with a shard while many of its keys are overdue.
fn expire_round(engine: &Engine, txn: &mut Txn) {
    let now = wall_clock();
    let start = Instant::now();
    let mut sums = (0, 0);
    txn.begin(now);
    for shard in 0..engine.store.shards() {
        // Bounded, so that one shard full of overdue keys does not starve the others.
        for _ in 0..16 {
            let (deleted, seen) = store::expire_step(txn, shard, now);
            sums = (sums.0 + deleted, sums.1 + seen);
            if deleted == 0 || deleted * AGAIN_ONE_IN < seen {
                break;
            }
        }
    }
    txn.report_memory();
    let took = start.elapsed();
    engine.metrics.stats.expire_round(took, sums.0, sums.1);
    engine.note_latency(EXPIRE_CYCLE, took, now);
}

/// Notes the longest write and sync of the journal since the last round. One sample per second is
/// kept of each kind, the longest: a look every tenth of a second misses none.
fn note_journal(engine: &Engine) {
    let log = engine.store.log();
    let now = wall_clock();
    let longest = |micros: u64| Duration::from_micros(micros);
    let write = log.figures.slowest_write_micros.swap(0, Ordering::Relaxed);
    let sync = log.figures.slowest_sync_micros.swap(0, Ordering::Relaxed);
    engine.note_latency(AOF_WRITE, longest(write), now);
    // Otherwise no request waits for a sync.
    if log.policy() == Policy::Always {
        engine.note_latency(AOF_FSYNC_ALWAYS, longest(sync), now);
    }
}
