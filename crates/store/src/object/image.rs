//! An entry as it stands in snapshots and records: key, deadline, value.
//!
//! ```text
//!   | type | flags | [deadline 8] | access | key | value ... |
//!
//!   type 0          a string: bytes
//!        others     as `base::objects` numbers them: what the type writes
//!   flags 1, 2      the string is reported as raw, not as int
//!         128       there is a deadline
//! ```
//!
//! Counts and lengths as in [`base::codec`].

use base::codec::{Malformed, Source, put_bytes, put_number};
use base::{Millis, PackLimits};
use table::{Content, EntryRef};
use types::Contexts;

use super::{NOT_INT, Object, RAW, STRING};

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
        Content::Object(object) => {
            let start = out.len();
            object.encode(out);
            debug_assert!(
                is_passed_over(object, &out[start..]),
                "a value is not passed over whole"
            );
        }
    }
}

/// Whether what a value wrote ends where a reader that passes over it thinks it does.
fn is_passed_over(object: &Object, written: &[u8]) -> bool {
    let mut source = Source::new(written);
    let skipped = match object.tag() {
        STRING => source.bytes().map(drop),
        tag => Object::skip(tag, &mut source),
    };
    skipped.is_ok() && source.is_done()
}

/// Appends what stands before the value of an entry.
pub(crate) fn put_head(out: &mut Vec<u8>, entry: &EntryRef<'_, Object>) {
    let kind = entry.object().map_or(STRING, Object::tag);
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

/// Reads an entry; its value finds in `contexts` what it shares with others.
///
/// # Errors
/// There is something else. Nothing is allocated for elements that are not there.
pub fn read<'a>(
    source: &mut Source<'a>,
    limits: &PackLimits,
    contexts: &mut Contexts,
) -> Result<Image<'a>, Malformed> {
    let Head { kind, flags, deadline, access, key } = head(source)?;
    let value = match kind {
        STRING => Value::Text(source.bytes()?),
        _ => Value::Object(Object::decode(kind, source, limits, contexts)?),
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
    match head(source)?.kind {
        STRING => source.bytes().map(drop),
        kind => Object::skip(kind, source),
    }
}
