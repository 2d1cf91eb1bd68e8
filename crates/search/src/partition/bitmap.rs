//! A set of rows as bits, which is what dense sets are kept in.

/// What a row number never is: the end of every walk over rows.
pub const END: u32 = u32::MAX;

/// A set of rows.
#[derive(Clone, Debug, Default)]
pub struct Bitmap {
    words: Vec<u64>,
    len: usize,
}

fn place(row: u32) -> (usize, u64) {
    ((row / 64) as usize, 1 << (row % 64))
}

impl Bitmap {
    /// Adds a row; whether it was absent.
    pub fn insert(&mut self, row: u32) -> bool {
        let (word, bit) = place(row);
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        let is_new = self.words[word] & bit == 0;
        self.words[word] |= bit;
        self.len += usize::from(is_new);
        is_new
    }

    /// Removes a row; whether it was there.
    pub fn remove(&mut self, row: u32) -> bool {
        let was_there = self.contains(row);
        if was_there {
            let (word, bit) = place(row);
            self.words[word] &= !bit;
            self.len -= 1;
        }
        was_there
    }

    #[inline]
    pub fn contains(&self, row: u32) -> bool {
        let (word, bit) = place(row);
        self.words.get(word).is_some_and(|word| word & bit != 0)
    }

    /// The least row that is not less than this one, or [`END`].
    #[inline]
    pub fn next(&self, row: u32) -> u32 {
        let start = (row / 64) as usize;
        let Some(first) = self.words.get(start) else { return END };
        let rest = first & (u64::MAX << (row % 64));
        if rest != 0 {
            return start as u32 * 64 + rest.trailing_zeros();
        }
        let rest = self.words.iter().enumerate().skip(start + 1).find(|(_, word)| **word != 0);
        rest.map_or(END, |(at, word)| at as u32 * 64 + word.trailing_zeros())
    }

    /// The rows, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        let mut row = self.next(0);
        std::iter::from_fn(move || {
            let now = row;
            row = self.next(row.saturating_add(1));
            (now != END).then_some(now)
        })
    }

    /// How many rows it has.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Bytes allocated.
    pub fn memory(&self) -> usize {
        self.words.capacity() * size_of::<u64>()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{Bitmap, END};

    #[test]
    fn it_is_a_set() {
        let mut rng = testkit::seed::rng();
        let (mut bitmap, mut set) = (Bitmap::default(), BTreeSet::new());
        for _ in 0..5000 {
            let row = rng.below(1000) as u32;
            if rng.below(3) > 0 {
                assert_eq!(bitmap.insert(row), set.insert(row));
            } else {
                assert_eq!(bitmap.remove(row), set.remove(&row));
            }
            let from = rng.below(1100) as u32;
            assert_eq!(bitmap.next(from), set.range(from..).next().copied().unwrap_or(END));
        }
        assert!(bitmap.iter().eq(set.iter().copied()));
        assert_eq!(bitmap.len(), set.len());
        assert_eq!(bitmap.next(END), END);
    }
}
