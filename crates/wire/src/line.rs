//! A line of a reply: the numbers and the scalars on it.

use crate::build::Leaf;
use crate::reply_limits::ReplyError;
use crate::value::is_nan;

/// The number of a line that is a type and one digit.
#[inline(always)]
pub(crate) fn one_digit(line: &[u8], mark: u8) -> Option<usize> {
    match line.first_chunk::<4>()? {
        [first, digit @ b'0'..=b'9', b'\r', b'\n'] if *first == mark => {
            Some(usize::from(digit - b'0'))
        }
        _ => None,
    }
}

/// A number at the beginning that ends its line, and how long that line is. Nothing if it is not as
/// simple as that, or not complete.
///
/// Up to seven digits are read at once, as eight bytes of a word: how many digits there are is
/// where the first other byte is, and three multiplications add up neighbours, neighbours of these,
/// and theirs. There is no branch for each digit that could be guessed wrong.
#[inline(always)]
pub(crate) fn digits(line: &[u8]) -> Option<(i64, usize)> {
    const EACH: u64 = 0x0101_0101_0101_0101;
    let Some(chunk) = line.first_chunk::<8>() else { return digits_one_by_one(line) };
    let word = u64::from_le_bytes(*chunk) ^ (EACH * 0x30);
    let others = (((word & (EACH * 0x7f)) + EACH * 0x76) | word) & (EACH * 0x80);
    let bits = others.trailing_zeros() & !7;
    if bits == 64 {
        return digits_one_by_one(line);
    }
    if bits == 0 {
        return None;
    }
    // The digits move to the end of the word; zeros come before them.
    let word = word << (64 - bits);
    let pairs = ((word & (EACH * 0x0f)).wrapping_mul(2561) >> 8) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs.wrapping_mul(6_553_601) >> 16) & 0x0000_ffff_0000_ffff;
    let number = fours.wrapping_mul(42_949_672_960_001) >> 32;
    let len = (bits / 8) as usize; // at most 7
    let plain = len == 1 || line[0] != b'0';
    let ends = line.get(len..len + 2) == Some(b"\r\n");
    // Below ten millions, so it fits any integer.
    (plain && ends).then_some((number.cast_signed(), len + 2))
}

/// The same for what is long, or at the end of what has come.
fn digits_one_by_one(line: &[u8]) -> Option<(i64, usize)> {
    let mut number = 0_i64;
    let mut rest = line;
    let mut len = 0;
    while let [digit @ b'0'..=b'9', behind @ ..] = rest {
        if len == 18 {
            return None; // more could overflow
        }
        number = number * 10 + i64::from(digit - b'0');
        (rest, len) = (behind, len + 1);
    }
    let plain = len == 1 || (len > 1 && line[0] != b'0');
    (plain && rest.starts_with(b"\r\n")).then_some((number, len + 2))
}

#[inline]
pub(crate) fn count(text: &[u8]) -> Result<u64, ReplyError> {
    let count = base::num::parse_i64(text).ok_or(ReplyError::BadLength)?;
    u64::try_from(count).map_err(|_| ReplyError::BadLength)
}

pub(crate) fn pairs(text: &[u8]) -> Result<u64, ReplyError> {
    count(text)?.checked_mul(2).ok_or(ReplyError::BadLength)
}

pub(crate) fn verbatim(bytes: &[u8]) -> Result<Leaf<'_>, ReplyError> {
    match bytes {
        [a, b, c, b':', text @ ..] => Ok(Leaf::Verbatim([*a, *b, *c], text)),
        _ => Err(ReplyError::BadScalar),
    }
}

/// A value that is all on its line.
pub(crate) fn scalar(mark: u8, text: &[u8]) -> Result<Leaf<'_>, ReplyError> {
    let digits = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    let leaf = match (mark, text) {
        (b'+', _) => Some(Leaf::Simple(text)),
        (b'-', _) => Some(Leaf::Error(text)),
        (b':', _) => {
            let text = text.strip_prefix(b"+").unwrap_or(text);
            base::num::parse_i64(text).map(Leaf::Int)
        }
        (b'_', b"") => Some(Leaf::Null),
        (b'#', b"t") => Some(Leaf::Boolean(true)),
        (b'#', b"f") => Some(Leaf::Boolean(false)),
        (b',', _) => {
            let valid = base::num::parse_f64(text).is_some() || is_nan(text);
            valid.then_some(Leaf::Double(text))
        }
        (b'(', [b'+' | b'-', rest @ ..]) => digits(rest).then_some(Leaf::BigNumber(text)),
        (b'(', _) => digits(text).then_some(Leaf::BigNumber(text)),
        _ => None,
    };
    leaf.ok_or(ReplyError::BadScalar)
}
