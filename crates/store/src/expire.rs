//! Active expiry: keys that no request asks for any more are found and deleted in small steps.

use std::sync::Arc;
use sync::atomic::Ordering;

use base::Millis;

use crate::{ChangeKind, Changes, Garbage, Shard, Store, Txn, TxnNotifications};

/// Buckets looked at per lock of a shard: keeps the lock for some dozen microseconds.
const STEPS: usize = 32;

/// What one look into a shard did.
struct Look {
    deleted: usize,
    seen: usize,
    /// The database it was about; there may be more behind it.
    db: usize,
}

/// Walks on through the keys with a deadline in one shard and deletes overdue ones. Returns how
/// many it deleted and how many it looked at. Call without holding any shard: it locks the shard
/// anew for every database that has such keys.
pub fn expire_step(txn: &mut Txn, number: usize, now: Millis) -> (usize, usize) {
    let Txn { held, changes, notifications, .. } = txn;
    let mut garbage = Vec::new();
    let (mut deleted, mut seen, mut from) = (0, 0, 0);
    let store = Arc::clone(held.store());
    notifications.clear_asker();
    // One whose holder is overdue is passed over: its turn comes again.
    while let Some(Some(look)) = held.try_with_shard(number, |shard| {
        notifications.look_around(&store);
        let look = look(shard, (from, now), &mut garbage, (&store, changes, notifications));
        changes.pending.publish_of(shard, &store);
        notifications.deliver(&store);
        look
    }) {
        deleted += look.deleted;
        seen += look.seen;
        from = look.db + 1;
    }
    garbage.into_iter().for_each(|removed| store.discard(removed));
    store.counts.expired.fetch_add(deleted as u64, Ordering::Relaxed);
    (deleted, seen)
}

/// Walks on in the first database from `from` on that has keys with a deadline.
fn look(
    shard: &mut Shard,
    (from, now): (usize, Millis),
    garbage: &mut Vec<Garbage>,
    (store, changes, notifications): (&Store, &mut Changes, &TxnNotifications),
) -> Option<Look> {
    let db = (from..shard.dbs.len()).find(|&db| shard.dbs[db].keys.expiring() > 0)?;
    let (mut deleted, mut seen) = (0, 0);
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
            let place = (db, hash, &*key);
            changes.went(shard, (store, notifications), place, (ChangeKind::Expired, false));
        }
    }
    Some(Look { deleted, seen, db })
}
