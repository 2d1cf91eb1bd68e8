//! Subscriptions to the stream of changes: see `feed/mod.rs`.
//!
//! A subscription begins while every shard is held: what was done before is no part of it, and of
//! what comes after nothing is missing, in no shard.

use std::sync::{Arc, Weak};
use std::time::Duration;

use crate::feed::queues::Queues;
use crate::{Busy, CHANGES, FeedItem, Store, Subscriber};

/// A subscriber's place among the others, which it leaves when this is dropped.
pub struct Enlisted {
    store: Weak<Store>,
    number: u64,
    /// The last change of each shard before.
    since: Box<[u64]>,
}

impl Enlisted {
    /// The number of the last change of a shard before the subscription began: the first that is
    /// told has the next number.
    #[must_use]
    pub fn since(&self, shard: usize) -> u64 {
        self.since[shard]
    }
}

impl Drop for Enlisted {
    fn drop(&mut self) {
        if let Some(store) = self.store.upgrade() {
            store.feeds.remove(self.number, || store.set_interest(CHANGES, 0));
        }
    }
}

/// Changes that another thread reads in its own time.
pub struct Subscription {
    enlisted: Enlisted,
    queues: Arc<Queues>,
}

impl Subscription {
    /// What comes next; `None` if nothing does in time. What is of one shard comes in order and
    /// without a gap that is not told; shards take turns.
    pub fn next(&mut self, patience: Duration) -> Option<FeedItem> {
        self.queues.next(patience)
    }

    /// As [`Enlisted::since`].
    #[must_use]
    pub fn since(&self, shard: usize) -> u64 {
        self.enlisted.since(shard)
    }

    /// Whether the store is gone: nothing more will come.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.enlisted.store.strong_count() == 0
    }
}

impl std::fmt::Debug for Subscription {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Subscription").field("number", &self.enlisted.number).finish()
    }
}

impl Store {
    /// Subscribes to all changes from now on, which another thread may read in its own time: as
    /// long as those of one shard that wait take no more than so many bytes. The caller holds no
    /// shard.
    ///
    /// # Errors
    /// An overdue request holds a shard.
    pub fn subscribe(self: &Arc<Self>, bytes_per_shard: usize) -> Result<Subscription, Busy> {
        let queues = Arc::new(Queues::new(self.shards(), bytes_per_shard));
        let enlisted = self.enlist(Arc::clone(&queues) as Arc<dyn Subscriber>)?;
        Ok(Subscription { enlisted, queues })
    }

    /// Has a part of the program called for all changes from now on, under the locks of their
    /// shards. The caller holds no shard.
    ///
    /// # Errors
    /// An overdue request holds a shard.
    pub fn enlist(self: &Arc<Self>, subscriber: Arc<dyn Subscriber>) -> Result<Enlisted, Busy> {
        let numbers: Vec<usize> = (0..self.shards()).collect();
        let guards = self.locks.lock_all(&numbers, true).ok_or(Busy)?;
        let since = guards.iter().map(|guard| guard.as_ref().map(|shard| shard.changes));
        let since: Option<Box<[u64]>> = since.collect();
        let since = since.ok_or(Busy)?;
        // A transaction reads the word of bits when it has its locks, and a walk whenever it has
        // one: from here on no change is left out.
        let number = self.feeds.add(subscriber, || self.set_interest(CHANGES, CHANGES));
        Ok(Enlisted { store: Arc::downgrade(self), number, since })
    }

    /// Bytes of changes that subscribers have not read yet, or not let go of.
    #[must_use]
    pub fn unread_changes(&self) -> usize {
        self.feeds.memory()
    }
}
