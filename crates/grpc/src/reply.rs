//! Replies as the engine writes them, read where they lie.
//!
//! The bytes are RESP3 that this very program wrote a moment ago, so what is not as it must be is a
//! mistake of ours: it becomes an internal error, never a panic.

use bytes::Bytes;
use tonic::Status;

use crate::generated::kvist::{Value, ValueList, ValueMap, ValuePair, value::Kind};
use crate::status;

/// Levels of a reply beyond which other programs' readers of messages give up.
const DEEPEST: usize = 48;

/// One element of a reply; what an aggregate holds follows it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Item<'r> {
    /// Nothing is there.
    Null,
    /// A word of the server's.
    Status(&'r [u8]),
    /// An error.
    Error(&'r [u8]),
    /// A whole number.
    Int(i64),
    /// Bytes.
    Blob(&'r [u8]),
    /// A number.
    Double(f64),
    /// Yes or no.
    Boolean(bool),
    /// Decimal digits.
    BigNumber(&'r [u8]),
    /// Text for people.
    Text(&'r [u8]),
    /// So many elements follow.
    List(usize),
    /// So many elements follow.
    Set(usize),
    /// So many pairs follow.
    Map(usize),
}

/// Reads elements, one after the other.
pub struct Reader<'r> {
    rest: &'r [u8],
}

impl<'r> Reader<'r> {
    /// From the start of a reply.
    pub fn new(reply: &'r [u8]) -> Self {
        Reader { rest: reply }
    }

    fn line(&mut self) -> Option<&'r [u8]> {
        let end = self.rest.iter().position(|&byte| byte == b'\r')?;
        let line = &self.rest[..end];
        self.rest = self.rest.get(end + 2..)?;
        Some(line)
    }

    fn bytes(&mut self, count: usize) -> Option<&'r [u8]> {
        let bytes = self.rest.get(..count)?;
        self.rest = self.rest.get(count + 2..)?;
        Some(bytes)
    }

    fn next(&mut self) -> Option<Item<'r>> {
        let (&mark, rest) = self.rest.split_first()?;
        self.rest = rest;
        let line = self.line()?;
        let count = || number(line).and_then(|n| usize::try_from(n).ok());
        Some(match mark {
            b'$' if line == b"-1" => Item::Null,
            b'*' if line == b"-1" => Item::Null,
            b'$' => Item::Blob(self.bytes(count()?)?),
            b'+' => Item::Status(line),
            b'-' => Item::Error(line),
            b':' => Item::Int(number(line)?),
            b'_' => Item::Null,
            b',' => Item::Double(std::str::from_utf8(line).ok()?.parse().ok()?),
            b'#' => Item::Boolean(line == b"t"),
            b'(' => Item::BigNumber(line),
            // Three letters and a colon stand before the text.
            b'=' => Item::Text(self.bytes(count()?)?.get(4..)?),
            b'!' => Item::Error(self.bytes(count()?)?),
            b'*' | b'>' => Item::List(count()?),
            b'~' => Item::Set(count()?),
            b'%' => Item::Map(count()?),
            _ => return None,
        })
    }

    /// The next element.
    ///
    /// # Errors
    /// It is an error, or there is none where one must be.
    pub fn item(&mut self) -> Result<Item<'r>, Status> {
        match self.next().ok_or_else(status::broken)? {
            Item::Error(error) => Err(status::refusal(error)),
            item => Ok(item),
        }
    }

    /// A whole value, in its own words: errors inside it are part of it.
    fn value(&mut self, depth: usize) -> Result<Value, Status> {
        if depth > DEEPEST {
            return Err(status::too_deep());
        }
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let list = |reader: &mut Self, count| {
            let items: Result<Vec<Value>, Status> =
                (0..count).map(|_| reader.value(depth + 1)).collect();
            Ok::<_, Status>(ValueList { items: items? })
        };
        let kind = match self.next().ok_or_else(status::broken)? {
            Item::Null => Kind::Null(true),
            Item::Status(word) => Kind::Status(text(word)),
            Item::Error(error) => Kind::Error(text(error)),
            Item::Int(n) => Kind::Integer(n),
            Item::Blob(bytes) => Kind::Blob(Bytes::copy_from_slice(bytes)),
            Item::Double(number) => Kind::Number(number),
            Item::Boolean(is) => Kind::Boolean(is),
            Item::BigNumber(digits) => Kind::BigNumber(text(digits)),
            Item::Text(bytes) => Kind::Text(text(bytes)),
            Item::List(count) => Kind::List(list(self, count)?),
            Item::Set(count) => Kind::Set(list(self, count)?),
            Item::Map(count) => {
                let pair = |reader: &mut Self| {
                    let key = Some(reader.value(depth + 1)?);
                    Ok::<_, Status>(ValuePair { key, value: Some(reader.value(depth + 1)?) })
                };
                let pairs: Result<Vec<ValuePair>, Status> =
                    (0..count).map(|_| pair(self)).collect();
                Kind::Map(ValueMap { pairs: pairs? })
            }
        };
        Ok(Value { kind: Some(kind) })
    }
}

fn number(digits: &[u8]) -> Option<i64> {
    let (negative, digits) = match digits.split_first() {
        Some((b'-', rest)) => (true, rest),
        _ => (false, digits),
    };
    let mut n: i64 = 0;
    for digit in digits {
        // Below zero there is one number more, so it is built there.
        n = n.checked_mul(10)?.checked_sub(i64::from(digit.checked_sub(b'0')?))?;
    }
    if negative { Some(n) } else { n.checked_neg() }
}

/// The value of a reply that is not an error.
///
/// # Errors
/// It is.
pub fn value(reply: &[u8]) -> Result<Value, Status> {
    if let Some(Item::Error(error)) = Reader::new(reply).next() {
        return Err(status::refusal(error));
    }
    Reader::new(reply).value(0)
}

/// Bytes, or nothing.
///
/// # Errors
/// The reply is something else.
pub fn blob(reply: &[u8]) -> Result<Option<Bytes>, Status> {
    match Reader::new(reply).item()? {
        Item::Blob(bytes) => Ok(Some(Bytes::copy_from_slice(bytes))),
        Item::Null => Ok(None),
        _ => Err(status::broken()),
    }
}

/// A number.
///
/// # Errors
/// The reply is something else.
pub fn int(reply: &[u8]) -> Result<i64, Status> {
    match Reader::new(reply).item()? {
        Item::Int(n) => Ok(n),
        _ => Err(status::broken()),
    }
}

/// A count.
///
/// # Errors
/// The reply is something else.
pub fn count(reply: &[u8]) -> Result<u64, Status> {
    u64::try_from(int(reply)?).map_err(|_| status::broken())
}

/// Whether it was done: a word says so, nothing says that it was not.
///
/// # Errors
/// The reply is something else.
pub fn done(reply: &[u8]) -> Result<bool, Status> {
    match Reader::new(reply).item()? {
        Item::Null => Ok(false),
        _ => Ok(true),
    }
}

#[cfg(test)]
#[path = "reply_tests.rs"]
mod tests;
