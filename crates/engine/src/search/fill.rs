//! How an index reads the keys that are there: a walk over all shards, in slices.
//!
//! ```text
//!   FT.CREATE ─► in the catalog, and followed from now on ─► a thread reads shard after shard
//!   a start ──► read at once, by all threads, before the first request
//! ```
//!
//! What is written meanwhile the index follows by itself, under the lock of the key's shard, as
//! this walk does: in whatever order they come, an entry is what its key held last.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use base::CmdError;
use store::{HeldShards, Txn};

use super::follow::Follower;
use super::index::Index;
use crate::background::BackgroundWorker;
use crate::engine::Engine;

/// A database with so few keys is read on the spot.
const SMALL: usize = 2_000;

impl Engine {
    /// Has indexes follow the dataset, if they do not yet. Holds no shard.
    ///
    /// # Errors
    /// An overdue request holds a shard.
    pub(crate) fn follow_documents(&self) -> Result<(), CmdError> {
        let mut follows = self.catalog.follows.lock();
        if follows.is_none() {
            let follower = Arc::new(Follower(self.me.clone()));
            let registration = self.store.add_change_consumer(follower);
            *follows = Some(registration.map_err(|_| self.busy())?);
        }
        Ok(())
    }

    /// Has a new index read what is there: at once where that is little, or where every shard is
    /// held, else on a thread.
    pub(crate) fn fill(&self, txn: &mut Txn, db: usize, index: &Arc<Index>) {
        if txn.held.holds_everything() || store::keys_of(&mut txn.held, db) <= SMALL {
            return self.fill_here(&mut txn.held, db, index);
        }
        let Some(engine) = self.me() else { return };
        let (own, index) = (Arc::clone(&engine), Arc::clone(index));
        index.filling.begin(self.store.shards());
        let job = move |worker: &mut BackgroundWorker| {
            own.fill_here(&mut worker.txn.held, db, &index);
        };
        self.background.send_for_index(&engine, Box::new(job));
    }

    /// Has all indexes read what was recovered, by several threads. Before the first request.
    pub(crate) fn fill_recovered(self: &Arc<Self>) -> Result<(), CmdError> {
        if !self.catalog.has_any() {
            return Ok(());
        }
        self.follow_documents()?;
        let known = self.catalog.known();
        known.indexes().for_each(|(_, index)| index.filling.begin(self.store.shards()));
        let next = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..self.run.workers.clamp(1, 16) {
                scope.spawn(|| {
                    let mut txn = Txn::new(Arc::clone(&self.store), self.run.hashing.seed);
                    loop {
                        let shard = next.fetch_add(1, Ordering::Relaxed);
                        if shard >= self.store.shards() {
                            break;
                        }
                        for (db, index) in known.indexes() {
                            fill_shard(&mut txn.held, shard, db, index);
                        }
                    }
                });
            }
        });
        Ok(())
    }

    /// Has all indexes read everything again, on a thread: they have missed changes.
    pub(crate) fn fill_anew(&self) {
        let Some(engine) = self.me() else { return };
        if self.catalog.renews.swap(true, Ordering::AcqRel) {
            return;
        }
        let own = Arc::clone(&engine);
        let job = move |worker: &mut BackgroundWorker| {
            own.catalog.renews.store(false, Ordering::Release);
            own.catalog.renew();
            let known = own.catalog.known();
            for (db, index) in known.indexes() {
                own.fill_here(&mut worker.txn.held, db, index);
            }
        };
        self.background.send_for_index(&engine, Box::new(job));
    }

    /// Has an index read everything, on this thread. Holds every shard, or none.
    fn fill_here(&self, held: &mut HeldShards, db: usize, index: &Index) {
        index.filling.begin(self.store.shards());
        (0..self.store.shards()).for_each(|shard| fill_shard(held, shard, db, index));
    }
}

/// Reads what a shard has. Holds every shard, or none.
fn fill_shard(held: &mut HeldShards, shard: usize, db: usize, index: &Index) {
    let begun = Instant::now();
    let mut position = Some(0);
    while let Some(from) = position {
        position = store::each_entry_from(held, shard, db, from, &mut |seen| {
            if index.concerns(seen.key) {
                index.follow(shard, seen.key, Some(&seen));
            }
        });
    }
    let took = u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX);
    index.filling.took.fetch_add(took, Ordering::Relaxed);
    index.filling.left.fetch_sub(1, Ordering::AcqRel);
}
