//! What one shard has of one database: its entries, and the account of what they take.

use base::{Key, KeyHasher};
use table::{EntryMut, Table};

use super::noted::{Noted, note};
use crate::{Garbage, INLINE_MAX, Object};

/// The table from keys to entries.
pub type Keys = Table<Object, Hasher>;

/// The store's hasher as the table wants it.
#[derive(Clone, Debug)]
pub struct Hasher(pub KeyHasher);

impl table::KeyHash for Hasher {
    #[inline]
    fn hash(&self, key: &[u8]) -> u64 {
        self.0.hash(key)
    }
}

/// One database of one shard.
pub struct Db {
    /// The entries.
    pub keys: Keys,
    /// Heap bytes owned by the objects of this database, beyond their boxes.
    pub objects: usize,
    /// Keys that came and went, for the ordered index, if there is one.
    pub(crate) noted: Option<Box<Noted>>,
    /// The number it had when its shard's scan began: snapshots tell it by that.
    pub(super) scanned_as: usize,
    /// What `memory()` was when it was last reported.
    pub(super) reported: usize,
}

impl Db {
    /// An empty database.
    #[must_use]
    pub fn new(hasher: &KeyHasher) -> Self {
        let keys = Table::new(Hasher(hasher.clone()));
        Db { keys, objects: 0, noted: None, scanned_as: 0, reported: 0 }
    }

    /// The number it had when the scan of its shard began.
    pub(crate) fn scanned_as(&self) -> usize {
        self.scanned_as
    }

    /// Bytes owned: table, entries, objects and notes for the index. O(1).
    #[inline]
    #[must_use]
    pub fn memory(&self) -> usize {
        self.keys.memory() + self.objects + self.noted_memory()
    }

    /// The part of it that is notes for the index.
    #[inline]
    pub(crate) fn noted_memory(&self) -> usize {
        self.noted.as_ref().map_or(0, |noted| noted.memory())
    }

    /// By how many bytes it has grown since this was last asked.
    #[inline]
    pub(super) fn unreported(&mut self) -> i64 {
        let memory = self.memory();
        let before = std::mem::replace(&mut self.reported, memory);
        // Both are far below i64::MAX: they count bytes of real memory.
        memory as i64 - before as i64
    }

    /// Puts `fresh` in its place and gives back the table it had. The report of memory goes on.
    pub(crate) fn replace(&mut self, fresh: Db) -> Keys {
        self.objects = fresh.objects;
        self.noted = fresh.noted;
        std::mem::replace(&mut self.keys, fresh.keys)
    }

    /// Removes an entry and settles the accounts. What is expensive to free is returned.
    pub fn remove(&mut self, hash: u64, key: &[u8]) -> Option<Garbage> {
        let removed = self.keys.remove(hash, key)?;
        note(&mut self.noted, key, false);
        let object = removed.into_object();
        if let Some(object) = &object {
            self.objects -= object.memory();
        }
        Some(Garbage::of(object))
    }

    /// Counts again what `objects` should be. O(keys); for checks after a contained panic.
    #[must_use]
    pub fn recount(&self) -> usize {
        self.keys.iter().filter_map(|e| e.object().map(Object::memory)).sum()
    }
}

/// Puts a value under a key and settles the accounts; the entry, and what is expensive to free.
pub(crate) fn put<'t>(
    table: &'t mut Db,
    key: Key<'_>,
    object: Object,
) -> (EntryMut<'t, Object>, Garbage) {
    let Db { keys, objects, noted, .. } = table;
    let put = match object {
        Object::Str(bytes) if bytes.len() <= INLINE_MAX => {
            keys.put_bytes(key.hash, key.bytes, &bytes)
        }
        object => {
            *objects += object.memory();
            keys.put_object(key.hash, key.bytes, Box::new(object))
        }
    };
    if put.inserted {
        note(noted, key.bytes, true);
    }
    if let Some(old) = &put.replaced {
        *objects -= old.memory();
    }
    (put.entry, Garbage::of(put.replaced))
}
