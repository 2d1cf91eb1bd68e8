//! Which clients have read which keys, for a transaction and for the whole store: readers are
//! noted, told when all is gone, and forgotten where they are too many.

use std::sync::Arc;

use base::Key;

use crate::store::tracked::ReaderCounts;
use crate::{Garbage, HeldShards, Notification, Txn, TxnNotifications};

/// Keys whose readers are forgotten at a time where there are too many.
const TRIM: usize = 64;

/// Forgets all readers; they are told that all keys are stale.
pub(crate) fn tell_flushed(held: &mut HeldShards, notifications: &TxnNotifications) {
    if !notifications.concerns_copies() {
        return;
    }
    let store = Arc::clone(held.store());
    for number in 0..store.shards() {
        let readers = held.with_shard(number, |shard| std::mem::take(&mut shard.readers));
        store.tracked.remove(ReaderCounts::of(&readers));
        if readers.len() > 0 {
            store.discard(Garbage::Readers(Box::new(readers)));
        }
    }
    notifications.add(Notification::Flushed);
}

/// Remembers that a client has read a key whose shard is held: it will be told when the key
/// changes. If the table of readers is full some key is forgotten, and its readers are told.
pub fn note_reader(txn: &mut Txn, key: Key<'_>, client: u64) {
    let Txn { held, notifications, rng, .. } = txn;
    let readers = &mut held.shard_mut(key.hash).readers;
    let before = readers.len();
    let new = readers.add(key.hash, key.bytes, client);
    let grown = readers.len() - before;
    if new {
        held.store.tracked.add_reader();
    }
    if grown > 0 {
        held.store.tracked.add_key(key.bytes.len());
        if held.store.tracked.are_too_many() {
            let pick = rng.next_u64();
            notifications.forget_any(held.shard_mut(key.hash), pick);
        }
    }
}

/// Forgets the readers of some keys of a shard, and tells them, while there are too many. Call
/// without holding any shard.
pub fn trim_readers(txn: &mut Txn, number: usize) {
    let Txn { held, notifications, rng, .. } = txn;
    let store = Arc::clone(held.store());
    notifications.clear_asker();
    // One whose holder is overdue is passed over.
    let _ = held.try_with_shard(number, |shard| {
        for _ in 0..TRIM {
            if !store.tracked.are_too_many() {
                break;
            }
            notifications.forget_any(shard, rng.next_u64());
            notifications.deliver(&store);
        }
    });
}

/// Forgets, in a few keys of a shard, readers that are gone; `from` is where the last call ended, 0
/// at first. Where to go on, 0 at the end; none if the shard is not to be had. Call without holding
/// any shard.
pub fn forget_gone_readers(
    held: &mut HeldShards,
    number: usize,
    from: usize,
    is_there: &dyn Fn(u64) -> bool,
) -> Option<usize> {
    let store = Arc::clone(held.store());
    held.try_with_shard(number, |shard| {
        let before = ReaderCounts::of(&shard.readers);
        let next = shard.readers.sweep(from, is_there);
        store.tracked.remove(before.without(ReaderCounts::of(&shard.readers)));
        next
    })
}
