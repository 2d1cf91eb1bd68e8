//! Values as bytes that stand in the order of the values, one behind another: what an index finds
//! its entries by.
//!
//! ```text
//!   tag    what follows
//!   other  nothing: a list, a point, a vector; they stand together and in no order
//!   times  words of a fixed size, the highest byte first; a named zone as its name
//!   text   its bytes, 0 and 1 as 1 1 and 1 2, then 0
//!   bool   0 or 1
//!   number its bits but for zeros at the end, seven in a byte, and whether there are more;
//!          inverted if it is negative
//!   NaN    nothing
//!   null   nothing
//! ```
//!
//! Tags stand in the order of types that `ORDER BY` has. No key is the beginning of another, so
//! that keys of several properties are compared as tuples are. What `=` holds for has the same key:
//! 1 and 1.0, 0.0 and -0.0. An integer beyond 2^53 is the float below it and what it is more.

use base::codec::{Malformed, Source};

use super::super::PropertyRef;
use crate::time_units::{DAY_SECONDS, MONTH_SECONDS, NANOS};

pub(super) const OTHER: u8 = 1;
const DATE_TIME: u8 = 2;
const LOCAL_DATE_TIME: u8 = 3;
const DATE: u8 = 4;
const TIME: u8 = 5;
const LOCAL_TIME: u8 = 6;
const DURATION: u8 = 7;
const TEXT: u8 = 8;
const BOOL: u8 = 9;
const NEGATIVE: u8 = 10;
const POSITIVE: u8 = 11;
pub(super) const NAN: u8 = 12;
pub(super) const NULL: u8 = 13;

/// Appends the key of a value.
pub(super) fn put(value: PropertyRef<'_>, out: &mut Vec<u8>) {
    match value {
        PropertyRef::Null => out.push(NULL),
        PropertyRef::Bool(flag) => out.extend([BOOL, u8::from(flag)]),
        PropertyRef::Integer(number) => put_integer(number, out),
        PropertyRef::Float(number) => put_float(number, out),
        PropertyRef::Text(text) => {
            put_beginning(text, out);
            out.push(0);
        }
        PropertyRef::Encoded(bytes) => {
            let start = out.len();
            if put_time(&mut Source::new(bytes), out).is_err() {
                out.truncate(start);
                out.push(OTHER);
            }
        }
    }
}

/// Appends what the keys of all texts begin with that begin with this one.
pub(super) fn put_beginning(text: &str, out: &mut Vec<u8>) {
    out.push(TEXT);
    if text.bytes().all(|byte| byte > 1) {
        return out.extend_from_slice(text.as_bytes());
    }
    for byte in text.bytes() {
        match byte {
            0 | 1 => out.extend([1, byte + 1]),
            _ => out.push(byte),
        }
    }
}

/// Whether a key with this tag is equal to itself as the language has it, and to nothing that
/// differs.
pub(super) fn has_equals(tag: u8) -> bool {
    !matches!(tag, OTHER | NAN | NULL)
}

/// Of a tag: what the keys begin with that the language compares with it by `<`, and what those
/// begin with that come behind them.
pub(super) fn comparable(tag: u8) -> Option<(u8, u8)> {
    match tag {
        NEGATIVE | POSITIVE => Some((NEGATIVE, NAN)),
        OTHER | DURATION | NAN | NULL => None,
        tag => Some((tag, tag + 1)),
    }
}

/// The first key behind all that begin with this one; `None`: there is none behind them.
pub(super) fn behind(key: &[u8]) -> Option<Vec<u8>> {
    let end = key.iter().rposition(|&byte| byte != u8::MAX)?;
    let mut behind = key[..=end].to_vec();
    behind[end] += 1;
    Some(behind)
}

fn put_integer(number: i64, out: &mut Vec<u8>) {
    let size = number.unsigned_abs();
    // Rounded to the nearest, or the one below that.
    let near = size as f64;
    let is_above = near as u128 > u128::from(size);
    let below = f64::from_bits(near.to_bits() - u64::from(is_above));
    put_number(number < 0, below, size - below as u64, out);
}

fn put_float(number: f64, out: &mut Vec<u8>) {
    if number.is_nan() {
        out.push(NAN);
    } else {
        put_number(number < 0.0, number.abs(), 0, out);
    }
}

/// Bits of what an integer is more than the float below it.
const MORE: u32 = 11;

fn put_number(is_negative: bool, size: f64, more: u64, out: &mut Vec<u8>) {
    let (tag, flip) = if is_negative { (NEGATIVE, u8::MAX) } else { (POSITIVE, 0) };
    out.push(tag);
    // The sign, which is none, goes.
    let mut bits = (u128::from(size.to_bits()) << MORE | u128::from(more)) << (65 - MORE);
    loop {
        let seven = (bits >> 121) as u8;
        bits <<= 7;
        out.push((seven << 1 | u8::from(bits != 0)) ^ flip);
        if bits == 0 {
            return;
        }
    }
}

/// Appends the key of a time or a duration, from how the language's values encode themselves.
fn put_time(source: &mut Source<'_>, out: &mut Vec<u8>) -> Result<(), Malformed> {
    let start = out.len();
    out.push(OTHER);
    let tag = match source.byte()? {
        9 => {
            put_words(source, 1, out)?;
            DATE
        }
        10 => {
            put_words(source, 1, out)?;
            LOCAL_TIME
        }
        11 => {
            put_words(source, 2, out)?;
            TIME
        }
        12 => {
            put_words(source, 1, out)?;
            put_nanos(source, out)?;
            LOCAL_DATE_TIME
        }
        13 => {
            put_words(source, 1, out)?;
            put_nanos(source, out)?;
            put_zone(source, out)?;
            DATE_TIME
        }
        14 => {
            put_duration(source, out)?;
            DURATION
        }
        _ => return Err(Malformed("no time")),
    };
    out[start] = tag;
    if source.is_done() { Ok(()) } else { Err(Malformed("more than a time")) }
}

fn word(source: &mut Source<'_>) -> Result<i64, Malformed> {
    Ok(source.fixed_u64()?.cast_signed())
}

fn put_word(word: i64, out: &mut Vec<u8>) {
    out.extend((word.cast_unsigned() ^ 1 << 63).to_be_bytes());
}

fn put_words(source: &mut Source<'_>, count: usize, out: &mut Vec<u8>) -> Result<(), Malformed> {
    for _ in 0..count {
        put_word(word(source)?, out);
    }
    Ok(())
}

fn put_nanos(source: &mut Source<'_>, out: &mut Vec<u8>) -> Result<(), Malformed> {
    let nanos = u32::try_from(source.number()?).map_err(|_| Malformed("nanoseconds"))?;
    out.extend(nanos.to_be_bytes());
    Ok(())
}

/// Offsets come first, then names, whatever the case of their letters.
fn put_zone(source: &mut Source<'_>, out: &mut Vec<u8>) -> Result<(), Malformed> {
    let (name, offset) = (source.bytes()?, word(source)?);
    if name.is_empty() {
        out.push(0);
        put_word(offset, out);
    } else {
        out.push(1);
        out.extend(name.iter().map(u8::to_ascii_lowercase));
        out.push(0);
    }
    Ok(())
}

/// By how long it is if a month is a twelfth of 365.2425 days, then by its months and days.
fn put_duration(source: &mut Source<'_>, out: &mut Vec<u8>) -> Result<(), Malformed> {
    let (months, days) = (word(source)?, word(source)?);
    let (seconds, nanos) = (word(source)?, word(source)?);
    let seconds_of = |many: i64, each: i64| i128::from(many) * i128::from(each);
    let whole =
        seconds_of(months, MONTH_SECONDS) + seconds_of(days, DAY_SECONDS) + i128::from(seconds);
    let length = whole * i128::from(NANOS) + i128::from(nanos);
    out.extend((length.cast_unsigned() ^ 1 << 127).to_be_bytes());
    put_word(months, out);
    put_word(days, out);
    Ok(())
}
