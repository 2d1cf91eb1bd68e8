//! Keys that a transaction notes, each of them once. A request may have a hundred thousand, so only
//! a few are compared one by one: beyond these there is an index.
//!
//! ```text
//!   noted: in the order they came        index, once there are many: hash ─► place in noted
//! ```

use hashbrown::HashTable;

/// Up to so many keys are compared one by one.
const FEW: usize = 16;

/// A note about a key of a database.
pub(crate) trait OfKey {
    /// The key's hash.
    fn hash(&self) -> u64;
    /// Whether it is about this key.
    fn is_of(&self, db: usize, key: &[u8]) -> bool;
}

/// See the [module](self).
pub(crate) struct NotedKeys<T> {
    noted: Vec<T>,
    index: HashTable<usize>,
}

impl<T> Default for NotedKeys<T> {
    fn default() -> Self {
        NotedKeys { noted: Vec::new(), index: HashTable::new() }
    }
}

impl<T: OfKey> NotedKeys<T> {
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.noted.is_empty()
    }

    /// Where the note about a key is.
    pub fn find(&self, db: usize, hash: u64, key: &[u8]) -> Option<usize> {
        let is_it = |one: &T| one.hash() == hash && one.is_of(db, key);
        if self.noted.len() <= FEW {
            return self.noted.iter().position(is_it);
        }
        self.index.find(hash, |&at| is_it(&self.noted[at])).copied()
    }

    /// The note at this place, if there is one.
    pub fn at(&mut self, place: usize) -> Option<&mut T> {
        self.noted.get_mut(place)
    }

    /// All of them, in the order they came. The keys stay the same, but for their databases.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.noted.iter_mut()
    }

    /// Adds a note about a key that has none; its place.
    pub fn add(&mut self, one: T) -> usize {
        let place = self.noted.len();
        self.noted.push(one);
        let missing = match place {
            ..FEW => place..place,
            FEW => 0..place + 1,
            _ => place..place + 1,
        };
        let noted = &self.noted;
        for at in missing {
            self.index.insert_unique(noted[at].hash(), at, |&at| noted[at].hash());
        }
        place
    }

    /// Takes all of them, in the order they came.
    pub fn take(&mut self) -> Vec<T> {
        self.index = HashTable::new();
        std::mem::take(&mut self.noted)
    }

    /// Forgets all of them, and keeps the room of a few.
    #[inline]
    pub fn clear(&mut self) {
        match self.noted.len() {
            ..=FEW => self.noted.clear(),
            _ => *self = NotedKeys::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct One(usize, u64, &'static [u8]);

    impl OfKey for One {
        fn hash(&self) -> u64 {
            self.1
        }

        fn is_of(&self, db: usize, key: &[u8]) -> bool {
            self.0 == db && self.2 == key
        }
    }

    #[test]
    fn every_note_is_found_however_many_there_are() {
        let mut noted = NotedKeys::default();
        for (at, hash) in (0..3 * FEW).zip(100..) {
            assert_eq!(noted.find(0, hash, b"key"), None);
            assert_eq!(noted.add(One(0, hash, b"key")), at);
            assert_eq!(noted.find(1, hash, b"key"), None);
            assert_eq!(noted.find(0, hash, b"other"), None);
            for (at, hash) in (0..=at).zip(100..) {
                assert_eq!(noted.find(0, hash, b"key"), Some(at));
            }
        }
        // A note may be of another database by now.
        noted.iter_mut().for_each(|one| one.0 = 2);
        assert_eq!((noted.find(0, 100, b"key"), noted.find(2, 100, b"key")), (None, Some(0)));
        noted.clear();
        assert!(noted.is_empty() && noted.find(2, 100, b"key").is_none());
    }
}
