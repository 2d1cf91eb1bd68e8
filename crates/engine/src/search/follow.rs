//! How indexes follow the dataset: each change, under the lock of its shard.
//!
//! A key that was written is read from its shard and put into the indexes it belongs to, or taken
//! out; so an index is what a walk over the dataset would make of it, whatever the change was.

use std::sync::{Arc, Weak};

use store::{Change, ChangeBatch, ChangeConsumer, Seen, Shard};

use super::document::Stored;
use super::index::Index;
use crate::engine::Engine;

/// Bytes of changes of one transaction that are kept until its end. Beyond that indexes read the
/// shard again.
const BACKLOG: usize = 256 << 20;

/// What follows the changes.
pub(super) struct Follower(pub Weak<Engine>);

impl ChangeConsumer for Follower {
    fn changed(&self, shard: &Shard, batch: &Arc<ChangeBatch>) {
        let Some(engine) = self.0.upgrade() else { return };
        let mut known = engine.catalog.known();
        for change in &batch.changes {
            match change {
                Change::Key { db, hash, key, .. } => {
                    for index in known.concerned(*db, key) {
                        let seen = store::seen_in(shard, *db, *hash, key);
                        index.follow(batch.shard, key, seen.as_ref());
                    }
                    continue;
                }
                Change::Flushed { db } if batch.shard == 0 => engine.catalog.flushed(*db),
                Change::Swapped { a, b } if batch.shard == 0 => engine.catalog.swapped(*a, *b),
                Change::Flushed { .. } | Change::Swapped { .. } => {}
            }
            known = engine.catalog.known();
        }
    }

    fn missed(&self, _: &Shard, _: u64, _: u64) {
        if let Some(engine) = self.0.upgrade() {
            engine.fill_anew();
        }
    }

    fn backlog_limit(&self) -> usize {
        BACKLOG
    }
}

impl Index {
    /// A key of a shard, whose lock is held, is as it was seen, or is not there: the index follows.
    pub(super) fn follow(&self, shard: usize, key: &[u8], seen: Option<&Seen<'_>>) {
        let stored = seen.and_then(|seen| Stored::of(seen, self.source()));
        let passes = |stored: &Stored<'_>| {
            self.filter.as_ref().is_none_or(|filter| filter.passes(key, stored))
        };
        let stored = stored.filter(passes);
        let failure = self.write(shard, |partition| match stored {
            Some(stored) => partition.put(key, &stored).err(),
            None => {
                partition.remove(key);
                None
            }
        });
        if let Some(failure) = failure {
            self.failed(key, failure.said);
        }
    }
}
