//! Entries that come in chunks, put together one element at a time.
//!
//! ```text
//!   | value | number | flags | ... |
//!
//!   number 0    | database | an entry up to its key | count | elements |
//!   others      | elements |
//! ```
//!
//! Elements are those of `image.rs`, none of them divided; of a string bytes, of a stream nodes and
//! then bytes of what stands behind them. The count is that of elements, bytes or nodes. Chunks of
//! several values may come in turn; those of one come in their order.

use std::collections::HashMap;
use std::mem::take;

use base::{Millis, PackLimits};
use journal::codec::{Malformed, Source};
use types::{End, Hash, List, Set, Stream, ZSet};

use crate::image::{HASH, Head, Image, LIST, SET, STREAM, STRING, Value, ZSET, score};
use crate::image_stream::Rest;
use crate::{INLINE_MAX, Object, image, image_stream};

/// No further chunk of the value comes.
pub(crate) const LAST: u8 = 1;
/// The value is that of a key that was read once more.
pub(crate) const AGAIN: u8 = 2;

/// Room that is made for a string before it comes.
const ROOM: usize = 64 << 20;

/// An entry on its way.
pub struct Assembly {
    /// The number of its database.
    pub db: u64,
    /// It was read once more, and is counted where it stands otherwise.
    pub again: bool,
    key: Vec<u8>,
    deadline: Option<Millis>,
    flags: u8,
    access: u32,
    /// The number of the chunk that comes next.
    next: u64,
    /// How many elements, bytes or nodes there will be.
    count: usize,
    value: Growing,
}

enum Growing {
    Text(Vec<u8>),
    List(List),
    Set(Set),
    Hash(Hash),
    ZSet(ZSet),
    /// With how many nodes are there, what has come of the rest, and what of that is not read.
    Stream(Stream, usize, Rest, Vec<u8>),
}

impl Assembly {
    /// An entry of which nothing has come but what it is.
    fn begin(source: &mut Source<'_>) -> Result<Assembly, Malformed> {
        let db = source.number()?;
        let Head { kind, flags, deadline, access, key } = image::head(source)?;
        let count = source.length()?;
        let value = match kind {
            STRING => {
                let mut text = Vec::new();
                text.try_reserve_exact(count.min(ROOM)).map_err(|_| TOO_LONG)?;
                Growing::Text(text)
            }
            LIST => Growing::List(List::default()),
            SET => Growing::Set(Set::default()),
            HASH => Growing::Hash(Hash::default()),
            ZSET => Growing::ZSet(ZSet::default()),
            STREAM => Growing::Stream(Stream::default(), 0, Rest::default(), Vec::new()),
            _ => return Err(Malformed("a value that has no pieces")),
        };
        let key = key.to_vec();
        Ok(Assembly { db, again: false, key, deadline, flags, access, next: 0, count, value })
    }

    /// Adds what a chunk holds.
    fn add(&mut self, source: &mut Source<'_>, limits: &PackLimits) -> Result<(), Malformed> {
        if let Growing::Text(text) = &mut self.value {
            text.extend_from_slice(source.take(source.rest().len())?);
            return if text.len() <= self.count { Ok(()) } else { Err(TOO_LONG) };
        }
        while !source.is_done() {
            match &mut self.value {
                Growing::Text(_) => {}
                Growing::List(list) => list.push(End::Tail, source.bytes()?, limits),
                Growing::Set(set) => _ = set.add(source.bytes()?, limits),
                Growing::Hash(hash) => _ = hash.set(source.bytes()?, source.bytes()?, limits),
                Growing::ZSet(zset) => {
                    let (member, score) = (source.bytes()?, score(source)?);
                    if score == 0.0 && score.is_sign_negative() {
                        // A packed one has no such score, so what was copied was none.
                        zset.unpack();
                    }
                    zset.insert(member, score, limits);
                }
                Growing::Stream(stream, nodes, ..) if *nodes < self.count => {
                    let (id, node) = image_stream::read_node(source)?;
                    stream.adopt_node(id, node).map_err(Malformed)?;
                    *nodes += 1;
                }
                Growing::Stream(stream, _, rest, unread) => {
                    unread.extend_from_slice(source.take(source.rest().len())?);
                    let mut come = Source::new(unread);
                    rest.read(&mut come, stream);
                    let read = unread.len() - come.rest().len();
                    unread.drain(..read);
                }
            }
        }
        Ok(())
    }

    /// Everything has come.
    fn finish(&mut self) -> Result<(), Malformed> {
        let came = match &mut self.value {
            Growing::Text(text) => text.len(),
            Growing::List(list) => list.len(),
            Growing::Set(set) => set.len(),
            Growing::Hash(hash) => hash.len(),
            Growing::ZSet(zset) => zset.len(),
            Growing::Stream(stream, nodes, rest, unread) => {
                rest.finish(&mut Source::new(unread), stream)?;
                *nodes
            }
        };
        // A stream may be nothing but its groups.
        let whole = came == self.count && (came > 0 || matches!(self.value, Growing::Stream(..)));
        if whole { Ok(()) } else { Err(Malformed("pieces that are not the whole")) }
    }

    /// The entry, whose value is given out.
    pub fn image(&mut self) -> Image<'_> {
        let value = match &mut self.value {
            Growing::Text(text) => match text.len() {
                0..=INLINE_MAX => Value::Text(text),
                _ => Value::Object(Object::string(take(text))),
            },
            Growing::List(list) => Value::Object(Object::List(take(list))),
            Growing::Set(set) => Value::Object(Object::Set(take(set))),
            Growing::Hash(hash) => Value::Object(Object::Hash(take(hash))),
            Growing::ZSet(zset) => Value::Object(Object::ZSet(take(zset))),
            Growing::Stream(stream, ..) => Value::Object(Object::Stream(take(stream))),
        };
        let (flags, access) = (self.flags, self.access);
        Image { key: &self.key, deadline: self.deadline, value, flags, access }
    }
}

const TOO_LONG: Malformed = Malformed("a string longer than it says");

/// Entries of which some chunks have come.
#[derive(Default)]
pub struct Assemblies(HashMap<u64, Assembly>);

impl Assemblies {
    /// Takes a chunk: which value it belongs to, and the entry if it was its last.
    ///
    /// # Errors
    /// It is not the one that comes next, or no chunk. Nothing more is to be had of its value then.
    pub fn take(
        &mut self,
        chunk: &[u8],
        limits: &PackLimits,
    ) -> Result<(u64, Option<Assembly>), Malformed> {
        let mut source = Source::new(chunk);
        let (value, number, flags) = (source.number()?, source.number()?, source.byte()?);
        let there = self.0.remove(&value);
        let mut entry = match (number, there) {
            (0, None) => Assembly::begin(&mut source)?,
            (_, Some(entry)) if number > 0 && number == entry.next => entry,
            _ => return Err(Malformed("a piece of a value that is not the next one")),
        };
        entry.add(&mut source, limits)?;
        entry.next += 1;
        if flags & LAST == 0 {
            self.0.insert(value, entry);
            return Ok((value, None));
        }
        entry.finish()?;
        entry.again = flags & AGAIN != 0;
        Ok((value, Some(entry)))
    }

    /// Which value a chunk belongs to, and whether it is the last one.
    ///
    /// # Errors
    /// It is no chunk.
    pub fn whose(chunk: &[u8]) -> Result<(u64, bool), Malformed> {
        let mut source = Source::new(chunk);
        let (value, _, flags) = (source.number()?, source.number()?, source.byte()?);
        Ok((value, flags & LAST != 0))
    }

    /// Whether all that began have ended.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
