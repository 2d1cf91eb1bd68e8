//! The change stream: what has changed in each shard, in order, for whichever part of the
//! program consumes it.
//!
//! ```text
//!   a command, expiry, a flush ─► PendingChanges of the transaction
//!     its end, shards still held ─► ChangeStream: numbered, by shards ─┬► ChangeConsumer
//!                                                                      └► Backlog ─► ChangeReader
//! ```
//!
//! A shard numbers its changes while its lock is held, so the order of the numbers is the order of
//! the changes, whichever threads and doors made them. What one transaction changes in a shard is
//! one [`ChangeBatch`]. Changes are numbered as long as there is a consumer: that nothing is lost
//! can be seen from the numbers, but they do not say how often a shard has ever changed.
//!
//! Where there is none the stream costs nothing: one bit of the word that every transaction
//! reads anyway says so ([`CHANGES`](crate::CHANGES)).
//!
//! A transaction keeps its changes until its end, as long as they take no more than the largest
//! backlog limit of the consumers. Beyond that they are only counted, for each shard, and told as
//! missed: what a script does in a loop takes no memory without end.
//!
//! Must never: wait for a consumer, lose a change without saying so, nor let a consumer's panic
//! take a shard along.
//!
//! A change has no value: a consumer reads it from the shard that it is handed. What a script that
//! is rolled back has changed is not told, nor is what is read back (recovery, import, `DEBUG
//! RELOAD`). A consumer is added while every shard is held, so it misses nothing after that; where
//! an overdue script holds one it is refused. One that panics is told nothing more. `Engine::close`
//! ends the stream last, so readers that wait are woken. The ordered index is no consumer: it also
//! follows what is read back and rolled back, so tables note names for it.

pub(crate) mod backlog;

use std::sync::Arc;
use sync::RwLock;
use sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::Shard;
use crate::containment::contain;

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
    /// All that the shard had of this database is gone. Shard 0 says it even if it had nothing:
    /// other things than keys may belong to a database.
    Flushed {
        /// The database.
        db: usize,
    },
    /// What the shard has of these two databases has changed places. Shard 0 says it always.
    Swapped {
        /// One.
        a: usize,
        /// The other.
        b: usize,
    },
}

impl Change {
    /// Bytes that it has allocated.
    pub(crate) fn owned(&self) -> usize {
        match self {
            Change::Key { key, .. } => key.len(),
            Change::Flushed { .. } | Change::Swapped { .. } => 0,
        }
    }
}

/// Bytes that count as used memory as long as this is there.
#[derive(Debug)]
pub(crate) struct Charge {
    bytes: usize,
    total: Arc<AtomicUsize>,
}

impl Charge {
    fn new(bytes: usize, total: &Arc<AtomicUsize>) -> Self {
        total.fetch_add(bytes, Ordering::Relaxed);
        Charge { bytes, total: Arc::clone(total) }
    }

    /// Bytes that it is for.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// As many more.
    pub fn grow(&mut self, bytes: usize) {
        self.bytes += bytes;
        self.total.fetch_add(bytes, Ordering::Relaxed);
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.total.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// What one transaction has changed in one shard, in order.
#[derive(Debug)]
pub struct ChangeBatch {
    /// The shard.
    pub shard: usize,
    /// The number of the first of the changes; the others follow it.
    pub first: u64,
    /// The changes, of which there are some.
    pub changes: Vec<Change>,
    charge: Charge,
}

impl ChangeBatch {
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
        self.charge.bytes()
    }
}

/// The most bytes of changes of one transaction that are kept until its end, for consumers that say
/// nothing else.
pub const DEFAULT_BACKLOG_LIMIT: usize = 16 << 20;

/// A part of the program that is told each change.
pub trait ChangeConsumer: Send + Sync {
    /// These changes were made in this shard, whose lock is held: it has its keys as they are
    /// behind the last of the changes. Must not wait for anything but short locks of its own, nor
    /// lock a shard. If it panics it is told nothing more: see [`Registration::is_broken`].
    ///
    /// [`Registration::is_broken`]: crate::Registration::is_broken
    fn changed(&self, shard: &Shard, batch: &Arc<ChangeBatch>);

    /// The changes with these numbers were made in this shard, but there were too many in one
    /// transaction to keep them: what they were, it must find out from the shard. Otherwise as
    /// [`changed`](Self::changed).
    fn missed(&self, shard: &Shard, first: u64, last: u64);

    /// How many bytes of changes of a transaction are kept for it. Of those of all consumers the
    /// largest counts; what a transaction changes beyond that is told as [`missed`](Self::missed).
    fn backlog_limit(&self) -> usize {
        DEFAULT_BACKLOG_LIMIT
    }

    /// Nothing more will be told: the engine has ended.
    fn ended(&self) {}
}

/// A consumer's place among the others.
pub(crate) struct Place {
    consumer: Arc<dyn ChangeConsumer>,
    /// It has panicked.
    broken: AtomicBool,
}

impl Place {
    pub fn is_broken(&self) -> bool {
        self.broken.load(Ordering::Relaxed)
    }

    /// Tells the consumer something. A panic goes no further: it is not the transaction's, whose
    /// shards must be given back as they are.
    fn tell(&self, what: impl FnOnce(&dyn ChangeConsumer)) {
        if !self.is_broken() && !contain("a change consumer", || what(&*self.consumer)) {
            self.broken.store(true, Ordering::Relaxed);
        }
    }
}

#[derive(Default)]
struct Places {
    list: Vec<Arc<Place>>,
    /// Nothing is told any more.
    ended: bool,
}

/// The consumers of a store's changes.
#[derive(Default)]
pub(crate) struct ChangeStream {
    places: RwLock<Places>,
    /// The largest backlog limit among them.
    limit: AtomicUsize,
    /// Bytes of all changes that are kept anywhere.
    bytes: Arc<AtomicUsize>,
}

impl ChangeStream {
    /// Adds a consumer. `first` runs while no other comes or goes, if it is the first. All shards
    /// are held.
    pub fn add(&self, consumer: Arc<dyn ChangeConsumer>, first: impl FnOnce()) -> Arc<Place> {
        let place = Arc::new(Place { consumer, broken: AtomicBool::new(false) });
        let mut places = self.places.write();
        if places.list.is_empty() {
            first();
        }
        places.list.push(Arc::clone(&place));
        self.set_limit(&places);
        let ended = places.ended;
        drop(places);
        if ended {
            place.tell(|consumer| consumer.ended());
        }
        place
    }

    /// Takes a consumer away. `last` runs while no other comes or goes, if none is left. What the
    /// consumer does when it is dropped, it does outside the lock.
    pub fn remove(&self, place: &Arc<Place>, last: impl FnOnce()) {
        let mut places = self.places.write();
        places.list.retain(|other| !Arc::ptr_eq(other, place));
        self.set_limit(&places);
        if places.list.is_empty() {
            last();
        }
    }

    fn set_limit(&self, places: &Places) {
        let limits = places.list.iter().map(|place| place.consumer.backlog_limit());
        self.limit.store(limits.max().unwrap_or(0), Ordering::Relaxed);
    }

    /// How many bytes of changes of a transaction are kept until its end.
    pub fn backlog_limit(&self) -> usize {
        self.limit.load(Ordering::Relaxed)
    }

    /// Numbers what has changed in a shard, and hands it to all consumers; then as many changes as
    /// were not kept. Its lock is held.
    pub fn publish(&self, shard: &mut Shard, changes: Vec<Change>, missed: u64) {
        if !changes.is_empty() {
            self.publish_batch(shard, changes);
        }
        if missed > 0 {
            let first = shard.changes + 1;
            shard.changes += missed;
            let last = shard.changes;
            self.tell(|consumer| consumer.missed(shard, first, last));
        }
    }

    fn publish_batch(&self, shard: &mut Shard, changes: Vec<Change>) {
        let first = shard.changes + 1;
        shard.changes += changes.len() as u64;
        let owned = changes.iter().map(Change::owned).sum::<usize>();
        let bytes = backlog::OVERHEAD + changes.capacity() * size_of::<Change>() + owned;
        let charge = self.charge(bytes);
        let batch = Arc::new(ChangeBatch { shard: shard.number(), first, changes, charge });
        self.tell(|consumer| consumer.changed(shard, &batch));
    }

    fn tell(&self, what: impl Fn(&dyn ChangeConsumer)) {
        let places = self.places.read();
        if !places.ended {
            places.list.iter().for_each(|place| place.tell(&what));
        }
    }

    /// Tells all consumers that the engine has ended: what was changed before has been told, and
    /// nothing more will be.
    pub fn end(&self) {
        let mut places = self.places.write();
        if std::mem::replace(&mut places.ended, true) {
            return;
        }
        let list = places.list.clone();
        drop(places);
        list.iter().for_each(|place| place.tell(|consumer| consumer.ended()));
    }

    /// Bytes that are used from now on, until this is dropped.
    pub fn charge(&self, bytes: usize) -> Charge {
        Charge::new(bytes, &self.bytes)
    }

    /// Bytes of changes that consumers have not yet let go of, and of running transactions.
    pub fn memory(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }
}

impl Drop for ChangeStream {
    fn drop(&mut self) {
        self.end();
    }
}

#[cfg(test)]
#[path = "consumer_tests.rs"]
mod consumer_tests;
