//! The table: looking up, putting, removing and counting.
//!
//! Every operation takes the hash with the key: a server hashes each key once and uses the hash
//! for the shard, the prefetch and the table. The hasher is kept only for moving entries, whose
//! hashes are not stored. A hash that does not belong to its key gives wrong answers, never
//! undefined behaviour.
//!
//! Shape changes (grow, split, shrink, merge) are in `grow.rs`, walks in `scan.rs` and `iter.rs`,
//! what callers hold of an entry in `view.rs`.

use core::marker::PhantomData;
use core::mem;

use crate::bucket::BucketRef;
use crate::directory::Directory;
use crate::entry::{Entry, Fill};
use crate::place;
use crate::segment::{Segment, Spot};
use crate::size_class::size_class;
use crate::slot::Slot;
use crate::view::{EntryMut, EntryRef, Put, Removed};

/// How the keys of a table are hashed.
///
/// The table calls it when it moves entries and when it scans; it must return what callers pass
/// as `hash`. Bits 0 to 9 are ignored by the table (they choose a shard), the others should be
/// uniformly spread.
pub trait KeyHash: Clone + Send {
    /// The hash of `key`.
    fn hash(&self, key: &[u8]) -> u64;
}

/// The sums that make every size question O(1).
#[derive(Default)]
pub(crate) struct Accounts {
    pub(crate) entries: usize,
    pub(crate) expiring: usize,
    pub(crate) objects: usize,
    pub(crate) entry_bytes: usize,
    pub(crate) segment_bytes: usize,
}

/// A hash table of single-block entries; see the [crate] for how it works.
///
/// `O` is the type of the objects that entries may own instead of inline bytes; `H` hashes keys
/// when the table moves them. The table may be sent to another thread but not shared by
/// reference, as even a reader may write an entry's access word:
///
/// ```compile_fail,E0277
/// fn shared<T: Sync>() {}
/// shared::<kvist_table::Table<(), fn(&[u8]) -> u64>>();
/// ```
///
/// ```
/// use kvist_table::{KeyHash, Table};
///
/// #[derive(Clone)]
/// struct Sum;
/// impl KeyHash for Sum {
///     fn hash(&self, key: &[u8]) -> u64 {
///         key.iter().fold(7, |h: u64, &b| (h ^ u64::from(b)).wrapping_mul(0x9e37_79b9_7f4a_7c15))
///     }
/// }
///
/// let mut table: Table<Vec<u8>, Sum> = Table::new(Sum);
/// let hash = Sum.hash(b"name");
/// assert!(table.put_bytes(hash, b"name", b"kvist").inserted);
/// assert_eq!(table.find(hash, b"name").and_then(|e| e.bytes()), Some(&b"kvist"[..]));
/// assert!(table.remove(hash, b"name").is_some());
/// assert!(table.is_empty());
/// ```
pub struct Table<O, H> {
    pub(crate) directory: Directory,
    pub(crate) accounts: Accounts,
    pub(crate) hasher: H,
    owned: PhantomData<Box<O>>,
}

// SAFETY: the table owns its segments, entries and objects alone (the raw pointers are never
// shared with another table), so it may move between threads as its objects and hasher may.
unsafe impl<O: Send, H: Send> Send for Table<O, H> {}

/// Where the entries of a hash would be.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub(crate) segment: Segment,
    pub(crate) buckets: u32,
    pub(crate) home: u32,
}

/// Where an entry is.
#[derive(Clone, Copy)]
pub(crate) struct Found {
    pub(crate) segment: Segment,
    pub(crate) home: u32,
    pub(crate) spot: Spot,
    pub(crate) entry: Entry,
}

impl Found {
    #[inline(always)]
    pub(crate) fn slot(self) -> *mut Slot {
        // SAFETY: the spot was found in this segment.
        unsafe { self.segment.bucket(self.spot.bucket) }.slot_pointer(self.spot.slot)
    }
}

impl<O, H> Table<O, H> {
    #[inline(always)]
    pub(crate) fn place(&self, hash: u64) -> Option<Place> {
        let aligned = place::aligned(hash);
        let link = self.directory.link(aligned)?;
        let buckets = link.buckets();
        let home = place::home(aligned, link.depth(), buckets);
        Some(Place { segment: link.segment(), buckets, home })
    }

    #[inline(always)]
    fn home_bucket(&self, hash: u64) -> Option<BucketRef> {
        let place = self.place(hash)?;
        // SAFETY: a home is below the bucket count.
        Some(unsafe { place.segment.bucket(place.home) })
    }

    #[inline(always)]
    pub(crate) fn look_up(&self, hash: u64, key: &[u8]) -> Option<Found> {
        let Place { segment, buckets, home } = self.place(hash)?;
        let tag = place::tag(hash);
        let mut at = home;
        loop {
            // SAFETY: `at` starts as a home and stays below the bucket count.
            let bucket = unsafe { segment.bucket(at) };
            for slot in bucket.matches(tag) {
                // SAFETY: a slot with a tag is not empty, and its entry lives.
                let entry = unsafe { bucket.slot(slot).entry() };
                // SAFETY: as above.
                if unsafe { entry.has_key(key) } {
                    let spot = Spot { bucket: at, slot };
                    return Some(Found { segment, home, spot, entry });
                }
            }
            if bucket.overflow() == 0 {
                return None;
            }
            at = if at + 1 == buckets { 0 } else { at + 1 };
            if at == home {
                return None;
            }
        }
    }

    #[inline(always)]
    fn view(&mut self, found: Found) -> EntryMut<'_, O> {
        // SAFETY: the entry is in this table, which stays borrowed exclusively with the view.
        unsafe { EntryMut::new(found, &mut self.accounts) }
    }

    /// How many entries there are.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.accounts.entries
    }

    /// Whether there is no entry.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.accounts.entries == 0
    }

    /// How many entries have a deadline. O(1).
    #[inline]
    #[must_use]
    pub fn expiring(&self) -> usize {
        self.accounts.expiring
    }

    /// Bytes allocated for directory, segments, entries and the boxes of objects (not for what
    /// the objects own themselves), each rounded up to its [`size_class()`]. O(1).
    #[inline]
    #[must_use]
    pub fn memory(&self) -> usize {
        self.directory.memory()
            + self.accounts.segment_bytes
            + self.accounts.entry_bytes
            + self.accounts.objects * size_class(size_of::<O>())
    }

    /// The part of [`Table::memory`] that is directory and segments: what it takes beside its
    /// entries. O(1).
    #[inline]
    #[must_use]
    pub fn overhead(&self) -> usize {
        self.directory.memory() + self.accounts.segment_bytes
    }

    /// Removes everything and gives all memory back. O(entries).
    pub fn clear(&mut self) {
        // Taken out first: should the drop of an object panic, the rest leaks, but nothing that
        // was freed can be reached again.
        let directory = mem::replace(&mut self.directory, Directory::new());
        self.accounts = Accounts::default();
        for (link, _) in directory.segments_from(0) {
            let segment = link.segment();
            for slot in segment.slots() {
                // SAFETY: the slot is used, its entry was owned by the table and is reachable
                // no more.
                drop(unsafe { Removed::<O>::new(slot.entry()) });
            }
            // SAFETY: the directory, whose iterator has passed the segment, was the only one to
            // know it.
            unsafe { segment.free() };
        }
    }
}

impl<O, H: KeyHash> Table<O, H> {
    /// An empty table. Allocates nothing until the first insert.
    #[inline]
    #[must_use]
    pub fn new(hasher: H) -> Table<O, H> {
        Table {
            directory: Directory::new(),
            accounts: Accounts::default(),
            hasher,
            owned: PhantomData,
        }
    }

    /// The hasher given to [`new`](Self::new).
    #[inline]
    #[must_use]
    pub fn hasher(&self) -> &H {
        &self.hasher
    }

    /// The entry of `key`, whose hash is `hash`.
    #[inline]
    #[must_use]
    pub fn find(&self, hash: u64, key: &[u8]) -> Option<EntryRef<'_, O>> {
        let found = self.look_up(hash, key)?;
        // SAFETY: the entry lives at least as long as the table is borrowed.
        Some(unsafe { EntryRef::new(found.entry) })
    }

    /// The entry of `key`, for changing it.
    #[inline]
    #[must_use]
    pub fn find_mut(&mut self, hash: u64, key: &[u8]) -> Option<EntryMut<'_, O>> {
        let found = self.look_up(hash, key)?;
        Some(self.view(found))
    }

    /// Gives `key` the inline value `value`, inserting it if it isn't there. An entry that was
    /// there keeps its deadline, access word and user flags; a new one has none.
    ///
    /// # Panics
    /// If the key or the value is 4 GiB or longer.
    #[inline]
    pub fn put_bytes(&mut self, hash: u64, key: &[u8], value: &[u8]) -> Put<'_, O> {
        if let Some(found) = self.look_up(hash, key) {
            let mut entry = self.view(found);
            let replaced = entry.set_bytes(value);
            return Put { entry, inserted: false, replaced };
        }
        let entry = self.insert(hash, key, Fill::Bytes(value));
        Put { entry, inserted: true, replaced: None }
    }

    /// Gives `key` the object `value`; otherwise as [`put_bytes`](Self::put_bytes).
    ///
    /// # Panics
    /// If the key is 4 GiB or longer.
    #[inline]
    pub fn put_object(&mut self, hash: u64, key: &[u8], value: Box<O>) -> Put<'_, O> {
        if let Some(found) = self.look_up(hash, key) {
            let mut entry = self.view(found);
            let replaced = entry.set_object(value);
            return Put { entry, inserted: false, replaced };
        }
        let entry = self.insert(hash, key, Fill::Object(Box::into_raw(value).cast()));
        Put { entry, inserted: true, replaced: None }
    }

    /// Adds an entry that is not there yet.
    fn insert(&mut self, hash: u64, key: &[u8], fill: Fill<'_>) -> EntryMut<'_, O> {
        let Place { segment, home, .. } = self.make_room(hash);
        let entry = Entry::create(key, fill);
        // SAFETY: the home is of this segment, in which there is room.
        let spot = unsafe { segment.insert(home, Slot::new(place::tag(hash), entry)) };
        // SAFETY: the entry was just made.
        let shape = unsafe { entry.shape() };
        self.accounts.entries += 1;
        self.accounts.entry_bytes += shape.class();
        self.accounts.objects += usize::from(shape.is_object());
        self.view(Found { segment, home, spot, entry })
    }

    /// Takes the entry of `key` out of the table. It is freed when the result is dropped, which
    /// may happen elsewhere; [`memory`](Self::memory) no longer counts it.
    #[inline]
    pub fn remove(&mut self, hash: u64, key: &[u8]) -> Option<Removed<O>> {
        let Found { segment, home, spot, entry } = self.look_up(hash, key)?;
        // SAFETY: home and spot are of this segment.
        unsafe { segment.remove(home, spot) };
        // SAFETY: the entry has left the table and is owned by `removed` now.
        let (removed, shape) = unsafe { (Removed::new(entry), entry.shape()) };
        self.accounts.entries -= 1;
        self.accounts.entry_bytes -= shape.class();
        self.accounts.objects -= usize::from(shape.is_object());
        if shape.has_deadline() {
            self.accounts.expiring -= 1;
            segment.forget_deadline();
        }
        if segment.is_sparse() {
            self.shrink(hash);
        }
        Some(removed)
    }

    /// Asks for the home bucket of `hash`, so that a look-up some 100 ns later finds it in cache.
    #[inline]
    pub fn prefetch_bucket(&self, hash: u64) {
        if let Some(bucket) = self.home_bucket(hash) {
            crate::prefetch::prefetch(bucket.pointer());
        }
    }

    /// Asks for the first two lines of the entries that `hash` may mean (longer ones the processor
    /// fetches by itself once they are read in order). Reads the home bucket, so
    /// [`prefetch_bucket`](Self::prefetch_bucket) should have been called a while before.
    #[inline]
    pub fn prefetch_entry(&self, hash: u64) {
        let Some(bucket) = self.home_bucket(hash) else { return };
        for slot in bucket.matches(place::tag(hash)) {
            // SAFETY: a slot with a tag is not empty.
            unsafe { bucket.slot(slot).entry() }.prefetch(2);
        }
    }
}

impl<O, H> Drop for Table<O, H> {
    fn drop(&mut self) {
        self.clear();
    }
}
