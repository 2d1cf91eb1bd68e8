//! A set of places in a segment.

use base::codec::{Malformed, Source};

use super::SEGMENT;

/// A place in a segment: below 1,024.
pub type Slot = u16;

const WORDS: usize = SEGMENT / 64;

/// A set of places in a segment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SlotSet([u64; WORDS]);

impl SlotSet {
    /// Whether it has this place.
    #[inline]
    #[must_use]
    pub fn has(&self, slot: Slot) -> bool {
        let at = usize::from(slot);
        self.0[at / 64 % WORDS] >> (at % 64) & 1 == 1
    }

    /// Adds a place. Returns whether it was not there.
    #[inline]
    pub fn add(&mut self, slot: Slot) -> bool {
        let (at, had) = (usize::from(slot), self.has(slot));
        self.0[at / 64 % WORDS] |= 1 << (at % 64);
        !had
    }

    /// Takes a place away. Returns whether it was there.
    #[inline]
    pub fn take(&mut self, slot: Slot) -> bool {
        let (at, had) = (usize::from(slot), self.has(slot));
        self.0[at / 64 % WORDS] &= !(1 << (at % 64));
        had
    }

    /// How many it has.
    #[must_use]
    pub fn count(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether it has none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    /// Whether it has all places from the first up to, and without, the last.
    #[must_use]
    pub fn has_all(&self, from: usize, to: usize) -> bool {
        (from / 64..to.div_ceil(64).min(WORDS)).all(|number| {
            let low = from.saturating_sub(number * 64);
            let high = (to - number * 64).min(64);
            let wanted = (u64::MAX >> (64 - (high - low))) << low;
            self.0[number] & wanted == wanted
        })
    }

    /// The lowest place that it has not.
    #[must_use]
    pub fn lowest_missing(&self) -> Option<Slot> {
        let (number, word) = self.0.iter().enumerate().find(|(_, word)| **word != u64::MAX)?;
        // Below 1,024.
        Some((number * 64 + word.trailing_ones() as usize) as Slot)
    }

    /// The places that both have.
    #[must_use]
    pub fn and(&self, other: &SlotSet) -> SlotSet {
        SlotSet(std::array::from_fn(|at| self.0[at] & other.0[at]))
    }

    /// Appends it, in 128 bytes.
    pub(super) fn put(&self, out: &mut Vec<u8>) {
        self.0.iter().for_each(|word| out.extend(word.to_le_bytes()));
    }

    /// Reads what [`put`](Self::put) has appended.
    pub(super) fn take_bits(source: &mut Source<'_>) -> Result<Self, Malformed> {
        let mut bits = SlotSet::default();
        for word in &mut bits.0 {
            *word = source.fixed_u64()?;
        }
        Ok(bits)
    }

    /// Its places, in order.
    pub fn iter(&self) -> impl Iterator<Item = Slot> + '_ {
        self.0.iter().enumerate().flat_map(|(number, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                let bit = rest.trailing_zeros();
                rest &= rest.checked_sub(1)?;
                Some((number * 64 + bit as usize) as Slot)
            })
        })
    }

    /// Appends its places as ids of a segment.
    pub fn append_ids(&self, segment: usize, ids: &mut Vec<u32>) {
        // A segment's ids fit, or there would be no such segment.
        let base = (segment * SEGMENT) as u32;
        if self.0.iter().all(|&word| word == u64::MAX) {
            ids.extend(base..base + SEGMENT as u32);
            return;
        }
        ids.extend(self.iter().map(|slot| base + u32::from(slot)));
    }
}
