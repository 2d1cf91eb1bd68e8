//! Tests of `iter.rs`: complete walks and fair draws.

use std::collections::BTreeMap;

use crate::check::{Hasher, key};
use crate::{KeyHash, Table};

/// A small generator of random numbers (SplitMix64).
fn generator() -> impl FnMut() -> u64 {
    let mut state = 1u64;
    move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

fn table(hasher: Hasher, count: usize) -> Table<(), Hasher> {
    let mut table = Table::new(hasher);
    for i in 0..count {
        table.put_bytes(hasher.hash(&key(i)), &key(i), b"");
    }
    table
}

#[test]
fn walks_see_everything_once() {
    for hasher in Hasher::ALL {
        for count in [0, 1, 8, if cfg!(miri) { 30 } else { 2000 }] {
            let table = table(hasher, count);
            assert_eq!(table.iter().len(), count);
            let mut keys: Vec<_> = table.iter().map(|entry| entry.key().to_vec()).collect();
            assert_eq!(keys.len(), count);
            keys.sort();
            keys.dedup();
            assert_eq!(keys.len(), count);
            assert_eq!((&table).into_iter().count(), count);
        }
    }
}

#[test]
fn nothing_is_drawn_from_an_empty_table() {
    let mut next = generator();
    assert!(table(Hasher::Good, 0).random(&mut next).is_none());
    let mut table = table(Hasher::Good, 1);
    table.remove(Hasher::Good.hash(&key(0)), &key(0));
    assert!(table.random(&mut next).is_none());
}

#[test]
fn draws_are_fair() {
    if cfg!(miri) {
        return;
    }
    for (hasher, count) in [(Hasher::Good, 5), (Hasher::Good, 3000), (Hasher::Constant, 40)] {
        let table = table(hasher, count);
        let mut next = generator();
        let mut drawn: BTreeMap<Vec<u8>, usize> = BTreeMap::new();
        const EACH: usize = 400;
        for _ in 0..EACH * count {
            let entry = table.random(&mut next).expect("not empty");
            *drawn.entry(entry.key().to_vec()).or_default() += 1;
        }
        assert_eq!(drawn.len(), count, "{hasher:?}");
        // Five deviations of the counts, and a quarter for the share of a segment.
        let (low, high) = (EACH - EACH / 4 - 100, EACH + EACH / 4 + 100);
        assert!(drawn.values().all(|times| (low..high).contains(times)), "{hasher:?}");
    }
}

#[test]
fn the_last_entry_is_always_found() {
    let count = if cfg!(miri) { 830 } else { 20_000 };
    let mut table = table(Hasher::Good, count);
    for i in 1..count {
        table.remove(Hasher::Good.hash(&key(i)), &key(i));
    }
    let mut next = generator();
    for constant in [0, !0, 1 << 40] {
        assert!(table.random(&mut || constant).is_some(), "even without randomness");
    }
    assert_eq!(table.random(&mut next).expect("one").key(), key(0));
}
