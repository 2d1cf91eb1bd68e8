//! Numbers, parsed and printed exactly as Redis does.
//!
//! Redis leans on the C library: `strtod` reads scores, `strtold` reads the operands of
//! `INCRBYFLOAT`, `printf` writes both. Clients see every digit of that, so this module gives the
//! same answers without C: [`parse_f64`], [`parse_bound`] and [`write_f64`] for doubles,
//! [`LongDouble`] for the 80-bit extended format of x86, in software so that every platform
//! answers alike.
//!
//! Nothing here panics, whatever bytes come in, and nothing allocates in proportion to an
//! exponent a client wrote (`1e999999999`).

mod big;
mod double;
mod literal;
mod long_double;
mod round;

pub use double::{format_f64, parse_bound, parse_f64, write_f64};
pub use long_double::{LongDouble, NotANumber};

/// A signed 64-bit integer in canonical decimal form: no plus sign, no leading zeros, no spaces.
///
/// ```
/// use kvist_base::num::parse_i64;
///
/// assert_eq!(parse_i64(b"-9223372036854775808"), Some(i64::MIN));
/// assert_eq!(parse_i64(b"-0"), None);
/// assert_eq!(parse_i64(b"+1"), None);
/// ```
#[inline]
#[must_use]
pub fn parse_i64(text: &[u8]) -> Option<i64> {
    let (negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    match digits {
        [b'0'] => return (!negative).then_some(0),
        [b'1'..=b'9', ..] if digits.len() <= 19 => {}
        _ => return None,
    }
    let mut magnitude: u64 = 0;
    for &digit in digits {
        let digit = digit.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        magnitude = magnitude * 10 + u64::from(digit); // 19 digits always fit
    }
    if negative { 0i64.checked_sub_unsigned(magnitude) } else { i64::try_from(magnitude).ok() }
}

#[cfg(test)]
#[path = "num/num_tests.rs"]
mod tests;
