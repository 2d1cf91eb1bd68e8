//! The keeper: one background thread for what no client asks for.
//!
//! It deletes keys whose deadline has passed, frees large values that were unlinked, and samples
//! rates. It holds a shard's lock for microseconds at a time.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime};

use base::Millis;
use store::Txn;

use crate::engine::Engine;

/// The pause between rounds when there is little to do; Redis's `hz 10`.
const PAUSE: Duration = Duration::from_millis(100);
/// The pause between frees: large values wait no longer than this.
const FREE_PAUSE: Duration = Duration::from_millis(10);
/// A shard is walked again at once while at least one in this many of the keys seen was overdue.
const AGAIN_ONE_IN: usize = 10;

/// The running background thread.
pub struct Keeper {
    thread: Option<JoinHandle<()>>,
    engine: Arc<Engine>,
}

impl Keeper {
    /// Starts it.
    ///
    /// # Errors
    /// The thread could not be started.
    pub fn start(engine: &Arc<Engine>) -> std::io::Result<Self> {
        let shared = Arc::clone(engine);
        let thread =
            std::thread::Builder::new().name("keeper".to_owned()).spawn(move || keep(&shared))?;
        Ok(Keeper { thread: Some(thread), engine: Arc::clone(engine) })
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.engine.stopping.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            // A panic in it has been reported by the panic hook; there is nothing left to do.
            let _ = thread.join();
        }
    }
}

fn keep(engine: &Arc<Engine>) {
    let mut txn = Txn::new(Arc::clone(&engine.store), engine.started);
    let mut since_round = PAUSE;
    while !engine.stopping.load(Ordering::Acquire) {
        drop(engine.store.take_trash());
        if since_round >= PAUSE {
            since_round = Duration::ZERO;
            expire_round(engine, &mut txn);
            let micros = u64::try_from(engine.clock.elapsed().as_micros()).unwrap_or(u64::MAX);
            engine.stats.sample(micros, engine.used_memory() as u64);
        }
        std::thread::sleep(FREE_PAUSE);
        since_round += FREE_PAUSE;
    }
}

/// Walks a part of every shard; stays with a shard while many of its keys are overdue.
fn expire_round(engine: &Engine, txn: &mut Txn) {
    let now = wall_clock();
    txn.begin(now);
    for shard in 0..engine.store.shards() {
        // Bounded, so that one shard full of overdue keys does not starve the others.
        for _ in 0..16 {
            let (deleted, seen) = txn.expire_step(shard, now);
            if deleted == 0 || deleted * AGAIN_ONE_IN < seen {
                break;
            }
        }
    }
    txn.report_memory();
}

/// Milliseconds since the Unix epoch.
pub(crate) fn wall_clock() -> Millis {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Millis::try_from(since.as_millis()).unwrap_or(Millis::MAX)
}
