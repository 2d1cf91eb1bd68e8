//! Large values that went from one key to another, or were made of others, while a snapshot scans
//! the store.
//!
//! ```text
//!   scan:     ... K2's place | ........ | K1's place ...      K1 is renamed to K2 in between:
//!                             ^ RENAME K1 K2                  neither place has the value
//! ```
//!
//! Such a change is recorded by the two names, so recovery takes the value from where the snapshot
//! and the journal say that it was. A scan that has passed the second key's place, but not the
//! first one's, has it nowhere. So names that values went to are noted while a scan goes on, and
//! those keys are read once more when it has read everything else.
//!
//! Every such name is noted, whether it is needed or not: to read a key once more than needed costs
//! a copy of its value, and it is then known as of a later moment. Whatever happened to a key until
//! it was last read, the values that left it meanwhile are thus found where they went. The scan
//! ends when no name is left; where values go on and on, they are told by images until it does.

use std::collections::BTreeSet;
use sync::atomic::{AtomicBool, Ordering};

use sync::Mutex;

/// A key of a shard's database.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Name {
    /// The shard's number.
    pub shard: usize,
    /// The number that the database had when the shard's scan began. (Of a value that went there
    /// before that, it may be another database: the scan reads the key then, and need not again.)
    pub db: usize,
    /// The key.
    pub key: Box<[u8]>,
}

impl Name {
    pub(crate) fn of(shard: u16, db: usize, key: &[u8]) -> Self {
        Name { shard: usize::from(shard), db, key: key.into() }
    }
}

/// So many keys are read once more, and no further ones.
const MOST: usize = 32;

/// What a scan still has to read.
#[derive(Debug, Default)]
pub(crate) struct Moved {
    /// A scan goes on. Begins while no shard is held, and is seen by threads that hold one that was
    /// read since.
    on: AtomicBool,
    unread: Mutex<Unread>,
}

#[derive(Debug, Default)]
struct Unread {
    /// In an order, so that the same scan reads the same in every process.
    names: BTreeSet<Name>,
    /// How many have been read.
    read: usize,
}

impl Moved {
    pub fn begin(&self) {
        *self.unread.lock() = Unread::default();
        self.on.store(true, Ordering::SeqCst);
    }

    pub fn end(&self) {
        let mut unread = self.unread.lock();
        self.on.store(false, Ordering::SeqCst);
        *unread = Unread::default();
    }

    /// A value has gone there; whether that can be told by names. Called while the shards are held.
    pub fn note(&self, to: impl FnOnce() -> Name) -> bool {
        if !self.on.load(Ordering::SeqCst) {
            return true;
        }
        let mut unread = self.unread.lock();
        // A scan that has read everything by now knows nothing of this change, of neither key.
        if !self.on.load(Ordering::SeqCst) {
            return true;
        }
        let name = to();
        let open = unread.read + unread.names.len() < MOST || unread.names.contains(&name);
        if open {
            unread.names.insert(name);
        }
        open
    }

    /// When every place has been read: the next key to be read once more. If there is none, the
    /// scan has ended.
    pub fn next(&self) -> Option<Name> {
        let mut unread = self.unread.lock();
        let next = unread.names.pop_first();
        match &next {
            Some(_) => unread.read += 1,
            None => self.on.store(false, Ordering::SeqCst),
        }
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snapshot_scan_reads_only_so_many_keys_once_more() {
        let moved = Moved::default();
        moved.begin();
        let note = |n: usize| moved.note(|| Name::of(0, 0, &n.to_le_bytes()));
        assert_eq!((0..100).filter(|&n| note(n)).count(), MOST);
        assert!(note(0), "it is known already");
        let read = std::iter::from_fn(|| moved.next()).count();
        assert_eq!(read, MOST);
        assert!(note(100), "no scan goes on any more");
    }

    #[test]
    fn keys_are_read_once_more_in_the_same_order_in_every_process() {
        let moved = Moved::default();
        moved.begin();
        for n in [7, 3, 12, 1, 9, 30, 2, 21] {
            assert!(moved.note(|| Name::of(n % 3, 0, &n.to_le_bytes())));
        }
        let read: Vec<Name> = std::iter::from_fn(|| moved.next()).collect();
        assert!(read.is_sorted());
        assert_eq!(read.len(), 8);
    }
}
