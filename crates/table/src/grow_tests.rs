//! Tests of `grow.rs`: whole tables that grow, split, shrink and merge.

use std::collections::BTreeMap;

use crate::{KeyHash, Table};

#[derive(Clone)]
struct Mix;

impl KeyHash for Mix {
    fn hash(&self, key: &[u8]) -> u64 {
        let mut h = 0x9e37_79b9_7f4a_7c15u64;
        for &b in key {
            h = (h ^ u64::from(b)).wrapping_mul(0xff51_afd7_ed55_8ccd);
            h ^= h >> 32;
        }
        h
    }
}

#[test]
fn many_keys() {
    let mut table: Table<String, Mix> = Table::new(Mix);
    let mut model = BTreeMap::new();
    for i in 0..20_000u32 {
        let key = format!("key:{i}").into_bytes();
        let value = vec![b'v'; (i % 300) as usize];
        assert!(table.put_bytes(Mix.hash(&key), &key, &value).inserted);
        model.insert(key, value);
    }
    assert_eq!(table.len(), model.len());
    for (key, value) in &model {
        let got = table.find(Mix.hash(key), key).expect("present");
        assert_eq!(got.bytes(), Some(&value[..]));
    }
    for key in model.keys() {
        assert!(table.remove(Mix.hash(key), key).is_some());
    }
    assert!(table.is_empty());
    assert_eq!(table.directory.depth(), 0);
}
