//! Tests of `grow.rs`: whole tables that grow, split, shrink and merge, with hashers good and bad.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use crate::check::{Hasher, check, find, key};
use crate::{KeyHash, Table};

const SOME: usize = if cfg!(miri) { 60 } else { 1500 };
const MANY: usize = if cfg!(miri) { 830 } else { 30_000 };

fn put(table: &mut Table<u64, Hasher>, i: usize) {
    let key = key(i);
    assert!(table.put_bytes(table.hasher().hash(&key), &key, &i.to_le_bytes()).inserted);
}

fn remove(table: &mut Table<u64, Hasher>, i: usize) {
    let key = key(i);
    let removed = table.remove(table.hasher().hash(&key), &key).expect("it is there");
    assert_eq!(removed.bytes(), Some(&i.to_le_bytes()[..]));
}

#[test]
fn every_hasher_grows_and_shrinks() {
    for hasher in Hasher::ALL {
        let count = if hasher == Hasher::Good { MANY } else { SOME };
        let checks = if cfg!(miri) { 1 } else { 7 };
        let mut table = Table::new(hasher);
        check(&table);
        for i in 0..count {
            put(&mut table, i);
            if i % (count / checks) == 0 {
                check(&table);
            }
        }
        check(&table);
        for i in 0..count {
            assert_eq!(find(&table, &key(i)).and_then(|e| e.bytes()), Some(&i.to_le_bytes()[..]));
            assert!(find(&table, &key(i + count)).is_none());
        }
        for i in 0..count {
            remove(&mut table, i);
            if i % (count / checks) == 0 {
                check(&table);
            }
        }
        check(&table);
        assert_eq!(table.directory.depth(), 0, "all segments merged again");
        assert_eq!(table.memory(), 128 + 8, "a single bucket and a single link");
    }
}

#[test]
fn tables_move_between_threads() {
    let mut table = Table::new(Hasher::Good);
    (0..SOME).for_each(|i| put(&mut table, i));
    let removed = table.remove(Hasher::Good.hash(&key(1)), &key(1));
    let thread = std::thread::spawn(move || {
        assert!(removed.is_some_and(|removed| removed.key() == key(1)));
        check(&table);
        table.len()
    });
    assert_eq!(thread.join().expect("no panic"), SOME - 1);
}

#[test]
fn an_untouched_table_allocates_nothing() {
    let mut table: Table<u64, Hasher> = Table::new(Hasher::Good);
    assert_eq!(table.memory(), 0);
    assert!(find(&table, b"").is_none());
    assert!(table.find_mut(0, b"").is_none());
    assert!(table.remove(0, b"").is_none());
    table.prefetch_bucket(0);
    table.prefetch_entry(0);
    table.clear();
    assert_eq!(table.memory(), 0);
}

#[test]
fn clear_gives_everything_back() {
    let mut table = Table::new(Hasher::Good);
    (0..SOME).for_each(|i| put(&mut table, i));
    table.clear();
    check(&table);
    assert_eq!((table.len(), table.memory()), (0, 0));
    (0..SOME).for_each(|i| put(&mut table, i));
    check(&table);
}

#[test]
fn memory_grows_in_small_steps() {
    let mut table = Table::new(Hasher::Good);
    for i in 0..MANY {
        put(&mut table, i);
        if i < 1000 && (i < 10 || i % 10 == 0) {
            let entries: usize = table.iter().map(|entry| entry.memory()).sum();
            let overhead = table.memory() - entries;
            assert!(overhead <= 136 + 16 * (i + 1), "{overhead} bytes for {} entries", i + 1);
        }
    }
    let entries: usize = table.iter().map(|entry| entry.memory()).sum();
    let overhead = (table.memory() - entries) as f64 / MANY as f64;
    assert!(overhead < 13.5, "{overhead} bytes per key beside its entry");
}

#[test]
fn colliding_keys_do_not_swell_the_directory() {
    let mut table = Table::new(Hasher::LongPrefix);
    for i in 0..SOME {
        put(&mut table, i);
        assert!(table.directory.memory() <= 8 + i / 8);
    }
    let segment = table.directory.segments_from(0).next().expect("one").0;
    assert_eq!(table.directory.depth(), 0, "no split separates anything");
    assert!(cfg!(miri) || segment.buckets() > 127, "so the segment has grown");
}

#[test]
fn growing_back_and_forth_does_not_thrash() {
    let mut table = Table::new(Hasher::Good);
    (0..MANY).for_each(|i| put(&mut table, i));
    let before = table.memory();
    for i in MANY..MANY + SOME {
        put(&mut table, i);
        remove(&mut table, i);
    }
    check(&table);
    assert!(table.memory() < before + before / 50);
}

#[test]
fn deadlines_survive_growth() {
    let mut table = Table::new(Hasher::Good);
    for i in 0..MANY {
        put(&mut table, i);
        if i % 3 == 0 {
            let key = key(i);
            let mut entry = table.find_mut(Hasher::Good.hash(&key), &key).expect("there");
            entry.set_deadline(Some(i as u64));
            entry.set_access(77);
            entry.set_user_flags(5);
        }
    }
    check(&table);
    assert_eq!(table.expiring(), MANY.div_ceil(3));
    for i in 0..MANY {
        let entry = find(&table, &key(i)).expect("there");
        let marked = i % 3 == 0;
        assert_eq!(entry.deadline(), marked.then_some(i as u64));
        assert_eq!((entry.access(), entry.user_flags()), if marked { (77, 5) } else { (0, 0) });
    }
}

/// Counts its living instances.
struct Counted(Rc<Cell<isize>>);

impl Counted {
    fn boxed(living: &Rc<Cell<isize>>) -> Box<Counted> {
        living.set(living.get() + 1);
        Box::new(Counted(Rc::clone(living)))
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.set(self.0.get() - 1);
    }
}

#[test]
fn every_object_is_dropped_once() {
    let living = Rc::new(Cell::new(0));
    let mut table: Table<Counted, Hasher> = Table::new(Hasher::Good);
    let hash = |i: usize| Hasher::Good.hash(&key(i));
    for i in 0..SOME {
        assert!(table.put_object(hash(i), &key(i), Counted::boxed(&living)).inserted);
    }
    check(&table);
    assert_eq!(living.get(), SOME as isize);
    for i in 0..10 {
        let replaced = table.put_object(hash(i), &key(i), Counted::boxed(&living)).replaced;
        assert!(replaced.is_some());
    }
    for i in 10..20 {
        assert!(table.put_bytes(hash(i), &key(i), b"bytes").replaced.is_some());
        assert!(table.put_object(hash(i), &key(i), Counted::boxed(&living)).replaced.is_none());
    }
    assert_eq!(living.get(), SOME as isize);
    for i in 20..30 {
        drop(table.remove(hash(i), &key(i)));
    }
    let kept = table.remove(hash(30), &key(30)).and_then(|removed| removed.into_object());
    assert_eq!(living.get(), SOME as isize - 10);
    check(&table);
    drop(table);
    assert_eq!(living.get(), 1);
    drop(kept);
    assert_eq!(living.get(), 0);
}

/// A good hasher that panics once its fuse has burnt down.
#[derive(Clone)]
struct Fused<'a>(&'a std::sync::atomic::AtomicUsize);

impl KeyHash for Fused<'_> {
    fn hash(&self, key: &[u8]) -> u64 {
        use std::sync::atomic::Ordering::Relaxed;
        let left = self.0.load(Relaxed);
        assert!(left > 0, "the fuse has burnt down");
        self.0.store(left - 1, Relaxed);
        Hasher::Good.hash(key)
    }
}

#[test]
fn a_panicking_hasher_leaves_the_table_whole() {
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
    let fuse = AtomicUsize::new(usize::MAX);
    let mut table: Table<String, Fused<'_>> = Table::new(Fused(&fuse));
    let (mut panics, rounds) = (0, if cfg!(miri) { 150 } else { 3000 });
    for i in 0..rounds {
        fuse.store(i % 40, Relaxed);
        let key = key(i);
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            let value = Box::new(i.to_string());
            table.put_object(Hasher::Good.hash(&key), &key, value).inserted
        }));
        panics += usize::from(outcome.is_err());
        fuse.store(usize::MAX, Relaxed);
        if outcome.is_err() {
            check(&table);
        }
        assert_eq!(find(&table, &key).is_some(), outcome.is_ok());
    }
    check(&table);
    assert!(panics > 5 && table.len() + panics == rounds, "{panics} panics");
}

/// A hasher that never gives the same answer twice: wrong, but not undefined.
#[derive(Clone)]
struct Fickle(Cell<u64>);

impl KeyHash for Fickle {
    fn hash(&self, _: &[u8]) -> u64 {
        let next = self.0.get().wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x14057b7e);
        self.0.set(next);
        next ^ (next >> 29)
    }
}

#[test]
fn a_fickle_hasher_is_merely_wrong() {
    let mut table: Table<String, Fickle> = Table::new(Fickle(Cell::new(1)));
    for i in 0..SOME {
        let hash = table.hasher().hash(b"");
        table.put_object(hash, &key(i), Box::new(i.to_string())).entry.set_deadline(Some(1));
        let hash = table.hasher().hash(b"");
        table.remove(hash, &key(i / 2));
        table.scan_expiring(hash >> 26, &mut |entry| entry.set_access(1));
    }
    let mut cursor = table.scan(0, &mut |_| {});
    for _ in 0..SOME {
        cursor = table.scan(cursor, &mut |_| {});
    }
    assert_eq!(table.iter().count(), table.len());
}

/// A drop that panics must not lead to a second drop of anything.
struct Grumpy(Rc<Cell<isize>>, bool);

impl Drop for Grumpy {
    fn drop(&mut self) {
        self.0.set(self.0.get() - 1);
        assert!(!self.1, "no");
    }
}

#[test]
fn a_panicking_drop_frees_nothing_twice() {
    // Miri would rightly report the leak this case is allowed.
    if cfg!(miri) {
        return;
    }
    let living = Rc::new(Cell::new(0));
    let mut table: Table<Grumpy, Hasher> = Table::new(Hasher::Good);
    for i in 0..100 {
        living.set(living.get() + 1);
        let object = Box::new(Grumpy(Rc::clone(&living), i == 50));
        table.put_object(Hasher::Good.hash(&key(i)), &key(i), object);
    }
    assert!(catch_unwind(AssertUnwindSafe(|| table.clear())).is_err());
    assert_eq!((table.len(), table.memory()), (0, 0));
    assert!(living.get() >= 0);
    drop(table);
    assert!(living.get() >= 0);
}

/// Keys as a snapshot has them, in the order of their positions.
#[test]
fn a_table_with_room_takes_ordered_keys_without_growing() {
    let count = if cfg!(miri) { 1500 } else { 100_000 };
    let hasher = Hasher::Good;
    let mut keys: Vec<_> = (0..count).map(|i| (crate::position(hasher.hash(&key(i))), i)).collect();
    keys.sort_unstable();
    let mut table: Table<u64, Hasher> = Table::new(hasher);
    // Some are there already, one of them with a deadline.
    for &(_, i) in &keys[..3] {
        put(&mut table, i);
    }
    let first = key(keys[0].1);
    table.find_mut(hasher.hash(&first), &first).expect("it is there").set_deadline(Some(1));
    table.reserve(count);
    check(&table);
    let (depth, overhead) = (table.directory.depth(), table.overhead());
    for &(_, i) in &keys[3..] {
        put(&mut table, i);
    }
    check(&table);
    assert_eq!((table.len(), table.expiring(), table.directory.depth()), (count, 1, depth));
    // A few segments got more than their share and grew.
    assert!(table.overhead() < overhead + overhead / 20, "{} {overhead}", table.overhead());
    // Room that is there is not made again.
    table.reserve(count);
    table.reserve(0);
    assert_eq!(table.directory.depth(), depth);
    for &(_, i) in &keys {
        remove(&mut table, i);
    }
    check(&table);
    assert_eq!(table.memory(), 128 + 8, "a single bucket and a single link");
}
