//! Building an index, keeping it up to date, and giving it up: what a transaction does about it
//! beside its requests (see `ordered/mod.rs`).

use std::sync::Arc;
use sync::atomic::Ordering;

use index::{KeyList, sort};

use crate::ordered::{Build, Indexes, Run};
use crate::shard::noted::Noted;
use crate::{HeldShards, IndexPhase, Shard};

/// Keys read in one hold of a shard's lock, about: some dozen microseconds.
const SLICE: usize = 512;
/// And buckets, however little is in them.
const BUCKETS: usize = 256;
/// Keys of a run: their numbers have 32 bits.
const RUN: usize = u32::MAX as usize - SLICE * 64;

/// One that is given up if it is not finished.
struct Abandoned<'s>(&'s Indexes, Build);

impl Drop for Abandoned<'_> {
    fn drop(&mut self) {
        self.0.abandon(&self.1);
    }
}

/// Gathers the keys of shards that no thread has gathered yet, and sorts them. Holds every
/// shard, or none. O(n log n).
pub fn gather_keys(held: &mut HeldShards, build: &Build) -> Run {
    let mut keys = KeyList::default();
    loop {
        let number = build.next.fetch_add(1, Ordering::Relaxed);
        if number >= held.store().shards() || keys.len() >= RUN {
            break;
        }
        let mut position = Some(0);
        while let Some(from) = position {
            position = gather_slice(held, build, number, from, &mut keys);
        }
    }
    // Fewer than 2^32, see above.
    let count = u32::try_from(keys.len()).unwrap_or(u32::MAX);
    let order = sort(count, |at| keys.get(at as usize));
    Run { keys, order }
}

/// Gathers some keys of a shard from a position on; where to go on.
fn gather_slice(
    held: &mut HeldShards,
    build: &Build,
    number: usize,
    from: u64,
    keys: &mut KeyList,
) -> Option<u64> {
    let store = Arc::clone(held.store());
    let enough = keys.len() + SLICE;
    held.with_shard(number, |shard| {
        if store.indexes.slots[build.db].generation() != build.generation {
            return None;
        }
        if from == 0 {
            store.indexes.forget_noted(shard, build.db);
            shard.db_mut(build.db).noted = Some(Noted::of(build.generation));
        }
        let mut position = from;
        for _ in 0..BUCKETS {
            let table = &shard.dbs[build.db].keys;
            position = table.scan(position, &mut |entry| keys.push(entry.key()));
            if position == 0 || keys.len() >= enough {
                break;
            }
        }
        (position != 0).then_some(position)
    })
}

/// Builds the index of a database here and now. Holds every shard, or none: with every shard it
/// takes over from a thread that builds it and cannot go on.
pub(crate) fn build_here(held: &mut HeldShards, db: usize) {
    let store = Arc::clone(held.store());
    let Some(build) = store.indexes.begin_or_take_over(db, !held.is_empty()) else { return };
    // A thread that may not wait for a shard ends in the middle.
    let build = Abandoned(&store.indexes, build);
    let run = gather_keys(held, &build.1);
    store.indexes.finish(&build.1, &[run], 0);
}

/// Waits until another thread has built this generation of an index, or given it up. Holds no
/// shard: it waits for those that the other one waits for, as each request does.
pub(crate) fn wait_while_built(held: &mut HeldShards, db: usize, generation: u64) {
    let store = Arc::clone(held.store());
    let slot = &store.indexes.slots[db];
    while slot.phase() == IndexPhase::Building && slot.generation() == generation {
        for number in 0..store.shards() {
            held.with_shard(number, |_| ());
        }
        sync::thread::yield_now();
    }
}

/// Takes what shards have noted about a database.
pub(crate) fn gather_notes(held: &mut HeldShards, db: usize) {
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

/// Brings the index of a database up to date: for a thread that has the time. Holds no shard.
pub fn merge_index(held: &mut HeldShards, db: usize) {
    if held.store().indexes.phase(db) == IndexPhase::Live {
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
                store.indexes.forget_noted(shard, db);
            }
        });
    }
}

/// Finds out whether keys with a deadline are gone from databases that had some. Holds no shard.
/// O(shards) for each such database.
pub fn ask_deadlines(held: &mut HeldShards) {
    let store = Arc::clone(held.store());
    for db in 0..store.databases() {
        let deadlines = &store.indexes.slots[db].deadlines;
        if !deadlines.begin_to_ask() {
            continue;
        }
        // There may be some in one that is not to be had.
        let any = (0..store.shards()).any(|number| {
            let any = held.try_with_shard(number, |shard| shard.dbs[db].keys.expiring() != 0);
            any.unwrap_or(true)
        });
        deadlines.end_asking(any);
    }
}
