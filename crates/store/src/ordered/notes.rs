//! How the indexes hear of what a shard has noted.

use index::Delta;
use sync::atomic::Ordering;

use super::{Indexes, Slot};
use crate::shard::noted::Noted;
use crate::{Db, Shard};

/// Changes after which the sum of all shards is told: it keeps writers off one cache line.
const TOLD: usize = 64;

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
            self.marks[number / 64].fetch_or(1 << (number % 64), Ordering::AcqRel);
        }
        if len >= noted.told + TOLD {
            let more = len - noted.told;
            self.waiting.fetch_add(more, Ordering::Relaxed);
            noted.told = len;
        }
    }
}

impl Indexes {
    /// By how many bytes a shard has grown since this was last asked; the indexes hear what has
    /// been noted for them. Before its lock is given back.
    #[inline]
    pub(crate) fn settle(&self, shard: &mut Shard) -> i64 {
        let number = shard.number();
        shard.unreported(|db, part| self.slots[db].hear(number, part))
    }

    /// A shard notes nothing more about a database; what was noted is thrown away.
    pub(crate) fn forget_noted(&self, shard: &mut Shard, db: usize) {
        let number = shard.number();
        if let Some(mut noted) = shard.db_mut(db).noted.take() {
            noted.delta = Delta::default();
            self.slots[db].take(number, &mut noted);
        }
    }
}
