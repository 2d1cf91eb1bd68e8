//! The change stream: several threads write, and others read what they have changed, in order
//! and without a gap that is not told.
//!
//! The store is the real one, with its stream (`store/src/change_stream`). Under
//! the locks under which a key is written its name is noted here, too: the notes of a shard and its
//! stream must be the same.

// In a test a panic is how a failure is told.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::time::Duration;

use base::{Deadline, Strings};
use kvist_interleave::{ALL_WAIT, explore, must_fail};
use shuttle::thread;
use store::{CHANGES, Change, ChangeEvent, ChangeReader, Options, Scope, Store, Txn};
use sync::Mutex;

const SHARDS: usize = 2;
/// How many keys each thread writes.
const KEYS: usize = 3;
const WRITERS: usize = 2;
const UNLIKE: &str = "what is told is not what was written";

/// Which rule is broken.
#[derive(Clone, Copy, PartialEq)]
enum Broken {
    Nothing,
    /// It is noted what has changed when the locks have been given back.
    NotesLate,
    /// Transactions learn late that there is a consumer.
    SaysLate,
    /// Readers are not told of the end.
    EndsUnsaid,
}

struct System {
    store: Arc<Store>,
    /// The keys written in each shard, in order.
    written: [Mutex<Vec<String>>; SHARDS],
    broken: Broken,
}

impl System {
    fn new(broken: Broken) -> Self {
        let store = Arc::new(Store::new(Options {
            shards: SHARDS,
            databases: 1,
            hashing: base::Hashing::new(7),
        }));
        System { store, written: Default::default(), broken }
    }

    /// Writes a key, and another in the same transaction if there is one.
    fn write(&self, keys: &[String]) {
        let mut txn = Txn::new(Arc::clone(&self.store), 1);
        txn.begin(1_700_000_000_000);
        let hasher = self.store.hasher();
        let shard = |key: &String| self.store.shard_of(hasher.hash(key.as_bytes()));
        let note = || keys.iter().for_each(|key| self.written[shard(key)].lock().push(key.clone()));
        let scope = match keys {
            [key] => Scope::One(shard(key)),
            _ => Scope::All,
        };
        let work = |txn: &mut Txn| {
            for key in keys {
                txn.set_string(hasher.key(key.as_bytes()), b"x", Deadline::Clear);
                txn.publish_changes();
            }
            if self.broken != Broken::NotesLate {
                note();
            }
        };
        txn.with(&self.store, scope, work).unwrap();
        if self.broken == Broken::NotesLate {
            note();
        }
    }

    fn read_changes(&self, backlog_limit: usize) -> Reader {
        let changes = self.store.read_changes(backlog_limit).unwrap();
        let known = [0, 1].map(|shard| changes.since(shard));
        if self.broken == Broken::SaysLate {
            self.store.set_interest(CHANGES, 0);
            thread::yield_now();
            self.store.set_interest(CHANGES, CHANGES);
        }
        Reader { changes, first: known, known, told: Default::default() }
    }
}

/// A reader, and what it was told: none where there was a gap.
struct Reader {
    changes: ChangeReader,
    first: [u64; SHARDS],
    known: [u64; SHARDS],
    told: [Vec<Option<String>>; SHARDS],
}

impl Reader {
    /// Takes one; whether there was one.
    fn read(&mut self) -> bool {
        self.read_within(Duration::ZERO)
    }

    fn read_within(&mut self, timeout: Duration) -> bool {
        let Some(item) = self.changes.next(timeout) else { return false };
        let (shard, first, names) = match item {
            ChangeEvent::Gap { shard, first, last } => {
                (shard, first, (first..=last).map(|_| None).collect::<Vec<_>>())
            }
            ChangeEvent::Batch(batch) => {
                let name = |change: &Change| match change {
                    Change::Key { key, .. } => String::from_utf8(key.to_vec()).ok(),
                    other => panic!("{other:?}"),
                };
                (batch.shard, batch.first, batch.changes.iter().map(name).collect())
            }
        };
        assert_eq!(first, self.known[shard] + 1, "something is missing");
        self.known[shard] += names.len() as u64;
        self.told[shard].extend(names);
        true
    }

    /// Reads until the writers have ended, and all that is left.
    fn read_all(mut self, writers: Vec<thread::JoinHandle<()>>) -> Self {
        for writer in writers {
            self.read();
            writer.join().unwrap();
        }
        while self.read() {}
        self
    }

    /// What it was told is what was written since it began; where all are counted from the first
    /// on, `whole` says so.
    fn check(&self, system: &System, whole: bool) {
        for shard in 0..SHARDS {
            let (told, written) = (&self.told[shard], system.written[shard].lock());
            let since = match whole {
                true => usize::try_from(self.first[shard]).unwrap(),
                false => written.len() - told.len(),
            };
            assert_eq!(written.len() - since, told.len(), "{UNLIKE}: something is missing");
            for (told, written) in told.iter().zip(&written[since..]) {
                let same = told.as_ref().is_none_or(|told| told == written);
                assert!(same, "{UNLIKE}: another order");
            }
        }
    }
}

fn key(writer: usize, number: usize) -> String {
    format!("{}{number}", ['a', 'b', 'z'][writer])
}

fn writers(system: &Arc<System>) -> Vec<thread::JoinHandle<()>> {
    let writer = |writer: usize| {
        let system = Arc::clone(system);
        thread::spawn(move || {
            for number in (0..KEYS).step_by(2) {
                system.write(&[key(writer, number)]);
                system.write(&[key(writer, number + 1), key(writer, number + 2)]);
            }
        })
    };
    (0..WRITERS).map(writer).collect()
}

/// One reader is there from the first change on, and another comes while threads write.
fn model(broken: Broken, backlog_limit: usize) {
    let system = Arc::new(System::new(broken));
    let whole = system.read_changes(1 << 20);
    let writers = writers(&system);
    let late = {
        let system = Arc::clone(&system);
        thread::spawn(move || {
            let mut late = system.read_changes(backlog_limit);
            late.read();
            late
        })
    };
    let whole = whole.read_all(writers);
    let late = late.join().unwrap().read_all(Vec::new());
    whole.check(&system, true);
    late.check(&system, true);
    let any_gap = whole.told.iter().flatten().any(Option::is_none);
    assert!(!any_gap, "a gap where there is room");
    drop((whole, late));
    assert_eq!((system.store.change_backlog(), system.store.interest()), (0, 0));
}

/// The first reader comes while threads write: what is written after that is told.
fn first_of_all(broken: Broken) {
    let system = Arc::new(System::new(broken));
    let writers = writers(&system);
    let reader = system.read_changes(1 << 20);
    let mine = [0, 1].map(|number| key(WRITERS, number));
    system.write(&mine);
    let reader = reader.read_all(writers);
    for mine in mine {
        let is_told = reader.told.iter().flatten().any(|told| *told == Some(mine.clone()));
        assert!(is_told, "{UNLIKE}: something is missing");
    }
    reader.check(&system, false);
}

/// One reads while threads write, and waits; then all ends.
fn ended(broken: Broken) {
    let system = Arc::new(System::new(broken));
    let mut reader = system.read_changes(1 << 20);
    let writers = writers(&system);
    let waiting = thread::spawn(move || {
        while reader.read_within(Duration::MAX) {}
        reader
    });
    for writer in writers {
        writer.join().unwrap();
    }
    if broken != Broken::EndsUnsaid {
        system.store.end_changes();
    }
    let reader = waiting.join().unwrap();
    assert!(reader.changes.is_over());
    reader.check(&system, true);
}

/// For one batch or two.
const LITTLE: usize = 400;

#[test]
fn the_stream_of_a_shard_is_in_the_order_of_its_changes() {
    explore(2000, || model(Broken::Nothing, 1 << 20));
    explore(2000, || first_of_all(Broken::Nothing));
}

#[test]
fn what_is_beyond_the_backlog_limit_is_told_at_its_place() {
    explore(2000, || model(Broken::Nothing, LITTLE));
    explore(2000, || model(Broken::Nothing, 0));
}

#[test]
fn readers_that_wait_are_woken_at_the_end() {
    explore(2000, || ended(Broken::Nothing));
}

#[test]
fn a_reader_that_is_not_told_of_the_end_is_seen() {
    must_fail(ALL_WAIT, || ended(Broken::EndsUnsaid));
}

#[test]
fn another_order_is_seen() {
    must_fail(UNLIKE, || model(Broken::NotesLate, 1 << 20));
}

#[test]
fn a_reader_of_which_writers_learn_late_is_seen() {
    must_fail(UNLIKE, || first_of_all(Broken::SaysLate));
}
