//! The reply parser: bytes to [`Value`] trees, whatever the pieces they come in.
//!
//! It is a [`ReplyReader`] that builds trees. Those who have no use for trees build something else
//! with a reader of their own. What may be wrong with a reply, and how large one may be, is said
//! here for all of them.

use crate::reader::{Aggregate, Build, Leaf, ReplyReader};
use crate::value::Value;
use std::fmt;
use std::vec::Drain;

/// How large a reply may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplyLimits {
    /// Aggregates inside each other.
    pub depth: usize,
    /// Elements of one reply, all levels together.
    pub elements: u64,
    /// Bytes of one string or line.
    pub bytes: usize,
}

impl Default for ReplyLimits {
    fn default() -> Self {
        ReplyLimits { depth: 512, elements: 1 << 30, bytes: 512 * 1024 * 1024 }
    }
}

/// What makes a reply unreadable; what follows on its connection is then unreadable too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplyError {
    /// No type begins with this byte.
    UnknownType(u8),
    /// A length is not a number or not allowed.
    BadLength,
    /// A number, boolean or null is malformed.
    BadScalar,
    /// A string is not followed by a line break.
    Unterminated,
    /// Nested deeper than [`ReplyLimits::depth`].
    TooDeep,
    /// More elements than [`ReplyLimits::elements`].
    TooManyElements,
    /// A string or line is longer than [`ReplyLimits::bytes`].
    TooLong,
}

impl fmt::Display for ReplyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownType(byte) => {
                write!(f, "a reply cannot begin with '{}'", byte.escape_ascii())
            }
            Self::BadLength => f.write_str("a reply has an invalid length"),
            Self::BadScalar => f.write_str("a reply has a malformed value"),
            Self::Unterminated => f.write_str("a reply's string does not end where it should"),
            Self::TooDeep => f.write_str("a reply is nested too deeply"),
            Self::TooManyElements => f.write_str("a reply has too many elements"),
            Self::TooLong => f.write_str("a reply has too long a string"),
        }
    }
}

impl std::error::Error for ReplyError {}

/// Builds [`Value`] trees.
///
/// Trees lose nothing: writing one again gives the bytes it was read from.
#[derive(Clone, Copy, Debug, Default)]
pub struct Trees;

impl Build for Trees {
    type Value = Value;

    fn leaf(&mut self, leaf: Leaf<'_>, _depth: usize) -> Value {
        match leaf {
            Leaf::Simple(text) => Value::Simple(text.to_vec()),
            Leaf::Error(text) => Value::Error(text.to_vec()),
            Leaf::Int(n) => Value::Int(n),
            Leaf::Bulk(bytes) => Value::Bulk(bytes.to_vec()),
            Leaf::NullBulk => Value::NullBulk,
            Leaf::NullArray => Value::NullArray,
            Leaf::Null => Value::Null,
            Leaf::Double(text) => Value::Double(text.to_vec()),
            Leaf::Boolean(b) => Value::Boolean(b),
            Leaf::Verbatim(format, text) => Value::Verbatim(format, text.to_vec()),
            Leaf::BigNumber(digits) => Value::BigNumber(digits.to_vec()),
            Leaf::BulkError(text) => Value::BulkError(text.to_vec()),
        }
    }

    fn aggregate(&mut self, kind: Aggregate, items: Drain<'_, Value>, _depth: usize) -> Value {
        match kind {
            Aggregate::Array => Value::Array(items.collect()),
            Aggregate::Set => Value::Set(items.collect()),
            Aggregate::Push => Value::Push(items.collect()),
            Aggregate::Map => Value::Map(pairs(items)),
        }
    }

    fn attributed(&mut self, facts: Vec<Value>, value: Value) -> Value {
        Value::Attributed(pairs(facts.into_iter()), Box::new(value))
    }
}

fn pairs(mut items: impl ExactSizeIterator<Item = Value>) -> Vec<(Value, Value)> {
    let mut pairs = Vec::with_capacity(items.len() / 2);
    while let (Some(key), Some(value)) = (items.next(), items.next()) {
        pairs.push((key, value));
    }
    pairs
}

/// Reads replies from a stream of bytes.
///
/// ```
/// use kvist_wire::{ReplyParser, Value};
///
/// let mut parser = ReplyParser::new();
/// parser.feed(b"*2\r\n:1\r\n$3\r\nfo");
/// assert_eq!(parser.next_value(), Ok(None));
/// parser.feed(b"o\r\n+OK\r\n");
/// let array = Value::Array(vec![Value::Int(1), Value::Bulk(b"foo".to_vec())]);
/// assert_eq!(parser.next_value(), Ok(Some(array)));
/// assert_eq!(parser.next_value(), Ok(Some(Value::Simple(b"OK".to_vec()))));
/// ```
#[derive(Debug, Default)]
pub struct ReplyParser {
    reader: ReplyReader<Value>,
}

impl ReplyParser {
    /// A parser with default limits.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A parser with other limits.
    #[must_use]
    pub fn with_limits(limits: ReplyLimits) -> Self {
        ReplyParser { reader: ReplyReader::with_limits(limits) }
    }

    /// Adds bytes received.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.reader.feed(bytes);
    }

    /// Bytes received but not part of a complete element yet.
    #[must_use]
    pub fn pending(&self) -> &[u8] {
        self.reader.pending()
    }

    /// Whether the stream stands between two replies.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.reader.is_idle()
    }

    /// The next whole reply; `None` until more bytes are fed.
    ///
    /// # Errors
    /// A [`ReplyError`]; the stream cannot be read any further.
    pub fn next_value(&mut self) -> Result<Option<Value>, ReplyError> {
        self.reader.next(&mut Trees)
    }
}

#[cfg(test)]
#[path = "parse_tests.rs"]
mod tests;
