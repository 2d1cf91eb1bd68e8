//! Scores of packed sorted sets: as few bytes as they need, and bit for bit what they were.
//!
//! ```text
//!   +-------+-----------------------+
//!   | k | n | m: n bytes, low first |      score = m / 10^k      n 0..=7, k 0..=6
//!   +-------+-----------------------+
//!     4   4   bits                         k = 15, n = 8: m is the bits of the f64
//!                                          k = 14, n = 0: infinity    k = 13: minus infinity
//! ```
//!
//! Most scores are counts, times or prices: integers, or decimals with few digits, which as an f64
//! need all of eight bytes. `m / 10^k` is exact where it matters: numerator and denominator are
//! integers below 2^53, hence doubles themselves, and IEEE 754 rounds their quotient correctly; so
//! it is the double that reading the decimal digits gives. Nothing is written in this form before
//! it was seen to come back the same.
//!
//! ```text
//!   7 -> 2 bytes    57.5 -> 3    1234.56 -> 4    1700000000.123 -> 7    1/3 -> 9
//! ```
//!
//! The sign of zero is not kept. Reading relies on the bytes having been written here; others give
//! wrong scores, never undefined behaviour.

/// Bytes a score takes at most.
pub(super) const LONGEST: usize = 9;

/// Most digits behind the point.
const DIGITS: u8 = 6;
/// 10^k.
const POWERS: [f64; DIGITS as usize + 1] = [1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6];
/// Integers up to here, of either sign, are doubles.
const EXACT: f64 = 9_007_199_254_740_992.0;

const RAW: u8 = 15;
const INFINITY: u8 = 14;
const MINUS_INFINITY: u8 = 13;

/// A score as bytes.
pub(super) struct Encoded {
    bytes: [u8; LONGEST],
    len: usize,
}

impl Encoded {
    /// The bytes of a score. O(1).
    pub(super) fn new(score: f64) -> Encoded {
        // Exact or not, the cast makes an integer that the next lines check.
        let whole = score as i64;
        if score.abs() < EXACT && whole as f64 == score {
            return Encoded::decimal(whole, 0);
        }
        let scaled = (score * POWERS[usize::from(DIGITS)]).round_ties_even();
        if scaled.abs() < EXACT && scaled / POWERS[usize::from(DIGITS)] == score {
            let (mut m, mut k) = (scaled as i64, DIGITS);
            // It is no integer, so a digit stays.
            while k > 1 && m % 10 == 0 {
                m /= 10;
                k -= 1;
            }
            return Encoded::decimal(m, k);
        }
        match score {
            f64::INFINITY => Encoded::of(INFINITY, [0; 8], 0),
            f64::NEG_INFINITY => Encoded::of(MINUS_INFINITY, [0; 8], 0),
            _ => Encoded::of(RAW, score.to_bits().to_le_bytes(), 8),
        }
    }

    fn decimal(m: i64, k: u8) -> Encoded {
        // A sign, and all bits from the first that differs from it.
        let bits = if m == 0 { 0 } else { 65 - (m ^ (m >> 63)).leading_zeros() };
        Encoded::of(k, m.to_le_bytes(), bits.div_ceil(8) as u8)
    }

    fn of(k: u8, m: [u8; 8], n: u8) -> Encoded {
        let mut bytes = [0; LONGEST];
        bytes[0] = k << 4 | n;
        bytes[1..].copy_from_slice(&m);
        Encoded { bytes, len: 1 + usize::from(n) }
    }

    /// See [`Encoded`].
    #[inline]
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

/// What follows the score that starts `element`.
#[inline]
pub(super) fn rest(element: &[u8]) -> &[u8] {
    match element.split_first() {
        Some((tag, rest)) => rest.get(usize::from(tag & 15)..).unwrap_or_default(),
        None => element,
    }
}

/// The score that starts `element`. O(1).
#[inline]
pub(super) fn read(element: &[u8]) -> f64 {
    let Some((&tag, rest)) = element.split_first() else { return 0.0 };
    let (k, n) = (tag >> 4, u32::from(tag & 15).min(8));
    let bits = match rest.first_chunk::<8>() {
        Some(word) => u64::from_le_bytes(*word),
        None => short(rest),
    };
    // Up and down again, which carries the sign along and drops what follows; in two steps each,
    // as they may be of all 64 bits together. No branch here depends on the score, for scores of
    // different forms come in any order and would be guessed wrongly.
    let half = 32 - 4 * n;
    let m = (bits << half << half).cast_signed() >> half >> half;
    match POWERS.get(usize::from(k)) {
        Some(power) => m as f64 / power,
        None => special(k, bits),
    }
}

/// Fewer than eight bytes as a word, without a loop: bytes that are read twice are the same.
#[inline]
fn short(bytes: &[u8]) -> u64 {
    let len = bytes.len();
    match (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        (Some(low), Some(high)) => {
            let high = u64::from(u32::from_le_bytes(*high)) << (8 * (len - 4));
            u64::from(u32::from_le_bytes(*low)) | high
        }
        _ if len > 0 => {
            let byte = |i: usize| u64::from(bytes[i]) << (8 * i);
            byte(0) | byte(len / 2) | byte(len - 1)
        }
        _ => 0,
    }
}

#[cold]
fn special(k: u8, bits: u64) -> f64 {
    match k {
        INFINITY => f64::INFINITY,
        MINUS_INFINITY => f64::NEG_INFINITY,
        _ => f64::from_bits(bits),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Bytes of a score, which comes back whatever follows it.
    fn round(score: f64) -> usize {
        let encoded = Encoded::new(score);
        let members = [b"".as_slice(), b"a", b"\xff\xff", b"abc", b"abcd\xff", b"\xff-a long one"];
        for member in members {
            let element = [encoded.bytes(), member].concat();
            let back = read(&element);
            let same = back.to_bits() == score.to_bits() || (score == 0.0 && back == 0.0);
            assert!(same, "{score} came back as {back}");
            assert_eq!(rest(&element), member);
        }
        encoded.bytes().len()
    }

    #[test]
    fn takes_what_the_number_needs() {
        for (score, bytes) in [
            (0.0, 1),
            (-0.0, 1),
            (1.0, 2),
            (-1.0, 2),
            (127.0, 2),
            (-128.0, 2),
            (128.0, 3),
            (-32_768.0, 3),
            (32_768.0, 4),
            (8_388_607.0, 4),
            (-8_388_609.0, 5),
            (1_700_000_000.0, 5),
            (1_700_000_000_123.0, 7),
            (EXACT - 1.0, 8),
            (-EXACT + 1.0, 8),
            (EXACT, 9),
            (1e300, 9),
            (57.5, 3),
            (-0.1, 2),
            (19.99, 3),
            (1_234.56, 4),
            (52.520_008, 5),
            (0.000_001, 2),
            (1_700_000_000.123, 7),
            (1.0 / 3.0, 9),
            (0.000_000_1, 9),
            (f64::MIN_POSITIVE, 9),
            (5e-324, 9),
            (f64::MAX, 9),
            (f64::INFINITY, 1),
            (f64::NEG_INFINITY, 1),
        ] {
            assert_eq!(round(score), bytes, "{score}");
        }
        for n in 0..2_000_000_u32 {
            if n % 97 == 0 {
                assert!(round(f64::from(n) / 100.0) <= 5);
            }
        }
    }

    proptest! {
        #[test]
        fn every_double_comes_back(
            bits in any::<u64>(),
            m in any::<i64>(),
            down in 0..64u32,
            k in 0..9i32,
        ) {
            let score = f64::from_bits(bits);
            if !score.is_nan() {
                round(score);
            }
            // Decimals and their neighbours.
            let score = (m >> down) as f64 / 10_f64.powi(k);
            for score in [score, score.next_up(), score.next_down()] {
                round(score);
            }
        }
    }
}
