//! The tree against a `BTreeSet`: any batches, any spans, keys of all lengths.
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::ops::ControlFlow::{Break, Continue};

use kvist_index::{Builder, Change, Delta, Edge, KeyList, Span, Tree, changes, merge, sort};
use proptest::prelude::*;

type Set = BTreeSet<Vec<u8>>;

fn edge(bound: &Bound<Vec<u8>>, is_start: bool) -> Edge<'_> {
    match (bound, is_start) {
        (Bound::Unbounded, true) => Edge::First,
        (Bound::Unbounded, false) => Edge::Last,
        (Bound::Included(key), true) | (Bound::Excluded(key), false) => Edge::Before(key),
        (Bound::Excluded(key), true) | (Bound::Included(key), false) => Edge::After(key),
    }
}

fn is_in(key: &[u8], start: &Bound<Vec<u8>>, end: &Bound<Vec<u8>>) -> bool {
    let above = match start {
        Bound::Unbounded => true,
        Bound::Included(start) => key >= &start[..],
        Bound::Excluded(start) => key > &start[..],
    };
    above
        && match end {
            Bound::Unbounded => true,
            Bound::Included(end) => key <= &end[..],
            Bound::Excluded(end) => key < &end[..],
        }
}

fn walked(tree: &Tree, span: Span<'_>, reverse: bool, most: usize) -> Vec<Vec<u8>> {
    let mut keys = Vec::new();
    let _ = tree.walk(span, reverse, |key| {
        if keys.len() == most {
            return Break(());
        }
        keys.push(key.to_vec());
        Continue(())
    });
    keys
}

fn compare(tree: &Tree, set: &Set, start: &Bound<Vec<u8>>, end: &Bound<Vec<u8>>) {
    let span = Span { start: edge(start, true), end: edge(end, false) };
    let wanted: Vec<Vec<u8>> = set.iter().filter(|key| is_in(key, start, end)).cloned().collect();
    assert_eq!(tree.count(span), wanted.len());
    assert_eq!(walked(tree, span, false, usize::MAX), wanted);
    let back: Vec<Vec<u8>> = wanted.iter().rev().cloned().collect();
    assert_eq!(walked(tree, span, true, usize::MAX), back);
    assert_eq!(walked(tree, span, true, 7), back[..back.len().min(7)]);
    for (reverse, all) in [(false, &wanted), (true, &back)] {
        for most in [0, 1, 9, usize::MAX] {
            let mut keys = KeyList::default();
            keys.push(b"before");
            tree.collect(span, reverse, most, &mut keys);
            let found: Vec<Vec<u8>> = keys.iter().skip(1).map(<[u8]>::to_vec).collect();
            assert_eq!(found, all[..all.len().min(most)]);
        }
    }
}

/// Keys of few letters, so that they share much and differ late; some are long.
fn key() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        8 => prop::collection::vec(prop::sample::select(vec![0_u8, b'a', b'b', 255]), 0..9),
        8 => (0_u32..500).prop_map(|n| format!("key:{n:07}").into_bytes()),
        1 => (0_usize..4, 0_u8..3).prop_map(|(n, last)| {
            let mut key = vec![b'a'; n * 3000];
            key.push(last);
            key
        }),
    ]
}

fn bound() -> impl Strategy<Value = Bound<Vec<u8>>> {
    prop_oneof![
        1 => Just(Bound::Unbounded),
        4 => key().prop_map(Bound::Included),
        4 => key().prop_map(Bound::Excluded),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn batches_and_spans(
        loaded in prop::collection::btree_set(key(), 0..300),
        batches in prop::collection::vec(
            prop::collection::vec((key(), prop::bool::weighted(0.5)), 0..400), 0..8),
        spans in prop::collection::vec((bound(), bound()), 1..10),
    ) {
        let mut set: Set = loaded;
        let mut builder = Builder::default();
        set.iter().for_each(|key| builder.push(key));
        let mut tree = builder.finish();
        tree.check();
        for batch in &batches {
            let mut deltas = [Delta::default(), Delta::default()];
            for (key, is_there) in batch {
                deltas[key.len() % 2].push(key, *is_there);
                if *is_there { set.insert(key.clone()); } else { set.remove(key); }
            }
            tree.apply(&changes(&deltas));
            tree.check();
            prop_assert_eq!(tree.len(), set.len());
        }
        for (start, end) in &spans {
            compare(&tree, &set, start, end);
        }
        for key in batches.iter().flatten().map(|(key, _)| key) {
            prop_assert_eq!(tree.contains(key), set.contains(key));
        }
    }
}

/// Random numbers that are the same in every run: what it finds can be found again.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        (self.0 >> 33) % bound
    }
}

#[test]
fn grows_to_several_levels_and_shrinks_to_none() {
    let mut random = Random(7);
    let (mut tree, mut set) = (Tree::default(), Set::new());
    let name = |n: u64| format!("account:{n:07}").into_bytes();
    // More come than go, then more go than come, then all.
    for (rounds, size, comes) in [(20, 4000, 9), (40, 3000, 3), (300, 7, 5), (1, 0, 0)] {
        for _ in 0..rounds {
            let mut batch = BTreeMap::new();
            for _ in 0..size {
                batch.insert(name(random.below(60_000)), random.below(10) < comes);
            }
            if size == 0 {
                batch = set.iter().map(|key| (key.clone(), false)).collect();
            }
            for (key, &is_there) in &batch {
                if is_there {
                    set.insert(key.clone())
                } else {
                    set.remove(key)
                };
            }
            let batch: Vec<Change<'_>> =
                batch.iter().map(|(key, &is_there)| Change { key, is_there }).collect();
            tree.apply(&batch);
            assert_eq!(tree.len(), set.len());
        }
        tree.check();
        compare(&tree, &set, &Bound::Unbounded, &Bound::Unbounded);
        let (start, end) = (name(random.below(30_000)), name(30_000 + random.below(30_000)));
        compare(&tree, &set, &Bound::Included(start), &Bound::Excluded(end));
    }
    assert!(tree.is_empty());
    assert_eq!(tree.memory(), 0);
}

#[test]
fn an_empty_tree_takes_few_keys_and_gives_them_back() {
    let mut tree = Tree::default();
    for keys in [&[][..], &[&b""[..]], &[b"", b"a"], &[b"a", b"ab", b"b"]] {
        for is_there in [true, false] {
            let batch: Vec<Change<'_>> = keys.iter().map(|key| Change { key, is_there }).collect();
            tree.apply(&batch);
            tree.check();
            assert_eq!(tree.len(), if is_there { keys.len() } else { 0 });
        }
    }
}

#[test]
fn single_changes_in_a_large_tree() {
    let mut set: Set = (0..20_000).map(|n| format!("k:{:07}", n * 2).into_bytes()).collect();
    let mut builder = Builder::default();
    set.iter().for_each(|key| builder.push(key));
    let mut tree = builder.finish();
    let mut random = Random(3);
    for _ in 0..20_000 {
        let key = format!("k:{:07}", random.below(40_000)).into_bytes();
        let is_there = random.below(3) > 0;
        if is_there {
            set.insert(key.clone())
        } else {
            set.remove(&key)
        };
        tree.apply(&[Change { key: &key, is_there }]);
    }
    tree.check();
    compare(&tree, &set, &Bound::Unbounded, &Bound::Unbounded);
}

#[test]
fn lists_of_several_threads_make_one_tree() {
    let mut lists = vec![KeyList::default(); 3];
    for n in (0..5000_usize).rev() {
        lists[n % 3].push(format!("{}", n * 7919 % 5000).as_bytes());
    }
    // In two lists: it counts once.
    lists[0].push(b"17");
    let orders: Vec<Vec<u32>> = lists
        .iter()
        .map(|keys| sort(u32::try_from(keys.len()).unwrap(), |at| keys.get(at as usize)))
        .collect();
    let sorted: Vec<(&KeyList, &[u32])> =
        lists.iter().zip(&orders).map(|(keys, order)| (keys, &order[..])).collect();
    let tree = merge(&sorted);
    tree.check();
    let wanted: Set = lists.iter().flat_map(KeyList::iter).map(<[u8]>::to_vec).collect();
    compare(&tree, &wanted, &Bound::Unbounded, &Bound::Unbounded);
    assert!(merge(&[]).is_empty());
}

#[test]
fn a_numbered_key_costs_few_bytes() {
    for name in ["key:", "account:"] {
        let mut builder = Builder::default();
        (0..100_000).for_each(|n| builder.push(format!("{name}{n:07}").as_bytes()));
        let tree = builder.finish();
        let each = tree.memory() as f64 / tree.len() as f64;
        assert!(each < 10.0, "{each} bytes a key");
    }
}
