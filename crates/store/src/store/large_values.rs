//! How a store treats large values: from which size on, and where they went while a snapshot scans
//! it.

use sync::Mutex;
#[cfg(test)]
use sync::atomic::AtomicU64;
use sync::atomic::{AtomicUsize, Ordering};
use table::EntryRef;

use crate::Object;
use crate::object::large::{CHUNK, LARGE};
use crate::store::moved::Moved;

/// Values from this size on that go from one key to another are told by the keys' names, unless
/// another size is set. Of smaller ones an image takes a fraction of a millisecond, and recovery
/// need not wait for the other shard.
const NAMED: usize = 128 << 10;

/// See the [module](self).
pub(crate) struct LargeValues {
    /// Held by the thread that copies large values in chunks; never waited for with a shard in
    /// hand.
    pub copier: Mutex<()>,
    /// Values from this size on are copied in chunks.
    pub copied_from: AtomicUsize,
    /// Bytes after which a chunk ends.
    pub chunk: AtomicUsize,
    /// Where large values went while a snapshot scans the store.
    pub moved: Moved,
    /// Values from this size on are told by the names of keys.
    pub named_from: AtomicUsize,
    /// How often large values were copied in one hold.
    #[cfg(test)]
    pub whole: AtomicU64,
}

impl Default for LargeValues {
    fn default() -> Self {
        LargeValues {
            copier: Mutex::new(()),
            copied_from: AtomicUsize::new(LARGE),
            chunk: AtomicUsize::new(CHUNK),
            moved: Moved::default(),
            named_from: AtomicUsize::new(NAMED),
            #[cfg(test)]
            whole: AtomicU64::new(0),
        }
    }
}

impl LargeValues {
    /// Whether a value is copied in chunks.
    pub fn is_large(&self, object: &Object) -> bool {
        object.memory() >= self.copied_from.load(Ordering::Relaxed) && object.is_divisible()
    }

    /// Whether the value of an entry is told by the names of keys: a short string, too, where the
    /// bound is low.
    pub fn is_named(&self, entry: &EntryRef<'_, Object>) -> bool {
        Object::memory_of(entry) >= self.named_from.load(Ordering::Relaxed)
    }
}
