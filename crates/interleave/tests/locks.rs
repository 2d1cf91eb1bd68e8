//! Locks of shards: no mix of requests waits in a circle, and no thread that serves clients waits
//! for a script that is overdue, nor for a thread that does, however long it takes and however it
//! ends.
//!
//! The script of the model ends when all clients have been answered, and not before. So where one
//! of them waits for it, all wait for ever.

// In a test a panic is how a failure is told.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use kvist_interleave::{ALL_WAIT, NO_END, explore, must_fail};
use shuttle::thread;
use store::{Failed, Options, Scope, Store, Txn};
use sync::{Condvar, Mutex};

const SHARDS: usize = 4;

/// Which rule is broken.
#[derive(Clone, Copy, PartialEq)]
enum Broken {
    Nothing,
    /// An overdue script does not mark what it holds.
    NoMark,
    /// A client waits for it as threads of the background do.
    Patient,
}

struct System {
    store: Arc<Store>,
    /// Clients that have been answered.
    answered: Mutex<usize>,
    changed: Condvar,
    broken: Broken,
}

impl System {
    fn txn(&self, hurries: bool) -> Txn {
        let mut txn = Txn::new(Arc::clone(&self.store), 1);
        txn.begin(1_700_000_000_000);
        if hurries && self.broken != Broken::Patient {
            txn.hurry();
        }
        txn
    }

    fn client(&self, scopes: &[Scope<'_>]) {
        let mut txn = self.txn(true);
        for &scope in scopes {
            match txn.with(&self.store, scope, |txn| txn.held.count()) {
                Ok(held) => assert_eq!(held, count(scope)),
                Err(Failed::Busy) => assert!(may_be_busy(scope), "the script does not hold that"),
                Err(Failed::Panicked(text)) => panic!("{text}"),
            }
        }
        *self.answered.lock() += 1;
        self.changed.notify_all();
    }

    /// Holds its shards until so many are answered.
    fn script(&self, scope: Scope<'_>, clients: usize, panics: bool) {
        let mut txn = self.txn(true);
        let ended = txn.with(&self.store, scope, |txn| {
            if self.broken != Broken::NoMark {
                txn.held.obstruct();
            }
            let mut answered = self.answered.lock();
            while *answered < clients {
                self.changed.wait(&mut answered);
            }
            drop(answered);
            if panics {
                std::panic::resume_unwind(Box::new("on purpose"));
            }
        });
        assert!(panics == matches!(ended, Err(Failed::Panicked(_))) || is_busy(&ended));
    }
}

fn is_busy<R>(ended: &Result<R, Failed>) -> bool {
    matches!(ended, Err(Failed::Busy))
}

/// How many shards these are.
fn count(scope: Scope<'_>) -> usize {
    match scope {
        Scope::None => 0,
        Scope::One(_) => 1,
        Scope::Many(shards) => shards.len(),
        Scope::All => SHARDS,
    }
}

/// The shards of scripts.
const SCRIPT: &[usize] = &[0, 2];

fn may_be_busy(scope: Scope<'_>) -> bool {
    match scope {
        Scope::None => false,
        Scope::One(shard) => SCRIPT.contains(&shard),
        Scope::Many(shards) => shards.iter().any(|shard| SCRIPT.contains(shard)),
        Scope::All => true,
    }
}

const CLIENTS: [&[Scope<'static>]; 3] = [
    &[Scope::Many(&[0, 1]), Scope::One(2), Scope::One(3)],
    &[Scope::Many(&[1, 2, 3]), Scope::One(1)],
    &[Scope::All, Scope::Many(&[1, 3])],
];

fn model(panics: bool, broken: Broken) {
    let store = Arc::new(Store::new(Options {
        shards: SHARDS,
        databases: 1,
        hashing: base::Hashing::new(7),
    }));
    let (answered, changed) = (Mutex::default(), Condvar::default());
    let system = Arc::new(System { store, answered, changed, broken });
    let mut threads = Vec::new();
    let mut start = |work: Box<dyn FnOnce(&System) + Send>| {
        let system = Arc::clone(&system);
        threads.push(thread::spawn(move || work(&system)));
    };
    for scopes in CLIENTS {
        start(Box::new(move |system| system.client(scopes)));
    }
    start(Box::new(move |system| system.script(Scope::Many(SCRIPT), CLIENTS.len(), panics)));
    // One more, which wants what the other has.
    start(Box::new(move |system| system.script(Scope::One(2), CLIENTS.len(), false)));
    // A thread of the background has time, and may have nothing in its hands while it waits.
    start(Box::new(|system| {
        let held = system.txn(false).with(&system.store, Scope::All, |txn| txn.held.count());
        assert_eq!(held.unwrap(), SHARDS);
    }));
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    assert!(!system.store.locks.is_obstructed(), "a mark has outlasted its lock");
    assert!((0..SHARDS).all(|shard| !system.store.locks.is_overdue(shard)));
    assert!(system.txn(true).with(&system.store, Scope::All, |_| ()).is_ok());
}

#[test]
fn no_client_waits_for_an_overdue_script() {
    explore(3000, || model(false, Broken::Nothing));
    explore(1000, || model(true, Broken::Nothing));
}

#[test]
fn a_mark_that_is_missing_is_seen() {
    must_fail(NO_END, || model(false, Broken::NoMark));
}

#[test]
fn a_client_with_patience_is_seen() {
    must_fail(ALL_WAIT, || model(false, Broken::Patient));
}
