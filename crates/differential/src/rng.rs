//! The random source: SplitMix64 (Steele, Lea, Flood 2014).
//!
//! A run is named by its seed alone, so the generator must give the same numbers on every machine
//! and for ever; that is why it is written out here and not taken from a library that may change
//! its mind. It must never read a clock or the operating system's randomness.

/// A small deterministic generator of 64-bit numbers.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// A generator for `seed`; `stream` keeps families and protocols of one seed apart.
    #[must_use]
    pub fn new(seed: u64, stream: &str) -> Self {
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        for byte in stream.bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        Self(seed ^ hash)
    }

    /// The next number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number in `0..bound` (0 when `bound` is 0).
    pub fn below(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound).unwrap_or(u64::MAX).max(1);
        usize::try_from(self.number() % bound).unwrap_or(0)
    }

    /// True in `percent` of 100 cases.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One element of a list that must not be empty.
    pub fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }

    /// Puts a list into a random order.
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for last in (1..list.len()).rev() {
            let other = self.below(last + 1);
            list.swap(last, other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn same_seed_same_numbers() {
        let mut a = Rng::new(7, "sets");
        let mut b = Rng::new(7, "sets");
        let mut c = Rng::new(7, "lists");
        let from_a: Vec<u64> = (0..8).map(|_| a.number()).collect();
        assert_eq!(from_a, (0..8).map(|_| b.number()).collect::<Vec<_>>());
        assert_ne!(from_a, (0..8).map(|_| c.number()).collect::<Vec<_>>());
    }

    #[test]
    fn shuffle_keeps_the_elements() {
        let mut list: Vec<usize> = (0..50).collect();
        Rng::new(1, "").shuffle(&mut list);
        assert_ne!(list, (0..50).collect::<Vec<_>>());
        list.sort_unstable();
        assert_eq!(list, (0..50).collect::<Vec<_>>());
    }
}
