//! When ordered indexes are built, kept up and given up; and which requests wait for one.
//!
//! ```text
//!   request about ranges ─► admit ─► no index yet? ──► threads gather and sort shards, one merges
//!                             ▲           │                                   │
//!                             │           └─► postponed ◄── Message::Resume ──┘
//!                             └───────────────────┘
//! ```
//!
//! The first request about ranges of a database lets its index be built, by as many threads as
//! there are workers, and waits as one waits for the end of a pause (`execution/pause.rs`): its
//! worker serves other requests meanwhile, and no write waits for longer than a slice of a shard is
//! read. A small database is not worth that: its index is built on the spot. So it is inside `EXEC`
//! and scripts, which hold every shard and cannot wait, unless the index was there before.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use base::Millis;
use config::{Config, RangeIndex};
use parking_lot::Mutex;
use store::{Build, IndexPhase, Keeping, Run, Txn};

use crate::background::BackgroundWorker;
use crate::client::Message;
use crate::client::session::Session;
use crate::engine::Engine;

/// A database with so many keys is indexed on the spot: in some milliseconds.
const SMALL: usize = 10_000;
/// Keys for which another thread is worth starting.
const SHARE: usize = 50_000;
/// Most threads.
const THREADS: usize = 8;
/// So many changes are merged by the background thread. More at a time cost less each, as leaves
/// are packed anew less often; a request in between waits for them to be merged, some dozen
/// milliseconds at most.
const MANY: usize = 128 * 1024;
/// An index that no request has used for so long is given up, unless it is always kept.
const IDLE: Millis = 60 * 60 * 1000;

/// An index that several threads build.
struct Work {
    engine: Arc<Engine>,
    build: Build,
    runs: Mutex<Vec<Run>>,
    parts: usize,
    /// Threads that are not done.
    left: AtomicUsize,
    begun: Instant,
}

/// One thread's part of it; done when it is dropped, whatever became of it.
struct Part(Arc<Work>);

impl Drop for Part {
    fn drop(&mut self) {
        let work = &self.0;
        if work.left.fetch_sub(1, Ordering::AcqRel) > 1 {
            return;
        }
        let runs = std::mem::take(&mut *work.runs.lock());
        if runs.len() == work.parts {
            let took = u64::try_from(work.begun.elapsed().as_millis()).unwrap_or(u64::MAX);
            if work.engine.store.indexes.finish(&work.build, &runs, took) {
                tracing::info!(db = work.build.db(), took, "an ordered index was built");
            }
        }
        // If it broke, or the database has changed its place, a request that waits asks for
        // another.
        work.engine.store.indexes.abandon(&work.build);
        work.engine.waits.building.fetch_sub(1, Ordering::AcqRel);
        work.engine.resume_all();
    }
}

impl Engine {
    /// Whether an index is being built.
    pub(crate) fn is_building(&self) -> bool {
        self.waits.building.load(Ordering::Acquire) > 0
    }

    /// When the request that a session has postponed is looked at again, if it is not resumed: at
    /// the end of the pause, or, if it waits for an index, never as long as one is being built. 0
    /// is now. No request waits for both: a pause is checked before an index is asked for.
    #[must_use]
    pub fn resumes_at(&self, session: &Session) -> Millis {
        match session.wait.awaits_index {
            false => self.waits.pauses.until(),
            true if self.is_building() => Millis::MAX,
            true => 0,
        }
    }

    /// A request that waits looks again whether it must.
    fn resume_all(&self) {
        for client in self.waits.pauses.all_waiting() {
            client.mailbox.post(client.id, Message::Resume);
        }
    }

    /// Whether a request about the order of keys has to wait for the index of a database, whose
    /// building begins here if it is missing. Holds no shard.
    #[cold]
    pub(crate) fn must_wait_for_index(&self, txn: &mut Txn, db: usize) -> bool {
        match self.store.indexes.phase(db) {
            IndexPhase::Live => false,
            IndexPhase::Building => self.is_building(),
            IndexPhase::Off if self.store.indexes.keeping() == Keeping::Never => false,
            IndexPhase::Off => {
                let keys = store::keys_of(&mut txn.held, db);
                keys > SMALL && self.build_index(db, keys)
            }
        }
    }

    /// Lets the index of a database be built that has so many keys; whether it is being built.
    fn build_index(&self, db: usize, keys: usize) -> bool {
        let Some(engine) = self.me() else { return false };
        // Before another request can see that it is being built: it would not know by which
        // threads.
        self.waits.building.fetch_add(1, Ordering::AcqRel);
        let Some(build) = self.store.indexes.begin(db) else {
            self.waits.building.fetch_sub(1, Ordering::AcqRel);
            self.resume_all();
            return self.is_building();
        };
        let parts = (keys / SHARE).clamp(1, self.run.workers.clamp(1, THREADS));
        let work = Arc::new(Work {
            engine: Arc::clone(&engine),
            build,
            runs: Mutex::default(),
            parts,
            left: AtomicUsize::new(parts),
            begun: Instant::now(),
        });
        for _ in 0..parts {
            let part = Part(Arc::clone(&work));
            // Without a thread the part is dropped: then the work is given up, when all others are.
            let job = move |worker: &mut BackgroundWorker| {
                let run = store::gather_keys(&mut worker.txn.held, &part.0.build);
                part.0.runs.lock().push(run);
                drop(part);
            };
            engine.background.send_for_index(&engine, Box::new(job));
        }
        true
    }

    /// Puts settings about indexes in force. Indexes come and go with the next rounds.
    pub(crate) fn follow_indexes(&self, config: &Config) {
        let keeping = match config.ranges.index {
            RangeIndex::Auto => Keeping::Asked,
            RangeIndex::Yes => Keeping::Always,
            RangeIndex::No => Keeping::Never,
        };
        self.store.indexes.keep(keeping, config.ranges.max_reply);
    }

    /// Merges changes where there are many; whether there were.
    pub(crate) fn merge_indexes(&self, txn: &mut Txn) -> bool {
        let mut any = false;
        for db in 0..self.store.databases() {
            if self.store.indexes.waiting(db) >= MANY {
                store::merge_index(&mut txn.held, db);
                any = true;
            }
        }
        any
    }

    /// Looks after indexes, every now and then: builds those that are always kept, gives up those
    /// that no request wants.
    pub(crate) fn maintain_indexes(&self, txn: &mut Txn, now: Millis) {
        store::ask_deadlines(&mut txn.held);
        let keeping = self.store.indexes.keeping();
        for db in 0..self.store.databases() {
            match (self.store.indexes.phase(db), keeping) {
                (IndexPhase::Off, Keeping::Always) => {
                    let keys = store::keys_of(&mut txn.held, db);
                    if keys > 0 && !self.durability.is_loading() {
                        self.build_index(db, keys);
                    }
                }
                // What shards have noted goes with it, so all of them are needed.
                _ if self.store.locks.is_obstructed() => {}
                (IndexPhase::Live, Keeping::Never) => store::drop_index(&mut txn.held, db),
                (IndexPhase::Live, Keeping::Asked) => {
                    let used = self.store.indexes.used(db);
                    if used > 0 && now.saturating_sub(used) > IDLE {
                        store::drop_index(&mut txn.held, db);
                        tracing::info!(db, "an unused ordered index was given up");
                    }
                }
                _ => {}
            }
        }
    }
}

/// How often indexes are tended.
pub(crate) const MAINTENANCE_PERIOD: Duration = Duration::from_secs(1);
