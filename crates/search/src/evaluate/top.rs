//! The first rows of an order, without sorting all: rows are gathered until there are twice as many
//! as wanted, of which the better half is kept, and what comes later must be better than the worst.
//!
//! What is kept is owned: partitions are given back in the middle of an evaluation.

use std::cmp::Ordering;

use super::Hit;
use crate::partition::SortValue;

/// What a hit is ordered by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Key<'p> {
    /// Rows in their order.
    None,
    /// Greatest first.
    Score(f64),
    /// Least first.
    Distance(f64),
    /// Documents without a value are last in either order.
    Value { value: Option<SortValue<'p>>, descending: bool },
}

fn compare_values(one: SortValue<'_>, other: SortValue<'_>) -> Ordering {
    match (one, other) {
        (SortValue::Number(a), SortValue::Number(b)) => a.total_cmp(&b),
        (SortValue::Text(a), SortValue::Text(b)) => a.cmp(b),
        (SortValue::Number(_), SortValue::Text(_)) => Ordering::Less,
        (SortValue::Text(_), SortValue::Number(_)) => Ordering::Greater,
    }
}

fn compare_keys(one: Key<'_>, other: Key<'_>) -> Ordering {
    match (one, other) {
        (Key::Score(a), Key::Score(b)) => b.total_cmp(&a),
        (Key::Distance(a), Key::Distance(b)) => a.total_cmp(&b),
        (Key::Value { value: a, descending }, Key::Value { value: b, .. }) => match (a, b) {
            (Some(a), Some(b)) if descending => compare_values(b, a),
            (Some(a), Some(b)) => compare_values(a, b),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => Ordering::Equal,
        },
        _ => Ordering::Equal,
    }
}

/// Equal ones are in the order in which they were written.
fn compare((key, hit): (Key<'_>, &Hit), (other_key, other): (Key<'_>, &Hit)) -> Ordering {
    match key {
        Key::None => (hit.partition, hit.row).cmp(&(other.partition, other.row)),
        _ => compare_keys(key, other_key).then_with(|| hit.order.cmp(&other.order)),
    }
}

/// A hit that is kept.
struct Entry {
    /// Of [`Key::Value`] with a text: the text, which stands in the key as an empty one.
    text: Option<Box<[u8]>>,
    key: Key<'static>,
    hit: Hit,
}

impl Entry {
    fn new(key: Key<'_>, hit: Hit) -> Self {
        let (text, key) = match key {
            Key::None => (None, Key::None),
            Key::Score(score) => (None, Key::Score(score)),
            Key::Distance(distance) => (None, Key::Distance(distance)),
            Key::Value { value, descending } => {
                let (text, value) = match value {
                    None => (None, None),
                    Some(SortValue::Number(number)) => (None, Some(SortValue::Number(number))),
                    Some(SortValue::Text(text)) => (Some(text.into()), Some(SortValue::Text(&[]))),
                };
                (text, Key::Value { value, descending })
            }
        };
        Entry { text, key, hit }
    }

    fn key(&self) -> Key<'_> {
        match (self.key, &self.text) {
            (Key::Value { descending, .. }, Some(text)) => {
                Key::Value { value: Some(SortValue::Text(text)), descending }
            }
            (key, _) => key,
        }
    }

    fn compare(&self, other: &Self) -> Ordering {
        compare((self.key(), &self.hit), (other.key(), &other.hit))
    }
}

/// See the head of this file.
pub struct Top {
    most: usize,
    /// The last one of those that are wanted comes first, once there are enough.
    entries: Vec<Entry>,
    /// Whether the first entry is the worst that is wanted.
    has_worst: bool,
}

impl Top {
    pub fn new(most: usize) -> Self {
        Self { most, entries: Vec::new(), has_worst: false }
    }

    /// Adds a hit, in whatever order hits come.
    #[inline]
    pub fn push(&mut self, key: Key<'_>, hit: Hit) {
        let worst = self.entries.first().filter(|_| self.has_worst);
        let is_better =
            |worst: &Entry| compare((key, &hit), (worst.key(), &worst.hit)) == Ordering::Less;
        if self.most == 0 || !worst.is_none_or(is_better) {
            return;
        }
        self.entries.push(Entry::new(key, hit));
        if self.entries.len() >= self.most.saturating_mul(2).max(self.most.saturating_add(32)) {
            self.shrink();
        }
    }

    fn shrink(&mut self) {
        if self.entries.len() > self.most && self.most > 0 {
            self.entries.select_nth_unstable_by(self.most - 1, Entry::compare);
            self.entries.truncate(self.most);
            self.entries.swap(0, self.most - 1);
            self.has_worst = true;
        }
    }

    /// The hits in order.
    pub fn hits(mut self) -> Vec<Hit> {
        self.shrink();
        self.entries.sort_unstable_by(Entry::compare);
        self.entries.into_iter().map(|entry| entry.hit).collect()
    }
}
