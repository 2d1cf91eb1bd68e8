//! The first rows of an order, without sorting all: rows are gathered until there are twice as many
//! as wanted, of which the better half is kept, and what comes later must be better than the worst.

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

type Entry<'p> = (Key<'p>, Hit);

/// Equal ones are in the order in which they were written.
fn compare(one: &Entry<'_>, other: &Entry<'_>) -> Ordering {
    let place = |entry: &Entry<'_>| (entry.1.partition, entry.1.row);
    match one.0 {
        Key::None => place(one).cmp(&place(other)),
        key => compare_keys(key, other.0).then_with(|| one.1.order.cmp(&other.1.order)),
    }
}

/// See the head of this file.
pub struct Top<'p> {
    most: usize,
    entries: Vec<Entry<'p>>,
    /// The last of those that are wanted, once there are enough.
    worst: Option<Entry<'p>>,
}

impl<'p> Top<'p> {
    pub fn new(most: usize) -> Self {
        Self { most, entries: Vec::new(), worst: None }
    }

    /// Adds a hit, in whatever order hits come.
    #[inline]
    pub fn push(&mut self, key: Key<'p>, hit: Hit) {
        let entry = (key, hit);
        let is_better = |worst: &Entry<'p>| compare(&entry, worst) == Ordering::Less;
        if self.most == 0 || !self.worst.as_ref().is_none_or(is_better) {
            return;
        }
        self.entries.push(entry);
        if self.entries.len() >= self.most.saturating_mul(2).max(self.most.saturating_add(32)) {
            self.shrink();
        }
    }

    fn shrink(&mut self) {
        if self.entries.len() > self.most && self.most > 0 {
            let (_, worst, _) = self.entries.select_nth_unstable_by(self.most - 1, compare);
            self.worst = Some(*worst);
            self.entries.truncate(self.most);
        }
    }

    /// The hits from this place on, in order.
    pub fn hits(mut self, offset: usize) -> Vec<Hit> {
        self.shrink();
        self.entries.sort_unstable_by(compare);
        self.entries.into_iter().skip(offset).map(|(_, hit)| hit).collect()
    }
}
