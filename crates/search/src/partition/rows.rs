//! The documents of a partition as dense, reused row numbers; one copy of each key.

use std::hash::BuildHasher;

use hashbrown::HashTable;

use super::bitmap::Bitmap;

/// A document.
#[derive(Clone, Debug, Default)]
pub struct Row {
    pub key: Box<[u8]>,
    /// Its place among all that was written to the index.
    pub order: u64,
    /// What removal and phrases need: see `words.rs`.
    pub words: Box<[u8]>,
    /// The document's score, of as many bits as RediSearch keeps, which makes them print alike.
    pub score: f32,
    /// Words, each as often as its attribute's weight.
    pub length: u32,
    /// The greatest frequency of a term.
    pub top: u32,
}

/// See the head of this file.
#[derive(Default)]
pub struct Rows {
    rows: Vec<Row>,
    free: Vec<u32>,
    by_key: HashTable<u32>,
    hasher: foldhash::fast::RandomState,
    live: Bitmap,
    /// Bytes allocated by keys and words.
    bytes: usize,
    /// The sum of all lengths.
    length: u64,
}

impl Rows {
    /// The row of a key.
    pub fn find(&self, key: &[u8]) -> Option<u32> {
        let is_it = |row: &u32| *self.rows[*row as usize].key == *key;
        self.by_key.find(self.hasher.hash_one(key), is_it).copied()
    }

    /// The document of a row that is in use.
    #[inline]
    pub fn get(&self, row: u32) -> &Row {
        &self.rows[row as usize]
    }

    /// Adds a document whose key is absent; its row.
    pub fn add(&mut self, row: Row) -> u32 {
        self.bytes += row.key.len() + row.words.len();
        self.length += u64::from(row.length);
        let hash = self.hasher.hash_one(&*row.key);
        let at = match self.free.pop() {
            Some(at) => {
                self.rows[at as usize] = row;
                at
            }
            None => {
                self.rows.push(row);
                (self.rows.len() - 1) as u32
            }
        };
        self.live.insert(at);
        let (rows, hasher) = (&self.rows, &self.hasher);
        self.by_key.insert_unique(hash, at, |row| hasher.hash_one(&*rows[*row as usize].key));
        at
    }

    /// Removes the document of a row, which is reused.
    pub fn remove(&mut self, row: u32) {
        if !self.live.remove(row) {
            return;
        }
        let removed = std::mem::take(&mut self.rows[row as usize]);
        self.bytes -= removed.key.len() + removed.words.len();
        self.length -= u64::from(removed.length);
        let hash = self.hasher.hash_one(&*removed.key);
        if let Ok(entry) = self.by_key.find_entry(hash, |other| *other == row) {
            entry.remove();
        }
        self.free.push(row);
    }

    /// Rows in use.
    pub fn live(&self) -> &Bitmap {
        &self.live
    }

    /// One more than the greatest row that was ever in use.
    pub fn end(&self) -> u32 {
        self.rows.len() as u32
    }

    /// Words of all documents, each as often as its attribute's weight.
    pub fn total_length(&self) -> u64 {
        self.length
    }

    /// Bytes allocated. O(1).
    pub fn memory(&self) -> usize {
        self.bytes
            + self.rows.capacity() * size_of::<Row>()
            + self.free.capacity() * size_of::<u32>()
            + self.key_table_memory()
            + self.live.memory()
    }

    /// Bytes allocated by the table of keys.
    pub fn key_table_memory(&self) -> usize {
        self.by_key.allocation_size()
    }
}
