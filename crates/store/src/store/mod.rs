//! The shards with their locks, and what is true of the whole dataset.
//!
//! * `locks`: the shards, and how threads wait for them;
//! * `notifications`: what is to be told to clients, and where it goes;
//! * `tracked`, `keys_to_serve`: keys whose readers, or whose waiting clients, are remembered in
//!   all shards;
//! * `snapshot_scan`, `incremental_copy`, `moved`, `large_values`: reading the dataset out while
//!   requests go on.

pub(crate) mod incremental_copy;
pub(crate) mod keys_to_serve;
pub(crate) mod large_values;
pub(crate) mod locks;
pub(crate) mod moved;
pub(crate) mod notifications;
pub(crate) mod snapshot_scan;
pub(crate) mod tracked;

use std::sync::Arc;
use sync::atomic::{AtomicI64, AtomicU64, Ordering};

use base::{Hashing, KeyHasher, Leases, Millis, PackLimits, SHARD_BITS, Versions};
use journal::{Log, Policy};
use sync::{Mutex, RwLock};

pub use keys_to_serve::KeysToServe;
use large_values::LargeValues;
pub use locks::{Busy, Locks, assert_no_shard_held};
pub use moved::Name;
use notifications::Listeners;
pub use notifications::{
    BROADCAST, BY_EVENT, BY_KEY, CHANGES, Notification, NotificationSink, READERS,
};
pub use snapshot_scan::{IN_CHUNKS, Scanned, shard_among};
pub use tracked::TrackedKeys;

use crate::change_stream::ChangeStream;
use crate::ordered::Indexes;
use crate::{Garbage, Measure, Shard};

/// How a store is built.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Number of shards; rounded up to a power of two, at most 1024.
    pub shards: usize,
    /// Number of databases.
    pub databases: usize,
    /// How keys are hashed; its seed must not be known to clients.
    pub hashing: Hashing,
}

impl Options {
    /// The usual choice for `cores`: 16 shards per core, 64 to 1024.
    #[must_use]
    pub fn for_cores(cores: usize, databases: usize, hashing: Hashing) -> Self {
        Options { shards: (cores * 16).next_power_of_two().clamp(64, 1024), databases, hashing }
    }
}

/// What may be set while requests run.
struct Settings {
    limits: RwLock<PackLimits>,
    measure: RwLock<Measure>,
    /// Until when nothing is deleted because its deadline has passed.
    still_until: AtomicU64,
}

/// Bytes that the dataset takes.
#[derive(Default)]
pub(crate) struct Memory {
    shards: AtomicI64,
    /// Bytes that values share, in all transactions.
    shared: AtomicI64,
}

impl Memory {
    /// Bytes of the shards, as far as they were reported.
    pub fn shards(&self) -> i64 {
        self.shards.load(Ordering::Relaxed)
    }

    /// The shards have grown by so many bytes.
    pub fn grow(&self, bytes: i64) {
        self.shards.fetch_add(bytes, Ordering::Relaxed);
    }

    /// What values share has grown by so many bytes.
    pub fn share(&self, bytes: i64) {
        self.shared.fetch_add(bytes, Ordering::Relaxed);
    }
}

/// Keys that went without a request, and values freed in the background.
#[derive(Default)]
pub(crate) struct Counts {
    pub expired: AtomicU64,
    pub evicted: AtomicU64,
    freed: AtomicU64,
}

/// The dataset.
pub struct Store {
    /// Its shards.
    pub locks: Locks,
    hasher: KeyHasher,
    databases: usize,
    settings: Settings,
    /// The ordered index of each database.
    pub indexes: Indexes,
    pub(crate) memory: Memory,
    pub(crate) counts: Counts,
    trash: Mutex<Vec<Garbage>>,
    /// Versions of values that readers keep. Those that have ended are freed with the trash.
    pub versions: Arc<Versions>,
    /// Those that are kept for clients who come back.
    pub leases: Arc<Leases>,
    pub(crate) large: LargeValues,
    log: Arc<Log>,
    pub(crate) listeners: Listeners,
    /// The change stream: who is told what changes in all shards.
    pub(crate) change_stream: ChangeStream,
    /// How many keys' readers are remembered.
    pub tracked: TrackedKeys,
    /// Awaited keys that went, or were fed, and have to be looked at.
    pub to_serve: KeysToServe,
}

impl Store {
    /// An empty store.
    #[must_use]
    pub fn new(options: Options) -> Self {
        let count = options.shards.clamp(1, 1 << SHARD_BITS).next_power_of_two();
        let hasher = KeyHasher::new(options.hashing);
        let databases = options.databases.max(1);
        // There are at most 1024.
        let number = |number: usize| u16::try_from(number).unwrap_or(u16::MAX);
        let shards = (0..count).map(|n| Shard::new(number(n), databases, &hasher));
        Store {
            locks: Locks::new(shards),
            databases,
            settings: Settings {
                limits: RwLock::new(PackLimits::default()),
                measure: RwLock::default(),
                still_until: AtomicU64::new(0),
            },
            indexes: Indexes::new(databases, count),
            memory: Memory::default(),
            counts: Counts::default(),
            trash: Mutex::default(),
            versions: Arc::default(),
            leases: Arc::default(),
            large: LargeValues::default(),
            log: Log::new(Policy::EverySecond),
            listeners: Listeners::default(),
            change_stream: ChangeStream::default(),
            tracked: TrackedKeys::default(),
            to_serve: KeysToServe::default(),
            hasher,
        }
    }

    /// The hash of keys.
    #[must_use]
    pub fn hasher(&self) -> &KeyHasher {
        &self.hasher
    }

    /// The log of what happens, of which nothing is kept unless it is written to disk.
    #[must_use]
    pub fn log(&self) -> &Arc<Log> {
        &self.log
    }

    /// Number of shards.
    #[must_use]
    pub fn shards(&self) -> usize {
        self.locks.count()
    }

    /// Number of databases.
    #[must_use]
    pub fn databases(&self) -> usize {
        self.databases
    }

    /// The shard of a key with this hash.
    #[inline]
    #[must_use]
    pub fn shard_of(&self, hash: u64) -> usize {
        // Masked to fewer than SHARD_BITS bits: always fits.
        (hash & (self.locks.count() as u64 - 1)) as usize
    }

    /// Asks the processor to fetch the bucket of a key: the first of two rounds before a batch of
    /// look-ups. Skipped where the shard is busy: it is only a hint.
    #[inline]
    pub fn prefetch_bucket(&self, db: usize, hash: u64) {
        if let Some(slot) = self.locks.try_lock(self.shard_of(hash))
            && let Some(shard) = slot.as_ref()
        {
            shard.dbs[db].keys.prefetch_bucket(hash);
        }
    }

    /// Asks the processor to fetch the entry of a key: the second round.
    #[inline]
    pub fn prefetch_entry(&self, db: usize, hash: u64) {
        if let Some(slot) = self.locks.try_lock(self.shard_of(hash))
            && let Some(shard) = slot.as_ref()
        {
            shard.dbs[db].keys.prefetch_entry(hash);
        }
    }

    /// Bytes the dataset takes, as far as finished batches have reported it.
    #[must_use]
    pub fn memory(&self) -> usize {
        usize::try_from(self.memory.shards()).unwrap_or(0) + self.shared_memory()
    }

    /// Bytes of [`memory`](Self::memory) that are no shard's: what JSON documents share.
    #[must_use]
    pub fn shared_memory(&self) -> usize {
        usize::try_from(self.memory.shared.load(Ordering::Relaxed)).unwrap_or(0)
    }

    /// Keys removed because their deadline passed.
    #[must_use]
    pub fn expired(&self) -> u64 {
        self.counts.expired.load(Ordering::Relaxed)
    }

    /// Until this time no key is deleted because its deadline has passed: it is missing to
    /// readers, but stays. A key that is written is deleted before, as ever. 0 ends that.
    pub fn stand_still(&self, until: Millis) {
        self.settings.still_until.store(until, Ordering::Release);
    }

    /// Whether that is so at time `now`.
    #[must_use]
    pub fn is_still(&self, now: Millis) -> bool {
        now < self.settings.still_until.load(Ordering::Acquire)
    }

    /// Values that have been freed in the background.
    #[must_use]
    pub fn freed(&self) -> u64 {
        self.counts.freed.load(Ordering::Relaxed)
    }

    /// When small collections change shape.
    #[must_use]
    pub fn limits(&self) -> PackLimits {
        *self.settings.limits.read()
    }

    /// Changes when small collections change shape; existing ones follow at their next edit.
    pub fn set_limits(&self, limits: PackLimits) {
        *self.settings.limits.write() = limits;
    }

    /// What is remembered about the use of keys.
    #[must_use]
    pub fn measure(&self) -> Measure {
        *self.settings.measure.read()
    }

    /// Changes that; transactions learn it with [`Txn::set_measure`](crate::Txn::set_measure).
    pub fn set_measure(&self, measure: Measure) {
        *self.settings.measure.write() = measure;
    }

    /// Values that take so many bytes or more are told by the keys' names when they go from one
    /// key to another, or are made of others.
    pub fn tell_by_names_from(&self, bytes: usize) {
        self.large.named_from.store(bytes, Ordering::Relaxed);
    }

    /// So many that had expired are put back: they will expire again.
    pub(crate) fn uncount_expired(&self, keys: u64) {
        if keys > 0 {
            // The count may have begun anew meanwhile.
            let less = |count: u64| Some(count.saturating_sub(keys));
            let _ = self.counts.expired.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
        }
    }

    /// How many keys were dropped to make room.
    #[must_use]
    pub fn evicted(&self) -> u64 {
        self.counts.evicted.load(Ordering::Relaxed)
    }

    /// Begins to count anew what has expired, was dropped, and was freed in the background.
    pub fn reset_counts(&self) {
        for count in [&self.counts.expired, &self.counts.evicted, &self.counts.freed] {
            count.store(0, Ordering::Relaxed);
        }
    }

    /// Takes away what waits to be freed; the caller frees it by dropping.
    #[must_use]
    pub fn take_trash(&self) -> Vec<Garbage> {
        let mut trash = std::mem::take(&mut *self.trash.lock());
        self.counts.freed.fetch_add(trash.len() as u64, Ordering::Relaxed);
        trash.extend(self.versions.take_ended().into_iter().map(Garbage::Version));
        trash
    }

    /// Values that were unlinked and wait to be freed.
    #[must_use]
    pub fn pending_frees(&self) -> usize {
        self.trash.lock().iter().filter(|g| !matches!(g, Garbage::Nothing)).count()
    }

    /// Which notifications are wanted: bits of [`Class`](base::Class)es and those of this crate.
    #[inline]
    #[must_use]
    pub fn interest(&self) -> u32 {
        self.listeners.interest()
    }

    /// Sets those of the bits `which` that are in `wanted`, and clears the others of them.
    pub fn set_interest(&self, which: u32, wanted: u32) {
        self.listeners.set_interest(which, wanted);
    }

    /// Sets where notifications go. Only the first call has an effect.
    pub fn set_notification_sink(&self, notification_sink: Box<dyn NotificationSink>) {
        self.listeners.set_sink(notification_sink);
    }

    /// Sends a value to be freed off the data path.
    #[inline]
    pub(crate) fn discard(&self, garbage: Garbage) {
        if !matches!(garbage, Garbage::Nothing) {
            self.keep_garbage(garbage);
        }
    }

    #[cold]
    fn keep_garbage(&self, garbage: Garbage) {
        self.trash.lock().push(garbage);
    }
}
