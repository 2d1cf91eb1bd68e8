//! The shards with their locks, and what is true of the whole dataset.

use std::sync::{Arc, OnceLock};
use sync::atomic::{AtomicBool, AtomicI64, AtomicU32, AtomicU64, AtomicUsize, Ordering};

use base::{Hashing, KeyHasher, Millis, PackLimits, SHARD_BITS};
use journal::{Log, Policy};
use sync::{Mutex, RwLock};
use table::EntryRef;

use crate::busy::Slot;
use crate::incremental_copy::Sizes;
use crate::moved::Moved;
use crate::ordered::Indexes;
use crate::{Garbage, Measure, NotificationSink, Object, Shard, Touched};

/// Values from this size on that go from one key to another are told by the keys' names, unless
/// another size is set. Of smaller ones an image takes a fraction of a millisecond, and recovery
/// need not wait for the other shard.
const NAMED: usize = 128 << 10;

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

/// Bits that every transaction reads and that are hardly ever written: apart from what is written
/// often.
#[repr(align(128))]
pub(crate) struct Interest(pub AtomicU32);

/// The dataset.
pub struct Store {
    pub(crate) slots: Vec<Slot>,
    /// How many shards are held for longer than they should be.
    pub(crate) obstructed: AtomicUsize,
    hasher: KeyHasher,
    databases: usize,
    limits: RwLock<PackLimits>,
    measure: RwLock<Measure>,
    pub(crate) indexes: Indexes,
    pub(crate) memory: AtomicI64,
    /// Bytes that documents share, in all transactions.
    pub(crate) shared: AtomicI64,
    pub(crate) expired: AtomicU64,
    pub(crate) evicted: AtomicU64,
    pub(crate) trash: Mutex<Vec<Garbage>>,
    /// Held by the thread that copies large values in chunks; never waited for with a shard in
    /// hand.
    pub(crate) copier: Mutex<()>,
    /// Which those are.
    pub(crate) sizes: Sizes,
    /// Where large values went while a snapshot scans the store.
    pub(crate) moved: Moved,
    /// Values from this size on are told by the names of keys.
    named: AtomicUsize,
    /// How often large values were copied in one hold.
    #[cfg(test)]
    pub(crate) whole: AtomicU64,
    log: Arc<Log>,
    pub(crate) swaps: AtomicU64,
    /// Until when nothing is deleted because its deadline has passed.
    still_until: AtomicU64,
    pub(crate) freed: AtomicU64,
    /// Which notifications are wanted.
    pub(crate) interest: Interest,
    pub(crate) notification_sink: OnceLock<Box<dyn NotificationSink>>,
    /// Keys whose readers are remembered, those readers, and how many keys there may be.
    pub(crate) read_keys: AtomicUsize,
    pub(crate) read_key_bytes: AtomicUsize,
    pub(crate) readers: AtomicUsize,
    pub(crate) read_keys_limit: AtomicUsize,
    /// Awaited keys whose queues are to be looked at under locks of their own.
    gone: Mutex<Vec<Touched>>,
    any_gone: AtomicBool,
    /// Those of them whose shard an overdue request held.
    put_off: Mutex<Vec<Touched>>,
    /// Shards of transactions that were broken off: missing from their slots for ever.
    pub(crate) withheld: Mutex<Vec<Shard>>,
}

impl Store {
    /// An empty store.
    #[must_use]
    pub fn new(options: Options) -> Self {
        let count = options.shards.clamp(1, 1 << SHARD_BITS).next_power_of_two();
        let hasher = KeyHasher::new(options.hashing);
        let databases = options.databases.max(1);
        let slot = |number: usize| {
            // There are at most 1024.
            let number = u16::try_from(number).unwrap_or(u16::MAX);
            Slot::new(Box::new(Shard::new(number, databases, &hasher)))
        };
        Store {
            slots: (0..count).map(slot).collect(),
            obstructed: AtomicUsize::new(0),
            hasher,
            databases,
            limits: RwLock::new(PackLimits::default()),
            indexes: Indexes::new(databases, count),
            memory: AtomicI64::new(0),
            shared: AtomicI64::new(0),
            expired: AtomicU64::new(0),
            evicted: AtomicU64::new(0),
            measure: RwLock::default(),
            trash: Mutex::new(Vec::new()),
            copier: Mutex::new(()),
            sizes: Sizes::default(),
            moved: Moved::default(),
            named: AtomicUsize::new(NAMED),
            #[cfg(test)]
            whole: AtomicU64::new(0),
            log: Log::new(Policy::EverySecond),
            swaps: AtomicU64::new(0),
            still_until: AtomicU64::new(0),
            freed: AtomicU64::new(0),
            interest: Interest(AtomicU32::new(0)),
            notification_sink: OnceLock::new(),
            read_keys: AtomicUsize::new(0),
            read_key_bytes: AtomicUsize::new(0),
            readers: AtomicUsize::new(0),
            read_keys_limit: AtomicUsize::new(usize::MAX),
            gone: Mutex::new(Vec::new()),
            any_gone: AtomicBool::new(false),
            put_off: Mutex::new(Vec::new()),
            withheld: Mutex::new(Vec::new()),
        }
    }

    /// Notes that those who wait for a key must be looked at: it went, by its deadline or with its
    /// whole database, or was fed. The thread that does so holds locks that do not suffice to serve
    /// them.
    pub fn note_gone(&self, key: Touched) {
        self.gone.lock().push(key);
        self.any_gone.store(true, Ordering::Release);
    }

    /// Notes a key that could not be looked at, as an overdue request holds a shard. It is looked
    /// at after [`Store::retry_put_off`]: requests meanwhile need not try in vain.
    pub fn put_off(&self, key: Touched) {
        let mut put_off = self.put_off.lock();
        let is_it = |known: &Touched| known.db == key.db && known.key == key.key;
        if !put_off.iter().any(is_it) {
            put_off.push(key);
        }
    }

    /// Notes all that were put off anew. Called every so often, by one thread.
    pub fn retry_put_off(&self) {
        let put_off = std::mem::take(&mut *self.put_off.lock());
        put_off.into_iter().for_each(|key| self.note_gone(key));
    }

    /// Whether awaited keys have been noted since they were last taken.
    #[inline]
    #[must_use]
    pub fn is_any_gone(&self) -> bool {
        self.any_gone.load(Ordering::Acquire)
    }

    /// Awaited keys noted since this was last asked.
    #[must_use]
    pub fn take_gone(&self) -> Vec<Touched> {
        if !self.is_any_gone() {
            return Vec::new();
        }
        let mut gone = self.gone.lock();
        self.any_gone.store(false, Ordering::Release);
        std::mem::take(&mut gone)
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

    /// How often databases have changed places.
    #[must_use]
    pub fn swaps(&self) -> u64 {
        self.swaps.load(Ordering::Acquire)
    }

    /// Number of shards.
    #[must_use]
    pub fn shards(&self) -> usize {
        self.slots.len()
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
        (hash & (self.slots.len() as u64 - 1)) as usize
    }

    /// Asks the processor to fetch the bucket of a key: the first of two rounds before a batch of
    /// look-ups. Skipped where the shard is busy: it is only a hint.
    #[inline]
    pub fn prefetch_bucket(&self, db: usize, hash: u64) {
        if let Some(slot) = self.try_lock(self.shard_of(hash))
            && let Some(shard) = slot.as_ref()
        {
            shard.dbs[db].keys.prefetch_bucket(hash);
        }
    }

    /// Asks the processor to fetch the entry of a key: the second round.
    #[inline]
    pub fn prefetch_entry(&self, db: usize, hash: u64) {
        if let Some(slot) = self.try_lock(self.shard_of(hash))
            && let Some(shard) = slot.as_ref()
        {
            shard.dbs[db].keys.prefetch_entry(hash);
        }
    }

    /// Bytes the dataset takes, as far as finished batches have reported it.
    #[must_use]
    pub fn memory(&self) -> usize {
        usize::try_from(self.memory.load(Ordering::Relaxed)).unwrap_or(0) + self.shared_memory()
    }

    /// Bytes of [`memory`](Self::memory) that are no shard's: what JSON documents share.
    #[must_use]
    pub fn shared_memory(&self) -> usize {
        usize::try_from(self.shared.load(Ordering::Relaxed)).unwrap_or(0)
    }

    /// Keys removed because their deadline passed.
    #[must_use]
    pub fn expired(&self) -> u64 {
        self.expired.load(Ordering::Relaxed)
    }

    /// Until this time no key is deleted because its deadline has passed: it is missing to
    /// readers, but stays. A key that is written is deleted before, as ever. 0 ends that.
    pub fn stand_still(&self, until: Millis) {
        self.still_until.store(until, Ordering::Release);
    }

    /// Whether that is so at time `now`.
    #[must_use]
    pub fn is_still(&self, now: Millis) -> bool {
        now < self.still_until.load(Ordering::Acquire)
    }

    /// Values that have been freed in the background.
    #[must_use]
    pub fn freed(&self) -> u64 {
        self.freed.load(Ordering::Relaxed)
    }

    /// When small collections change shape.
    #[must_use]
    pub fn limits(&self) -> PackLimits {
        *self.limits.read()
    }

    /// Changes when small collections change shape; existing ones follow at their next edit.
    pub fn set_limits(&self, limits: PackLimits) {
        *self.limits.write() = limits;
    }

    /// What is remembered about the use of keys.
    #[must_use]
    pub fn measure(&self) -> Measure {
        *self.measure.read()
    }

    /// Changes that; transactions learn it with [`Txn::set_measure`](crate::Txn::set_measure).
    pub fn set_measure(&self, measure: Measure) {
        *self.measure.write() = measure;
    }

    /// Values that take so many bytes or more are told by the keys' names when they go from one
    /// key to another, or are made of others.
    pub fn tell_by_names_from(&self, bytes: usize) {
        self.named.store(bytes, Ordering::Relaxed);
    }

    /// Whether the value of an entry is told by the names of keys: a short string, too, where the
    /// bound is low.
    pub(crate) fn is_named(&self, entry: &EntryRef<'_, Object>) -> bool {
        Object::memory_of(entry) >= self.named.load(Ordering::Relaxed)
    }

    /// How many keys were dropped to make room.
    #[must_use]
    pub fn evicted(&self) -> u64 {
        self.evicted.load(Ordering::Relaxed)
    }

    /// Begins to count anew what has expired, was dropped, and was freed in the background.
    pub fn reset_counts(&self) {
        for count in [&self.expired, &self.evicted, &self.freed] {
            count.store(0, Ordering::Relaxed);
        }
    }

    /// Takes away what waits to be freed; the caller frees it by dropping.
    #[must_use]
    pub fn take_trash(&self) -> Vec<Garbage> {
        let trash = std::mem::take(&mut *self.trash.lock());
        self.freed.fetch_add(trash.len() as u64, Ordering::Relaxed);
        trash
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
