//! Our collections, to and from the form in which files and `DUMP` hold them.
//!
//! A collection that is packed here is written packed, so that its bytes are those of Redis for
//! the same history; one that is not has no order that could be the same.

use std::io::{self, Write};

use ::json::{Document, Registry};
use base::{DataType, Deadline, Holds, Key, PackLimits, StreamId};
use hashbrown::{HashMap, HashSet};
use rdb::{Encoder, Limits, Module, ModulePart, Value};
use types::stream::{Counters, Pending};
use types::{End, Hash, Json, List, Member, Set, Stream, ZSet};

use crate::Host;

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
        stream_bytes: limits.stream_node_bytes,
        stream_entries: limits.stream_node_entries,
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

/// Writes a stream: its nodes are those of Redis.
///
/// # Errors
/// Those of `out`.
pub fn write_stream<W: Write>(
    encoder: &mut Encoder,
    out: &mut W,
    key: Option<&[u8]>,
    stream: &Stream,
) -> io::Result<()> {
    let log = stream.log();
    encoder.stream_packed(out, key, log.nodes(), log.len(), &stream_rest(stream))
}

/// Writes a JSON document, as RedisJSON would.
///
/// # Errors
/// Those of `out`.
pub fn write_json<W: Write>(
    encoder: &mut Encoder,
    out: &mut W,
    key: Option<&[u8]>,
    json: &Json,
) -> io::Result<()> {
    encoder.module(out, key, &module_of(json))
}

/// The name of RedisJSON's type in files.
const JSON_TYPE: &str = "ReJSON-RL";
/// The version of its encoding that is the text of the document: all later ones read it.
const JSON_TEXT: u16 = 2;

/// A document as the value of RedisJSON's type. O(n).
#[must_use]
pub fn module_of(json: &Json) -> Module {
    let mut text = Vec::new();
    if let Some(document) = json.document() {
        document.write(&mut text);
    }
    let id = Module::id_of(JSON_TYPE, JSON_TEXT).unwrap_or(0);
    Module { id, parts: vec![ModulePart::String(text)] }
}

/// Whether this is a value of RedisJSON's type.
#[must_use]
pub fn is_json(module: &Module) -> bool {
    module.name() == JSON_TYPE
}

/// The document in a value of RedisJSON's type. `None` if it is of another, or cannot be read.
fn restore_json(module: &Module, registry: &mut Registry) -> Option<Json> {
    if !is_json(module) {
        return None;
    }
    let Some(ModulePart::String(bytes)) = module.parts.first() else { return None };
    let document = match module.version() {
        JSON_TEXT | 3 => Document::from_text(bytes, registry).ok()?,
        4 => json::Value::from_cbor(bytes, None, registry).ok()?.into(),
        _ => return None,
    };
    Some(Json::from(document))
}

/// What of a stream is not in its nodes.
#[must_use]
pub fn stream_rest(stream: &Stream) -> rdb::Stream {
    let log = stream.log();
    rdb::Stream {
        last_id: log.last_id(),
        first_id: log.first_id(),
        max_deleted_id: log.max_deleted_id(),
        entries_added: log.entries_added(),
        groups: stream.groups().iter().map(group_rest).collect(),
        ..rdb::Stream::default()
    }
}

fn group_rest(group: &types::stream::Group) -> rdb::Group {
    let consumer = |one: &types::stream::Consumer| rdb::Consumer {
        name: one.name().to_vec(),
        seen: one.seen,
        active: None,
    };
    let places: HashMap<u32, usize> =
        group.numbers().iter().enumerate().map(|(place, &number)| (number, place)).collect();
    let pending = |one: &types::stream::Pending| rdb::Pending {
        id: one.id,
        consumer: places.get(&one.consumer).copied().unwrap_or(usize::MAX),
        delivered: one.delivered,
        deliveries: one.deliveries,
    };
    rdb::Group {
        name: group.name().to_vec(),
        last_id: group.last_id,
        entries_read: group.entries_read,
        pending: group.pending_from(StreamId::MIN).map(pending).collect(),
        consumers: group.consumers().map(consumer).collect(),
    }
}

/// A stream of one from a file, with the nodes of the file.
fn restore_stream(file: &rdb::Stream, limits: &PackLimits) -> Option<Stream> {
    let mut stream = Stream::default();
    for (id, bytes) in &file.nodes.0 {
        stream.adopt_node(*id, bytes).ok()?;
    }
    if file.nodes.0.is_empty() {
        for entry in &file.entries {
            let words: Vec<&[u8]> =
                entry.fields().flat_map(|(name, value)| [name, value]).collect();
            stream.push(entry.id, &words, limits).ok()?;
        }
    }
    let counters = Counters {
        last_id: file.last_id,
        first_id: file.first_id,
        max_deleted_id: file.max_deleted_id,
        entries_added: file.entries_added,
    };
    stream.adopt_counters(counters).ok()?;
    for group in &file.groups {
        if !stream.create_group(&group.name, group.last_id, group.entries_read) {
            return None;
        }
        stream.edit_group(&group.name, |_, own| {
            let numbers: Vec<u32> = group
                .consumers
                .iter()
                .map(|one| own.find_or_create(&one.name, one.seen).0)
                .collect();
            for one in &group.pending {
                let &consumer = numbers.get(one.consumer)?;
                let (id, delivered, deliveries) = (one.id, one.delivered, one.deliveries);
                own.deliver(Pending { id, delivered, deliveries, consumer });
            }
            Some(())
        })??;
    }
    Some(stream)
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
    /// A stream.
    Stream(Stream),
    /// A JSON document.
    Json(Json),
}

/// Makes a value of ours of one from a file. `None` if a member or field repeats, which no server
/// wrote, or if it is of a type that we do not keep. O(n), O(n log n) for a sorted set.
#[must_use]
pub fn restore(value: Value, limits: &PackLimits, registry: &mut Registry) -> Option<Restored> {
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
        Value::Stream(stream) => Restored::Stream(restore_stream(&stream, limits)?),
        Value::Module(module) => Restored::Json(restore_json(&module, registry)?),
    })
}

/// Large collections of files and payloads are read about so many bytes at a time.
pub const PART: usize = 1 << 20;

impl Restored {
    /// Adds further elements to a collection. `None` if one of them is there already, or the value
    /// is no collection of their type.
    #[must_use]
    pub fn extend(&mut self, more: Value, limits: &PackLimits) -> Option<()> {
        let fresh = match (self, more) {
            (Restored::List(list), Value::List(elements)) => {
                elements.iter().for_each(|element| list.push(End::Tail, element, limits));
                true
            }
            (Restored::Set(set), Value::Set(members)) => {
                members.iter().all(|member| set.add(member, limits))
            }
            (Restored::Hash(hash), Value::Hash(fields)) => {
                fields.iter().all(|(field, value)| hash.set(field, value, limits))
            }
            (Restored::ZSet(zset), Value::ZSet(members)) => {
                members.iter().all(|(member, score)| zset.insert(member, *score, limits).is_none())
            }
            _ => false,
        };
        fresh.then_some(())
    }
}

/// Stores a value at `key`, whatever is there.
pub fn put<H: Host>(host: &mut H, key: Key<'_>, value: Restored, deadline: Deadline) {
    match value {
        Restored::String(bytes) => host.set_string(key, &bytes, deadline),
        Restored::List(list) => Holds::put(host, key, list, deadline),
        Restored::Set(set) => Holds::put(host, key, set, deadline),
        Restored::Hash(hash) => Holds::put(host, key, hash, deadline),
        Restored::ZSet(zset) => Holds::put(host, key, zset, deadline),
        Restored::Stream(stream) => Holds::put(host, key, stream, deadline),
        Restored::Json(json) => Holds::put(host, key, json, deadline),
    }
}
