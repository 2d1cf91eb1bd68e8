//! What becomes of the notes about readers of keys when the readers have gone, or are too many.

use std::sync::atomic::Ordering;

use store::{READERS, Txn};

use crate::engine::Engine;

impl Engine {
    /// Forgets readers that are gone, and some if there are too many. For the cron thread.
    pub(crate) fn maintain_tracking(&self, txn: &mut Txn) {
        let store = &self.store;
        if store.interest() & READERS == 0 {
            return;
        }
        let shards = 0..store.shards();
        if store.tracked.are_too_many() {
            shards.clone().for_each(|shard| store::trim_readers(txn, shard));
        }
        if self.notify.tracking.left.swap(false, Ordering::AcqRel) {
            // Looked up one by one, under the shard's lock: a client that has read a key was
            // registered before.
            let tracks = |id| {
                let client = self.clients.get(id);
                client.is_some_and(|client| client.tracking.on.load(Ordering::Relaxed))
            };
            for shard in shards {
                let mut from = Some(0);
                while let Some(at) = from {
                    from = store::forget_gone_readers(&mut txn.held, shard, at, &tracks);
                    if from.is_none() {
                        // Its holder is overdue: another round looks at it.
                        self.notify.tracking.left.store(true, Ordering::Release);
                    }
                    from = from.filter(|&at| at != 0);
                }
            }
        }
        let counts = self.notify.tracking.counts.lock();
        if counts.in_default_mode == 0 && store.tracked.keys() == 0 {
            store.set_interest(READERS, 0);
        }
    }
}
