//! One index: its definition, and the partitions that hold its documents.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use parking_lot::{Mutex, RwLock};
use search::evaluate::Partitions;
use search::partition::Partition;
use search::schema::{Definition, Source};
use search::text;

use super::catalog_image::Synonyms;
use super::filter::Filter;

/// Most partitions of an index.
const PARTITIONS: usize = 16;

/// An index of one database.
pub(crate) struct Index {
    /// Groups of synonyms with their terms, as they were added.
    pub synonyms: Synonyms,
    /// The same, to look up words.
    pub synonyms_by_word: text::Synonyms,
    documents: Arc<Documents>,
}

/// What an index holds, whatever its synonyms.
pub(crate) struct Documents {
    /// What it holds, and how.
    pub definition: Arc<Definition>,
    /// A shard's documents are in the partition of its number modulo theirs.
    partitions: Box<[Part]>,
    /// What documents must satisfy. A definition whose filter cannot be read has none: `FT.CREATE`
    /// refuses it.
    pub filter: Option<Filter>,
    /// How far it has read the keys that were there before it.
    pub filling: Filling,
    /// Documents that could not be indexed.
    pub failures: Failures,
    /// How often it was asked.
    pub uses: AtomicU64,
}

/// A partition with its lock.
struct Part {
    partition: RwLock<Partition>,
    /// Writers that wait for it.
    awaiting: AtomicUsize,
    /// Its bytes when it was last written to.
    memory: AtomicUsize,
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
        let part = || {
            let partition = Partition::new(Arc::clone(&definition), Arc::clone(&writes));
            let (awaiting, memory) = (AtomicUsize::new(0), AtomicUsize::new(0));
            Part { partition: RwLock::new(partition), awaiting, memory }
        };
        let documents = Documents {
            partitions: (0..count).map(|_| part()).collect(),
            filter: Filter::of(&definition).ok().flatten(),
            definition,
            filling: Filling::default(),
            failures: Failures::default(),
            uses: AtomicU64::new(0),
        };
        Index { synonyms_by_word: by_word(&synonyms), synonyms, documents: Arc::new(documents) }
    }

    /// The same documents with other synonyms.
    pub fn with_synonyms(&self, synonyms: Synonyms) -> Self {
        let documents = Arc::clone(&self.documents);
        Index { synonyms_by_word: by_word(&synonyms), synonyms, documents }
    }
}

fn by_word(synonyms: &Synonyms) -> text::Synonyms {
    let mut by_word = text::Synonyms::default();
    for (group, terms) in synonyms {
        by_word.update(group, terms.iter().map(|term| &**term));
    }
    by_word
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
        let part = &self.partitions[shard % self.partitions.len()];
        let mut partition = part.partition.try_write().unwrap_or_else(|| {
            part.awaiting.fetch_add(1, Ordering::AcqRel);
            let partition = part.partition.write();
            part.awaiting.fetch_sub(1, Ordering::AcqRel);
            partition
        });
        let result = change(&mut partition);
        part.memory.store(partition.memory(), Ordering::Relaxed);
        result
    }

    /// Bytes of it. O(partitions).
    pub fn memory(&self) -> usize {
        self.partitions.iter().map(|part| part.memory.load(Ordering::Relaxed)).sum()
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

/// Writers wait for a query that looks at their partition; a long one lets them through.
impl Partitions for Documents {
    fn count(&self) -> usize {
        self.partitions.len()
    }

    fn with<R>(&self, at: usize, look: impl FnOnce(&Partition) -> R) -> R {
        look(&self.partitions[at].partition.read())
    }

    fn with_all<R>(&self, look: impl FnOnce(&[&Partition]) -> R) -> R {
        let held: Vec<_> = self.partitions.iter().map(|part| part.partition.read()).collect();
        look(&held.iter().map(|partition| &**partition).collect::<Vec<_>>())
    }

    fn is_awaited(&self, at: usize) -> bool {
        self.partitions[at].awaiting.load(Ordering::Acquire) > 0
    }
}
