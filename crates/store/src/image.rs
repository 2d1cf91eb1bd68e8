//! An entry as it stands in snapshots and records: key, deadline, value.
//!
//! ```text
//!   | type | flags | [deadline 8] | access | key | value ... |
//!
//!   type 0 string   bytes
//!        1 list     count, elements from head to tail
//!        2 set      count, members
//!        3 hash     count, field and value in turn
//!        4 zset     count, member and score (8 bytes) in turn, by rank
//!        5 stream   length, see `image_stream`
//!        6 JSON     length, 0 and its text, or 1 and the binary form of the crate `json`
//!   flags 1, 2      the string is reported as raw, not as int
//!         128       there is a deadline
//! ```
//!
//! Counts and lengths as in [`journal::codec`]. Elements are written one by one, not as they lie in
//! memory: a small collection takes the form that the limits of the reading server give it.

use base::{Millis, PackLimits};
use journal::codec::{Malformed, Source, put_bytes, put_number};
use json::Registry;
use table::{Content, EntryRef};
use types::{Hash, List, Set, ZSet};

use crate::strings::{NOT_INT, RAW};
use crate::value_copy::put_whole;
use crate::{Object, image_json, image_stream};

pub(crate) const STRING: u8 = 0;
pub(crate) const LIST: u8 = 1;
pub(crate) const SET: u8 = 2;
pub(crate) const HASH: u8 = 3;
pub(crate) const ZSET: u8 = 4;
pub(crate) const STREAM: u8 = 5;
const JSON: u8 = 6;
const HAS_DEADLINE: u8 = 128;

/// An entry, read.
pub struct Image<'a> {
    /// The key.
    pub key: &'a [u8],
    /// When it dies.
    pub deadline: Option<Millis>,
    /// The value.
    pub value: Value<'a>,
    pub(crate) flags: u8,
    pub(crate) access: u32,
}

/// A value, read.
pub enum Value<'a> {
    /// A string, where it lies.
    Text(&'a [u8]),
    /// Anything else.
    Object(Object),
}

/// Appends an entry.
pub(crate) fn put(out: &mut Vec<u8>, entry: &EntryRef<'_, Object>) {
    put_head(out, entry);
    match entry.content() {
        Content::Bytes(bytes) => put_bytes(out, bytes),
        Content::Object(object) => put_whole(out, object),
    }
}

/// Appends what stands before the value of an entry.
pub(crate) fn put_head(out: &mut Vec<u8>, entry: &EntryRef<'_, Object>) {
    let kind = match entry.content() {
        Content::Bytes(_) | Content::Object(Object::Str(_)) => STRING,
        Content::Object(Object::List(_)) => LIST,
        Content::Object(Object::Set(_)) => SET,
        Content::Object(Object::Hash(_)) => HASH,
        Content::Object(Object::ZSet(_)) => ZSET,
        Content::Object(Object::Stream(_)) => STREAM,
        Content::Object(Object::Json(_)) => JSON,
    };
    let deadline = entry.deadline();
    let flags = entry.user_flags() & (RAW | NOT_INT);
    out.extend_from_slice(&[kind, flags | if deadline.is_some() { HAS_DEADLINE } else { 0 }]);
    if let Some(at) = deadline {
        out.extend_from_slice(&at.to_le_bytes());
    }
    put_number(out, u64::from(entry.access()));
    put_bytes(out, entry.key());
}

/// What stands before the value of an entry.
pub(crate) struct Head<'a> {
    pub kind: u8,
    pub flags: u8,
    pub deadline: Option<Millis>,
    pub access: u32,
    pub key: &'a [u8],
}

/// Reads what stands before the value of an entry.
///
/// # Errors
/// There is something else.
pub(crate) fn head<'a>(source: &mut Source<'a>) -> Result<Head<'a>, Malformed> {
    let (kind, flags) = (source.byte()?, source.byte()?);
    let deadline = if flags & HAS_DEADLINE != 0 { Some(source.fixed_u64()?) } else { None };
    let access = u32::try_from(source.number()?).map_err(|_| Malformed("an access time"))?;
    let (flags, access) = (flags & (RAW | NOT_INT), access & 0xff_ffff);
    Ok(Head { kind, flags, deadline, access, key: source.bytes()? })
}

/// Reads an entry; documents find in `registry` what they share.
///
/// # Errors
/// There is something else. Nothing is allocated for elements that are not there.
pub fn read<'a>(
    source: &mut Source<'a>,
    limits: &PackLimits,
    registry: &mut Registry,
) -> Result<Image<'a>, Malformed> {
    let Head { kind, flags, deadline, access, key } = head(source)?;
    let value = match kind {
        STRING => Value::Text(source.bytes()?),
        LIST => Value::Object(Object::List(List::collect(strings(source, 1)?, limits))),
        SET => Value::Object(Object::Set(Set::collect(strings(source, 1)?, limits))),
        HASH => {
            let words = strings(source, 2)?;
            let pairs = words.chunks_exact(2).map(|pair| (pair[0], pair[1]));
            Value::Object(Object::Hash(Hash::collect(pairs, limits)))
        }
        ZSET => Value::Object(Object::ZSet(ZSet::collect(scored(source)?, limits))),
        STREAM => Value::Object(Object::Stream(image_stream::decode(source.bytes()?)?)),
        JSON => Value::Object(Object::Json(image_json::decode(source.bytes()?, registry)?)),
        _ => return Err(Malformed("a value of unknown type")),
    };
    if matches!(&value, Value::Object(object) if object.is_empty()) {
        return Err(Malformed("an empty collection"));
    }
    Ok(Image { key, deadline, value, flags, access })
}

/// Passes over an entry.
///
/// # Errors
/// There is something else.
pub fn skip(source: &mut Source<'_>) -> Result<(), Malformed> {
    let (kind, flags) = (source.byte()?, source.byte()?);
    if flags & HAS_DEADLINE != 0 {
        source.fixed_u64()?;
    }
    source.number()?;
    source.bytes()?;
    let count = if matches!(kind, STRING | STREAM | JSON) { 1 } else { source.length()? };
    for _ in 0..count {
        source.bytes()?;
        match kind {
            HASH => _ = source.bytes()?,
            ZSET => _ = source.take(8)?,
            _ => {}
        }
    }
    Ok(())
}

/// `each` strings for every one of a count.
fn strings<'a>(source: &mut Source<'a>, each: usize) -> Result<Vec<&'a [u8]>, Malformed> {
    let count = source.length()?.checked_mul(each).ok_or(Malformed("a count is too large"))?;
    // Each takes at least a byte.
    let mut found = Vec::with_capacity(count.min(source.rest().len()));
    for _ in 0..count {
        found.push(source.bytes()?);
    }
    Ok(found)
}

fn scored<'a>(source: &mut Source<'a>) -> Result<Vec<(&'a [u8], f64)>, Malformed> {
    let count = source.length()?;
    let mut found = Vec::with_capacity(count.min(source.rest().len() / 9));
    for _ in 0..count {
        let member = source.bytes()?;
        found.push((member, score(source)?));
    }
    Ok(found)
}

/// Reads a score.
pub(crate) fn score(source: &mut Source<'_>) -> Result<f64, Malformed> {
    let score = f64::from_bits(source.fixed_u64()?);
    if score.is_nan() { Err(Malformed("a score that is not a number")) } else { Ok(score) }
}
