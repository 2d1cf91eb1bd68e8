//! Values of each type, small enough to be packed, as applications keep them by the thousand.

use super::list_of;

/// A kind of key.
pub(super) struct Of {
    /// What it is called in the table.
    pub title: &'static str,
    /// How many of them are weighed.
    pub keys: u64,
    /// The commands that make the key of this number.
    pub commands: fn(u64) -> Vec<Vec<String>>,
}

/// All of them.
pub(super) const KINDS: &[Of] = &[
    Of { title: "hash of 10 fields", keys: 20_000, commands: |key| fields(key, 10) },
    Of { title: "hash of 100 fields", keys: 5_000, commands: |key| fields(key, 100) },
    Of { title: "hash of 1000 fields", keys: 500, commands: |key| fields(key, 1000) },
    Of { title: "list of 20 elements", keys: 20_000, commands: |key| elements(key, 20) },
    Of { title: "list of 1000 elements", keys: 500, commands: |key| elements(key, 1000) },
    Of { title: "set of 50 numbers", keys: 20_000, commands: |key| integers(key, 50) },
    Of { title: "set of 50 words", keys: 5_000, commands: |key| members(key, 50) },
    Of { title: "set of 1000 words", keys: 500, commands: |key| members(key, 1000) },
    Of { title: "sorted set of 20 members", keys: 20_000, commands: |key| scored(key, 20) },
    Of { title: "sorted set of 100 members", keys: 5_000, commands: |key| scored(key, 100) },
    Of { title: "sorted set of 1000 members", keys: 500, commands: |key| scored(key, 1000) },
    Of { title: "stream of 10 entries", keys: 10_000, commands: |key| entries(key, 10) },
    Of { title: "stream of 1000 entries", keys: 200, commands: |key| entries(key, 1000) },
    Of { title: "sparse HyperLogLog", keys: 10_000, commands: |key| sketch(key, 50) },
];

/// One command of many words.
fn all(head: String, rest: impl Iterator<Item = String>) -> Vec<Vec<String>> {
    let mut words = list_of(&head);
    words.extend(rest.flat_map(|text| list_of(&text)));
    vec![words]
}

fn fields(key: u64, count: u64) -> Vec<Vec<String>> {
    let pair = |n| format!("field:{n} value:{}", key * 31 + n);
    all(format!("HSET hash:{key}"), (0..count).map(pair))
}

fn elements(key: u64, count: u64) -> Vec<Vec<String>> {
    all(format!("RPUSH list:{key}"), (0..count).map(|n| format!("element:{}", key * 31 + n)))
}

fn integers(key: u64, count: u64) -> Vec<Vec<String>> {
    all(format!("SADD numbers:{key}"), (0..count).map(|n| format!("{}", key * 31 + n * 7)))
}

fn members(key: u64, count: u64) -> Vec<Vec<String>> {
    all(format!("SADD words:{key}"), (0..count).map(|n| format!("member:{}", key * 31 + n)))
}

fn scored(key: u64, count: u64) -> Vec<Vec<String>> {
    let pair = |n| format!("{}.5 member:{}", n * 3, key * 31 + n);
    all(format!("ZADD zset:{key}"), (0..count).map(pair))
}

fn entries(key: u64, count: u64) -> Vec<Vec<String>> {
    let entry = |n| {
        let at = 1_700_000_000_000 + key * 1000 + n * 17;
        list_of(&format!("XADD stream:{key} {at}-0 sensor {} value {}.25 unit celsius", n % 9, n))
    };
    (0..count).map(entry).collect()
}

fn sketch(key: u64, count: u64) -> Vec<Vec<String>> {
    all(format!("PFADD sketch:{key}"), (0..count).map(|n| format!("element:{}", key * 31 + n)))
}
