//! Numbers, and places as numbers: a counted tree of (number, row) for ranges, a column for the
//! rest.
//!
//! A number is kept as the word of the same order, so that one structure serves numbers and
//! geographic cells, and comparing is comparing of integers. -0 is 0; there is no NaN.

use std::ops::Bound;

use btree::{Fixed, Tree, f64_of_rank_bits, rank_bits_of_f64};

use super::column::Column;

/// A number as the word of its order; `None` for NaN.
pub fn word_of(number: f64) -> Option<u64> {
    (!number.is_nan()).then(|| rank_bits_of_f64(number + 0.0))
}

/// The number of a word.
pub fn number_of(word: u64) -> f64 {
    f64_of_rank_bits(word)
}

/// The words of one attribute.
#[derive(Default)]
pub struct Numbers {
    tree: Tree<Fixed<(u64, u32)>>,
    column: Column<u64>,
    /// Without a tree values are kept for sorting only.
    is_searched: bool,
}

impl Numbers {
    pub fn new(is_searched: bool) -> Self {
        Self { is_searched, ..Self::default() }
    }

    /// Sets the words of a row that has none.
    pub fn set(&mut self, row: u32, words: &[u64]) {
        if self.is_searched {
            for word in words {
                self.tree.insert((*word, row));
            }
        }
        self.column.set(row, words);
    }

    /// Removes the words of a row.
    pub fn remove(&mut self, row: u32) {
        for word in self.column.take(row) {
            self.tree.remove((word, row));
        }
    }

    /// The words of a row.
    #[inline]
    pub fn get(&self, row: u32) -> &[u64] {
        self.column.get(row)
    }

    fn ranks(&self, min: u64, max: u64) -> std::ops::Range<usize> {
        if min > max || !self.is_searched {
            return 0..0;
        }
        self.tree.ranks(Bound::Included((min, 0)), Bound::Included((max, u32::MAX)))
    }

    /// How many words are in a range, both ends included. O(log n).
    pub fn count(&self, min: u64, max: u64) -> usize {
        self.ranks(min, max).len()
    }

    /// The rows of a range in the order of their words; a row comes once for each of its words.
    pub fn rows(&self, min: u64, max: u64) -> impl Iterator<Item = u32> {
        self.tree.iter(self.ranks(min, max)).map(|(_, row)| row)
    }

    /// Bytes allocated. O(1).
    pub fn memory(&self) -> usize {
        self.tree.memory() + self.column.memory()
    }
}
