//! The ordered index of a database that comes and goes while one thread writes and another asks:
//! the latter is told of every key that was acknowledged before, and of none that had gone.
//!
//! The store is the real one, with its notes, its builders and its queries (`store/src/ordered/`).
//!
//! ```text
//!   writer     SET, noted for generation 5 ─► acknowledged
//!   giver-up                                     generation 6 and no tree: both at once
//!   query      which generation? ─► takes the notes of that one ─► merges them ─► reads the tree
//! ```

// In a test a panic is how a failure is told.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::sync::Arc;

use base::{Deadline, Keyspace, Strings};
use index::{KeyList, Span};
use kvist_interleave::{explore, must_fail};
use shuttle::thread;
use store::{Options, Scope, Store, Txn};
use sync::Mutex;
use types::Ordered;

const SHARDS: usize = 2;
/// The key that is there from the start and goes.
const GOES: u8 = b'a';
/// Those that come.
const COME: &[u8] = b"bcd";

/// Which rule is broken.
#[derive(Clone, Copy, PartialEq)]
enum Broken {
    Nothing,
    /// The index has a new generation while its old tree is still there.
    NumbersEarly,
}

/// What clients have been told.
#[derive(Clone, Default)]
struct Told {
    come: BTreeSet<u8>,
    gone: BTreeSet<u8>,
}

struct System {
    store: Arc<Store>,
    told: Mutex<Told>,
    broken: Broken,
}

impl System {
    fn new(broken: Broken) -> Self {
        let store = Arc::new(Store::new(Options {
            shards: SHARDS,
            databases: 1,
            hashing: base::Hashing::new(7),
        }));
        let system = System { store, told: Mutex::default(), broken };
        system.set(&mut system.txn(), GOES);
        assert_eq!(system.names(&mut system.txn()), [GOES].into());
        system
    }

    fn txn(&self) -> Txn {
        let mut txn = Txn::new(Arc::clone(&self.store), 1);
        txn.begin(1_700_000_000_000);
        txn.select(0);
        txn
    }

    fn change(&self, txn: &mut Txn, name: u8, change: impl FnOnce(&mut Txn, base::Key<'_>)) {
        let name = [name];
        let key = self.store.hasher().key(&name);
        let scope = Scope::One(self.store.shard_of(key.hash));
        txn.with(&self.store, scope, |txn| change(txn, key)).unwrap();
    }

    fn set(&self, txn: &mut Txn, name: u8) {
        self.change(txn, name, |txn, key| txn.set_string(key, b"v", Deadline::Clear));
    }

    /// Keys come, and one goes.
    fn write(&self) {
        let mut txn = self.txn();
        for &name in COME {
            self.set(&mut txn, name);
            self.told.lock().come.insert(name);
        }
        self.change(&mut txn, GOES, |txn, key| assert!(txn.remove(key, false)));
        self.told.lock().gone.insert(GOES);
    }

    /// All names, in their order.
    fn names(&self, txn: &mut Txn) -> BTreeSet<u8> {
        let mut names = KeyList::default();
        let ask = |txn: &mut Txn| txn.names(Span::ALL, false, usize::MAX, &mut names);
        txn.with(&self.store, Scope::None, ask).unwrap().unwrap();
        names.iter().map(|name| name[0]).collect()
    }

    fn ask(&self) {
        let mut txn = self.txn();
        for _ in 0..3 {
            let told = self.told.lock().clone();
            let names = self.names(&mut txn);
            assert!(names.is_superset(&told.come), "a key that was acknowledged is missing");
            assert!(names.is_disjoint(&told.gone), "a key that has gone is there");
        }
    }

    /// Gives the index up, and has another built; twice, as the first may be given up in between.
    fn give_up(&self) {
        let mut txn = self.txn();
        for _ in 0..2 {
            if self.broken == Broken::NumbersEarly {
                self.store.indexes.outdate(0);
            }
            store::drop_index(&mut txn.held, 0);
            if let Some(build) = self.store.indexes.begin(0) {
                let run = store::gather_keys(&mut txn.held, &build);
                self.store.indexes.finish(&build, &[run], 0);
                self.store.indexes.abandon(&build);
            }
        }
    }
}

fn model(broken: Broken) {
    let system = Arc::new(System::new(broken));
    let start = |work: fn(&System)| {
        let system = Arc::clone(&system);
        thread::spawn(move || work(&system))
    };
    let threads = [start(System::write), start(System::ask), start(System::give_up)];
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    let all: BTreeSet<u8> = COME.iter().copied().collect();
    assert_eq!(system.names(&mut system.txn()), all, "when all is done");
}

#[test]
fn whatever_was_acknowledged_is_found() {
    explore(4000, || model(Broken::Nothing));
}

#[test]
fn a_new_generation_with_the_old_tree_is_seen() {
    must_fail("a key that was acknowledged is missing", || model(Broken::NumbersEarly));
}
