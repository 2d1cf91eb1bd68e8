//! Hashes against a `BTreeMap`, through the change of form.

use std::collections::{BTreeMap, BTreeSet};

use base::Rng;
use proptest::prelude::*;

use super::*;

type Model = BTreeMap<Vec<u8>, Vec<u8>>;

fn limits(entries: usize, value: usize) -> PackLimits {
    PackLimits { hash_entries: entries, hash_value: value, ..PackLimits::default() }
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        20 => prop::collection::vec(b'a'..b'e', 0..3),
        1 => Just(vec![b'x'; 9]),
        1 => Just(vec![b'y'; 300]),
    ]
}

fn check(hash: &Hash, model: &Model) {
    assert_eq!(hash.len(), model.len());
    assert_eq!(hash.iter().len(), model.len());
    let all: Model = hash.iter().map(|(f, v)| (f.to_vec(), v.to_vec())).collect();
    assert_eq!(&all, model);
    for (field, value) in model {
        assert_eq!(hash.get(field), Some(value.as_slice()));
        assert_eq!(hash.value_len(field), value.len());
        assert!(hash.contains(field));
    }
    let mut scanned = Model::new();
    let mut cursor = 0;
    loop {
        cursor = hash.scan(cursor, &mut |f, v| {
            scanned.insert(f.to_vec(), v.to_vec());
        });
        if cursor == 0 {
            break;
        }
    }
    assert_eq!(&scanned, model);
}

proptest! {
    #[test]
    fn behaves_as_a_map(
        ops in prop::collection::vec((0..4u8, bytes(), bytes()), 0..120),
        entries in 0..12usize,
        seed in any::<u64>(),
    ) {
        let limits = limits(entries, 8);
        let (mut hash, mut model) = (Hash::default(), Model::new());
        let mut table = false;
        for (op, field, value) in ops {
            if op == 0 {
                prop_assert_eq!(hash.remove(&field), model.remove(&field).is_some());
            } else {
                table |= field.len().max(value.len()) > 8;
                let new = hash.set(&field, &value, &limits);
                prop_assert_eq!(new, model.insert(field, value).is_none());
                table |= model.len() > entries;
            }
            prop_assert_eq!(hash.encoding(), if table { "hashtable" } else { "listpack" });
        }
        check(&hash, &model);
        check(&hash.clone(), &model);
        prop_assert_eq!(hash.clone().encoding(), hash.encoding());
        let mut rng = Rng::new(seed);
        for count in [1, 2, 7, 1000] {
            let drawn = hash.random_distinct(count, &mut rng);
            let fields: BTreeSet<_> = drawn.iter().map(|item| item.0).collect();
            prop_assert_eq!(fields.len(), count.min(model.len()));
            prop_assert!(drawn.iter().all(|(f, v)| model.get(*f).is_some_and(|x| x == v)));
        }
        prop_assert_eq!(hash.random(&mut rng).is_some(), !model.is_empty());
    }
}

#[test]
fn packed_hashes_keep_the_order_of_first_setting() {
    let limits = PackLimits::default();
    let mut hash = Hash::default();
    for field in [b"c", b"a", b"b", b"a"] {
        hash.set(field, b"1", &limits);
    }
    hash.remove(b"c");
    hash.set(b"c", b"2", &limits);
    let fields: Vec<_> = hash.iter().map(|item| item.0).collect();
    assert_eq!(fields, [b"a", b"b", b"c"]);
}

#[test]
fn a_lowered_limit_counts_at_the_next_set() {
    let mut hash = Hash::collect([(&b"a"[..], &b"1"[..]), (b"b", b"2")], &limits(2, 64));
    assert_eq!(hash.encoding(), "listpack");
    hash.set(b"a", b"3", &limits(1, 64));
    assert_eq!(hash.encoding(), "hashtable");
    hash.remove(b"a");
    hash.remove(b"b");
    assert_eq!((hash.is_empty(), hash.encoding()), (true, "hashtable"));
}

#[test]
fn every_field_is_drawn() {
    let limits = limits(0, 64);
    for table in [false, true] {
        let limits = if table { limits } else { PackLimits::default() };
        let mut hash = Hash::default();
        for i in 0..20u8 {
            hash.set(&[i], b"", &limits);
        }
        let mut rng = Rng::new(1);
        let mut counts = [0; 20];
        for _ in 0..4000 {
            counts[usize::from(hash.random(&mut rng).unwrap().0[0])] += 1;
        }
        assert!(counts.iter().all(|count| (100..400).contains(count)), "{counts:?}");
    }
}

#[test]
fn memory_grows_and_is_given_back() {
    let limits = PackLimits::default();
    let mut hash = Hash::default();
    assert_eq!(hash.memory(), 0);
    for i in 0..10_000u32 {
        hash.set(&i.to_le_bytes(), &[1; 100], &limits);
    }
    let full = hash.memory();
    assert!((10_000 * 100..10_000 * 150).contains(&full), "{full}");
    assert_eq!(hash.free_effort(), 10_000);
    for i in 0..10_000u32 {
        assert!(hash.remove(&i.to_le_bytes()));
    }
    assert!(hash.memory() < 4096, "{}", hash.memory());
}
