//! Consumers of the change stream come and go: see `change_stream/mod.rs`.
//!
//! One comes while every shard is held: what was done before it is not told, and of
//! what comes after nothing is missing, in no shard.

use std::sync::{Arc, Weak};
use std::time::Duration;

use crate::change_stream::Place;
use crate::change_stream::backlog::Backlog;
use crate::{Busy, CHANGES, ChangeConsumer, ChangeEvent, Store};

/// A consumer's place among the others, which it leaves when this is dropped.
pub struct Registration {
    store: Weak<Store>,
    place: Arc<Place>,
    /// The last change of each shard before.
    since: Box<[u64]>,
}

impl Registration {
    /// The number of the last change of a shard before the consumer came: the first that is told
    /// has the next number.
    #[must_use]
    pub fn since(&self, shard: usize) -> u64 {
        self.since[shard]
    }

    /// Whether the consumer has panicked, and is told nothing more.
    #[must_use]
    pub fn is_broken(&self) -> bool {
        self.place.is_broken()
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        if let Some(store) = self.store.upgrade() {
            store.change_stream.remove(&self.place, || store.set_interest(CHANGES, 0));
        }
    }
}

/// Changes that another thread reads in its own time.
pub struct ChangeReader {
    registration: Registration,
    backlog: Arc<Backlog>,
}

impl ChangeReader {
    /// What comes next; `None` if nothing does in time, or nothing ever will. What is of one shard
    /// comes in order and without a gap that is not told; shards take turns.
    pub fn next(&mut self, timeout: Duration) -> Option<ChangeEvent> {
        self.backlog.next(timeout)
    }

    /// As [`Registration::since`].
    #[must_use]
    pub fn since(&self, shard: usize) -> u64 {
        self.registration.since(shard)
    }

    /// Whether the engine has ended and all was read: nothing more will come.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.backlog.is_over()
    }
}

impl std::fmt::Debug for ChangeReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ChangeReader").field("since", &self.registration.since).finish()
    }
}

impl Store {
    /// A reader of all changes from now on, on any thread and in its own time: as long as those
    /// that wait take no more than so many bytes. The caller holds no shard.
    ///
    /// # Errors
    /// An overdue request holds a shard.
    pub fn read_changes(self: &Arc<Self>, backlog_limit: usize) -> Result<ChangeReader, Busy> {
        let backlog = Arc::new(Backlog::new(self.shards(), backlog_limit));
        let consumer = Arc::clone(&backlog) as Arc<dyn ChangeConsumer>;
        Ok(ChangeReader { registration: self.add_change_consumer(consumer)?, backlog })
    }

    /// Has a part of the program called for all changes from now on, under the locks of their
    /// shards. The caller holds no shard.
    ///
    /// # Errors
    /// An overdue request holds a shard.
    pub fn add_change_consumer(
        self: &Arc<Self>,
        consumer: Arc<dyn ChangeConsumer>,
    ) -> Result<Registration, Busy> {
        let numbers: Vec<usize> = (0..self.shards()).collect();
        let guards = self.locks.lock_all(&numbers, true).ok_or(Busy)?;
        let since = guards.iter().map(|guard| guard.as_ref().map(|shard| shard.changes));
        let since: Option<Box<[u64]>> = since.collect();
        let since = since.ok_or(Busy)?;
        // A transaction reads the word of bits when it has its locks, and a walk whenever it has
        // one: from here on no change is left out.
        let place = self.change_stream.add(consumer, || self.set_interest(CHANGES, CHANGES));
        Ok(Registration { store: Arc::downgrade(self), place, since })
    }

    /// Tells all consumers of changes that the engine has ended: nothing more will be told. What
    /// is in backlogs can still be read.
    pub fn end_changes(&self) {
        self.change_stream.end();
    }

    /// Bytes of changes that consumers have not read yet, or not let go of, and of those that
    /// running transactions are to tell.
    #[must_use]
    pub fn change_backlog(&self) -> usize {
        self.change_stream.memory()
    }
}
