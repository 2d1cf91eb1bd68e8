//! Which clients have read which keys, for a transaction and for the whole store: readers are
//! noted, told when all is gone, and forgotten where they are too many.

use std::sync::Arc;
use sync::atomic::Ordering;

use base::Key;

use crate::readers::PER_KEY;
use crate::{Garbage, HeldShards, Notification, Store, Txn, TxnNotifications};

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
        store.read_keys.fetch_sub(readers.len(), Ordering::Relaxed);
        store.readers.fetch_sub(readers.ids(), Ordering::Relaxed);
        store.read_key_bytes.fetch_sub(readers.bytes(), Ordering::Relaxed);
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
        held.store.readers.fetch_add(1, Ordering::Relaxed);
    }
    if grown > 0 {
        held.store.read_keys.fetch_add(grown, Ordering::Relaxed);
        held.store.read_key_bytes.fetch_add(key.bytes.len(), Ordering::Relaxed);
        if held.store.has_too_many_readers() {
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
            if !store.has_too_many_readers() {
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
        let (keys, readers) = (shard.readers.len(), shard.readers.ids());
        let bytes = shard.readers.bytes();
        let next = shard.readers.sweep(from, is_there);
        store.read_keys.fetch_sub(keys - shard.readers.len(), Ordering::Relaxed);
        store.readers.fetch_sub(readers - shard.readers.ids(), Ordering::Relaxed);
        store.read_key_bytes.fetch_sub(bytes - shard.readers.bytes(), Ordering::Relaxed);
        next
    })
}

impl Store {
    /// The number of keys whose readers are remembered.
    #[must_use]
    pub fn read_keys(&self) -> usize {
        self.read_keys.load(Ordering::Relaxed)
    }

    /// The number of readers remembered, over all keys.
    #[must_use]
    pub fn readers(&self) -> usize {
        self.readers.load(Ordering::Relaxed)
    }

    /// Bytes that remembering them takes.
    #[must_use]
    pub fn readers_memory(&self) -> usize {
        let bytes = self.read_key_bytes.load(Ordering::Relaxed);
        bytes + self.read_keys() * PER_KEY + self.readers() * size_of::<u64>()
    }

    /// Sets how many keys' readers are remembered at most.
    pub fn set_read_keys_limit(&self, keys: usize) {
        self.read_keys_limit.store(keys, Ordering::Relaxed);
    }

    /// Whether the readers of more keys are remembered than may be.
    #[must_use]
    pub fn has_too_many_readers(&self) -> bool {
        self.read_keys() > self.read_keys_limit.load(Ordering::Relaxed)
    }
}
