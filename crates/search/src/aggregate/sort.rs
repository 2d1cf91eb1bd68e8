//! `SORTBY`: the first rows in an order.
//!
//! Twice as many rows as are wanted are held, then sorted and cut: O(n log k) with no heap to be
//! moved around. Rows that are equal stay in the order in which they came.

use std::cmp::Ordering;

use super::Record;
use crate::expression::Row;

/// A column to sort by.
#[derive(Clone, Copy, Debug)]
pub(super) struct Key {
    pub(super) place: usize,
    pub(super) descending: bool,
}

/// The rows held.
#[derive(Debug)]
pub(super) struct Sorter {
    keys: Vec<Key>,
    most: usize,
    rows: Vec<Record>,
    /// How many of the rows are sorted, and as many as are wanted: the last one is the limit.
    sorted: usize,
    size: usize,
}

impl Sorter {
    pub(super) fn new(keys: Vec<Key>, most: usize) -> Self {
        Self { keys, most, rows: Vec::new(), sorted: 0, size: 0 }
    }

    pub(super) fn memory(&self) -> usize {
        self.size
    }

    pub(super) fn push(&mut self, row: Record) {
        if self.most == 0 {
            return;
        }
        let is_full = self.sorted == self.most;
        if is_full && order(&self.keys, &self.rows[self.sorted - 1], &row).is_le() {
            return;
        }
        self.size += row.size();
        self.rows.push(row);
        // A few more, so that small ones are not sorted for each row.
        if self.rows.len() >= self.most.saturating_mul(2).max(64) {
            self.cut();
        }
    }

    fn cut(&mut self) {
        let keys = &self.keys;
        self.rows.sort_by(|a, b| order(keys, a, b));
        let dropped = self.rows.drain(self.most.min(self.rows.len())..);
        self.size -= dropped.map(|row| row.size()).sum::<usize>();
        self.sorted = self.rows.len();
    }

    /// The rows in order.
    pub(super) fn finish(&mut self) -> Vec<Record> {
        self.cut();
        (self.sorted, self.size) = (0, 0);
        std::mem::take(&mut self.rows)
    }
}

/// Rows without a value come last in either direction.
fn order(keys: &[Key], a: &Record, b: &Record) -> Ordering {
    for key in keys {
        let (a, b) = (a.value(key.place), b.value(key.place));
        let order = match (a.is_null(), b.is_null()) {
            (false, false) if key.descending => b.order(a),
            (false, false) => a.order(b),
            (a, b) => a.cmp(&b),
        };
        if order.is_ne() {
            return order;
        }
    }
    Ordering::Equal
}
