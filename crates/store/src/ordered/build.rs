//! Building an index while requests go on.
//!
//! Threads come from elsewhere: each gathers shards, one after the other, until none is left, and
//! sorts what it has. One of them then merges the sorted runs into a tree. No lock of a shard is
//! held for longer than a slice takes.

use sync::atomic::{AtomicUsize, Ordering};

use base::Millis;
use index::{KeyList, merge, sort};

use super::{Indexes, Keeping, Noted, Phase};
use crate::HeldShards;

/// Keys read in one hold of a shard's lock, about: some dozen microseconds.
const SLICE: usize = 512;
/// And buckets, however little is in them.
const BUCKETS: usize = 256;
/// Keys of a run: their numbers have 32 bits.
const RUN: usize = u32::MAX as usize - SLICE * 64;

/// An index that is being built, shared by those who do it.
#[derive(Debug)]
pub struct Build {
    db: usize,
    generation: u64,
    /// The next shard to be read.
    next: AtomicUsize,
}

impl Build {
    /// The database.
    #[must_use]
    pub fn db(&self) -> usize {
        self.db
    }
}

/// One that is given up if it is not finished.
struct Abandoned<'s>(&'s Indexes, Build);

impl Drop for Abandoned<'_> {
    fn drop(&mut self) {
        self.0.abandon(&self.1);
    }
}

/// What one thread has gathered.
#[derive(Debug, Default)]
pub struct Run {
    keys: KeyList,
    order: Vec<u32>,
}

impl Indexes {
    /// Begins to build the index of a database; `None` if there is one, if another is building it,
    /// or if none is wanted.
    #[must_use]
    pub fn begin(&self, db: usize) -> Option<Build> {
        self.begin_or_take_over(db, false)
    }

    /// The same; takes over from another who builds it, if `anyway`.
    fn begin_or_take_over(&self, db: usize, anyway: bool) -> Option<Build> {
        let slot = &self.slots[db];
        let _state = slot.state.lock();
        let free = slot.phase() == Phase::Off || (anyway && slot.phase() == Phase::Building);
        if !free || self.keeping() == Keeping::Never {
            return None;
        }
        let generation = self.next_generation();
        slot.empty(Phase::Building, generation);
        Some(Build { db, generation, next: AtomicUsize::new(0) })
    }

    /// Ends building: from now on there is an index, unless the database was emptied or has changed
    /// places meanwhile. Whether there is.
    pub fn finish(&self, build: &Build, runs: &[Run], took: Millis) -> bool {
        let lists: Vec<(&KeyList, &[u32])> =
            runs.iter().map(|run| (&run.keys, &run.order[..])).collect();
        let tree = merge(&lists);
        let slot = &self.slots[build.db];
        let _state = slot.state.lock();
        if slot.generation() != build.generation {
            return false;
        }
        slot.built_in.store(took, Ordering::Relaxed);
        slot.complete(tree);
        true
    }

    /// Gives up what is being built, if that is still so: the thread that did it cannot go on.
    pub fn abandon(&self, build: &Build) {
        let slot = &self.slots[build.db];
        if slot.generation() == build.generation && slot.phase() == Phase::Building {
            self.give_up(build.db);
        }
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
    let store = std::sync::Arc::clone(held.store());
    let enough = keys.len() + SLICE;
    held.with_shard(number, |shard| {
        if store.indexes.slots[build.db].generation() != build.generation {
            return None;
        }
        if from == 0 {
            shard.forget_noted(build.db, &store.indexes);
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
pub(super) fn build_here(held: &mut HeldShards, db: usize) {
    let store = std::sync::Arc::clone(held.store());
    let Some(build) = store.indexes.begin_or_take_over(db, !held.is_empty()) else { return };
    // A thread that may not wait for a shard ends in the middle.
    let build = Abandoned(&store.indexes, build);
    let run = gather_keys(held, &build.1);
    store.indexes.finish(&build.1, &[run], 0);
}

/// Waits until another thread has built this generation of an index, or given it up. Holds no
/// shard: it waits for those that the other one waits for, as each request does.
pub(super) fn wait_while_built(held: &mut HeldShards, db: usize, generation: u64) {
    let store = std::sync::Arc::clone(held.store());
    let slot = &store.indexes.slots[db];
    while slot.phase() == Phase::Building && slot.generation() == generation {
        for number in 0..store.shards() {
            held.with_shard(number, |_| ());
        }
        sync::thread::yield_now();
    }
}
