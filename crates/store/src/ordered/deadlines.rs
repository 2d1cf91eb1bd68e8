//! Whether any key of a database has a deadline: if none has, the index alone says what is there.
//!
//! ```text
//!   writer:  a shard with deadlines is given back ──► SOME
//!   cron:    SOME ──► ASKING ──► looks at each shard ──► none found? ASKING ──► NONE
//! ```
//!
//! A writer says so while it holds the shard. Who asks changes to `ASKING` before looking at the
//! first shard: a deadline that was given before is seen in its shard, one that is given later says
//! `SOME` again, and then the answer is not `NONE`. Both count as "there may be some".

use sync::atomic::{AtomicU8, Ordering};

use crate::{HeldShards, Store};

const NONE: u8 = 0;
const ASKING: u8 = 1;
const SOME: u8 = 2;

/// Whether there are any.
#[derive(Default)]
pub(super) struct Deadlines(AtomicU8);

impl Deadlines {
    /// There are some, in a shard that is held.
    #[inline]
    pub fn there_are(&self) {
        if self.0.load(Ordering::SeqCst) != SOME {
            self.0.store(SOME, Ordering::SeqCst);
        }
    }

    /// There may be some.
    pub fn suspect(&self) {
        self.0.store(SOME, Ordering::SeqCst);
    }

    /// Whether there may be some.
    #[inline]
    pub fn may_be(&self) -> bool {
        self.0.load(Ordering::SeqCst) != NONE
    }
}

/// Finds out whether keys with a deadline are gone from databases that had some. Holds no
/// shard. O(shards) for each such database.
pub fn ask_deadlines(held: &mut HeldShards) {
    for db in 0..held.store().databases() {
        let asked = |store: &Store, from, to| {
            let state = &store.indexes.slots[db].deadlines.0;
            state.compare_exchange(from, to, Ordering::SeqCst, Ordering::SeqCst).is_ok()
        };
        if !asked(held.store(), SOME, ASKING) {
            continue;
        }
        let shards = 0..held.store().shards();
        // There may be some in one that is not to be had.
        let any = shards.into_iter().any(|number| {
            let any = held.try_with_shard(number, |shard| shard.dbs[db].keys.expiring() != 0);
            any.unwrap_or(true)
        });
        // Where it was said again meanwhile it is so.
        asked(held.store(), ASKING, if any { SOME } else { NONE });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deadline_given_meanwhile_counts() {
        let deadlines = Deadlines::default();
        assert!(!deadlines.may_be());
        deadlines.there_are();
        assert!(deadlines.may_be());
        let ask = |from, to| {
            deadlines.0.compare_exchange(from, to, Ordering::SeqCst, Ordering::SeqCst).is_ok()
        };
        assert!(ask(SOME, ASKING));
        assert!(deadlines.may_be());
        deadlines.there_are();
        assert!(!ask(ASKING, NONE));
        assert!(deadlines.may_be());
        assert!(ask(SOME, ASKING) && ask(ASKING, NONE));
        assert!(!deadlines.may_be());
    }
}
