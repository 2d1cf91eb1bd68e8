//! Doubles: scores and distances, read as `strtod` reads them and printed with `%.17g`.
//!
//! Printing is the hot half: every score of every reply. Numbers from 0.0001 up to 10^17 are
//! scaled to a 17-digit integer with one 128-bit multiplication, exactly; the others, rare, go
//! through the standard library's exact formatting.

use super::literal::{self, Body};
use super::round::{self, DOUBLE, Rounded};

/// A double where nothing may be left over, as Redis reads scores and other doubles: no leading
/// space, no NaN, nothing beyond the range of doubles; hexadecimal and `inf` are fine.
///
/// ```
/// use kvist_base::num::parse_f64;
///
/// assert_eq!(parse_f64(b"0x1p3"), Some(8.0));
/// assert_eq!(parse_f64(b"-INFINITY"), Some(f64::NEG_INFINITY));
/// assert_eq!(parse_f64(b"1e400"), None);
/// assert_eq!(parse_f64(b" 1"), None);
/// ```
#[must_use]
pub fn parse_f64(text: &[u8]) -> Option<f64> {
    if let Some(small) = parse_small(text) {
        return Some(small);
    }
    let number = literal::scan(text)?;
    if number.end != text.len() || literal::is_space(text[0]) {
        return None;
    }
    let magnitude = value(&number)?;
    match number.body {
        // ERANGE: a finite number became infinite, or one that is not zero became zero.
        Body::Decimal(digits) | Body::Hex(digits) => {
            if magnitude.is_infinite() || (magnitude == 0.0 && !digits.is_zero()) {
                return None;
            }
        }
        Body::Infinity | Body::Nan => {}
    }
    Some(with_sign(magnitude, number.negative))
}

/// The bound of a score range, as Redis reads the part behind an optional `(`.
///
/// More lenient than [`parse_f64`], because Redis asks only that `strtod` stops at the end of the
/// C string: leading spaces and numbers out of range pass, the empty text is 0, and so is
/// everything behind a zero byte.
///
/// ```
/// use kvist_base::num::parse_bound;
///
/// assert_eq!(parse_bound(b""), Some(0.0));
/// assert_eq!(parse_bound(b" 1e400"), Some(f64::INFINITY));
/// assert_eq!(parse_bound(b"1 "), None);
/// assert_eq!(parse_bound(b"nan"), None);
/// ```
#[must_use]
pub fn parse_bound(text: &[u8]) -> Option<f64> {
    let text = text.split(|&c| c == 0).next().unwrap_or(text);
    if text.is_empty() {
        return Some(0.0);
    }
    let number = literal::scan(text)?;
    if number.end != text.len() {
        return None;
    }
    Some(with_sign(value(&number)?, number.negative))
}

/// Integers of up to 15 digits, by far the most common scores, without the scanner.
#[inline]
fn parse_small(text: &[u8]) -> Option<f64> {
    let (negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    if !matches!(digits.len(), 1..=15) {
        return None;
    }
    let mut magnitude: u64 = 0;
    for &digit in digits {
        let digit = digit.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        magnitude = magnitude * 10 + u64::from(digit);
    }
    Some(with_sign(magnitude as f64, negative)) // below 2^53, hence exact
}

fn with_sign(magnitude: f64, negative: bool) -> f64 {
    if negative { -magnitude } else { magnitude }
}

/// The magnitude of a number, rounded to nearest even; `None` for NaN.
fn value(number: &literal::Literal<'_>) -> Option<f64> {
    match &number.body {
        Body::Nan => None,
        Body::Infinity => Some(f64::INFINITY),
        // The standard library rounds decimals correctly, and its grammar includes ours.
        Body::Decimal(_) => std::str::from_utf8(number.text).ok()?.parse().ok(),
        Body::Hex(digits) => Some(assemble(round::round(round::from_hex(digits), &DOUBLE))),
    }
}

fn assemble(rounded: Rounded) -> f64 {
    match rounded {
        Rounded::Overflow => f64::INFINITY,
        Rounded::Finite { mantissa: 0, .. } => 0.0,
        Rounded::Finite { mantissa, exp } => {
            // Normalize to 53 bits as far as the smallest exponent allows.
            let room = i64::from(mantissa.leading_zeros()) - 11;
            let shift = room.min(exp - DOUBLE.min_exp).max(0);
            let (mantissa, exp) = (mantissa << shift, exp - shift);
            // A subnormal lacks the implicit bit, which then must not count as an exponent of 1.
            let biased = (exp - DOUBLE.min_exp + 1).unsigned_abs();
            let implicit = mantissa >> 52;
            f64::from_bits((biased * implicit) << 52 | (mantissa & ((1 << 52) - 1)))
        }
    }
}

/// `d` as `%.17g` prints it; see [`write_f64`].
///
/// ```
/// use kvist_base::num::format_f64;
///
/// assert_eq!(format_f64(0.1), "0.10000000000000001");
/// assert_eq!(format_f64(3.0), "3");
/// assert_eq!(format_f64(1e17), "1e+17");
/// ```
#[must_use]
pub fn format_f64(d: f64) -> String {
    let mut out = Vec::with_capacity(24);
    write_f64(&mut out, d);
    out.iter().map(|&c| char::from(c)).collect() // ASCII
}

/// Appends `d` as C's `%.17g` prints it: 17 significant digits, trailing zeros removed, an
/// exponent from 10^17 upwards and below 0.0001; `inf`, `-inf`, `nan`. At most 24 bytes.
#[inline]
pub fn write_f64(out: &mut Vec<u8>, d: f64) {
    // Integers whose every digit is significant; -0 has a sign to print.
    if d.abs() < 1e15 && d == d.trunc() && (d != 0.0 || d.is_sign_positive()) {
        let mut buffer = itoa::Buffer::new();
        // Exact: the value is an integer below 2^53.
        out.extend_from_slice(buffer.format(d as i64).as_bytes());
    } else {
        write_any(out, d);
    }
}

fn write_any(out: &mut Vec<u8>, d: f64) {
    if d.is_sign_negative() {
        out.push(b'-');
    }
    let d = d.abs();
    if d.is_nan() {
        out.extend_from_slice(b"nan");
    } else if d.is_infinite() {
        out.extend_from_slice(b"inf");
    } else if d == 0.0 {
        out.push(b'0');
    } else {
        let (digits, exp) = if (1e-4..1e17).contains(&d) { scale(d) } else { by_library(d) };
        lay_out(out, digits, exp);
    }
}

const POWERS: [u128; 23] = {
    let mut powers = [1; 23];
    let mut n = 1;
    while n < powers.len() {
        powers[n] = powers[n - 1] * 10;
        n += 1;
    }
    powers
};

/// The 17 significant digits of `d` as an integer, and the exponent of the first of them.
///
/// `d = m × 2^-s`; the digits are `m × 10^k / 2^s` for the `k` that makes 17 of them. For `d` in
/// `1e-4..1e17` `k` is at most 21, so the product stays below 2^123 and the result is exact
/// before it is rounded.
fn scale(d: f64) -> (u64, i32) {
    let bits = d.to_bits();
    let mantissa = u128::from((bits & ((1 << 52) - 1)) | (1 << 52)); // normal in this range
    let exp2 = i32::try_from(bits >> 52).unwrap_or(0) - 1023; // of the leading bit
    // floor(exp2 × log10(2)): right or one too small, which the loop notices.
    let mut exp10 = (exp2 * 1233) >> 12;
    loop {
        let k = usize::try_from(16 - exp10).unwrap_or(0);
        let product = mantissa * POWERS[k.min(22)];
        let shift = 52 - exp2;
        let digits = match u32::try_from(shift) {
            Ok(shift @ 1..) => {
                let (kept, rest) = (product >> shift, product & ((1 << shift) - 1));
                let half = 1 << (shift - 1);
                kept + u128::from(rest > half || (rest == half && kept & 1 == 1))
            }
            _ => product << shift.unsigned_abs(),
        };
        match u64::try_from(digits) {
            Ok(digits) if digits < 100_000_000_000_000_000 => return (digits, exp10),
            _ => exp10 += 1,
        }
    }
}

/// As [`scale`], for any positive number.
fn by_library(d: f64) -> (u64, i32) {
    let text = format!("{d:.16e}");
    let (digits, exp) = text.split_once('e').unwrap_or((&text, "0"));
    let digits = digits.bytes().filter(u8::is_ascii_digit);
    (digits.fold(0, |n, c| n * 10 + u64::from(c - b'0')), exp.parse().unwrap_or(0))
}

/// Writes 17 digits, the first of them worth `10^exp`.
fn lay_out(out: &mut Vec<u8>, digits: u64, exp: i32) {
    let mut buffer = itoa::Buffer::new();
    let text = buffer.format(digits).as_bytes();
    let zeros = text.iter().rev().take_while(|&&c| c == b'0').count();
    let digits = &text[..text.len() - zeros];
    match exp {
        -4..0 => {
            let zeros = usize::try_from(-exp - 1).unwrap_or(0);
            out.extend_from_slice(b"0.");
            out.extend_from_slice(&b"000"[..zeros.min(3)]);
            out.extend_from_slice(digits);
        }
        0..17 => {
            let point = usize::try_from(exp).unwrap_or(0) + 1;
            if digits.len() <= point {
                out.extend_from_slice(&text[..point]); // the zeros that are integer digits
            } else {
                out.extend_from_slice(&digits[..point]);
                out.push(b'.');
                out.extend_from_slice(&digits[point..]);
            }
        }
        _ => {
            out.push(digits[0]);
            if digits.len() > 1 {
                out.push(b'.');
                out.extend_from_slice(&digits[1..]);
            }
            out.extend_from_slice(if exp < 0 { b"e-" } else { b"e+" });
            let magnitude = exp.unsigned_abs();
            if magnitude < 10 {
                out.push(b'0'); // C prints two digits at least
            }
            out.extend_from_slice(itoa::Buffer::new().format(magnitude).as_bytes());
        }
    }
}
