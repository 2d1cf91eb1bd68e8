//! Active expiry: keys nobody asks for any more are found and deleted in small steps.

use base::Millis;

use crate::Txn;

/// Buckets looked at per lock of a shard: keeps the lock for some microseconds.
const STEPS: usize = 32;

impl Txn {
    /// Walks on through the keys with a deadline in one shard and deletes overdue ones. Returns
    /// how many it deleted and how many it looked at. Call without holding any shard.
    pub fn expire_step(&mut self, number: usize, now: Millis) -> (usize, usize) {
        let mut garbage = Vec::new();
        let (deleted, seen) = self.each_shard(number, |shard| {
            let (mut deleted, mut seen) = (0, 0);
            for db in 0..shard.dbs.len() {
                if shard.dbs[db].keys.expiring() == 0 {
                    continue;
                }
                let mut overdue: Vec<Box<[u8]>> = Vec::new();
                for _ in 0..STEPS {
                    let cursor = shard.expire_cursor[db];
                    let next = shard.dbs[db].keys.scan_expiring(cursor, &mut |entry| {
                        seen += 1;
                        if entry.deadline().is_some_and(|at| at <= now) {
                            overdue.push(entry.key().into());
                        }
                    });
                    shard.expire_cursor[db] = next;
                    if next == 0 {
                        break;
                    }
                }
                for key in overdue {
                    let hash = shard.dbs[db].keys.hasher().0.hash(&key);
                    if let Some(removed) = shard.reap(db, hash, &key, now) {
                        deleted += 1;
                        garbage.push(removed);
                    }
                }
            }
            (deleted, seen)
        });
        for removed in garbage {
            self.discard(removed);
        }
        self.count_expired(deleted);
        (deleted, seen)
    }

    /// Adds to the count of keys whose deadline passed.
    fn count_expired(&self, deleted: usize) {
        use std::sync::atomic::Ordering;
        self.store().expired.fetch_add(deleted as u64, Ordering::Relaxed);
    }
}
