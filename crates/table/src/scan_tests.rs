//! Tests of `scan.rs`: what a scan promises while the table changes under it.

use std::collections::BTreeMap;

use crate::check::{Hasher, check, key};
use crate::{KeyHash, Table, place};

const SOME: usize = if cfg!(miri) { 40 } else { 1200 };
const MANY: usize = if cfg!(miri) { 830 } else { 8000 };

type Plain = Table<(), Hasher>;

fn put(table: &mut Plain, i: usize) {
    let key = key(i);
    table.put_bytes(table.hasher().hash(&key), &key, b"");
}

fn remove(table: &mut Plain, i: usize) {
    let key = key(i);
    table.remove(table.hasher().hash(&key), &key);
}

fn expire(table: &mut Plain, i: usize, deadline: Option<u64>) {
    let key = key(i);
    let hash = table.hasher().hash(&key);
    if let Some(mut entry) = table.find_mut(hash, &key) {
        entry.set_deadline(deadline);
    }
}

type Step = fn(&Plain, u64, &mut dyn FnMut(crate::EntryRef<'_, ()>)) -> u64;

/// A full scan with `between` called after each step; how often each key was visited.
fn full(
    table: &mut Plain,
    step: Step,
    between: &mut dyn FnMut(&mut Plain, usize),
) -> BTreeMap<Vec<u8>, usize> {
    let mut seen = BTreeMap::new();
    let mut cursor = 0;
    for steps in 0.. {
        let next = step(table, cursor, &mut |entry| {
            *seen.entry(entry.key().to_vec()).or_default() += 1;
        });
        if next == 0 {
            break;
        }
        assert!(next > cursor && next < place::END, "cursors only rise");
        cursor = next;
        between(table, steps);
    }
    seen
}

#[test]
fn quiet_scans_see_everything_once() {
    for hasher in Hasher::ALL {
        for count in [0, 1, 8, SOME] {
            let mut table = Plain::new(hasher);
            (0..count).for_each(|i| put(&mut table, i));
            let seen = full(&mut table, Plain::scan, &mut |_, _| {});
            assert_eq!(seen.len(), count, "{hasher:?}");
            assert!(seen.values().all(|&times| times == 1), "{hasher:?}");
        }
    }
}

#[test]
fn growth_under_a_scan_hides_and_repeats_nothing() {
    for hasher in [Hasher::Good, Hasher::OneTag, Hasher::HighEnd] {
        let mut table = Plain::new(hasher);
        (0..SOME).for_each(|i| put(&mut table, i));
        let mut next = SOME;
        let seen = full(&mut table, Plain::scan, &mut |table, _| {
            for _ in 0..30 {
                if next < MANY {
                    put(table, next);
                    next += 1;
                }
            }
        });
        check(&table);
        assert!((0..SOME).all(|i| seen.get(&key(i)) == Some(&1)), "{hasher:?}");
        assert!(seen.values().all(|&times| times == 1), "{hasher:?}");
    }
}

#[test]
fn shrinking_under_a_scan_hides_and_repeats_nothing() {
    for hasher in [Hasher::Good, Hasher::OneTag, Hasher::LongPrefix] {
        let count = if hasher == Hasher::LongPrefix { SOME } else { MANY };
        let mut table = Plain::new(hasher);
        (0..count).for_each(|i| put(&mut table, i));
        let mut gone = 0;
        let seen = full(&mut table, Plain::scan, &mut |table, _| {
            for _ in 0..count / 40 {
                if gone < count {
                    if gone % 50 != 0 {
                        remove(table, gone);
                    }
                    gone += 1;
                }
            }
        });
        check(&table);
        assert!((0..count).step_by(50).all(|i| seen.get(&key(i)) == Some(&1)), "{hasher:?}");
        assert!(seen.values().all(|&times| times == 1), "{hasher:?}");
    }
}

#[test]
fn a_sparse_table_is_passed_in_few_steps() {
    let mut table = Plain::new(Hasher::Good);
    (0..MANY).for_each(|i| put(&mut table, i));
    let mut steps = 0;
    full(&mut table, Plain::scan, &mut |_, _| steps += 1);
    assert!(steps <= MANY, "{steps} steps");
    (1..MANY).for_each(|i| remove(&mut table, i));
    let mut steps = 0;
    let seen = full(&mut table, Plain::scan, &mut |_, _| steps += 1);
    assert_eq!(seen.len(), 1);
    assert!(steps <= 3, "{steps} steps for one entry");
}

#[test]
fn any_cursor_is_taken() {
    let mut table = Plain::new(Hasher::Good);
    (0..SOME).for_each(|i| put(&mut table, i));
    for cursor in [place::END - 1, place::END, place::END + 1, u64::MAX, 12345, 1 << 37] {
        let mut from = cursor;
        let mut seen = 0;
        while from != 0 || seen == 0 {
            from = table.scan(from, &mut |entry| {
                seen += 1;
                assert!(place::position(Hasher::Good.hash(entry.key())) >= cursor);
            });
            if from == 0 {
                break;
            }
        }
        let expected =
            (0..SOME).filter(|&i| place::position(Hasher::Good.hash(&key(i))) >= cursor).count();
        assert_eq!(seen, expected);
    }
}

#[test]
fn expiring_scans_see_deadlines_only() {
    for hasher in Hasher::ALL {
        let mut table = Plain::new(hasher);
        (0..SOME).for_each(|i| put(&mut table, i));
        assert!(full(&mut table, Plain::scan_expiring, &mut |_, _| {}).is_empty());
        (0..SOME).step_by(7).for_each(|i| expire(&mut table, i, Some(1)));
        for _ in 0..2 {
            let seen = full(&mut table, Plain::scan_expiring, &mut |_, _| {});
            assert_eq!(seen.len(), SOME.div_ceil(7), "{hasher:?}");
            assert!(seen.values().all(|&times| times == 1));
            check(&table);
        }
        (0..SOME).step_by(14).for_each(|i| expire(&mut table, i, None));
        (0..SOME).step_by(21).for_each(|i| remove(&mut table, i));
        let expected = (0..SOME).step_by(7).filter(|i| i % 14 != 0 && i % 21 != 0).count();
        let seen = full(&mut table, Plain::scan_expiring, &mut |_, _| {});
        assert_eq!(seen.len(), expected, "{hasher:?}");
        check(&table);
    }
}

#[test]
fn expiring_scans_survive_growth_and_shrinking() {
    let mut table = Plain::new(Hasher::Good);
    (0..SOME).for_each(|i| put(&mut table, i));
    (0..SOME).step_by(5).for_each(|i| expire(&mut table, i, Some(9)));
    let mut next = SOME;
    let seen = full(&mut table, Plain::scan_expiring, &mut |table, step| {
        for _ in 0..20 {
            if next < MANY {
                put(table, next);
                expire(table, next, next.is_multiple_of(3).then_some(4));
                next += 1;
            }
        }
        if step % 2 == 0 {
            remove(table, next.wrapping_sub(10).max(SOME));
        }
    });
    check(&table);
    assert!((0..SOME).step_by(5).all(|i| seen.get(&key(i)) == Some(&1)));
    assert!(seen.values().all(|&times| times == 1));
}

#[test]
fn few_deadlines_among_many_are_found_in_few_steps() {
    let mut table = Plain::new(Hasher::Good);
    (0..MANY).for_each(|i| put(&mut table, i));
    expire(&mut table, 77, Some(1));
    let mut steps = 0;
    let seen = full(&mut table, Plain::scan_expiring, &mut |_, _| steps += 1);
    assert_eq!(seen.len(), 1);
    assert!(steps <= 4, "{steps} steps");
}

#[test]
fn visitors_may_look_into_the_table() {
    let mut table = Plain::new(Hasher::Good);
    (0..SOME).for_each(|i| put(&mut table, i));
    (0..SOME).for_each(|i| expire(&mut table, i, Some(1)));
    let table = &table;
    let mut cursor = 0;
    loop {
        cursor = table.scan_expiring(cursor, &mut |entry| {
            entry.set_access(entry.access() + 1);
            table.scan_expiring(0, &mut |inner| inner.set_access(inner.access()));
            assert!(table.find(Hasher::Good.hash(entry.key()), entry.key()).is_some());
        });
        if cursor == 0 {
            break;
        }
    }
    assert!(table.iter().all(|entry| entry.access() == 1));
}

#[test]
fn a_scan_of_a_table_that_was_emptied_ends() {
    for hasher in Hasher::ALL {
        let mut table = Plain::new(hasher);
        assert_eq!(table.scan(5, &mut |_| panic!("nothing is there")), 0);
        put(&mut table, 1);
        remove(&mut table, 1);
        assert_eq!(table.scan(5, &mut |_| panic!("nothing is there")), 0);
    }
}

#[test]
fn samples_of_all_buckets_are_the_table() {
    let mut table = Plain::new(Hasher::Good);
    assert_eq!(table.sample(5, false, &mut |_| panic!("it is empty")), 0);
    (0..MANY).for_each(|i| put(&mut table, i));
    assert_eq!(table.sample(5, true, &mut |_| panic!("nothing expires")), 0);
    (0..MANY).step_by(50).for_each(|i| expire(&mut table, i, Some(1)));
    for expiring in [false, true] {
        let step: Step = match expiring {
            false => |table, from, visit| table.sample(from, false, visit),
            true => |table, from, visit| table.sample(from, true, visit),
        };
        let seen = full(&mut table, step, &mut |_, _| ());
        assert!(seen.values().all(|&times| times == 1));
        let wanted = if expiring { MANY.div_ceil(50) } else { MANY };
        assert_eq!(seen.len(), wanted);
    }
    // Anywhere, and beyond the end.
    let mut some = 0;
    table.sample(place::END / 3, false, &mut |_| some += 1);
    assert!(some > 0);
    assert_eq!(table.sample(place::END, false, &mut |_| panic!("there is nothing")), 0);
}
