//! Natural numbers of any size, with just what reading and printing extended floats needs.
//!
//! Limbs of 32 bits, lowest first, no zero limb on top, so zero has no limbs. Quadratic
//! algorithms: the numbers have at most about 34 000 bits, and only unusual input gets here.

use std::cmp::Ordering;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Big(Vec<u32>);

impl Big {
    pub(super) fn from_u64(n: u64) -> Self {
        let mut big = Big(vec![low(n), low(n >> 32)]);
        big.trim();
        big
    }

    /// The number decimal digits spell.
    pub(super) fn from_digits(digits: impl Iterator<Item = u8>) -> Self {
        let mut big = Big::default();
        let (mut chunk, mut scale) = (0, 1);
        for digit in digits {
            chunk = chunk * 10 + u32::from(digit - b'0');
            scale *= 10;
            if scale == 1_000_000_000 {
                big.mul_add(scale, chunk);
                (chunk, scale) = (0, 1);
            }
        }
        big.mul_add(scale, chunk);
        big
    }

    fn trim(&mut self) {
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
    }

    /// `self × factor + addend`
    fn mul_add(&mut self, factor: u32, addend: u32) {
        let mut carry = u64::from(addend);
        for limb in &mut self.0 {
            let wide = u64::from(*limb) * u64::from(factor) + carry;
            *limb = low(wide);
            carry = wide >> 32;
        }
        if carry != 0 {
            self.0.push(low(carry));
        }
    }

    /// `self × 10^exp`
    pub(super) fn mul_pow10(&mut self, exp: usize) {
        for _ in 0..exp / 9 {
            self.mul_add(1_000_000_000, 0);
        }
        for _ in 0..exp % 9 {
            self.mul_add(10, 0);
        }
    }

    pub(super) fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn bits(&self) -> usize {
        let top = self.0.last().map_or(32, |limb| limb.leading_zeros());
        self.0.len() * 32 - usize::try_from(top).unwrap_or(0) * usize::from(!self.0.is_empty())
    }

    pub(super) fn shl(&mut self, count: usize) {
        if self.is_zero() {
            return;
        }
        let bits = count % 32;
        if bits != 0 {
            let mut carry = 0;
            for limb in &mut self.0 {
                let wide = u64::from(*limb) << bits | carry;
                *limb = low(wide);
                carry = wide >> 32;
            }
            self.0.push(low(carry));
        }
        self.0.splice(0..0, std::iter::repeat_n(0, count / 32));
        self.trim();
    }

    /// Subtracts a number that is not larger.
    fn sub(&mut self, other: &Big) {
        let mut borrow = false;
        for (index, limb) in self.0.iter_mut().enumerate() {
            let (less, first) = limb.overflowing_sub(other.0.get(index).copied().unwrap_or(0));
            let (less, second) = less.overflowing_sub(u32::from(borrow));
            (*limb, borrow) = (less, first || second);
        }
        self.trim();
    }

    fn cmp(&self, other: &Big) -> Ordering {
        let (a, b) = (&self.0, &other.0);
        a.len().cmp(&b.len()).then_with(|| a.iter().rev().cmp(b.iter().rev()))
    }

    /// The highest 128 bits, the exponent of the lowest of them, and whether ones were left out.
    pub(super) fn top(&self) -> (u128, i64, bool) {
        let skipped = self.0.len().saturating_sub(4);
        let mut top = 0;
        for &limb in self.0[skipped..].iter().rev() {
            top = top << 32 | u128::from(limb);
        }
        let rest = self.0[..skipped].iter().any(|&limb| limb != 0);
        (top, i64::try_from(skipped * 32).unwrap_or(i64::MAX), rest)
    }

    /// `self / divisor` to 100 significant bits: quotient, the exponent of its lowest bit, and
    /// whether there is a remainder. Neither may be zero.
    ///
    /// Bit by bit: a hundred comparisons and subtractions are cheap beside producing operands.
    pub(super) fn divide(mut self, mut divisor: Big) -> (u128, i64, bool) {
        const STEPS: i64 = 100;
        let (mine, its) = (self.bits(), divisor.bits());
        // Align the leading bits, so that the first quotient bit is among the first two tried.
        self.shl(its.saturating_sub(mine));
        divisor.shl(mine.saturating_sub(its));
        let mut quotient = 0;
        for _ in 0..=STEPS {
            quotient <<= 1;
            if self.cmp(&divisor).is_ge() {
                self.sub(&divisor);
                quotient |= 1;
            }
            self.shl(1);
        }
        let aligned = i64::try_from(mine).unwrap_or(0) - i64::try_from(its).unwrap_or(0);
        (quotient, aligned - STEPS, !self.is_zero())
    }

    /// Appends the decimal digits; `0` for zero.
    pub(super) fn write_decimal(mut self, out: &mut Vec<u8>) {
        let mut chunks = Vec::new();
        while !self.is_zero() {
            let mut rest = 0;
            for limb in self.0.iter_mut().rev() {
                let wide = rest << 32 | u64::from(*limb);
                *limb = low(wide / 1_000_000_000);
                rest = wide % 1_000_000_000;
            }
            self.trim();
            chunks.push(rest);
        }
        let mut buffer = itoa::Buffer::new();
        let Some(first) = chunks.pop() else {
            out.push(b'0');
            return;
        };
        out.extend_from_slice(buffer.format(first).as_bytes());
        for &chunk in chunks.iter().rev() {
            let text = buffer.format(chunk).as_bytes();
            out.extend_from_slice(&b"000000000"[text.len()..]);
            out.extend_from_slice(text);
        }
    }
}

fn low(n: u64) -> u32 {
    (n & 0xFFFF_FFFF) as u32 // masked: exact
}
