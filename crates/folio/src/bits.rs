//! A set of places in a segment of 1,024 records.

use crate::SEGMENT;

pub const WORDS: usize = SEGMENT / 64;

/// A set of places in a segment, in 128 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bits([u64; WORDS]);

/// The word and the bit of a place.
fn place(slot: u16) -> (usize, u64) {
    let at = usize::from(slot) % SEGMENT;
    (at / 64, 1 << (at % 64))
}

impl Bits {
    pub const NONE: Bits = Bits([0; WORDS]);

    #[inline]
    pub fn has(&self, slot: u16) -> bool {
        let (word, bit) = place(slot);
        self.0[word] & bit != 0
    }

    #[inline]
    pub fn add(&mut self, slot: u16) {
        let (word, bit) = place(slot);
        self.0[word] |= bit;
    }

    #[inline]
    pub fn take(&mut self, slot: u16) {
        let (word, bit) = place(slot);
        self.0[word] &= !bit;
    }

    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    pub fn count(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// How many places each word has before it.
    pub fn ranks(&self) -> [u16; WORDS] {
        let mut before = 0;
        self.0.map(|word| {
            let rank = before;
            before += word.count_ones() as u16; // 1,024 at most
            rank
        })
    }

    /// How many places come before one; `ranks` are those of this set.
    #[inline]
    pub fn rank(&self, slot: u16, ranks: &[u16; WORDS]) -> usize {
        let (word, bit) = place(slot);
        usize::from(ranks[word]) + (self.0[word] & (bit - 1)).count_ones() as usize
    }

    #[inline]
    pub fn and(&self, other: &Bits) -> Bits {
        Bits(std::array::from_fn(|at| self.0[at] & other.0[at]))
    }

    #[inline]
    pub fn and_not(&self, other: &Bits) -> Bits {
        Bits(std::array::from_fn(|at| self.0[at] & !other.0[at]))
    }

    #[inline]
    pub fn or(&self, other: &Bits) -> Bits {
        Bits(std::array::from_fn(|at| self.0[at] | other.0[at]))
    }

    /// The first place that is not in it.
    pub fn first_missing(&self) -> Option<u16> {
        let word = self.0.iter().position(|&word| word != u64::MAX)?;
        Some((word * 64) as u16 + self.0[word].trailing_ones() as u16) // below 1,024
    }

    /// The last place that is in it.
    pub fn last(&self) -> Option<u16> {
        let word = self.0.iter().rposition(|&word| word != 0)?;
        Some((word * 64) as u16 + self.0[word].ilog2() as u16) // below 1,024
    }

    /// The places, in order.
    pub fn iter(&self) -> impl Iterator<Item = u16> + '_ {
        self.0.iter().enumerate().flat_map(|(number, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                let bit = rest.trailing_zeros();
                rest &= rest.checked_sub(1)?;
                Some((number * 64 + bit as usize) as u16) // below 1,024
            })
        })
    }
}
