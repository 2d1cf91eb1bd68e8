//! A map: its entries as they were written, and beside them their order by key, by which they are
//! found, compared and hashed.

use std::sync::Arc;

use super::{Nesting, Value};

/// Keys and values. A key that is given twice has its last value, in its first place.
#[derive(Debug, Default, PartialEq)]
pub struct Map {
    entries: Box<[(Arc<str>, Value)]>,
    /// Places in `entries`, by key.
    by_key: Box<[u32]>,
    nesting: Nesting,
}

impl Map {
    /// A map of these entries.
    pub fn new(given: impl IntoIterator<Item = (Arc<str>, Value)>) -> Map {
        let entries: Vec<(Arc<str>, Value)> = given.into_iter().collect();
        let mut by_key: Vec<u32> = (0..u32::try_from(entries.len()).unwrap_or(u32::MAX)).collect();
        by_key.sort_by(|&a, &b| entries[a as usize].0.cmp(&entries[b as usize].0));
        let same = |pair: &[u32]| entries[pair[0] as usize].0 == entries[pair[1] as usize].0;
        if by_key.windows(2).any(same) {
            return Map::new(without_repeats(entries));
        }
        let nesting = Nesting::around(entries.iter().map(|(_, value)| value))
            .with_texts(entries.iter().map(|(key, _)| &**key));
        Map { entries: entries.into(), by_key: by_key.into(), nesting }
    }

    /// How deep it is nested, and how much is in it.
    pub fn nesting(&self) -> Nesting {
        self.nesting
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&Value> {
        let name = |&at: &u32| -> &str { &self.entries[at as usize].0 };
        let found = self.by_key.binary_search_by(|at| name(at).cmp(key)).ok()?;
        Some(&self.entries[self.by_key[found] as usize].1)
    }

    /// The entries as they were written.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&Arc<str>, &Value)> {
        self.entries.iter().map(|(key, value)| (key, value))
    }

    /// The entries by key.
    pub fn sorted(&self) -> impl ExactSizeIterator<Item = (&Arc<str>, &Value)> {
        self.by_key.iter().map(|&at| {
            let (key, value) = &self.entries[at as usize];
            (key, value)
        })
    }

    /// The bytes beside those of the map itself, about. O(1).
    pub fn memory(&self) -> usize {
        let places = size_of::<Arc<str>>() + size_of::<u32>();
        self.nesting.size() as usize * size_of::<Value>() + self.entries.len() * places
    }
}

fn without_repeats(entries: Vec<(Arc<str>, Value)>) -> Vec<(Arc<str>, Value)> {
    let mut places = std::collections::HashMap::new();
    let mut kept: Vec<(Arc<str>, Value)> = Vec::with_capacity(entries.len());
    for (key, value) in entries {
        match places.get(&key) {
            Some(&place) => {
                let old: &mut (Arc<str>, Value) = &mut kept[place];
                old.1 = value;
            }
            None => {
                places.insert(key.clone(), kept.len());
                kept.push((key, value));
            }
        }
    }
    kept
}
