//! Large values that go from key to key while a snapshot scans the store: what the scan and the
//! records behind it tell together is where each value is.
//!
//! The store is the real one, with its snapshot scan and its notes of where values went
//! (`store/src/store/moved.rs`). The records are counted here, under the locks, as the shards count
//! them.
//!
//! ```text
//!   K1 → K2 is record 5 of K1's shard and record 3 of K2's
//!   K2 was read before its record 3: the value must come from K1, so K1 was read before record 5
//! ```

// In a test a panic is how a failure is told.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use base::{Databases, Deadline, Strings};
use journal::codec::Source;
use journal::snapshot;
use kvist_interleave::{explore, must_fail};
use shuttle::thread;
use store::{Options, Scope, Store, Txn};
use sync::Mutex;

const SHARDS: usize = 2;
/// Keys `a` to `d`.
const KEYS: usize = 4;

/// Which rule is broken.
#[derive(Clone, Copy, PartialEq)]
enum Broken {
    Nothing,
    /// A shard is read before it is noted where values go.
    BeginsLate,
    /// Keys that values went to are not read once more.
    ReadsOnce,
    /// Nothing is noted any more while those keys are read.
    EndsEarly,
}

/// A value that went from one key to another: the number of the record in either shard.
struct Move {
    from: (usize, u64),
    to: (usize, u64),
}

struct System {
    store: Arc<Store>,
    /// How many records each shard has, and what was told by names. Changed under the shards'
    /// locks.
    told: Mutex<([u64; SHARDS], Vec<Move>)>,
    broken: Broken,
}

fn name(key: usize) -> [u8; 1] {
    [b'a' + key as u8]
}

impl System {
    fn new(broken: Broken) -> Self {
        let store = Arc::new(Store::new(Options {
            shards: SHARDS,
            databases: 1,
            hashing: base::Hashing::new(7),
        }));
        store.tell_by_names_from(0);
        let system = System { store, told: Mutex::default(), broken };
        let mut txn = system.txn();
        for key in 0..KEYS / 2 {
            let name = name(key);
            let key = system.store.hasher().key(&name);
            let set = |txn: &mut Txn| txn.set_string(key, b"x", Deadline::Clear);
            txn.with(&system.store, Scope::All, set).unwrap();
        }
        system.store.start_recording();
        system
    }

    fn txn(&self) -> Txn {
        let mut txn = Txn::new(Arc::clone(&self.store), 1);
        txn.begin(1_700_000_000_000);
        txn
    }

    fn shard(&self, key: usize) -> usize {
        self.store.shard_of(self.store.hasher().hash(&name(key)))
    }

    /// `RENAME`, or `COPY`, as the engine does it: by names if that can be, or by images.
    fn relocate(&self, from: usize, to: usize, stays: bool) {
        let names = [name(from), name(to)];
        let [source, target] = [&names[0], &names[1]].map(|name| self.store.hasher().key(name));
        let shards = [self.shard(from), self.shard(to)];
        let work = |txn: &mut Txn| {
            let there = match stays {
                true => txn.copy(source, target, 0, true).unwrap(),
                false => txn.rename(source, target),
            };
            if !there {
                return;
            }
            let by_names = txn.held.record_move((0, source), (0, target), stays);
            if !by_names {
                txn.held.record_key(0, source);
                txn.held.record_key(0, target);
            }
            let (counts, moves) = &mut *self.told.lock();
            let [left, arrived] = shards.map(|shard| {
                counts[shard] += 1;
                counts[shard]
            });
            if by_names {
                moves.push(Move { from: (from, left), to: (to, arrived) });
            }
        };
        self.txn().with(&self.store, Scope::All, work).unwrap();
    }

    /// Reads the store as a snapshot does; after which record of its shard each key was read.
    fn snapshot_scan(&self) -> [u64; KEYS] {
        let mut known = [0; KEYS];
        if self.broken == Broken::BeginsLate {
            self.read_shard(0, &mut known);
        }
        self.store.begin_moves();
        let first = usize::from(self.broken == Broken::BeginsLate);
        (first..SHARDS).for_each(|shard| self.read_shard(shard, &mut known));
        if self.broken == Broken::EndsEarly {
            let names: Vec<_> = std::iter::from_fn(|| self.store.next_moved()).collect();
            names.iter().for_each(|name| self.read_again(name, &mut known));
        }
        while let Some(name) = self.store.next_moved() {
            if self.broken != Broken::ReadsOnce {
                self.read_again(&name, &mut known);
            }
        }
        self.store.end_moves();
        known
    }

    /// All keys of a shard: so few are read in one step.
    fn read_shard(&self, shard: usize, known: &mut [u64; KEYS]) {
        let (filled, mut seq) = self.store.begin_snapshot_scan(shard);
        if !filled.is_empty() {
            let mut out = Vec::new();
            let scanned = self.store.snapshot_scan((shard, 0), 0, &mut out, &mut Small).unwrap();
            assert_eq!(scanned.next, None, "a step is not enough");
            seq = snapshot::step(&mut Source::new(&out)).unwrap().seq;
        }
        for key in (0..KEYS).filter(|&key| self.shard(key) == shard) {
            known[key] = seq;
        }
    }

    fn read_again(&self, name: &store::Name, known: &mut [u64; KEYS]) {
        let mut out = Vec::new();
        self.store.snapshot_scan_key(name, &mut out, &mut Small).unwrap();
        known[usize::from(name.key[0] - b'a')] =
            snapshot::step(&mut Source::new(&out)).unwrap().seq;
    }

    /// What the scan lacks must be found where the records say that it was.
    fn check(&self, known: [u64; KEYS]) {
        let (counts, moves) = &*self.told.lock();
        for (shard, &count) in counts.iter().enumerate() {
            assert_eq!(
                self.store.begin_snapshot_scan(shard).1,
                count,
                "records are counted otherwise"
            );
        }
        assert!(!moves.is_empty(), "nothing was told by names");
        for Move { from, to } in moves {
            let (is_left, arrives) = (known[from.0] < from.1, known[to.0] < to.1);
            assert!(is_left || !arrives, "the value of a key is nowhere");
        }
    }
}

/// No value here is large.
struct Small;

impl store::ChunkSink for Small {
    fn size(&self) -> usize {
        0
    }

    fn number(&mut self) -> u64 {
        0
    }

    fn begin(&mut self) {}

    fn take_back(&mut self) {}

    fn put(&mut self, _: &[u8], _: u64) -> std::io::Result<()> {
        unreachable!("a large value")
    }
}

/// One thread scans for a snapshot, and two others take values around, each in its own order.
fn model(broken: Broken, moves: [&'static [(usize, usize, bool)]; 2]) {
    let system = Arc::new(System::new(broken));
    let mut shards: Vec<usize> = (0..KEYS).map(|key| system.shard(key)).collect();
    shards.sort_unstable();
    shards.dedup();
    assert_eq!(shards.len(), SHARDS, "the keys lie in one shard");
    let writers = moves.map(|moves| {
        let system = Arc::clone(&system);
        thread::spawn(move || {
            moves.iter().for_each(|&(from, to, stays)| system.relocate(from, to, stays));
        })
    });
    let known = system.snapshot_scan();
    writers.into_iter().for_each(|writer| writer.join().unwrap());
    system.check(known);
}

/// To and fro between the shards, over each other, and on from where a value has just come.
const AROUND: [&[(usize, usize, bool)]; 2] =
    [&[(0, 2, false), (2, 3, true), (3, 0, false)], &[(1, 3, true), (1, 2, false), (2, 1, false)]];
const NOWHERE: &str = "the value of a key is nowhere";

#[test]
fn no_value_is_nowhere() {
    explore(4000, || model(Broken::Nothing, AROUND));
}

#[test]
fn beginning_to_note_late_is_seen() {
    must_fail(NOWHERE, || model(Broken::BeginsLate, AROUND));
}

#[test]
fn reading_everything_once_is_seen() {
    must_fail(NOWHERE, || model(Broken::ReadsOnce, AROUND));
}

#[test]
fn noting_nothing_while_keys_are_read_again_is_seen() {
    must_fail(NOWHERE, || model(Broken::EndsEarly, AROUND));
}
