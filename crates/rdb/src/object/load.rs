//! Values are read: every form that Redis and Valkey ever wrote.

use std::io::Read;

use base::num::parse_f64;

use super::parts::Parts;
use super::{Loaded, Options, Refusal, field_ttls, kind, module, stream_load};
use crate::entry::{Bad, Entry};
use crate::{Error, Input, Magic, Value, intset, listpack, text, ziplist, zipmap};

/// Visits the elements of a compact collection: `listpack::walk` or `ziplist::walk`.
pub(super) type Walk =
    for<'a> fn(&'a [u8], &mut dyn FnMut(Entry<'a>) -> Result<(), Bad>) -> Result<(), Bad>;

type Strings = Vec<Vec<u8>>;
type Pairs = Vec<(Vec<u8>, Vec<u8>)>;
type Scored = Vec<(Vec<u8>, f64)>;

pub(super) const NAN: Bad = "a sorted set with a score that is not a number";

/// Reads the value that the byte `kind` announced.
pub(crate) fn load<R: Read>(
    input: &mut Input<R>,
    kind: u8,
    options: Options,
) -> Result<Loaded, Error> {
    if let Some(mut parts) = Parts::begin(input, kind)? {
        let value = parts.next(input, usize::MAX)?;
        return Ok(kept(value));
    }
    let value = match kind {
        kind::STRING => Value::String(text::read(input)?),
        kind::LIST_ZIPLIST => Value::List(blob(input, |blob| items(ziplist::walk, blob))?),
        kind::SET_INTSET => Value::Set(blob(input, integers)?),
        kind::SET_LISTPACK => Value::Set(blob(input, |blob| items(listpack::walk, blob))?),
        kind::ZSET_ZIPLIST => Value::ZSet(blob(input, |blob| scores(ziplist::walk, blob))?),
        kind::ZSET_LISTPACK => Value::ZSet(blob(input, |blob| scores(listpack::walk, blob))?),
        kind::HASH_ZIPMAP => Value::Hash(blob(input, zipmap::pairs)?),
        kind::HASH_ZIPLIST => Value::Hash(blob(input, |blob| pairs(ziplist::walk, blob))?),
        kind::HASH_LISTPACK => Value::Hash(blob(input, |blob| pairs(listpack::walk, blob))?),
        kind::STREAM_LISTPACKS => Value::Stream(Box::new(stream_load::load(input, 1)?)),
        kind::STREAM_LISTPACKS_2 => Value::Stream(Box::new(stream_load::load(input, 2)?)),
        kind::STREAM_LISTPACKS_3 => Value::Stream(Box::new(stream_load::load(input, 3)?)),
        kind::MODULE_2 => Value::Module(module::load(input)?),
        kind::HASH_METADATA_PRE_GA if options.magic == Magic::Valkey => {
            return Ok(field_ttls::settle(field_ttls::valkey(input)?, options.field_ttls));
        }
        kind::HASH_METADATA_PRE_GA..=kind::HASH_LISTPACK_EX if options.magic == Magic::Redis => {
            return Ok(field_ttls::settle(field_ttls::redis(input, kind)?, options.field_ttls));
        }
        kind::MODULE_PRE_GA => {
            let what = "a module's value in the form of the candidates of Redis 4.0";
            return Err(Error::unsupported(input.offset(), what));
        }
        _ => {
            let what = format!("unknown type {kind} of a value");
            return Err(Error::unsupported(input.offset(), what));
        }
    };
    Ok(kept(value))
}

fn kept(value: Value) -> Loaded {
    if value.is_empty() { Loaded::Refused(Refusal::Empty) } else { Loaded::Value(value) }
}

/// Reads a string and decodes it; what is wrong is reported at its beginning.
pub(super) fn blob<R: Read, T>(
    input: &mut Input<R>,
    decode: impl FnOnce(&[u8]) -> Result<T, Bad>,
) -> Result<T, Error> {
    let offset = input.offset();
    let bytes = text::read(input)?;
    decode(&bytes).map_err(|bad| Error::corrupt(offset, bad))
}

fn integers(blob: &[u8]) -> Result<Strings, Bad> {
    let numbers = intset::numbers(blob)?;
    Ok(numbers.into_iter().map(|number| Entry::Int(number).to_vec()).collect())
}

fn items(walk: Walk, blob: &[u8]) -> Result<Strings, Bad> {
    let mut items = Vec::new();
    walk(blob, &mut |entry| {
        items.push(entry.to_vec());
        Ok(())
    })?;
    Ok(items)
}

fn pairs(walk: Walk, blob: &[u8]) -> Result<Pairs, Bad> {
    let (mut pairs, mut field) = (Vec::new(), None);
    walk(blob, &mut |entry| {
        match field.take() {
            None => field = Some(entry.to_vec()),
            Some(field) => pairs.push((field, entry.to_vec())),
        }
        Ok(())
    })?;
    if field.is_some() { Err("a hash with a field without a value") } else { Ok(pairs) }
}

fn scores(walk: Walk, blob: &[u8]) -> Result<Scored, Bad> {
    let (mut pairs, mut member) = (Vec::new(), None);
    walk(blob, &mut |entry| {
        match member.take() {
            None => member = Some(entry.to_vec()),
            Some(member) => pairs.push((member, score_of(entry)?)),
        }
        Ok(())
    })?;
    if member.is_some() { Err("a sorted set with a member without a score") } else { Ok(pairs) }
}

/// Integers become the nearest double, as when their text is read.
#[allow(clippy::cast_precision_loss)]
fn score_of(entry: Entry<'_>) -> Result<f64, Bad> {
    let score = match entry {
        Entry::Int(number) => number as f64,
        Entry::Bytes(text) => parse_f64(text).ok_or("a score that is no number")?,
    };
    if score.is_nan() { Err(NAN) } else { Ok(score) }
}
