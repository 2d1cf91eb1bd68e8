//! What `DEBUG DIGEST` answers: equal to Redis's for equal content.

use base::Key;
use rdb::digest::{self, Digest};
use store::Txn;

use super::rdb_value;

/// The digest of the whole dataset, keys past their deadline included. Every shard is held.
/// O(bytes).
pub fn of_dataset(txn: &mut Txn) -> Digest {
    let mut dataset = Digest::default();
    let shards = txn.store().shards();
    for db in 0..txn.store().databases() {
        let mut begun = false;
        for shard in 0..shards {
            store::each_entry(&mut txn.held, shard, db, &mut |seen| {
                if !std::mem::replace(&mut begun, true) {
                    dataset.database(u32::try_from(db).unwrap_or(u32::MAX));
                }
                dataset.key(seen.key, &rdb_value::value(&seen), seen.deadline.is_some());
            });
        }
    }
    dataset
}

/// The digest of the value at a key of the current database; all zeros if there is none. The key's
/// shard is held.
#[must_use]
pub fn of_value(txn: &Txn, key: Key<'_>) -> Digest {
    store::seen(&txn.held, key).map_or_else(Digest::default, |seen| {
        digest::of_value(&rdb_value::value(&seen), seen.deadline.is_some())
    })
}
