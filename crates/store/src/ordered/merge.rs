//! Keeping an index up to date, and giving it up: what a transaction does about it beside its
//! requests.

use std::sync::Arc;
use sync::atomic::Ordering;

use super::Phase;
use crate::{HeldShards, Shard};

/// Takes what shards have noted about a database.
pub(super) fn gather_notes(held: &mut HeldShards, db: usize) {
    let store = Arc::clone(held.store());
    let slot = &store.indexes.slots[db];
    let take = |number: usize, shard: &mut Shard| {
        if let Some(noted) = &mut shard.db_mut(db).noted {
            slot.take(number, noted);
        }
    };
    if !held.is_empty() {
        for held in &mut held.shards {
            if held.shard.dbs[db].noted.as_ref().is_some_and(|noted| !noted.delta.is_empty()) {
                take(held.shard.number(), &mut held.shard);
            }
        }
        return;
    }
    for (at, word) in slot.marks.iter().enumerate() {
        let mut bits = word.load(Ordering::Acquire);
        while bits != 0 {
            let number = at * 64 + bits.trailing_zeros() as usize;
            bits &= bits - 1;
            held.with_shard(number, |shard| take(number, shard));
        }
    }
}

/// About how many keys a database has, those past their deadline included. O(shards). Holds every
/// shard, or none.
pub fn keys_of(held: &mut HeldShards, db: usize) -> usize {
    let shards = 0..held.store().shards();
    let of = |number| held.try_with_shard(number, |shard| shard.dbs[db].keys.len());
    // One that is not to be had now is not counted: it is about how many there are.
    shards.filter_map(of).sum()
}

/// Brings the index of a database up to date: for who has the time. Holds no shard.
pub fn merge_index(held: &mut HeldShards, db: usize) {
    if held.store().indexes.phase(db) == Phase::Live {
        gather_notes(held, db);
        held.store().indexes.slots[db].merge();
    }
}

/// Gives up the index of a database. Holds every shard, or none.
pub fn drop_index(held: &mut HeldShards, db: usize) {
    let generation = held.store().indexes.give_up(db);
    let store = Arc::clone(held.store());
    for number in 0..store.shards() {
        held.with_shard(number, |shard| {
            // Another thread may be building one already.
            if store.indexes.slots[db].generation() == generation {
                shard.forget_noted(db, &store.indexes);
            }
        });
    }
}
