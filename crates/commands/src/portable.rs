//! Our collections, to and from the form in which files and `DUMP` hold them.
//!
//! A collection that is packed here is written packed, so that its bytes are those of Redis for
//! the same history; one that is not has no order that could be the same.

use std::io::{self, Write};

use base::{DataType, PackLimits};
use hashbrown::HashSet;
use rdb::{Encoder, Limits, Value};
use types::{Hash, List, Member, Set, ZSet};

/// The limits of an encoder under which it cuts lists into nodes as we do.
#[must_use]
pub fn limits(limits: &PackLimits) -> Limits {
    Limits {
        hash_entries: limits.hash_entries,
        hash_value: limits.hash_value,
        list_size: limits.list_size,
        set_intset_entries: limits.set_intset_entries,
        zset_entries: limits.zset_entries,
        zset_value: limits.zset_value,
        ..Limits::default()
    }
}

/// Writes a list; `key` as in [`Encoder`], here and below.
///
/// # Errors
/// Those of `out`.
pub fn write_list<W: Write>(
    encoder: &mut Encoder,
    out: &mut W,
    key: Option<&[u8]>,
    list: &List,
) -> io::Result<()> {
    encoder.list(out, key, list.iter())
}

/// Writes a set.
///
/// # Errors
/// Those of `out`.
pub fn write_set<W: Write>(
    encoder: &mut Encoder,
    out: &mut W,
    key: Option<&[u8]>,
    set: &Set,
) -> io::Result<()> {
    if set.encoding() != "intset" {
        return encoder.set_plain(out, key, set.iter().map(Member::text));
    }
    let number = |member: Member<'_>| match member {
        Member::Int(number) => Some(number),
        Member::Bytes(_) => None,
    };
    let ascending: Vec<i64> = set.iter().filter_map(number).collect();
    encoder.set_ints(out, key, &ascending)
}

/// Writes a hash.
///
/// # Errors
/// Those of `out`.
pub fn write_hash<W: Write>(
    encoder: &mut Encoder,
    out: &mut W,
    key: Option<&[u8]>,
    hash: &Hash,
) -> io::Result<()> {
    match hash.encoding() {
        "listpack" => encoder.hash_packed(out, key, hash.iter()),
        _ => encoder.hash_plain(out, key, hash.iter()),
    }
}

/// Writes a sorted set.
///
/// # Errors
/// Those of `out`.
pub fn write_zset<W: Write>(
    encoder: &mut Encoder,
    out: &mut W,
    key: Option<&[u8]>,
    zset: &ZSet,
) -> io::Result<()> {
    match zset.encoding() {
        "listpack" => encoder.zset_packed(out, key, zset.iter()),
        _ => encoder.zset_plain(out, key, zset.iter().rev()),
    }
}

/// A value as we keep it.
pub enum Restored {
    /// A string.
    String(Vec<u8>),
    /// A list.
    List(List),
    /// A set.
    Set(Set),
    /// A hash.
    Hash(Hash),
    /// A sorted set.
    ZSet(ZSet),
}

/// Makes a value of ours of one from a file. `None` if a member or field repeats, which no server
/// wrote, or if it is of a type that we do not keep. O(n), O(n log n) for a sorted set.
#[must_use]
pub fn restore(value: Value, limits: &PackLimits) -> Option<Restored> {
    Some(match value {
        Value::String(bytes) => Restored::String(bytes),
        Value::List(elements) => {
            Restored::List(List::collect(elements.iter().map(Vec::as_slice), limits))
        }
        Value::Set(members) => {
            let set = Set::collect(members.iter().map(Vec::as_slice), limits);
            Restored::Set(Some(set).filter(|set| set.len() == members.len())?)
        }
        Value::Hash(fields) => {
            let pairs = fields.iter().map(|(field, value)| (&**field, &**value));
            let hash = Hash::collect(pairs, limits);
            Restored::Hash(Some(hash).filter(|hash| hash.len() == fields.len())?)
        }
        Value::ZSet(members) => {
            let mut seen = HashSet::with_capacity(members.len());
            if !members.iter().all(|(member, _)| seen.insert(&**member)) {
                return None;
            }
            let pairs = members.iter().map(|(member, score)| (&**member, *score));
            Restored::ZSet(ZSet::collect(pairs, limits))
        }
        Value::Stream(_) | Value::Module(_) => return None,
    })
}
