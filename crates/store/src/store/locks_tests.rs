//! Marks go with the locks they are on, and a thread that waits holds nothing.

use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread::{Scope as Threads, ScopedJoinHandle};

use base::{Deadline, Strings};

use crate::{Failed, Options, Scope, Store, Txn};

fn store() -> Arc<Store> {
    Arc::new(Store::new(Options { shards: 4, databases: 2, hashing: base::Hashing::new(7) }))
}

fn txn(store: &Arc<Store>) -> Txn {
    let mut txn = Txn::new(Arc::clone(store), 1);
    txn.begin(1_700_000_000_000);
    txn
}

/// A thread that holds a shard and is overdue, until something is sent or the sender dropped.
fn hold<'t>(
    threads: &'t Threads<'t, '_>,
    store: &'t Arc<Store>,
    shard: usize,
) -> (Sender<()>, ScopedJoinHandle<'t, ()>) {
    let ((end, ended), (begin, begun)) = (channel::<()>(), channel());
    let thread = threads.spawn(move || {
        let done = txn(store).with(store, Scope::One(shard), |txn| {
            txn.held.obstruct();
            begin.send(()).expect("a thread waits");
            let _ = ended.recv();
        });
        done.expect("no other thread has it");
    });
    begun.recv().expect("it begins");
    (end, thread)
}

#[test]
fn no_mark_outlasts_its_lock() {
    let store = store();
    let mut txn = txn(&store);
    for scope in [Scope::None, Scope::One(2), Scope::Many(&[0, 3]), Scope::All] {
        for panics in [false, true] {
            let done = txn.with(&store, scope, |txn| {
                // Twice: two scripts of one transaction.
                txn.held.obstruct();
                txn.held.obstruct();
                assert_eq!(txn.store().locks.is_obstructed(), !matches!(scope, Scope::None));
                if panics {
                    std::panic::resume_unwind(Box::new("on purpose"));
                }
            });
            assert_eq!(done.is_err(), panics);
            assert!(!store.locks.is_obstructed(), "{scope:?}");
            assert!((0..4).all(|shard| !store.locks.is_overdue(shard)));
        }
    }
}

#[test]
fn who_is_in_a_hurry_does_not_wait_for_the_overdue() {
    let store = store();
    std::thread::scope(|threads| {
        let (end, holder) = hold(threads, &store, 2);
        let mut txn = txn(&store);
        txn.hurry();
        for scope in [Scope::One(2), Scope::Many(&[1, 2]), Scope::All] {
            assert!(matches!(txn.with(&store, scope, |_| ()), Err(Failed::Busy)), "{scope:?}");
        }
        assert!(txn.with(&store, Scope::Many(&[0, 1, 3]), |_| ()).is_ok());
        assert_eq!(crate::expire_step(&mut txn, 2, 0), (0, 0), "passed over");
        drop(end);
        holder.join().expect("it ends");
        assert!(txn.with(&store, Scope::All, |_| ()).is_ok());
    });
}

#[test]
fn who_waits_for_the_overdue_holds_no_other_shard() {
    let store = store();
    std::thread::scope(|threads| {
        let (end, holder) = hold(threads, &store, 2);
        let (begin, begun) = channel();
        let others: Vec<_> = [Scope::Many(&[0, 1, 2, 3]), Scope::All]
            .into_iter()
            .map(|scope| {
                let (store, begin) = (&store, begin.clone());
                threads.spawn(move || {
                    begin.send(()).expect("a thread waits");
                    txn(store).with(store, scope, |_| ()).expect("in the end");
                })
            })
            .collect();
        let recorder = threads.spawn(|| store.stop_recording());
        (0..others.len()).for_each(|_| begun.recv().expect("they begin"));
        // With shards in their hands they would keep them for as long as the other runs.
        for shard in [0, 1, 3].repeat(40) {
            assert!(store.locks.lock_soon(shard).is_some(), "shard {shard} is held");
        }
        assert!(!store.stop_recording_at_once());
        drop(end);
        others.into_iter().chain([holder, recorder]).for_each(|it| it.join().expect("it ends"));
        assert!(store.stop_recording_at_once());
    });
}

#[test]
fn what_an_overdue_holder_had_is_counted() {
    let store = store();
    let mut txn = txn(&store);
    txn.hurry();
    let names: Vec<String> = (0..50).map(|n| format!("key:{n}")).collect();
    txn.with(&store, Scope::All, |txn| {
        for name in &names {
            txn.set_string(store.hasher().key(name.as_bytes()), b"value", Deadline::Clear);
        }
    })
    .expect("no other thread is there");
    std::thread::scope(|threads| {
        let (end, holder) = hold(threads, &store, 1);
        assert_eq!(crate::key_counts(&mut txn)[0].keys, names.len());
        drop(end);
        holder.join().expect("it ends");
    });
    assert_eq!(crate::key_counts(&mut txn)[0].keys, names.len());
}

#[test]
fn what_was_broken_off_is_withheld_for_ever() {
    let store = store();
    let mut txn = txn(&store);
    let key = |bytes| store.hasher().key(bytes);
    let shard = store.shard_of(key(b"k").hash);
    let done = txn.with(&store, Scope::One(shard), |txn| {
        txn.set_string(key(b"k"), b"half", Deadline::Clear);
        txn.break_off();
        txn.is_broken_off()
    });
    assert!(done.expect("it ends"), "it is known while it lasts");
    assert!(store.locks.is_broken_off() && !txn.is_broken_off());
    let other = (shard + 1) % 4;
    let both = if shard < other { [shard, other] } else { [other, shard] };
    for hurried in [false, true] {
        txn.held.hurried = hurried;
        for scope in [Scope::One(shard), Scope::Many(&both), Scope::All] {
            assert!(matches!(txn.with(&store, scope, |_| ()), Err(Failed::Busy)), "{scope:?}");
        }
        assert_eq!(txn.held.try_with_shard(shard, |_| ()), None);
        assert!(txn.with(&store, Scope::One(other), |_| ()).is_ok());
    }
}
