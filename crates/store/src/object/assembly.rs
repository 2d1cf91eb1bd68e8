//! Entries that come in chunks, put together one element at a time.
//!
//! ```text
//!   | value | number | flags | ... |
//!
//!   number 0    | database | an entry up to its key | count | elements |
//!   others      | elements |
//! ```
//!
//! Elements are those that the type writes, none of them divided; of a string bytes, of a stream
//! nodes and then bytes of what stands behind them. The count is that of elements, bytes or nodes.
//! Chunks of several values may come in turn; those of one come in their order.

use std::collections::HashMap;

use base::codec::{Malformed, Source};
use base::{Assembly, DataType, Millis, PackLimits};

use super::image::{self, Head, Image, Value};
use super::{Object, STRING};
use crate::INLINE_MAX;

/// No further chunk of the value comes.
pub(crate) const LAST: u8 = 1;
/// The value is that of a key that was read once more.
pub(crate) const AGAIN: u8 = 2;

/// Bytes that are reserved at once for a string before it comes.
const RESERVED_AT_ONCE: usize = 64 << 20;

macro_rules! growing {
    ($($tag:literal $name:ident $word:literal $type:ty,)*) => {
        /// A value on its way.
        enum Growing {
            Text(Vec<u8>),
            $($name(<$type as DataType>::Assembly),)*
        }

        impl Growing {
            /// A value of the type with this number, of which nothing has come; so many bytes or
            /// elements will.
            fn begin(tag: u8, count: usize) -> Result<Growing, Malformed> {
                match tag {
                    STRING => {
                        let mut text = Vec::new();
                        text.try_reserve_exact(count.min(RESERVED_AT_ONCE)).map_err(|_| TOO_LONG)?;
                        Ok(Growing::Text(text))
                    }
                    $($tag => {
                        Assembly::<$type>::begin(count).map(Growing::$name)
                    })*
                    _ => Err(Malformed("a value that has no pieces")),
                }
            }

            /// Takes all that is there, of `count` bytes or elements.
            fn add(
                &mut self,
                source: &mut Source<'_>,
                count: usize,
                limits: &PackLimits,
            ) -> Result<(), Malformed> {
                match self {
                    Growing::Text(text) => {
                        text.extend_from_slice(source.take(source.rest().len())?);
                        if text.len() <= count { Ok(()) } else { Err(TOO_LONG) }
                    }
                    $(Growing::$name(value) => {
                        Assembly::<$type>::add(value, source, limits)
                    })*
                }
            }

            /// The value, and how many bytes or elements have come.
            fn finish(self) -> Result<(Whole, usize), Malformed> {
                match self {
                    Growing::Text(text) => {
                        let len = text.len();
                        if len == 0 { Err(NOT_WHOLE) } else { Ok((Whole::of_text(text), len)) }
                    }
                    $(Growing::$name(value) => {
                        let (value, count) = Assembly::<$type>::finish(value)?;
                        Ok((Whole::of(Object::$name(value)), count))
                    })*
                }
            }
        }
    };
}

base::objects!(growing);

/// A value that has come.
struct Whole {
    /// A short string.
    text: Vec<u8>,
    /// Anything else.
    object: Option<Object>,
}

impl Whole {
    fn of(object: Object) -> Whole {
        Whole { text: Vec::new(), object: Some(object) }
    }

    fn of_text(text: Vec<u8>) -> Whole {
        match text.len() {
            0..=INLINE_MAX => Whole { text, object: None },
            _ => Whole::of(Object::string(text)),
        }
    }
}

/// An entry that has come in chunks.
pub struct Assembled {
    /// The number of its database.
    pub db: u64,
    /// It was read once more, and is counted where it stands otherwise.
    pub again: bool,
    key: Vec<u8>,
    deadline: Option<Millis>,
    flags: u8,
    access: u32,
    value: Whole,
}

impl Assembled {
    /// The entry, whose value is given out.
    pub fn image(&mut self) -> Image<'_> {
        let Assembled { key, deadline, flags, access, value, .. } = self;
        let value = match value.object.take() {
            Some(object) => Value::Object(object),
            None => Value::Text(&value.text),
        };
        Image { key, deadline: *deadline, value, flags: *flags, access: *access }
    }
}

/// An entry on its way.
struct Coming {
    db: u64,
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

impl Coming {
    /// One of which nothing has come but what it is.
    fn begin(source: &mut Source<'_>) -> Result<Coming, Malformed> {
        let db = source.number()?;
        let Head { kind, flags, deadline, access, key } = image::head(source)?;
        let count = source.length()?;
        let value = Growing::begin(kind, count)?;
        Ok(Coming { db, key: key.to_vec(), deadline, flags, access, next: 0, count, value })
    }

    /// Everything has come.
    fn finish(self, again: bool) -> Result<Assembled, Malformed> {
        let Coming { db, key, deadline, flags, access, count, value, .. } = self;
        let (value, came) = value.finish()?;
        if came != count {
            return Err(NOT_WHOLE);
        }
        Ok(Assembled { db, again, key, deadline, flags, access, value })
    }
}

const NOT_WHOLE: Malformed = Malformed("pieces that are not the whole");
const TOO_LONG: Malformed = Malformed("a string longer than it says");

/// Entries of which some chunks have come.
#[derive(Default)]
pub struct Assemblies(HashMap<u64, Coming>);

impl Assemblies {
    /// Takes a chunk: which value it belongs to, and the entry if it was its last.
    ///
    /// # Errors
    /// It is not the one that comes next, or no chunk. Nothing more is to be had of its value then.
    pub fn take(
        &mut self,
        chunk: &[u8],
        limits: &PackLimits,
    ) -> Result<(u64, Option<Assembled>), Malformed> {
        let mut source = Source::new(chunk);
        let (value, number, flags) = (source.number()?, source.number()?, source.byte()?);
        let there = self.0.remove(&value);
        let mut entry = match (number, there) {
            (0, None) => Coming::begin(&mut source)?,
            (_, Some(entry)) if number > 0 && number == entry.next => entry,
            _ => return Err(Malformed("a piece of a value that is not the next one")),
        };
        entry.value.add(&mut source, entry.count, limits)?;
        entry.next += 1;
        if flags & LAST == 0 {
            self.0.insert(value, entry);
            return Ok((value, None));
        }
        Ok((value, Some(entry.finish(flags & AGAIN != 0)?)))
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
