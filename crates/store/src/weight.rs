//! How large what a key holds is, before a request about it runs.
//!
//! No use of the key is counted, and no shard is held afterwards.

use base::Reach;
use table::{Content, EntryRef};

use crate::{HeldShards, Object, Shard, Store};

/// What a key holds, overdue or not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Weight {
    /// Bytes of all of it.
    pub bytes: usize,
    /// How many elements it has.
    pub elements: usize,
}

impl Weight {
    fn of(shard: &Shard, db: usize, (hash, name): (u64, &[u8])) -> Self {
        let entry = shard.dbs().get(db).and_then(|db| db.keys.find(hash, name));
        entry.map_or(Weight::default(), |entry| Weight::of_entry(&entry))
    }

    fn of_entry(entry: &EntryRef<'_, Object>) -> Self {
        let bytes = Object::memory_of(entry);
        let elements = match entry.content() {
            Content::Bytes(_) => 1,
            Content::Object(object) => object.elements(),
        };
        Weight { bytes, elements }
    }

    /// About as many bytes as the elements have that are gone through.
    #[must_use]
    pub fn share(self, reach: Reach) -> usize {
        let elements = self.elements.saturating_sub(reach.beyond).min(reach.most);
        if elements >= self.elements {
            return self.bytes;
        }
        // Fewer than there are, so there are some.
        (self.bytes / self.elements).saturating_mul(elements).min(self.bytes)
    }
}

/// What a key of a database holds: nothing where its shard is not to be had.
#[must_use]
pub fn weigh(held: &mut HeldShards, db: usize, name: &[u8]) -> Weight {
    let hash = held.store().hasher().hash(name);
    let number = held.store().shard_of(hash);
    held.try_with_shard(number, |shard| Weight::of(shard, db, (hash, name))).unwrap_or_default()
}

impl Store {
    /// What a key of a database holds; `None` if its shard is held at the moment.
    #[must_use]
    pub fn weigh_at_once(&self, db: usize, name: &[u8]) -> Option<Weight> {
        let hash = self.hasher().hash(name);
        let guard = self.locks.try_lock(self.shard_of(hash))?;
        guard.as_ref().map(|shard| Weight::of(shard, db, (hash, name)))
    }

    /// Whether no request holds the shard of a key at the moment.
    #[must_use]
    pub fn is_free(&self, name: &[u8]) -> bool {
        self.locks.try_lock(self.shard_of(self.hasher().hash(name))).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::{Reach, Weight};

    #[test]
    fn a_share_is_never_more_than_all() {
        let weight = Weight { bytes: 1000, elements: 10 };
        let shares = [0, 1, 9, 10, usize::MAX].map(|elements| weight.share(Reach::of(elements)));
        assert_eq!(shares, [0, 100, 900, 1000, 1000]);
        let beyond = |beyond| weight.share(Reach { beyond, most: usize::MAX });
        assert_eq!([0, 9, 10, 11].map(beyond), [shares[4], shares[1], 0, 0]);
        assert_eq!([0, 1].map(|elements| Weight::default().share(Reach::of(elements))), [0, 0]);
    }
}
