//! The sequence of `math.random`: the generator of `drand48`, the same on every platform.
//!
//! The algorithm is the linear congruence x ← 0x5DEECE66D·x + 11 modulo 2⁴⁸ that POSIX describes
//! for `lrand48`; a fresh process starts from the state POSIX leaves open and glibc chose.

/// The state of the sequence: 48 bits.
#[derive(Debug)]
pub struct Random(u64);

impl Default for Random {
    fn default() -> Self {
        Random(0x1234_ABCD_330E)
    }
}

impl Random {
    /// Starts the sequence of a seed.
    pub fn seed(&mut self, seed: u32) {
        self.0 = (u64::from(seed) << 16) | 0x330E;
    }

    /// The next number, 31 bits.
    pub fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(0x5_DEEC_E66D).wrapping_add(0xB) & 0xFFFF_FFFF_FFFF;
        u32::try_from(self.0 >> 17).unwrap_or(0) // 31 bits are left
    }
}
