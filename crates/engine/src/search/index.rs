//! One index: its definition, and the partitions that hold its documents.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use parking_lot::{Mutex, RwLock};
use search::partition::Partition;
use search::schema::{Definition, Source};

use super::catalog_image::Synonyms;
use super::filter::Filter;

/// Most partitions of an index.
const PARTITIONS: usize = 16;

/// An index of one database.
pub(crate) struct Index {
    /// Groups of synonyms with their terms, as they were added.
    pub synonyms: Synonyms,
    documents: Arc<Documents>,
}

/// What an index holds, whatever its synonyms.
pub(crate) struct Documents {
    /// What it holds, and how.
    pub definition: Arc<Definition>,
    /// A shard's documents are in the partition of its number modulo theirs.
    pub partitions: Box<[RwLock<Partition>]>,
    /// What documents must satisfy. A definition whose filter cannot be read has none: `FT.CREATE`
    /// refuses it.
    pub filter: Option<Filter>,
    /// How far it has read the keys that were there before it.
    pub filling: Filling,
    /// Documents that could not be indexed.
    pub failures: Failures,
    /// Bytes of each partition when it was last written to.
    memory: Box<[AtomicUsize]>,
    /// How often it was asked.
    pub uses: AtomicU64,
}

/// How far an index has read the keys that were there before it.
#[derive(Default)]
pub(crate) struct Filling {
    /// Shards that are still to be read; 0 when it is complete.
    pub left: AtomicUsize,
    /// Shards that were to be read.
    pub all: AtomicUsize,
    /// Microseconds that it took so far.
    pub took: AtomicU64,
}

/// Documents that could not be indexed.
#[derive(Default)]
pub(crate) struct Failures {
    /// How many there were.
    pub count: AtomicU64,
    /// The last one: its key, and why.
    pub last: Mutex<Option<(Box<[u8]>, String)>>,
}

impl Filling {
    /// So many shards are to be read, none of which has been.
    pub fn begin(&self, shards: usize) {
        self.all.store(shards, Ordering::Release);
        self.left.store(shards, Ordering::Release);
    }
}

impl Index {
    /// An empty index.
    pub fn new(definition: Arc<Definition>, synonyms: Synonyms, workers: usize) -> Self {
        let count = workers.next_power_of_two().clamp(1, PARTITIONS);
        let writes = Arc::new(AtomicU64::new(0));
        let partition =
            || RwLock::new(Partition::new(Arc::clone(&definition), Arc::clone(&writes)));
        let documents = Documents {
            partitions: (0..count).map(|_| partition()).collect(),
            memory: (0..count).map(|_| AtomicUsize::new(0)).collect(),
            filter: Filter::of(&definition).ok().flatten(),
            definition,
            filling: Filling::default(),
            failures: Failures::default(),
            uses: AtomicU64::new(0),
        };
        Index { synonyms, documents: Arc::new(documents) }
    }

    /// The same documents with other synonyms.
    pub fn with_synonyms(&self, synonyms: Synonyms) -> Self {
        Index { synonyms, documents: Arc::clone(&self.documents) }
    }
}

impl Deref for Index {
    type Target = Documents;

    fn deref(&self) -> &Documents {
        &self.documents
    }
}

impl Documents {
    /// Whether documents of this key belong to it, by the key's name.
    pub fn concerns(&self, key: &[u8]) -> bool {
        self.definition.prefixes.iter().any(|prefix| key.starts_with(prefix))
    }

    /// Whether it is of hashes, or of JSON documents.
    pub fn source(&self) -> Source {
        self.definition.source
    }

    /// Changes the partition of a shard, whose lock is held.
    pub fn write<R>(&self, shard: usize, change: impl FnOnce(&mut Partition) -> R) -> R {
        let number = shard % self.partitions.len();
        let mut partition = self.partitions[number].write();
        let result = change(&mut partition);
        self.memory[number].store(partition.memory(), Ordering::Relaxed);
        result
    }

    /// Bytes of it. O(partitions).
    pub fn memory(&self) -> usize {
        self.memory.iter().map(|bytes| bytes.load(Ordering::Relaxed)).sum()
    }

    /// Records that a document could not be indexed.
    pub fn failed(&self, key: &[u8], why: String) {
        self.failures.count.fetch_add(1, Ordering::Relaxed);
        *self.failures.last.lock() = Some((key.into(), why));
    }

    /// Whether keys that were there before it are still to be read.
    pub fn is_filling(&self) -> bool {
        self.filling.left.load(Ordering::Acquire) > 0
    }

    /// How much of what was there it has read, from 0 to 1.
    pub fn filled(&self) -> f64 {
        let (left, all) = (&self.filling.left, &self.filling.all);
        let (left, all) = (left.load(Ordering::Acquire), all.load(Ordering::Acquire));
        if all == 0 { 1.0 } else { 1.0 - left as f64 / all as f64 }
    }
}
