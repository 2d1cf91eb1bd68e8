//! The reply parser: bytes to [`Value`] trees, whatever the pieces they come in.
//!
//! ```text
//!   open aggregates (a stack)            buffer
//!   [ Array, 1 left, [..] ]              ....consumed....|$5\r\nhel
//!   [ Map,   3 left, [..] ]                              ^ at
//! ```
//!
//! Aggregates that are not complete wait on a stack of their own, not on the thread's, so depth
//! is a number to compare with a limit. An element is consumed when it is complete; of an
//! unfinished one only its line is read again, and the search for the line's end is not repeated.

use crate::value::{Value, is_nan};
use std::fmt;

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

#[derive(Debug)]
enum Shape {
    Array,
    Map,
    Set,
    Push,
    Attribute,
    /// The value behind a complete attribute.
    Attributed(Vec<(Value, Value)>),
}

/// An aggregate that waits for elements.
#[derive(Debug)]
struct Open {
    shape: Shape,
    left: u64,
    items: Vec<Value>,
}

enum Token {
    Leaf(Value),
    Open(Shape, u64),
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
    buf: Vec<u8>,
    /// Bytes of `buf` that are consumed.
    at: usize,
    /// Bytes behind `at` known not to hold the end of the line there.
    searched: usize,
    open: Vec<Open>,
    elements: u64,
    limits: ReplyLimits,
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
        ReplyParser { limits, ..Self::default() }
    }

    /// Adds bytes received.
    pub fn feed(&mut self, bytes: &[u8]) {
        // Give up the consumed part once it outweighs the rest, so that moving stays cheap.
        if self.at > self.buf.len() / 2 {
            self.buf.drain(..self.at);
            self.at = 0;
        }
        self.buf.extend_from_slice(bytes);
    }

    /// Bytes received but not part of a complete element yet.
    #[must_use]
    pub fn pending(&self) -> &[u8] {
        &self.buf[self.at..]
    }

    /// Whether the stream stands between two replies.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.open.is_empty() && self.pending().is_empty()
    }

    /// The next whole reply; `None` until more bytes are fed.
    ///
    /// # Errors
    /// A [`ReplyError`]; the stream cannot be read any further.
    pub fn next_value(&mut self) -> Result<Option<Value>, ReplyError> {
        loop {
            let Some(token) = self.token()? else { return Ok(None) };
            let value = match token {
                Token::Leaf(value) => value,
                Token::Open(shape, left) => {
                    if self.open.len() >= self.limits.depth {
                        return Err(ReplyError::TooDeep);
                    }
                    let open = Open { shape, left, items: Vec::new() };
                    if left > 0 {
                        self.open.push(open);
                        continue;
                    }
                    match open.close() {
                        Closed::Value(value) => value,
                        Closed::Attribute(next) => {
                            self.open.push(next);
                            continue;
                        }
                    }
                }
            };
            if let Some(value) = self.place(value) {
                self.elements = 0;
                return Ok(Some(value));
            }
        }
    }

    /// Puts a value where it belongs; returns it if it is a whole reply.
    fn place(&mut self, mut value: Value) -> Option<Value> {
        loop {
            let Some(open) = self.open.last_mut() else { return Some(value) };
            open.items.push(value);
            open.left -= 1;
            if open.left > 0 {
                return None;
            }
            match self.open.pop()?.close() {
                Closed::Value(closed) => value = closed,
                Closed::Attribute(next) => {
                    self.open.push(next);
                    return None;
                }
            }
        }
    }

    /// Consumes the next scalar, string or header, if it is complete.
    fn token(&mut self) -> Result<Option<Token>, ReplyError> {
        let Some(end) = self.line_end()? else { return Ok(None) };
        let line = &self.buf[self.at..end];
        let (mark, text) = (line[0], &line[1..]);
        let mut next = end + 2;
        let token = match mark {
            b'*' if text == b"-1" => Token::Leaf(Value::NullArray),
            b'$' if text == b"-1" => Token::Leaf(Value::NullBulk),
            b'*' => Token::Open(Shape::Array, count(text)?),
            b'~' => Token::Open(Shape::Set, count(text)?),
            b'>' => Token::Open(Shape::Push, count(text)?),
            b'%' => {
                Token::Open(Shape::Map, count(text)?.checked_mul(2).ok_or(ReplyError::BadLength)?)
            }
            b'|' => Token::Open(
                Shape::Attribute,
                count(text)?.checked_mul(2).ok_or(ReplyError::BadLength)?,
            ),
            b'$' | b'=' | b'!' => {
                let Some(bytes) = self.string(text, next)? else { return Ok(None) };
                next += bytes.len() + 2;
                Token::Leaf(match mark {
                    b'$' => Value::Bulk(bytes.to_vec()),
                    b'!' => Value::BulkError(bytes.to_vec()),
                    _ => verbatim(bytes)?,
                })
            }
            _ => Token::Leaf(scalar(mark, text)?),
        };
        // Counted when announced: a count that is too large need not be waited for.
        if let Token::Open(_, announced) = token {
            self.elements = self.elements.saturating_add(announced);
        }
        if self.elements > self.limits.elements {
            return Err(ReplyError::TooManyElements);
        }
        (self.at, self.searched) = (next, 0);
        Ok(Some(token))
    }

    /// The offset of the line break that ends the line at `at`; the line is not empty.
    fn line_end(&mut self) -> Result<Option<usize>, ReplyError> {
        let line = &self.buf[self.at..];
        // A type that does not exist is an error at once, not after a line that may never end.
        if let Some(&mark) = line.first()
            && !b"+-:$*_%~>,#=(!|".contains(&mark)
        {
            return Err(ReplyError::UnknownType(mark));
        }
        while let Some(index) = memchr::memchr(b'\n', &line[self.searched..]) {
            let newline = self.searched + index;
            if newline > 1 && line[newline - 1] == b'\r' {
                return Ok(Some(self.at + newline - 1));
            }
            self.searched = newline + 1;
        }
        self.searched = line.len();
        if line.len() > self.limits.bytes {
            return Err(ReplyError::TooLong);
        }
        Ok(None)
    }

    /// The string behind its length line, if all of it is there.
    fn string(&self, length: &[u8], from: usize) -> Result<Option<&[u8]>, ReplyError> {
        let len = usize::try_from(count(length)?).map_err(|_| ReplyError::TooLong)?;
        if len > self.limits.bytes {
            return Err(ReplyError::TooLong);
        }
        let rest = &self.buf[from..];
        match (rest.get(..len), rest.get(len..).and_then(|rest| rest.get(..2))) {
            (Some(bytes), Some(b"\r\n")) => Ok(Some(bytes)),
            (Some(_), Some(_)) => Err(ReplyError::Unterminated),
            _ => Ok(None),
        }
    }
}

enum Closed {
    Value(Value),
    Attribute(Open),
}

impl Open {
    /// The aggregate, complete; or, for an attribute, the wait for the value it is about.
    fn close(self) -> Closed {
        let Open { shape, mut items, .. } = self;
        Closed::Value(match shape {
            Shape::Array => Value::Array(items),
            Shape::Set => Value::Set(items),
            Shape::Push => Value::Push(items),
            Shape::Map => Value::Map(pairs(items)),
            Shape::Attribute => {
                let shape = Shape::Attributed(pairs(items));
                return Closed::Attribute(Open { shape, left: 1, items: Vec::new() });
            }
            Shape::Attributed(facts) => {
                let value = items.pop().unwrap_or(Value::Null); // it was opened for exactly one
                Value::Attributed(facts, Box::new(value))
            }
        })
    }
}

fn pairs(items: Vec<Value>) -> Vec<(Value, Value)> {
    let mut pairs = Vec::with_capacity(items.len() / 2);
    let mut items = items.into_iter();
    while let (Some(key), Some(value)) = (items.next(), items.next()) {
        pairs.push((key, value));
    }
    pairs
}

fn count(text: &[u8]) -> Result<u64, ReplyError> {
    let count = base::num::parse_i64(text).ok_or(ReplyError::BadLength)?;
    u64::try_from(count).map_err(|_| ReplyError::BadLength)
}

fn verbatim(bytes: &[u8]) -> Result<Value, ReplyError> {
    match bytes {
        [a, b, c, b':', text @ ..] => Ok(Value::Verbatim([*a, *b, *c], text.to_vec())),
        _ => Err(ReplyError::BadScalar),
    }
}

/// A value that is all on its line.
fn scalar(mark: u8, text: &[u8]) -> Result<Value, ReplyError> {
    let digits = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    let value = match (mark, text) {
        (b'+', _) => Some(Value::Simple(text.to_vec())),
        (b'-', _) => Some(Value::Error(text.to_vec())),
        (b':', _) => {
            let text = text.strip_prefix(b"+").unwrap_or(text);
            base::num::parse_i64(text).map(Value::Int)
        }
        (b'_', b"") => Some(Value::Null),
        (b'#', b"t") => Some(Value::Boolean(true)),
        (b'#', b"f") => Some(Value::Boolean(false)),
        (b',', _) => {
            let valid = base::num::parse_f64(text).is_some() || is_nan(text);
            valid.then(|| Value::Double(text.to_vec()))
        }
        (b'(', [b'+' | b'-', rest @ ..]) => digits(rest).then(|| Value::BigNumber(text.to_vec())),
        (b'(', _) => digits(text).then(|| Value::BigNumber(text.to_vec())),
        _ => None,
    };
    value.ok_or(ReplyError::BadScalar)
}

#[cfg(test)]
#[path = "parse_tests.rs"]
mod tests;
