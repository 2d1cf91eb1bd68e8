//! Collections that are written element by element, read a part at a time: a reader needs no memory
//! for all of their elements beside what it makes of them.

use std::io::Read;

use base::num::parse_f64;

use super::kind;
use super::load::{NAN, Walk, blob};
use crate::{Error, Input, Value, length, listpack, text, ziplist};

/// What an element takes beside its bytes, about.
const ELEMENT: usize = 32;

/// A collection of which some elements have been read, or nodes of a list.
pub(crate) struct Parts {
    kind: u8,
    left: u64,
}

/// Reads an element, or the elements of a node; how many bytes they take.
type Next<R, T> = fn(&mut Input<R>, &mut Vec<T>) -> Result<usize, Error>;

impl Parts {
    /// The collection that the byte `kind` announced; `None` if it is written in one piece.
    pub fn begin<R: Read>(input: &mut Input<R>, kind: u8) -> Result<Option<Parts>, Error> {
        match kind {
            kind::LIST | kind::LIST_QUICKLIST | kind::LIST_QUICKLIST_2 => {}
            kind::SET | kind::HASH | kind::ZSET | kind::ZSET_2 => {}
            _ => return Ok(None),
        }
        Ok(Some(Parts { kind, left: length::read_plain(input)? }))
    }

    /// Whether nothing is left.
    pub fn is_done(&self) -> bool {
        self.left == 0
    }

    /// The next elements, about so many bytes of them; none only if none are left.
    pub fn next<R: Read>(&mut self, input: &mut Input<R>, bytes: usize) -> Result<Value, Error> {
        let part = (&mut self.left, bytes);
        Ok(match self.kind {
            kind::SET => Value::Set(gather(input, part, one)?),
            kind::HASH => Value::Hash(gather(input, part, pair)?),
            kind::ZSET => Value::ZSet(gather(input, part, |input, pairs| {
                let member = text::read(input)?;
                let score = text_score(input)?;
                scored(input, (member, score), pairs)
            })?),
            kind::ZSET_2 => Value::ZSet(gather(input, part, |input, pairs| {
                let member = text::read(input)?;
                let score = f64::from_le_bytes(input.array()?);
                scored(input, (member, score), pairs)
            })?),
            kind::LIST_QUICKLIST => {
                Value::List(gather(input, part, |input, list| packed(input, ziplist::walk, list))?)
            }
            kind::LIST_QUICKLIST_2 => {
                Value::List(gather(input, part, |input, list| match length::read_plain(input)? {
                    1 => one(input, list),
                    2 => packed(input, listpack::walk, list),
                    _ => Err(input.corrupt("a node of a list of an unknown kind")),
                })?)
            }
            _ => Value::List(gather(input, part, one)?),
        })
    }
}

fn gather<R: Read, T>(
    input: &mut Input<R>,
    (left, bytes): (&mut u64, usize),
    next: Next<R, T>,
) -> Result<Vec<T>, Error> {
    let (mut found, mut taken) = (Vec::new(), 0_usize);
    while *left > 0 && (taken < bytes || found.is_empty()) {
        *left -= 1;
        taken = taken.saturating_add(next(input, &mut found)?);
    }
    Ok(found)
}

fn one<R: Read>(input: &mut Input<R>, found: &mut Vec<Vec<u8>>) -> Result<usize, Error> {
    let element = text::read(input)?;
    let bytes = ELEMENT + element.len();
    found.push(element);
    Ok(bytes)
}

fn pair<R: Read>(
    input: &mut Input<R>,
    found: &mut Vec<(Vec<u8>, Vec<u8>)>,
) -> Result<usize, Error> {
    let (field, value) = (text::read(input)?, text::read(input)?);
    let bytes = 2 * ELEMENT + field.len() + value.len();
    found.push((field, value));
    Ok(bytes)
}

fn scored<R: Read>(
    input: &Input<R>,
    (member, score): (Vec<u8>, f64),
    found: &mut Vec<(Vec<u8>, f64)>,
) -> Result<usize, Error> {
    if score.is_nan() {
        return Err(input.corrupt(NAN));
    }
    let bytes = ELEMENT + member.len();
    found.push((member, score));
    Ok(bytes)
}

fn text_score<R: Read>(input: &mut Input<R>) -> Result<f64, Error> {
    match input.byte()? {
        255 => Ok(f64::NEG_INFINITY),
        254 => Ok(f64::INFINITY),
        253 => Ok(f64::NAN),
        len => {
            let text = input.bytes(len.into())?;
            parse_f64(&text).ok_or_else(|| input.corrupt("a score that is no number"))
        }
    }
}

/// The elements of a packed node.
fn packed<R: Read>(
    input: &mut Input<R>,
    walk: Walk,
    found: &mut Vec<Vec<u8>>,
) -> Result<usize, Error> {
    blob(input, |blob| {
        let mut bytes = 0;
        walk(blob, &mut |entry| {
            let element = entry.to_vec();
            bytes += ELEMENT + element.len();
            found.push(element);
            Ok(())
        })?;
        Ok(bytes)
    })
}
