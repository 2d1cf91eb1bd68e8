//! The words of JSON: strings and numbers as they are in a text.
//!
//! RFC 8259 to the letter. What is wrong is only found here, not described: a caller that meets a
//! [`Fail`] asks `diagnose.rs`, so that no one pays for good error messages but those who need
//! them. Texts are known to be UTF-8 when they come here.

use crate::cell::MANTISSA_LIMIT;

/// Why something was not read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fail {
    /// It is not JSON.
    Syntax,
    /// It would take more than a document can.
    TooLarge,
}

/// How many levels of containers a text may have.
pub const MAX_DEPTH: usize = 127;

/// A string of a text.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Word {
    /// From here to there, without escapes.
    Plain(usize, usize),
    /// In the buffer for unescaped text.
    Unescaped,
}

/// A number of a text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    Int(i64),
    /// Above `i64::MAX`.
    Uint(u64),
    /// A float of few digits: negative, mantissa below 2^24 without zeros at the end, digits
    /// after the point.
    Decimal(bool, u64, u32),
    /// A float of more.
    Float(f64),
}

/// Bytes of a string that are looked at together.
const BLOCK: usize = 16;

/// The first byte at or after `at` that ends a string or needs a closer look, or the end.
#[inline]
pub(crate) fn plain_end(text: &[u8], at: usize) -> usize {
    end_of::<false>(text, at)
}

/// As [`plain_end`]; what is not ASCII needs a closer look, too. For texts of which it is not known
/// yet that they are UTF-8.
#[inline]
pub(crate) fn ascii_end(text: &[u8], at: usize) -> usize {
    end_of::<true>(text, at)
}

#[inline]
fn end_of<const ASCII: bool>(text: &[u8], at: usize) -> usize {
    let mut rest = text.get(at..).unwrap_or_default();
    while let Some((block, behind)) = rest.split_first_chunk::<BLOCK>() {
        // Each byte is checked by itself, so that the compiler makes a few instructions for all.
        if block.iter().fold(false, |any, &byte| any | is_mark::<ASCII>(byte)) {
            return text.len() - rest.len() + place_of_mark::<ASCII>(block);
        }
        rest = behind;
    }
    end_of_rest::<ASCII>(text, text.len() - rest.len())
}

/// As [`end_of`], of what is too short for a block.
#[inline(never)]
fn end_of_rest<const ASCII: bool>(text: &[u8], mut at: usize) -> usize {
    if let Some(chunk) = text.get(at..).and_then(<[u8]>::first_chunk::<8>) {
        let hits = hits::<ASCII>(u64::from_le_bytes(*chunk));
        if hits != 0 {
            return at + hits.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    while text.get(at).is_some_and(|&byte| !is_mark::<ASCII>(byte)) {
        at += 1;
    }
    at
}

/// Whether a byte ends a string or needs a closer look.
#[inline]
fn is_mark<const ASCII: bool>(byte: u8) -> bool {
    // What is below 0x20 stays so when bit 1 is turned, and a quote becomes 0x20. What is not ASCII
    // is negative.
    let turned = byte ^ 0x02;
    let low = if ASCII { turned.cast_signed() <= 0x20 } else { turned <= 0x20 };
    low | (byte == b'\\')
}

/// Where in a block that has such bytes the first is.
#[inline]
fn place_of_mark<const ASCII: bool>(block: &[u8; BLOCK]) -> usize {
    let bytes = u128::from_le_bytes(*block);
    let (low, high) = (hits::<ASCII>(bytes as u64), hits::<ASCII>((bytes >> 64) as u64));
    if low != 0 {
        return low.trailing_zeros() as usize / 8;
    }
    8 + high.trailing_zeros() as usize / 8
}

/// The bytes of eight that end a string or need a closer look: the high bit of each tells. Bits
/// above the lowest hit mean nothing.
#[inline]
pub(crate) fn hits<const ASCII: bool>(bytes: u64) -> u64 {
    const ONES: u64 = u64::MAX / 255;
    // A borrow can only reach bytes above the lowest hit.
    let quote_or_control = (bytes ^ (ONES * 0x02)).wrapping_sub(ONES * 0x21);
    let slash = (bytes ^ (ONES * 0x5C)).wrapping_sub(ONES);
    let low = quote_or_control | slash;
    (if ASCII { low | bytes } else { low & !bytes }) & (ONES << 7)
}

/// The string whose first quote is before `at`, and what follows its last one. An escaped one
/// is put into `buffer`.
#[inline]
pub(crate) fn string(text: &[u8], at: usize, buffer: &mut Vec<u8>) -> Result<(Word, usize), Fail> {
    let end = plain_end(text, at);
    if text.get(end) == Some(&b'"') {
        return Ok((Word::Plain(at, end), end + 1));
    }
    unescape(text, at, end, buffer).map(|next| (Word::Unescaped, next))
}

fn unescape(
    text: &[u8],
    mut from: usize,
    mut end: usize,
    buffer: &mut Vec<u8>,
) -> Result<usize, Fail> {
    buffer.clear();
    loop {
        buffer.extend_from_slice(&text[from..end]);
        match text.get(end) {
            Some(b'"') => return Ok(end + 1),
            Some(b'\\') => from = escape(text, end + 1, buffer)?,
            _ => return Err(Fail::Syntax),
        }
        end = plain_end(text, from);
    }
}

/// Reads what follows a backslash.
fn escape(text: &[u8], at: usize, buffer: &mut Vec<u8>) -> Result<usize, Fail> {
    let byte = match text.get(at).ok_or(Fail::Syntax)? {
        b'b' => 8,
        b'f' => 12,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        byte @ (b'"' | b'\\' | b'/') => *byte,
        b'u' => return unicode(text, at + 1, buffer),
        _ => return Err(Fail::Syntax),
    };
    buffer.push(byte);
    Ok(at + 1)
}

fn unicode(text: &[u8], at: usize, buffer: &mut Vec<u8>) -> Result<usize, Fail> {
    let first = hex4(text, at).ok_or(Fail::Syntax)?;
    let (code, next) = match first {
        0xD800..=0xDBFF => {
            if text.get(at + 4..at + 6) != Some(b"\\u") {
                return Err(Fail::Syntax);
            }
            let second = hex4(text, at + 6).ok_or(Fail::Syntax)?;
            let low = second.checked_sub(0xDC00).filter(|&low| low < 0x400).ok_or(Fail::Syntax)?;
            (0x1_0000 + ((first - 0xD800) << 10 | low), at + 10)
        }
        _ => (first, at + 4),
    };
    // Lone trailing surrogates are no characters.
    let character = char::from_u32(code).ok_or(Fail::Syntax)?;
    buffer.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    Ok(next)
}

pub(crate) fn hex4(text: &[u8], at: usize) -> Option<u32> {
    text.get(at..at + 4)?
        .iter()
        .try_fold(0, |code, &byte| Some(code << 4 | char::from(byte).to_digit(16)?))
}

/// What follows the number that begins at `at`, if it can be told from its digits alone that it is
/// written as we would write it: whole numbers of up to 18 digits, and decimals of up to 15. No two
/// decimals of 15 digits are the same double, so none is shorter than such a one without zeros at
/// its end. `None` says nothing.
#[inline]
pub(crate) fn number_as_written(text: &[u8], at: usize) -> Option<usize> {
    let first = at + usize::from(text.get(at) == Some(&b'-'));
    let point = digits_end(text, first);
    let (whole, begin) = (point - first, text.get(first)?);
    // Nothing may follow a zero, and `-0` is a float.
    let is_zero = *begin == b'0';
    match text.get(point) {
        Some(b'.') => decimal_as_written(text, (first, point), is_zero),
        Some(b'e' | b'E') => None,
        _ if is_zero => (whole == 1 && first == at).then_some(point),
        _ => (1..=18).contains(&whole).then_some(point),
    }
}

#[inline]
fn decimal_as_written(
    text: &[u8],
    (first, point): (usize, usize),
    is_small: bool,
) -> Option<usize> {
    let end = digits_end(text, point + 1);
    let (whole, places) = (point - first, text.get(point + 1..end)?);
    let is_short = whole >= 1 && whole + places.len() <= 15;
    let is_float = is_short && !matches!(text.get(end), Some(b'e' | b'E'));
    let ends = *places.last()? != b'0' || places.len() == 1;
    // What is below 1e-5 is written with an exponent.
    let is_large = || places.len() == 1 || places.iter().take(5).any(|&digit| digit != b'0');
    (is_float && ends && (!is_small || (whole == 1 && is_large()))).then_some(end)
}

/// What follows the digits from `at` on.
#[inline]
fn digits_end(text: &[u8], mut at: usize) -> usize {
    while text.get(at).is_some_and(u8::is_ascii_digit) {
        at += 1;
    }
    at
}

/// The number that begins at `at`, with `-` or a digit, and what follows it.
#[inline]
pub(crate) fn number(text: &[u8], at: usize) -> Result<(Number, usize), Fail> {
    let negative = text.get(at) == Some(&b'-');
    let first = at + usize::from(negative);
    let (whole, point) = digits(text, first, 0);
    match text.get(first) {
        Some(b'0') if point == first + 1 => {}
        Some(b'1'..=b'9') => {}
        _ => return Err(Fail::Syntax),
    }
    match text.get(point) {
        Some(b'.' | b'e' | b'E') => float(text, at, first, point, whole, negative),
        _ if point - first <= 18 => {
            if negative && whole == 0 {
                return Ok((Number::Float(-0.0), point));
            }
            let value = whole as i64; // below 10^18
            Ok((Number::Int(if negative { -value } else { value }), point))
        }
        _ => long_integer(&text[at..point]).map(|number| (number, point)),
    }
}

/// The digits from `at` on behind `value`, wrapping, and what follows them.
#[inline]
fn digits(text: &[u8], mut at: usize, mut value: u64) -> (u64, usize) {
    while let Some(digit) = text.get(at).map(|byte| byte.wrapping_sub(b'0')).filter(|&d| d < 10) {
        value = value.wrapping_mul(10).wrapping_add(u64::from(digit));
        at += 1;
    }
    (value, at)
}

#[cold]
fn long_integer(text: &[u8]) -> Result<Number, Fail> {
    let text = str::from_utf8(text).map_err(|_| Fail::Syntax)?;
    if let Ok(value) = text.parse() {
        return Ok(Number::Int(value));
    }
    text.parse().map(Number::Uint).or_else(|_| long_float(text))
}

fn long_float(text: &str) -> Result<Number, Fail> {
    let value: f64 = text.parse().map_err(|_| Fail::Syntax)?;
    if value.is_finite() { Ok(Number::Float(value)) } else { Err(Fail::Syntax) }
}

/// Up to this power of ten doubles are exact.
const EXACT_TENS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

/// A number with a point or an exponent at `point`, of which the digits before are read.
fn float(
    text: &[u8],
    at: usize,
    first: usize,
    point: usize,
    whole: u64,
    negative: bool,
) -> Result<(Number, usize), Fail> {
    let (mut mantissa, mut end, mut places) = (whole, point, 0);
    if text[point] == b'.' {
        (mantissa, end) = digits(text, point + 1, whole);
        places = end - point - 1;
        if places == 0 {
            return Err(Fail::Syntax);
        }
    }
    // More digits than this may have wrapped.
    let is_exact = end - first <= 19;
    let mut exponent = 0_i64;
    if let Some(b'e' | b'E') = text.get(end) {
        let sign = text.get(end + 1);
        let first = end + 1 + usize::from(matches!(sign, Some(b'+' | b'-')));
        let (size, next) = digits(text, first, 0);
        if next == first {
            return Err(Fail::Syntax);
        }
        // Whatever has wrapped is left to the slow way.
        exponent = if next - first > 9 { i64::MAX / 2 } else { size as i64 };
        if sign == Some(&b'-') {
            exponent = -exponent;
        }
        end = next;
    } else if is_exact && let Some(decimal) = decimal(negative, mantissa, places) {
        return Ok((decimal, end));
    }
    let exponent = exponent - places as i64;
    let power = EXACT_TENS.get(exponent.unsigned_abs() as usize);
    if let Some(power) = power.filter(|_| is_exact && mantissa < 1 << 53) {
        let size = mantissa as f64;
        let size = if exponent < 0 { size / power } else { size * power };
        return Ok((Number::Float(if negative { -size } else { size }), end));
    }
    let number = str::from_utf8(&text[at..end]).map_err(|_| Fail::Syntax)?;
    long_float(number).map(|number| (number, end))
}

#[inline]
fn decimal(negative: bool, mut mantissa: u64, mut places: usize) -> Option<Number> {
    while places > 0 && mantissa.is_multiple_of(10) {
        mantissa /= 10;
        places -= 1;
    }
    let fits = mantissa < MANTISSA_LIMIT && places <= 5 && (mantissa > 0 || !negative);
    fits.then_some(Number::Decimal(negative, mantissa, places as u32))
}
