//! What a shard notes about the keys of a database: those that came and those that went, since the
//! notes were last taken.

use index::Delta;

use super::{Indexes, Slot};
use crate::Shard;
use crate::shard::Db;

/// Changes after which the sum of all shards is told: it keeps writers off one cache line.
const TOLD: usize = 64;

/// The notes of one shard about one database.
pub(crate) struct Noted {
    /// The generation of the index that they are for.
    pub generation: u64,
    pub delta: Delta,
    /// How many of the changes are in the sum of all shards.
    pub told: usize,
    /// The shard's bit is set.
    pub marked: bool,
}

impl Noted {
    /// None yet, for an index of this generation.
    pub fn of(generation: u64) -> Box<Self> {
        Box::new(Noted { generation, delta: Delta::default(), told: 0, marked: false })
    }

    /// Bytes allocated; the notes themselves are counted with the index.
    #[inline]
    pub fn memory(&self) -> usize {
        self.delta.memory()
    }
}

/// Notes that a key came or went, if there is an index.
#[inline]
pub(crate) fn note(noted: &mut Option<Box<Noted>>, key: &[u8], is_there: bool) {
    if let Some(noted) = noted {
        noted.delta.push(key, is_there);
    }
}

impl Slot {
    /// A shard may have noted something, and is about to be given back.
    #[inline]
    fn hear(&self, number: usize, db: &mut Db) {
        if db.keys.expiring() != 0 {
            self.deadlines.there_are();
        }
        if let Some(noted) = &mut db.noted {
            self.hear_notes(number, noted);
        }
    }

    fn hear_notes(&self, number: usize, noted: &mut Noted) {
        let len = noted.delta.len();
        if len != 0 && !noted.marked {
            noted.marked = true;
            self.marks[number / 64].fetch_or(1 << (number % 64), sync::atomic::Ordering::AcqRel);
        }
        if len >= noted.told + TOLD {
            let more = len - noted.told;
            self.waiting.fetch_add(more, sync::atomic::Ordering::Relaxed);
            noted.told = len;
        }
    }
}

impl Indexes {
    /// The same of database `db`.
    #[inline]
    pub fn hear(&self, db: usize, number: usize, part: &mut Db) {
        self.slots[db].hear(number, part);
    }
}

impl Shard {
    /// Notes nothing more about a database, and throws away what was noted.
    pub(crate) fn forget_noted(&mut self, db: usize, indexes: &Indexes) {
        let number = self.number();
        if let Some(mut noted) = self.db_mut(db).noted.take() {
            noted.delta = Delta::default();
            indexes.slots[db].take(number, &mut noted);
        }
    }
}
