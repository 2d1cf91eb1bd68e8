//! How many keys there are, and how long they live: numbers for `INFO`.

use base::Millis;

use crate::shard::counts::ShardCounts;
use crate::{Db, HeldShards, Shard, Txn};

/// Steps of a walk that find out how long the keys of a database in one shard still live.
const SAMPLE_STEPS: usize = 4;

impl KeyCounts {
    fn add(&mut self, count: ShardCounts) {
        self.keys += count.keys;
        self.expiring += count.expiring;
        self.table += count.table;
    }
}

/// What one database holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeyCounts {
    /// Keys, those past their deadline and not yet deleted included.
    pub keys: usize,
    /// Keys with a deadline.
    pub expiring: usize,
    /// Bytes the tables take beside keys and values.
    pub table: usize,
    /// Milliseconds that keys with a deadline still have, on average; estimated from some of them
    /// in each shard.
    pub average_ttl: Millis,
}

/// The times that sampled keys still have, weighted with the keys each sample stands for.
#[derive(Clone, Copy, Default)]
struct Lives {
    keys: u128,
    millis: u128,
}

impl Lives {
    fn sample(&mut self, db: &Db, from: u64, now: Millis) {
        let (mut seen, mut millis, mut cursor) = (0_u128, 0_u128, from);
        for _ in 0..SAMPLE_STEPS {
            cursor = db.keys.scan_expiring(cursor, &mut |entry| {
                let left = entry.deadline().map_or(0, |at| at.saturating_sub(now));
                seen += u128::from(left > 0);
                millis += u128::from(left);
            });
            // At the end of the table with nothing found: what there is lies before.
            if cursor == 0 && (seen > 0 || from == 0) {
                break;
            }
        }
        if let Some(average) = millis.checked_div(seen) {
            let stands_for = db.keys.expiring() as u128;
            self.keys += stands_for;
            self.millis += average * stands_for;
        }
    }

    fn average(&self) -> Millis {
        let average = self.millis.checked_div(self.keys).unwrap_or(0);
        Millis::try_from(average).unwrap_or(Millis::MAX)
    }
}

/// Counts every database, one shard after the other. Of a shard whose holder is overdue it
/// tells what was in it when that was noticed. O(shards × databases). Call while holding every
/// shard, or none.
pub fn key_counts(txn: &mut Txn) -> Vec<KeyCounts> {
    let (now, held) = (txn.time(), &mut txn.held);
    let mut sums = vec![KeyCounts::default(); held.store().databases()];
    let mut lives = vec![Lives::default(); sums.len()];
    for number in 0..held.store().shards() {
        let there = held.try_with_shard(number, |shard| {
            // Where the walk that deletes overdue keys stands is as good as a random place.
            let dbs = shard.dbs().iter().zip(&shard.expire_cursor);
            for ((sum, lives), (db, cursor)) in sums.iter_mut().zip(&mut lives).zip(dbs) {
                sum.add(ShardCounts::of(db));
                if db.keys.expiring() > 0 {
                    lives.sample(db, *cursor, now);
                }
            }
        });
        if there.is_none() {
            let counts = held.store().locks.key_counts_of_overdue(number);
            sums.iter_mut().zip(&counts).for_each(|(sum, count)| sum.add(*count));
        }
    }
    for (sum, lives) in sums.iter_mut().zip(&lives) {
        sum.average_ttl = lives.average();
    }
    sums
}

/// Bytes that a recount of every object finds: what [`Store::memory`](crate::Store::memory) says
/// once every transaction has reported, without
/// [`Store::shared_memory`](crate::Store::shared_memory). O(keys); for checks. Call while holding
/// every shard, or none.
pub fn recount(held: &mut HeldShards) -> usize {
    let shards = 0..held.store().shards();
    let recount = |shard: &mut Shard| {
        shard
            .dbs()
            .iter()
            .map(|db| db.keys.memory() + db.recount() + db.noted_memory())
            .sum::<usize>()
    };
    shards.map(|number| held.with_shard(number, recount)).sum()
}
