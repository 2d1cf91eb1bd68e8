//! Which records of the journal a snapshot knows already.
//!
//! A snapshot read each range of positions of a shard's database at a moment of its own, told by
//! the number of the shard's last record then. A record is applied on top of the snapshot exactly
//! if it is younger than the range its key falls into.

use std::collections::HashMap;

/// Behind all positions.
const END: u64 = u64::MAX;

/// Databases that were empty when the shard was begun are told together under this number.
pub const OTHERS: u32 = u32::MAX;

/// Libraries of functions stand in a snapshot as this database of shard 0.
pub const LIBRARIES: u32 = u32::MAX - 1;

/// Keys that were read once more, after everything else, stand in a snapshot as this database.
pub const MOVED: u32 = u32::MAX - 2;

/// Chunks of large values stand in a snapshot as this database.
pub const CHUNKS: u32 = u32::MAX - 3;

/// Definitions of secondary indexes stand in a snapshot as this database of shard 0.
pub const INDEXES: u32 = u32::MAX - 4;

/// The moments of one shard's databases.
#[derive(Debug, Default)]
pub struct SnapshotCoverage {
    /// Of keys that were read once more.
    by_key: HashMap<(u32, Box<[u8]>), u64>,
    by_db: HashMap<u32, Vec<(u64, u64)>>,
    others: u64,
    /// The youngest record of the shard, in snapshot or journal.
    pub newest: u64,
    /// The last record of the journal that was looked at.
    pub last: u64,
}

impl SnapshotCoverage {
    /// A range of positions that ends at `end` was read after record `seq`.
    pub fn add(&mut self, db: u32, end: u64, seq: u64) {
        self.newest = self.newest.max(seq);
        if db == OTHERS {
            self.others = seq;
            return;
        }
        let coverage = self.by_db.entry(db).or_default();
        match coverage.last_mut() {
            Some(last) if last.1 == seq => last.0 = end,
            _ => coverage.push((end, seq)),
        }
    }

    /// A key was read by itself, after record `seq`.
    pub fn add_key(&mut self, db: u32, key: &[u8], seq: u64) {
        self.newest = self.newest.max(seq);
        self.by_key.insert((db, key.into()), seq);
    }

    /// As [`lacks`](Self::lacks), of a record about this key.
    pub fn lacks_key(&self, db: u32, (key, position): (&[u8], u64), seq: u64) -> bool {
        match self.alone(db, key) {
            Some(known) => seq > known,
            None => self.lacks(db, position, seq),
        }
    }

    /// With which record a key was read by itself, if it was.
    pub fn alone(&self, db: u32, key: &[u8]) -> Option<u64> {
        if self.by_key.is_empty() {
            return None;
        }
        self.by_key.get(&(db, key.into())).copied()
    }

    /// Whether any key was read by itself.
    pub fn has_alone(&self) -> bool {
        !self.by_key.is_empty()
    }

    /// The youngest record that was there when the shard was begun; 0 without a snapshot.
    pub fn begun(&self) -> u64 {
        self.others
    }

    /// Whether record `seq` about this position is not in the snapshot.
    pub fn lacks(&self, db: u32, position: u64, seq: u64) -> bool {
        seq > self.known(db, position)
    }

    fn known(&self, db: u32, position: u64) -> u64 {
        let Some(coverage) = self.by_db.get(&db) else { return self.others };
        let at = coverage.partition_point(|&(end, _)| end <= position);
        // Behind the last step there is nothing; it ends where positions end.
        coverage.get(at).map_or(self.others, |&(_, seq)| seq)
    }

    /// Whether the snapshot does not know that two databases changed places: it calls each by the
    /// number it had when the shard was begun, also what was read after a swap.
    pub fn lacks_swap(&self, seq: u64) -> bool {
        seq > self.begun()
    }

    /// Two databases have changed places, with all that was read of them.
    pub fn swap(&mut self, a: u32, b: u32) {
        let others = vec![(END, self.others)];
        let (x, y) = (self.by_db.remove(&a), self.by_db.remove(&b));
        self.by_db.insert(b, x.unwrap_or_else(|| others.clone()));
        self.by_db.insert(a, y.unwrap_or(others));
        let swapped = |db| {
            if db == a {
                b
            } else if db == b {
                a
            } else {
                db
            }
        };
        let keys = std::mem::take(&mut self.by_key).into_iter();
        self.by_key = keys.map(|((db, key), seq)| ((swapped(db), key), seq)).collect();
    }

    /// Below which position the database was read before record `seq`: there the record counts.
    /// Moments only grow with positions, so that is one range from the beginning.
    pub fn lacks_below(&self, db: u32, seq: u64) -> u64 {
        let Some(coverage) = self.by_db.get(&db) else {
            return if seq > self.others { END } else { 0 };
        };
        let older = coverage.partition_point(|&(_, known)| known < seq);
        if older == coverage.len() {
            END
        } else {
            older.checked_sub(1).map_or(0, |n| coverage[n].0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_counts_where_it_is_younger() {
        let mut coverage = SnapshotCoverage::default();
        coverage.add(0, 100, 5);
        coverage.add(0, 200, 5);
        coverage.add(0, 300, 9);
        coverage.add(OTHERS, 300, 4);
        assert!(coverage.lacks(0, 50, 6) && !coverage.lacks(0, 50, 5));
        assert!(!coverage.lacks(0, 250, 9) && coverage.lacks(0, 250, 10));
        assert!(coverage.lacks(3, 250, 5) && !coverage.lacks(3, 250, 4));
        assert_eq!(coverage.newest, 9);
        assert_eq!((coverage.lacks_below(0, 5), coverage.lacks_below(0, 6)), (0, 200));
        assert_eq!((coverage.lacks_below(0, 9), coverage.lacks_below(0, 10)), (200, u64::MAX));
        assert_eq!((coverage.lacks_below(3, 4), coverage.lacks_below(3, 5)), (0, u64::MAX));
        // Nothing read at all: every record counts.
        assert!(SnapshotCoverage::default().lacks(0, 7, 1));
    }

    #[test]
    fn databases_that_change_places_take_along_what_was_read_of_them() {
        let mut coverage = SnapshotCoverage::default();
        coverage.add(OTHERS, u64::MAX, 4);
        coverage.add(0, 100, 5);
        coverage.add_key(0, b"key", 9);
        // Record 7 exchanges them between two steps of the first one.
        coverage.add(0, u64::MAX, 8);
        assert!(!coverage.lacks_swap(4) && coverage.lacks_swap(7));
        coverage.swap(0, 3);
        assert!(
            coverage.lacks(3, 50, 6) && !coverage.lacks(3, 150, 8) && coverage.lacks(3, 150, 9)
        );
        assert!(!coverage.lacks_key(3, (b"key", 50), 9) && coverage.lacks_key(0, (b"key", 50), 9));
        assert!(coverage.lacks(0, 50, 5) && !coverage.lacks(0, 50, 4));
    }
}
