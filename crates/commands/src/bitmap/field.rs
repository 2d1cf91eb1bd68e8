//! Integers of 1 to 64 bits anywhere in a string, and what happens when they overflow.
//!
//! ```text
//!   byte      0        1        2           an unsigned field of 5 bits at offset 6:
//!         ......aa aaa..... ........        the high bits come first
//! ```

use base::{CmdError, error, num};

const BAD_TYPE: CmdError = CmdError::new(
    "ERR Invalid bitfield type. Use something like i16 u8. Note that u64 is not supported but i64 \
     is.",
);

/// Bytes that a field of 64 bits can touch.
const WINDOW: usize = 9;

/// The type of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Width {
    pub signed: bool,
    /// 1 to 64, to 63 if it is not signed.
    pub bits: u32,
}

/// What is done with a result that does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Overflow {
    Wrap,
    Saturate,
    Fail,
}

impl Width {
    /// Reads `i16` or `u8`; as in Redis, a zero byte ends the word.
    ///
    /// # Errors
    /// There is no such type.
    pub fn parse(word: &[u8]) -> Result<Self, CmdError> {
        let (signed, most, bits) = match word {
            [b'i', bits @ ..] => (true, 64, bits),
            [b'u', bits @ ..] => (false, 63, bits),
            _ => return Err(BAD_TYPE),
        };
        let bits = num::parse_i64(error::until_zero(bits)).ok_or(BAD_TYPE)?;
        match u32::try_from(bits) {
            Ok(bits) if (1..=most).contains(&bits) => Ok(Width { signed, bits }),
            _ => Err(BAD_TYPE),
        }
    }

    fn min(self) -> i128 {
        if self.signed { -(1 << (self.bits - 1)) } else { 0 }
    }

    fn max(self) -> i128 {
        if self.signed { (1 << (self.bits - 1)) - 1 } else { (1 << self.bits) - 1 }
    }

    /// The field at bit `offset` of `bytes`; what is beyond their end is zeros.
    pub fn get(self, bytes: &[u8], offset: u64) -> i64 {
        let (window, shift) = self.window(bytes, offset);
        self.wrap(i128::from_ne_bytes((window >> shift).to_ne_bytes()))
    }

    /// Overwrites the field at bit `offset` with the low bits of `value`. What is beyond the end
    /// of `bytes` is lost: they must have grown before.
    pub fn set(self, bytes: &mut [u8], offset: u64, value: i64) {
        let (window, shift) = self.window(bytes, offset);
        let ones: u128 = (1 << self.bits) - 1;
        let value = u128::from(u64::from_ne_bytes(value.to_ne_bytes())) & ones;
        let window = (window & !(ones << shift)) | (value << shift);
        let first = super::offset::byte_of(offset);
        let places = bytes.iter_mut().skip(first).take(WINDOW);
        places.zip(window.to_be_bytes()).for_each(|(place, byte)| *place = byte);
    }

    /// The bytes around the field as one number, first byte first, and how far right of the field
    /// they reach.
    fn window(self, bytes: &[u8], offset: u64) -> (u128, u32) {
        let mut window = [0; 16];
        let first = super::offset::byte_of(offset);
        let part = bytes.iter().skip(first).take(WINDOW);
        window.iter_mut().zip(part).for_each(|(place, byte)| *place = *byte);
        let before = (offset % 8) as u32; // below 8
        (u128::from_be_bytes(window), 128 - before - self.bits)
    }

    /// The low bits of a number as a field of this type reads them.
    fn wrap(self, number: i128) -> i64 {
        let low = number & ((1 << self.bits) - 1);
        let negative = self.signed && low > self.max();
        let value = if negative { low - (1 << self.bits) } else { low };
        i64::try_from(value).unwrap_or(0) // it has 64 bits at most, 63 without a sign
    }

    /// What a field becomes that should hold `number`; `None` if that is an overflow that fails.
    pub fn fit(self, number: i128, overflow: Overflow) -> Option<i64> {
        let nearest = number.clamp(self.min(), self.max());
        match overflow {
            _ if nearest == number => i64::try_from(number).ok(),
            Overflow::Wrap => Some(self.wrap(number)),
            Overflow::Saturate => i64::try_from(nearest).ok(),
            Overflow::Fail => None,
        }
    }

    /// What SET gives a field. A negative number for an unsigned field is a very large one.
    pub fn assign(self, value: i64, overflow: Overflow) -> Option<i64> {
        let number = if self.signed {
            i128::from(value)
        } else {
            i128::from(u64::from_ne_bytes(value.to_ne_bytes()))
        };
        self.fit(number, overflow)
    }

    /// What INCRBY makes of a field.
    pub fn add(self, old: i64, by: i64, overflow: Overflow) -> Option<i64> {
        self.fit(i128::from(old) + i128::from(by), overflow)
    }
}

#[cfg(test)]
#[path = "field_tests.rs"]
mod tests;
