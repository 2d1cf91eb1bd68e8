//! How many keys there are, and what waits to be freed: numbers for `INFO`.

use crate::{Garbage, Store, Txn};

/// What one database holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Census {
    /// Keys, those past their deadline and not yet deleted included.
    pub keys: usize,
    /// Keys with a deadline.
    pub expiring: usize,
}

impl Txn {
    /// Counts every database, one shard after the other. O(shards × databases). Call while
    /// holding every shard, or none.
    pub fn census(&mut self) -> Vec<Census> {
        let mut sums = vec![Census::default(); self.store().databases()];
        for number in 0..self.store().shards() {
            self.each_shard(number, |shard| {
                for (sum, db) in sums.iter_mut().zip(shard.dbs()) {
                    sum.keys += db.keys.len();
                    sum.expiring += db.keys.expiring();
                }
            });
        }
        sums
    }

    /// Bytes that a recount of every object finds: what [`Store::memory`] says once every seat has
    /// reported. O(keys); for checks. Call while holding every shard, or none.
    pub fn recount(&mut self) -> usize {
        let shards = 0..self.store().shards();
        let recount = |shard: &mut crate::Shard| {
            shard.dbs().iter().map(|db| db.keys.memory() + db.recount()).sum::<usize>()
        };
        shards.map(|number| self.each_shard(number, recount)).sum()
    }
}

impl Store {
    /// Values that were unlinked and wait to be freed.
    #[must_use]
    pub fn pending_frees(&self) -> usize {
        self.trash.lock().iter().filter(|g| !matches!(g, Garbage::Nothing)).count()
    }
}
