//! The whole table against a `BTreeMap`: random operations, with a scan going on all the time.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use crate::check::{Hasher, check, find, key};
use crate::{Content, KeyHash, MAX_ACCESS, MAX_USER_FLAGS, Table};

const KEYS: usize = if cfg!(miri) { 60 } else { 5000 };

#[derive(Clone, Debug, PartialEq, Eq)]
enum Value {
    Bytes(Vec<u8>),
    Object(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Held {
    value: Value,
    deadline: Option<u64>,
    access: u32,
    user: u8,
}

#[derive(Clone, Debug)]
enum Op {
    PutBytes(usize, usize, u8),
    PutObject(usize, String),
    PutMany(usize, usize),
    RemoveMany(usize, usize),
    ExpireMany(usize, usize, Option<u64>),
    Remove(usize),
    Deadline(usize, Option<u64>),
    Marks(usize, u32, u8),
    Edit(usize),
    Resize(usize, usize),
    Scan(usize),
    ScanExpiring(usize),
    Random(u64),
    Clear,
}

fn length() -> impl Strategy<Value = usize> {
    prop_oneof![0usize..40, 100usize..140, 230usize..300, Just(5000)]
}

fn op() -> impl Strategy<Value = Op> {
    let k = || 0..KEYS;
    prop_oneof![
        8 => (k(), length(), any::<u8>()).prop_map(|(k, len, byte)| Op::PutBytes(k, len, byte)),
        4 => (k(), "[a-z]{0,12}").prop_map(|(k, text)| Op::PutObject(k, text)),
        3 => (k(), 0..KEYS / 3).prop_map(|(k, count)| Op::PutMany(k, count)),
        2 => (k(), 0..KEYS / 2).prop_map(|(k, count)| Op::RemoveMany(k, count)),
        2 => (k(), 0..KEYS / 9, any::<Option<u64>>()).prop_map(|(k, n, d)| Op::ExpireMany(k, n, d)),
        6 => k().prop_map(Op::Remove),
        6 => (k(), any::<Option<u64>>()).prop_map(|(k, deadline)| Op::Deadline(k, deadline)),
        3 => (k(), any::<u32>(), any::<u8>()).prop_map(|(k, access, u)| Op::Marks(k, access, u)),
        3 => k().prop_map(Op::Edit),
        3 => (k(), length()).prop_map(|(k, len)| Op::Resize(k, len)),
        6 => (1usize..60).prop_map(Op::Scan),
        3 => (1usize..60).prop_map(Op::ScanExpiring),
        2 => any::<u64>().prop_map(Op::Random),
        1 => Just(Op::Clear),
    ]
}

/// A scan in progress: what it must still see, and what it must not see again.
#[derive(Default)]
struct Watch {
    cursor: u64,
    owed: BTreeSet<Vec<u8>>,
    seen: BTreeSet<Vec<u8>>,
}

struct World {
    table: Table<String, Hasher>,
    model: BTreeMap<Vec<u8>, Held>,
    scan: Watch,
    expiring: Watch,
}

impl World {
    fn hash(&self, key: &[u8]) -> u64 {
        self.table.hasher().hash(key)
    }

    fn put(&mut self, key: &[u8], value: Value) {
        let hash = self.hash(key);
        let put = match &value {
            Value::Bytes(bytes) => self.table.put_bytes(hash, key, bytes),
            Value::Object(text) => self.table.put_object(hash, key, Box::new(text.clone())),
        };
        assert_eq!(put.entry.key(), key);
        match self.model.get_mut(key) {
            None => {
                assert!(put.inserted && put.replaced.is_none());
                let held = Held { value, deadline: None, access: 0, user: 0 };
                self.model.insert(key.to_vec(), held);
            }
            Some(held) => {
                assert!(!put.inserted);
                match core::mem::replace(&mut held.value, value) {
                    Value::Bytes(_) => assert!(put.replaced.is_none()),
                    Value::Object(old) => assert_eq!(put.replaced.as_deref(), Some(&old)),
                }
            }
        }
    }

    fn remove(&mut self, key: &[u8]) {
        let removed = self.table.remove(self.hash(key), key);
        let held = self.model.remove(key);
        assert_eq!(removed.is_some(), held.is_some());
        if let (Some(removed), Some(held)) = (removed, held) {
            assert_eq!((removed.key(), removed.deadline()), (key, held.deadline));
            assert_eq!((removed.access(), removed.user_flags()), (held.access, held.user));
            assert_eq!(value(removed.content()), held.value);
            if let Value::Object(text) = held.value {
                assert_eq!(removed.into_object().as_deref(), Some(&text));
            }
        }
        for watch in [&mut self.scan, &mut self.expiring] {
            watch.owed.remove(key);
            watch.seen.remove(key);
        }
    }

    fn expire(&mut self, key: &[u8], deadline: Option<u64>) {
        let hash = self.hash(key);
        let entry = self.table.find_mut(hash, key);
        assert_eq!(entry.is_some(), self.model.contains_key(key));
        if let (Some(mut entry), Some(held)) = (entry, self.model.get_mut(key)) {
            entry.set_deadline(deadline);
            held.deadline = deadline;
            if deadline.is_none() {
                self.expiring.owed.remove(key);
                self.expiring.seen.remove(key);
            }
        }
    }

    fn step(&mut self, expiring: bool) {
        let watch = if expiring { &mut self.expiring } else { &mut self.scan };
        if watch.cursor == 0 {
            let wanted = |held: &Held| !expiring || held.deadline.is_some();
            let keys = self.model.iter().filter(|(_, held)| wanted(held));
            watch.owed = keys.map(|(key, _)| key.clone()).collect();
            watch.seen.clear();
        }
        let mut visit = |entry: crate::EntryRef<'_, String>| {
            assert!(!expiring || entry.deadline().is_some());
            assert!(watch.seen.insert(entry.key().to_vec()), "visited twice");
            watch.owed.remove(entry.key());
        };
        watch.cursor = if expiring {
            self.table.scan_expiring(watch.cursor, &mut visit)
        } else {
            self.table.scan(watch.cursor, &mut visit)
        };
        assert!(watch.cursor != 0 || watch.owed.is_empty(), "missed {:?}", watch.owed);
    }

    fn edit(&mut self, key: &[u8]) {
        let hash = self.hash(key);
        let Some(held) = self.model.get_mut(key) else { return };
        let mut entry = self.table.find_mut(hash, key).expect("as in the model");
        match &mut held.value {
            Value::Bytes(bytes) => {
                bytes.reverse();
                entry.bytes_mut().expect("bytes").reverse();
                assert!(entry.object_mut().is_none());
            }
            Value::Object(text) => {
                text.push('!');
                entry.object_mut().expect("an object").push('!');
                assert!(entry.bytes_mut().is_none());
            }
        }
    }

    fn resize(&mut self, key: &[u8], len: usize) {
        let hash = self.hash(key);
        let Some(held) = self.model.get_mut(key) else { return };
        let mut entry = self.table.find_mut(hash, key).expect("as in the model");
        match &mut held.value {
            Value::Bytes(bytes) => {
                bytes.resize(len, 0);
                assert_eq!(entry.resize_bytes(len).map(|bytes| &*bytes), Some(&bytes[..]));
            }
            Value::Object(_) => assert!(entry.resize_bytes(len).is_none()),
        }
    }

    fn run(&mut self, op: &Op) {
        let range = |from: usize, count: usize| (from..from + count).map(|i| key(i % KEYS));
        match op {
            Op::PutBytes(k, len, byte) => self.put(&key(*k), Value::Bytes(vec![*byte; *len])),
            Op::PutObject(k, text) => self.put(&key(*k), Value::Object(text.clone())),
            Op::PutMany(from, count) => {
                range(*from, *count).for_each(|key| self.put(&key, Value::Bytes(b"many".to_vec())));
            }
            Op::RemoveMany(from, count) => range(*from, *count).for_each(|key| self.remove(&key)),
            Op::ExpireMany(from, count, deadline) => {
                range(*from, *count).for_each(|key| self.expire(&key, *deadline));
            }
            Op::Remove(k) => self.remove(&key(*k)),
            Op::Deadline(k, deadline) => self.expire(&key(*k), *deadline),
            Op::Marks(k, access, user) => {
                let key = key(*k);
                let hash = self.hash(&key);
                if let Some(held) = self.model.get_mut(&key) {
                    let mut entry = self.table.find_mut(hash, &key).expect("as in the model");
                    entry.set_access(*access);
                    entry.set_user_flags(*user);
                    (held.access, held.user) = (access & MAX_ACCESS, user & MAX_USER_FLAGS);
                }
            }
            Op::Edit(k) => self.edit(&key(*k)),
            Op::Resize(k, len) => self.resize(&key(*k), *len),
            Op::Scan(steps) => (0..*steps).for_each(|_| self.step(false)),
            Op::ScanExpiring(steps) => (0..*steps).for_each(|_| self.step(true)),
            Op::Random(seed) => {
                let drawn = self.table.random(&mut || *seed);
                assert_eq!(drawn.is_some(), !self.model.is_empty());
                assert!(drawn.is_none_or(|entry| self.model.contains_key(entry.key())));
            }
            Op::Clear => {
                self.table.clear();
                self.model.clear();
                (self.scan, self.expiring) = (Watch::default(), Watch::default());
            }
        }
    }

    fn compare(&self) {
        check(&self.table);
        assert_eq!(self.table.len(), self.model.len());
        for (key, held) in &self.model {
            let entry = find(&self.table, key).expect("as in the model");
            let found = Held {
                value: value(entry.content()),
                deadline: entry.deadline(),
                access: entry.access(),
                user: entry.user_flags(),
            };
            assert_eq!(&found, held);
        }
    }
}

fn value(content: Content<'_, String>) -> Value {
    match content {
        Content::Bytes(bytes) => Value::Bytes(bytes.to_vec()),
        Content::Object(text) => Value::Object(text.clone()),
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(miri) { 6 } else { 60 }, failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn does_what_a_map_does(ops in prop::collection::vec(op(), 0..100)) {
        run(Hasher::Good, &ops);
    }

    #[test]
    fn does_what_a_map_does_with_bad_hashes(
        hasher in prop::sample::select(Hasher::ALL.to_vec()),
        ops in prop::collection::vec(op(), 0..12),
    ) {
        run(hasher, &ops);
    }
}

fn run(hasher: Hasher, ops: &[Op]) {
    let table = Table::new(hasher);
    let (scan, expiring) = (Watch::default(), Watch::default());
    let mut world = World { table, model: BTreeMap::new(), scan, expiring };
    for (number, op) in ops.iter().enumerate() {
        world.run(op);
        if number % 10 == 9 {
            check(&world.table);
        }
    }
    world.compare();
}
