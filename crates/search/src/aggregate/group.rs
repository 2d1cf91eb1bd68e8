//! `GROUPBY`: groups by the values of columns, in the order in which they were first seen.
//!
//! The table holds numbers of groups, whose keys and states are in two lists: finding the group of
//! a row allocates nothing, and a group costs no allocation of its own.

use std::hash::{BuildHasher, Hash, Hasher};

use foldhash::quality::RandomState;
use hashbrown::HashTable;

use super::Record;
use super::reduce::{Random, Reducer, State};
use crate::error::{Error, Result};
use crate::expression::{Row, Value};

/// How many groups one row may belong to, where its keys are lists.
const MAX_EXPANDED: usize = 1 << 16;

/// The groups so far.
#[derive(Debug)]
pub(super) struct Groups {
    keys: Vec<usize>,
    reducers: Vec<Reducer>,
    /// The columns of keys and reducers in rows that come out.
    places: Vec<usize>,
    width: usize,
    hasher: RandomState,
    table: HashTable<usize>,
    count: usize,
    /// `keys.len()` values for each group.
    values: Vec<Value>,
    /// `reducers.len()` states for each group.
    states: Vec<State>,
    /// Bytes that values and states take beyond themselves.
    heap: usize,
    random: Random,
}

impl Default for Groups {
    fn default() -> Self {
        Self::new(Vec::new(), Vec::new(), Vec::new(), 0, 0)
    }
}

impl Groups {
    pub(super) fn new(
        keys: Vec<usize>,
        reducers: Vec<Reducer>,
        places: Vec<usize>,
        width: usize,
        seed: u64,
    ) -> Self {
        Self {
            keys,
            reducers,
            places,
            width,
            hasher: RandomState::default(),
            table: HashTable::new(),
            count: 0,
            values: Vec::new(),
            states: Vec::new(),
            heap: 0,
            random: Random::new(seed),
        }
    }

    pub(super) fn memory(&self) -> usize {
        self.heap
            + self.values.capacity() * size_of::<Value>()
            + self.states.capacity() * size_of::<State>()
            + self.table.allocation_size()
    }

    /// Takes a row in: into one group, or into one for each element of keys that are lists.
    pub(super) fn push(&mut self, row: &Record) -> Result<()> {
        let keys = self.keys.len();
        let is_plain = self.keys.iter().all(|key| !matches!(row.value(*key), Value::List(_)));
        if is_plain {
            let hash = self.hash((0..keys).map(|at| row.value(self.keys[at])));
            let group = self.find(hash, |at| row.value(self.keys[at]));
            let group = group.unwrap_or_else(|| {
                let key = self.keys.iter().map(|place| row.value(*place).clone()).collect();
                self.insert(hash, key)
            });
            self.add(group, row);
            return Ok(());
        }
        let lists: Vec<&[Value]> = self
            .keys
            .iter()
            .map(|key| match row.value(*key) {
                Value::List(list) if list.is_empty() => std::slice::from_ref(&Value::Null),
                Value::List(list) => list,
                value => std::slice::from_ref(value),
            })
            .collect();
        let product =
            lists.iter().fold(1_usize, |product, list| product.saturating_mul(list.len()));
        if product > MAX_EXPANDED {
            return Err(Error::new(format!("GROUPBY: a row has more than {MAX_EXPANDED} groups")));
        }
        for number in 0..product {
            let (mut key, mut number) = (Vec::with_capacity(keys), number);
            for list in &lists {
                key.push(list[number % list.len()].clone());
                number /= list.len();
            }
            let hash = self.hash(key.iter());
            let group = self.find(hash, |at| &key[at]);
            let group = group.unwrap_or_else(|| self.insert(hash, key));
            self.add(group, row);
        }
        Ok(())
    }

    fn hash<'v>(&self, values: impl Iterator<Item = &'v Value>) -> u64 {
        let mut hasher = self.hasher.build_hasher();
        values.for_each(|value| value.hash(&mut hasher));
        hasher.finish()
    }

    fn find<'v>(&self, hash: u64, value: impl Fn(usize) -> &'v Value) -> Option<usize> {
        let keys = self.keys.len();
        let is = |group: &usize| (0..keys).all(|at| self.values[group * keys + at] == *value(at));
        self.table.find(hash, is).copied()
    }

    fn insert(&mut self, hash: u64, key: Vec<Value>) -> usize {
        let (group, keys) = (self.count, self.keys.len());
        self.count += 1;
        self.heap += key.iter().map(Value::heap).sum::<usize>();
        self.values.extend(key);
        self.states.extend(self.reducers.iter().map(Reducer::start));
        let (values, hasher) = (&self.values, &self.hasher);
        self.table.insert_unique(hash, group, |group| {
            let mut state = hasher.build_hasher();
            values[group * keys..(group + 1) * keys]
                .iter()
                .for_each(|value| value.hash(&mut state));
            state.finish()
        });
        group
    }

    fn add(&mut self, group: usize, row: &Record) {
        let start = group * self.reducers.len();
        for (at, reducer) in self.reducers.iter().enumerate() {
            self.heap += self.states[start + at].add(reducer, row, &self.hasher, &mut self.random);
        }
    }

    /// One row for each group.
    pub(super) fn finish(self) -> impl Iterator<Item = Record> {
        let Self { keys, reducers, places, width, count, values, states, .. } = self;
        let (mut values, mut states) = (values.into_iter(), states.into_iter());
        (0..count).map(move |_| {
            let mut row = vec![Value::Null; width];
            let key = values.by_ref().take(keys.len());
            let reduced = states
                .by_ref()
                .take(reducers.len())
                .zip(&reducers)
                .map(|(state, of)| state.finish(of));
            for (place, value) in places.iter().zip(key.chain(reduced)) {
                row[*place] = value;
            }
            Record::from(row)
        })
    }
}
