//! How many keys' readers are remembered in all shards, and how many may be.

use sync::atomic::{AtomicUsize, Ordering};

use crate::shard::readers::{PER_KEY, Readers};

/// Keys whose readers are remembered, those readers, and how many keys there may be.
pub struct TrackedKeys {
    keys: AtomicUsize,
    key_bytes: AtomicUsize,
    readers: AtomicUsize,
    limit: AtomicUsize,
}

impl Default for TrackedKeys {
    fn default() -> Self {
        TrackedKeys {
            keys: AtomicUsize::new(0),
            key_bytes: AtomicUsize::new(0),
            readers: AtomicUsize::new(0),
            limit: AtomicUsize::new(usize::MAX),
        }
    }
}

impl TrackedKeys {
    /// The number of keys whose readers are remembered.
    #[must_use]
    pub fn keys(&self) -> usize {
        self.keys.load(Ordering::Relaxed)
    }

    /// The number of readers remembered, over all keys.
    #[must_use]
    pub fn readers(&self) -> usize {
        self.readers.load(Ordering::Relaxed)
    }

    /// Bytes that remembering them takes.
    #[must_use]
    pub fn memory(&self) -> usize {
        let bytes = self.key_bytes.load(Ordering::Relaxed);
        bytes + self.keys() * PER_KEY + self.readers() * size_of::<u64>()
    }

    /// Sets how many keys' readers are remembered at most.
    pub fn set_limit(&self, keys: usize) {
        self.limit.store(keys, Ordering::Relaxed);
    }

    /// Whether the readers of more keys are remembered than may be.
    #[must_use]
    pub fn are_too_many(&self) -> bool {
        self.keys() > self.limit.load(Ordering::Relaxed)
    }

    /// A key has so many bytes, and is read for the first time.
    pub(crate) fn add_key(&self, bytes: usize) {
        self.keys.fetch_add(1, Ordering::Relaxed);
        self.key_bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// A key has one reader more.
    pub(crate) fn add_reader(&self) {
        self.readers.fetch_add(1, Ordering::Relaxed);
    }

    /// A key of so many bytes went, with so many readers.
    pub(crate) fn remove_key(&self, bytes: usize, readers: usize) {
        self.remove(ReaderCounts { keys: 1, bytes, readers });
    }

    /// So many went.
    pub(crate) fn remove(&self, gone: ReaderCounts) {
        self.keys.fetch_sub(gone.keys, Ordering::Relaxed);
        self.key_bytes.fetch_sub(gone.bytes, Ordering::Relaxed);
        self.readers.fetch_sub(gone.readers, Ordering::Relaxed);
    }
}

/// What a shard's readers come to.
#[derive(Clone, Copy)]
pub(crate) struct ReaderCounts {
    keys: usize,
    bytes: usize,
    readers: usize,
}

impl ReaderCounts {
    pub fn of(readers: &Readers) -> Self {
        ReaderCounts { keys: readers.len(), bytes: readers.bytes(), readers: readers.ids() }
    }

    /// What there is more than `later`.
    pub fn without(self, later: ReaderCounts) -> Self {
        ReaderCounts {
            keys: self.keys - later.keys,
            bytes: self.bytes - later.bytes,
            readers: self.readers - later.readers,
        }
    }
}
