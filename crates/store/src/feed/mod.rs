//! The stream of changes: what has changed in each shard, in order, for whichever part of the
//! program subscribes to it.
//!
//! ```text
//!   a command, expiry, a flush ─► PendingChanges of the transaction
//!     its end, shards still held ─► numbered, by shards ─► Feeds ─┬► Subscriber
//!                                                                 └► Queues ─► another thread
//! ```
//!
//! A shard numbers its changes while its lock is held, so the order of the numbers is the order of
//! the changes, whichever threads and doors made them. What one transaction changes in a shard is
//! one [`Batch`]. Changes are numbered as long as any part subscribes: that nothing is lost can be
//! seen from the numbers, but they do not say how often a shard has ever changed.
//!
//! Where nothing subscribes the stream costs nothing: one bit of the word that every transaction
//! reads anyway says so ([`CHANGES`](crate::CHANGES)).
//!
//! Must never: wait for a subscriber, nor lose a change without saying so.

pub(crate) mod queues;

use std::sync::Arc;
use sync::RwLock;
use sync::atomic::{AtomicUsize, Ordering};

use crate::Shard;

/// What became of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    /// It was written, and is there.
    Written,
    /// A command took it away.
    Removed,
    /// Its deadline had passed.
    Expired,
    /// It was dropped to make room.
    Evicted,
}

/// Something that changed in a shard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A key. One that is renamed or moved is two changes: one is removed, and one is written.
    Key {
        /// Its database.
        db: usize,
        /// Its hash.
        hash: u64,
        /// Its name.
        key: Box<[u8]>,
        /// What became of it.
        kind: ChangeKind,
    },
    /// All that the shard had of this database is gone.
    Flushed {
        /// The database.
        db: usize,
    },
    /// What the shard has of these two databases has changed places.
    Swapped {
        /// One.
        a: usize,
        /// The other.
        b: usize,
    },
}

impl Change {
    /// Bytes that it has allocated.
    fn owned(&self) -> usize {
        match self {
            Change::Key { key, .. } => key.len(),
            Change::Flushed { .. } | Change::Swapped { .. } => 0,
        }
    }
}

/// Bytes that count as used memory as long as this is there.
#[derive(Debug)]
struct Charge {
    bytes: usize,
    total: Arc<AtomicUsize>,
}

impl Charge {
    fn new(bytes: usize, total: &Arc<AtomicUsize>) -> Self {
        total.fetch_add(bytes, Ordering::Relaxed);
        Charge { bytes, total: Arc::clone(total) }
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.total.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// What one transaction has changed in one shard, in order.
#[derive(Debug)]
pub struct Batch {
    /// The shard.
    pub shard: usize,
    /// The number of the first of the changes; the others follow it.
    pub first: u64,
    /// The changes, of which there are some.
    pub changes: Vec<Change>,
    charge: Charge,
}

impl Batch {
    /// The changes with their numbers.
    pub fn numbered(&self) -> impl Iterator<Item = (u64, &Change)> {
        (self.first..).zip(&self.changes)
    }

    /// The number of the last of the changes.
    #[must_use]
    pub fn last(&self) -> u64 {
        self.first + self.changes.len() as u64 - 1
    }

    /// Bytes that it takes, wherever it is kept.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.charge.bytes
    }
}

/// A part of the program that is told each change.
pub trait Subscriber: Send + Sync {
    /// These changes were made in this shard, whose lock is held: it has its keys as they are
    /// behind the last of the changes. Must not wait for anything but short locks of its own, nor
    /// lock a shard.
    fn changed(&self, shard: &Shard, batch: &Arc<Batch>);
}

/// The subscribers of a store.
#[derive(Default)]
pub(crate) struct Feeds {
    subscribers: RwLock<Vec<(u64, Arc<dyn Subscriber>)>>,
    /// Bytes of all batches that are kept anywhere.
    bytes: Arc<AtomicUsize>,
}

impl Feeds {
    /// Adds a subscriber; its number. `first` runs while no other comes or goes, if it is the
    /// first. All shards are held.
    pub fn add(&self, subscriber: Arc<dyn Subscriber>, first: impl FnOnce()) -> u64 {
        let mut subscribers = self.subscribers.write();
        if subscribers.is_empty() {
            first();
        }
        // Numbers ascend, so those that are taken lie below the last one's successor.
        let number = subscribers.last().map_or(0, |(last, _)| last + 1);
        subscribers.push((number, subscriber));
        number
    }

    /// Takes a subscriber away. `last` runs while no other comes or goes, if none is left.
    pub fn remove(&self, number: u64, last: impl FnOnce()) {
        let mut subscribers = self.subscribers.write();
        subscribers.retain(|(of, _)| *of != number);
        if subscribers.is_empty() {
            last();
        }
    }

    /// Numbers what has changed in a shard, and hands it to all subscribers. Its lock is held.
    pub fn publish(&self, shard: &mut Shard, changes: Vec<Change>) {
        let first = shard.changes + 1;
        shard.changes += changes.len() as u64;
        let owned = changes.iter().map(Change::owned).sum::<usize>();
        let bytes = queues::OVERHEAD + changes.capacity() * size_of::<Change>() + owned;
        let charge = Charge::new(bytes, &self.bytes);
        let batch = Arc::new(Batch { shard: shard.number(), first, changes, charge });
        for (_, subscriber) in self.subscribers.read().iter() {
            subscriber.changed(shard, &batch);
        }
    }

    /// Bytes of changes that subscribers have not yet let go of.
    pub fn memory(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }
}
