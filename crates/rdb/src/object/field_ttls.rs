//! Hashes whose fields have deadlines of their own: Redis from 7.4, Valkey from 9.
//!
//! ```text
//!   22 (Redis)    | fields | deadline, field, value | ...          a deadline of 0 is none
//!   23            | listpack of field, value, deadline |
//!   24            | least, 8 bytes | fields | deadline - least + 1, field, value | ...
//!   25            | least, 8 bytes | listpack of field, value, deadline |
//!   22 (Valkey)   | fields | field, value, deadline in 8 bytes | ...         -1 is none
//! ```

use std::io::Read;

use super::load::blob;
use super::{FieldTtls, Loaded, Refusal, kind};
use crate::entry::{Bad, Entry};
use crate::{Error, Input, Value, length, listpack, text};

/// A field, its value, and its deadline.
type Field = (Vec<u8>, Vec<u8>, Option<u64>);

/// Reads a hash as Redis writes it.
pub fn redis<R: Read>(input: &mut Input<R>, kind: u8) -> Result<Vec<Field>, Error> {
    let least = match kind {
        kind::HASH_METADATA | kind::HASH_LISTPACK_EX => u64::from_le_bytes(input.array()?),
        _ => 1,
    };
    if matches!(kind, kind::HASH_LISTPACK_EX | kind::HASH_LISTPACK_EX_PRE_GA) {
        return blob(input, triples);
    }
    let mut fields = Vec::new();
    for _ in 0..length::read_plain(input)? {
        let deadline = match length::read_plain(input)? {
            0 => None,
            later => Some(least.wrapping_add(later - 1)),
        };
        fields.push((text::read(input)?, text::read(input)?, deadline));
    }
    Ok(fields)
}

fn triples(blob: &[u8]) -> Result<Vec<Field>, Bad> {
    let entries = listpack::entries(blob)?;
    let (triples, []) = entries.as_chunks::<3>() else {
        return Err("a hash with a field without a value or deadline");
    };
    let field = |[field, value, deadline]: &[Entry<'_>; 3]| {
        let deadline = deadline.int().and_then(|at| u64::try_from(at).ok());
        let deadline = deadline.ok_or("a field's deadline that is no time")?;
        Ok((field.to_vec(), value.to_vec(), Some(deadline).filter(|&at| at > 0)))
    };
    triples.iter().map(field).collect()
}

/// Reads a hash as Valkey writes it.
pub fn valkey<R: Read>(input: &mut Input<R>) -> Result<Vec<Field>, Error> {
    let mut fields = Vec::new();
    for _ in 0..length::read_plain(input)? {
        let (field, value) = (text::read(input)?, text::read(input)?);
        fields.push((field, value, u64::try_from(i64::from_le_bytes(input.array()?)).ok()));
    }
    Ok(fields)
}

/// Makes a hash of the fields, or does not.
pub fn settle(fields: Vec<Field>, how: FieldTtls) -> Loaded {
    let mortal = fields.iter().filter(|field| field.2.is_some()).count() as u64;
    let now = match how {
        FieldTtls::Refuse if mortal > 0 => return Loaded::Refused(Refusal::FieldTtls(mortal)),
        FieldTtls::Refuse => 0,
        FieldTtls::Drop { now } => now,
    };
    let alive = fields.into_iter().filter(|field| field.2.is_none_or(|at| at > now));
    let pairs: Vec<_> = alive.map(|(field, value, _)| (field, value)).collect();
    match mortal {
        _ if pairs.is_empty() => Loaded::Refused(Refusal::Empty),
        0 => Loaded::Value(Value::Hash(pairs)),
        mortal => Loaded::WithoutTtls(Value::Hash(pairs), mortal),
    }
}
