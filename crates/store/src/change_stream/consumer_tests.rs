//! What consumers of the change stream are told, and what they cannot break.

// In a test a panic is how a failure is told.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use base::{Class, Deadline, Strings};
use sync::Mutex;

use super::ChangeConsumer;
use crate::{
    BROADCAST, Change, ChangeBatch, ChangeEvent, ChangeKind, Notification, NotificationSink,
    Options, Scope, Shard, Store, Txn,
};

const PLENTY: usize = 1 << 30;

/// Writes down the numbers of what it is told, and whether they were missed.
#[derive(Default)]
struct Told {
    told: Mutex<Vec<(u64, u64, bool)>>,
    ended: AtomicBool,
    limit: usize,
    panics: bool,
}

impl ChangeConsumer for Told {
    fn changed(&self, _: &Shard, batch: &Arc<ChangeBatch>) {
        self.told.lock().push((batch.first, batch.last(), false));
        assert!(!self.panics, "the consumer is broken");
    }

    fn missed(&self, _: &Shard, first: u64, last: u64) {
        self.told.lock().push((first, last, true));
    }

    fn backlog_limit(&self) -> usize {
        self.limit
    }

    fn ended(&self) {
        self.ended.store(true, Ordering::Relaxed);
    }
}

fn store() -> Arc<Store> {
    let hashing = base::Hashing::new(7);
    Arc::new(Store::new(Options { shards: 1, databases: 1, hashing }))
}

/// Writes keys in one transaction, and looks at it before its end.
fn write_and<R>(store: &Arc<Store>, keys: usize, look: impl FnOnce(&Txn) -> R) -> R {
    let mut txn = Txn::new(Arc::clone(store), 1);
    let work = |txn: &mut Txn| {
        for key in 0..keys {
            let key = format!("key:{key}");
            txn.set_string(store.hasher().key(key.as_bytes()), b"v", Deadline::Clear);
            txn.publish_changes();
        }
        look(txn)
    };
    txn.with(store, Scope::All, work).unwrap()
}

fn write(store: &Arc<Store>, keys: usize) {
    write_and(store, keys, |_| ());
}

#[test]
fn a_consumer_that_panics_takes_no_shard_along() {
    let store = store();
    let broken = Arc::new(Told { panics: true, limit: PLENTY, ..Told::default() });
    let whole = Arc::new(Told { limit: PLENTY, ..Told::default() });
    let broken_one = store.add_change_consumer(Arc::clone(&broken) as _).unwrap();
    let whole_one = store.add_change_consumer(Arc::clone(&whole) as _).unwrap();
    write(&store, 1);
    assert!(broken_one.is_broken() && !whole_one.is_broken());
    // It is told nothing more; others are, and the shard is there.
    write(&store, 2);
    assert_eq!(*broken.told.lock(), [(1, 1, false)]);
    assert_eq!(*whole.told.lock(), [(1, 1, false), (2, 3, false)]);
    store.end_changes();
    assert!(whole.ended.load(Ordering::Relaxed) && !broken.ended.load(Ordering::Relaxed));
    write(&store, 1);
    assert_eq!(whole.told.lock().len(), 2, "told behind the end");
}

/// Panics where it is to deliver, unless all copies are stale; counts those.
struct Broken(Arc<AtomicUsize>);

impl NotificationSink for Broken {
    fn deliver(&self, notifications: Vec<Notification>, _: u64, own: &mut Vec<u8>) {
        own.push(b'x');
        assert!(matches!(notifications[..], [Notification::Flushed]), "the sink is broken");
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    fn serve(&self, _: &mut Txn) {}
}

#[test]
fn a_delivery_that_panics_takes_no_shard_along() {
    let store = store();
    let flushed = Arc::new(AtomicUsize::new(0));
    store.set_notification_sink(Box::new(Broken(Arc::clone(&flushed))));
    store.set_interest(BROADCAST, BROADCAST);
    let mut txn = Txn::new(Arc::clone(&store), 1);
    for times in 1..3 {
        let event = |txn: &mut Txn| txn.notifications.event(Class::New, "new", 0, b"k");
        store.set_interest(Class::New.bit(), Class::New.bit());
        txn.with(&store, Scope::One(0), event).unwrap();
        // Which copies are stale was not told: so all are.
        assert_eq!(flushed.load(Ordering::Relaxed), times);
        assert_eq!(txn.notifications.take_own(), b"x", "half a message");
    }
}

#[test]
fn a_transaction_keeps_no_more_changes_than_a_consumer_could() {
    const LIMIT: usize = 10_000;
    let store = store();
    let small = Arc::new(Told { limit: LIMIT, ..Told::default() });
    let _registration = store.add_change_consumer(Arc::clone(&small) as _).unwrap();
    let kept = write_and(&store, 5000, |txn| txn.changes.pending.count());
    assert!(kept > 0 && kept * size_of::<Change>() <= LIMIT, "{kept} changes are kept");
    let kept = kept as u64;
    assert_eq!(*small.told.lock(), [(1, kept, false), (kept + 1, 5000, true)]);
    // Another that wants more has them kept, and they are used memory.
    let reader = store.read_changes(PLENTY).unwrap();
    let used = write_and(&store, 5000, |_| store.change_backlog());
    assert!(used >= 5000 * size_of::<Change>() / 2, "{used} bytes are used");
    assert_eq!(small.told.lock().last(), Some(&(5001, 10_000, false)));
    drop(reader);
    assert_eq!(store.change_backlog(), 0);
    let kept = write_and(&store, 5000, |txn| txn.changes.pending.count());
    assert!(kept < 5000, "a limit outlasts its reader");
}

/// Sees, when it is dropped, whether the list of consumers is locked.
struct Leaves(Arc<Store>, Arc<AtomicBool>);

impl ChangeConsumer for Leaves {
    fn changed(&self, _: &Shard, _: &Arc<ChangeBatch>) {}
    fn missed(&self, _: &Shard, _: u64, _: u64) {}
}

impl Drop for Leaves {
    fn drop(&mut self) {
        self.1.store(self.0.change_stream.places.try_read().is_some(), Ordering::Relaxed);
    }
}

#[test]
fn a_consumer_is_dropped_outside_the_lock() {
    let (store, is_free) = (store(), Arc::new(AtomicBool::new(false)));
    let consumer = Arc::new(Leaves(Arc::clone(&store), Arc::clone(&is_free)));
    drop(store.add_change_consumer(consumer).unwrap());
    assert!(is_free.load(Ordering::Relaxed));
}

/// A walk that breaks off has changed a shard that it does not hold any more.
#[test]
fn what_a_broken_walk_has_changed_is_told_as_missing() {
    let store = store();
    let mut reader = store.read_changes(PLENTY).unwrap();
    let mut txn = Txn::new(Arc::clone(&store), 1);
    let broken = txn.with(&store, Scope::None, |txn| {
        let key = b"key"[..].into();
        let change = Change::Key { db: 0, hash: 1, key, kind: ChangeKind::Evicted };
        txn.changes.pending.add((&store, &txn.notifications), 0, change);
        panic!("the walk is broken")
    });
    assert!(broken.is_err());
    txn.with(&store, Scope::None, |_| ()).unwrap();
    assert!(reader.next(Duration::ZERO).is_none());
    txn.with(&store, Scope::One(0), |_| ()).unwrap();
    let event = reader.next(Duration::ZERO);
    assert!(matches!(event, Some(ChangeEvent::Gap { shard: 0, first: 1, last: 1 })), "{event:?}");
    txn.with(&store, Scope::One(0), |_| ()).unwrap();
    assert!(reader.next(Duration::ZERO).is_none(), "told twice");
}

#[test]
fn a_store_that_goes_ends_its_readers() {
    let store = store();
    let mut reader = store.read_changes(PLENTY).unwrap();
    write(&store, 1);
    drop(store);
    assert!(!reader.is_over());
    assert!(matches!(reader.next(Duration::MAX), Some(ChangeEvent::Batch(_))));
    assert!(reader.next(Duration::MAX).is_none());
    assert!(reader.is_over());
}
