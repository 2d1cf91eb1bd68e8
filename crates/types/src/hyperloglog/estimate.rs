//! From how often each rank occurs to the number of elements.
//!
//! Otmar Ertl: "New cardinality estimation algorithms for HyperLogLog sketches", 2017, algorithm 6
//! (arXiv:1702.01284). The operations and their order are those that Redis carries out, so that all
//! digits agree.

use super::{RANK_BITS, REGISTERS};

/// Values a register of six bits can have.
const VALUES: usize = 64;
/// The highest rank that an element can have.
const TOP: usize = RANK_BITS as usize + 1;
/// 1 / (2 ln 2).
const ALPHA: f64 = 0.721_347_520_444_481_7;
const M: f64 = REGISTERS as f64;

/// How many registers have each rank.
pub(super) struct Histogram(pub [u32; VALUES]);

impl Default for Histogram {
    fn default() -> Self {
        Histogram([0; VALUES])
    }
}

impl Histogram {
    /// The number of elements. Where registers are so full that no number fits, the smallest
    /// signed one, as Redis says.
    pub fn estimate(&self) -> u64 {
        let ranks = |rank: usize| f64::from(self.0[rank]);
        let mut z = M * tau((M - ranks(TOP)) / M);
        for rank in (1..TOP).rev() {
            z += ranks(rank);
            z *= 0.5;
        }
        z += M * sigma(ranks(0) / M);
        let estimate = (ALPHA * M * M / z).round();
        if estimate < 9_223_372_036_854_775_808.0 { estimate as u64 } else { 1 << 63 }
    }
}

/// The share of registers that could not rank higher.
fn tau(mut x: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return 0.0;
    }
    let (mut y, mut z) = (1.0, 1.0 - x);
    loop {
        x = x.sqrt();
        let before = z;
        y *= 0.5;
        z -= (1.0 - x) * (1.0 - x) * y;
        if z == before {
            return z / 3.0;
        }
    }
}

/// The share of registers that are empty.
fn sigma(mut x: f64) -> f64 {
    if x >= 1.0 {
        return f64::INFINITY;
    }
    let (mut y, mut z) = (1.0, x);
    loop {
        x *= x;
        let before = z;
        z += x * y;
        y += y;
        if z == before {
            return z;
        }
    }
}
