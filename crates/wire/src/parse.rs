//! The reply parser: bytes to [`Value`] trees, whatever the pieces they come in.
//!
//! It is a [`ReplyReader`] that builds trees. A caller that has no use for trees builds something
//! else with a reader of its own.

use crate::build::{Aggregate, Build, Leaf};
use crate::reader::ReplyReader;
use crate::reply_limits::{ReplyError, ReplyLimits};
use crate::value::Value;
use std::vec::Drain;

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
