//! The incremental reader of replies: bytes in any pieces to whatever its reader builds of them.
//!
//! ```text
//!   open aggregates        values that wait          buffer
//!   [ Array, 1 left, ─┐    [ .. .. | .. ]            ..consumed..|$5\r\nhel|..spare..
//!     Map,   3 left ] ├────┴─────────┘                           ^ at      ^ end
//!                     └ where its own begin
//! ```
//!
//! What a reply becomes (a tree, objects of another language, columns) is a [`Build`]'s business,
//! so that whatever it is, it is made in one pass. Aggregates that are not complete wait on a
//! stack of their own, not on the thread's, so depth is a number to compare with a limit; their
//! values lie on one stack for all. An element is consumed when it is complete; of an unfinished
//! one only its line is read again, and the search for the line's end is not repeated. No length
//! that was merely announced is ever allocated.

use crate::build::{Aggregate, Build, Leaf};
use crate::line::{count, digits, one_digit, pairs, scalar, verbatim};
use crate::reply_limits::{ReplyError, ReplyLimits};

/// How much room a reader makes at least when it has none left.
const ROOM: usize = 16 * 1024;
/// A buffer larger than this is given up once nothing is in it.
const KEEP: usize = 1024 * 1024;

#[derive(Debug)]
enum Shape<V> {
    Plain(Aggregate),
    Attribute,
    /// The value behind a complete attribute.
    Attributed(Vec<V>),
}

impl<V> Shape<V> {
    #[inline]
    fn kind(&self) -> Option<Aggregate> {
        match self {
            Self::Plain(kind) => Some(*kind),
            Self::Attribute | Self::Attributed(_) => None,
        }
    }
}

/// An aggregate that waits for elements.
#[derive(Debug)]
struct Open<V> {
    shape: Shape<V>,
    left: u64,
    /// Where its items begin among those that wait.
    from: usize,
}

enum Token<'a, V> {
    Leaf(Leaf<'a>),
    Open(Shape<V>, u64),
}

/// Reads replies from a stream of bytes and hands their parts to a [`Build`].
///
/// ```
/// use kvist_wire::{Aggregate, Build, Leaf, ReplyReader};
/// use std::vec::Drain;
///
/// /// Replies become the number of strings in them.
/// struct Strings;
///
/// impl Build for Strings {
///     type Value = usize;
///     fn leaf(&mut self, leaf: Leaf<'_>, _: usize) -> usize {
///         usize::from(matches!(leaf, Leaf::Bulk(_)))
///     }
///     fn aggregate(&mut self, _: Aggregate, items: Drain<'_, usize>, _: usize) -> usize {
///         items.sum()
///     }
/// }
///
/// let mut reader = ReplyReader::new();
/// reader.feed(b"*3\r\n:1\r\n$1\r\na\r\n$1\r\n");
/// assert_eq!(reader.next(&mut Strings), Ok(None));
/// reader.feed(b"b\r\n");
/// assert_eq!(reader.next(&mut Strings), Ok(Some(2)));
/// ```
#[derive(Debug)]
pub struct ReplyReader<V> {
    /// Storage, all of it initialised; bytes received lie in `at..end`.
    buf: Vec<u8>,
    at: usize,
    end: usize,
    /// Bytes behind `at` known not to hold the end of the line there.
    searched: usize,
    open: Vec<Open<V>>,
    waiting: Vec<V>,
    elements: u64,
    limits: ReplyLimits,
}

impl<V> Default for ReplyReader<V> {
    fn default() -> Self {
        Self::with_limits(ReplyLimits::default())
    }
}

impl<V> ReplyReader<V> {
    /// A reader with default limits.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A reader with other limits.
    #[must_use]
    pub fn with_limits(limits: ReplyLimits) -> Self {
        ReplyReader {
            buf: Vec::new(),
            at: 0,
            end: 0,
            searched: 0,
            open: Vec::new(),
            waiting: Vec::new(),
            elements: 0,
            limits,
        }
    }

    /// Adds bytes received.
    pub fn feed(&mut self, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        self.spare(bytes.len())[..bytes.len()].copy_from_slice(bytes);
        self.filled(bytes.len());
    }

    /// Room for at least `want` bytes, and never none, for the caller to read into. What was read
    /// is then told by [`filled`](Self::filled).
    pub fn spare(&mut self, want: usize) -> &mut [u8] {
        let want = want.max(1);
        if self.at == self.end {
            (self.at, self.end) = (0, 0);
        }
        if self.buf.len() - self.end < want {
            // Moving pays when it frees more than is moved; growing doubles: both cost O(1) a byte.
            if self.at >= self.end - self.at {
                self.buf.copy_within(self.at..self.end, 0);
                (self.at, self.end) = (0, self.end - self.at);
            }
            if self.buf.len() - self.end < want {
                let len = (self.buf.len() * 2).max(self.end.saturating_add(want)).max(ROOM);
                self.buf.resize(len, 0);
            }
        }
        &mut self.buf[self.end..]
    }

    /// Says that this many bytes were put into the beginning of what [`spare`](Self::spare) gave.
    pub fn filled(&mut self, count: usize) {
        self.end = (self.end + count).min(self.buf.len());
    }

    /// Bytes received but not part of a complete element yet.
    #[must_use]
    pub fn pending(&self) -> &[u8] {
        &self.buf[self.at..self.end]
    }

    /// Whether the stream stands between two replies, and nothing of the next has come.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.open.is_empty() && self.at == self.end
    }

    /// Whether a part of an aggregate has been read, and not all of it.
    #[must_use]
    pub fn is_within(&self) -> bool {
        !self.open.is_empty()
    }

    /// A reader of the same stream for something else, between two replies; `None` in the middle of
    /// one. The buffer is handed on, not copied.
    #[must_use]
    pub fn hand_on<W>(&mut self) -> Option<ReplyReader<W>> {
        if !self.open.is_empty() {
            return None;
        }
        let mut next = ReplyReader::with_limits(self.limits);
        next.buf = std::mem::take(&mut self.buf);
        (next.at, next.end, next.searched) = (self.at, self.end, self.searched);
        (self.at, self.end, self.searched) = (0, 0, 0);
        Some(next)
    }

    /// The next whole reply; `None` until more bytes come.
    ///
    /// # Errors
    /// A [`ReplyError`]; the stream cannot be read any further.
    pub fn next<B: Build<Value = V>>(&mut self, build: &mut B) -> Result<Option<V>, ReplyError> {
        loop {
            if self.run(build) {
                let closed = self.close(build);
                match closed.and_then(|value| self.place(value, build)) {
                    Some(value) => return Ok(Some(self.complete(value))),
                    None => continue,
                }
            }
            let depth = self.open.len();
            let Some((token, next)) = self.token()? else { return Ok(None) };
            let value = match token {
                Token::Leaf(leaf) => {
                    let value = build.leaf(leaf, depth);
                    self.consume(next);
                    value
                }
                Token::Open(shape, left) => {
                    // Counted when announced: a count that is too large need not be waited for.
                    self.elements = self.elements.saturating_add(left);
                    if self.elements > self.limits.elements {
                        return Err(ReplyError::TooManyElements);
                    }
                    if depth >= self.limits.depth {
                        return Err(ReplyError::TooDeep);
                    }
                    build.open(shape.kind(), depth);
                    self.consume(next);
                    let from = self.waiting.len();
                    self.open.push(Open { shape, left, from });
                    if left > 0 {
                        continue;
                    }
                    match self.close(build) {
                        Some(value) => value,
                        None => continue,
                    }
                }
            };
            if let Some(value) = self.place(value, build) {
                return Ok(Some(self.complete(value)));
            }
        }
    }

    /// Ends a whole reply.
    fn complete(&mut self, value: V) -> V {
        self.elements = 0;
        if self.at == self.end && self.buf.len() > KEEP {
            self.buf = Vec::new();
            (self.at, self.end) = (0, 0);
        }
        value
    }

    /// Reads what comes next in the innermost aggregate, as long as it is numbers and strings that
    /// are complete: that is nearly all there is, and here nothing but the value is looked at for
    /// each. Says whether the aggregate is complete.
    #[inline]
    fn run<B: Build<Value = V>>(&mut self, build: &mut B) -> bool {
        let depth = self.open.len();
        let Some(open) = self.open.last_mut() else { return false };
        let from = self.at;
        let mut rest = &self.buf[from..self.end];
        while open.left > 0 {
            // Most strings are shorter than ten bytes.
            if let Some(len) = one_digit(rest, b'$')
                && let Some((bytes, behind)) = rest[4..].split_at_checked(len)
                && let Some((b"\r\n", behind)) = behind.split_first_chunk()
                && len <= self.limits.bytes
            {
                self.waiting.push(build.leaf(Leaf::Bulk(bytes), depth));
                rest = behind;
                open.left -= 1;
                continue;
            }
            let Some((&mark @ (b'$' | b':'), line)) = rest.split_first() else { break };
            let Some((number, len)) = digits(line) else { break };
            let Some(behind) = line.get(len..) else { break };
            if mark == b':' {
                self.waiting.push(build.leaf(Leaf::Int(number), depth));
                rest = behind;
            } else {
                let Ok(len) = usize::try_from(number) else { break };
                // What is too long or does not end well is another's to complain about.
                let Some((bytes, [b'\r', b'\n', behind @ ..])) = behind.split_at_checked(len)
                else {
                    break;
                };
                if len > self.limits.bytes {
                    break;
                }
                self.waiting.push(build.leaf(Leaf::Bulk(bytes), depth));
                rest = behind;
            }
            open.left -= 1;
        }
        let next = self.end - rest.len();
        if next > from {
            (self.at, self.searched) = (next, 0);
        }
        open.left == 0
    }

    #[inline]
    fn consume(&mut self, next: usize) {
        (self.at, self.searched) = (next, 0);
    }

    /// Puts a value where it belongs; returns it if it is a whole reply.
    #[inline]
    fn place<B: Build<Value = V>>(&mut self, mut value: V, build: &mut B) -> Option<V> {
        loop {
            let Some(open) = self.open.last_mut() else { return Some(value) };
            self.waiting.push(value);
            open.left -= 1;
            if open.left > 0 {
                return None;
            }
            value = self.close(build)?;
        }
    }

    /// The innermost aggregate, complete. Nothing if it is an attribute: it then waits for the
    /// value it is about.
    fn close<B: Build<Value = V>>(&mut self, build: &mut B) -> Option<V> {
        let Open { shape, from, .. } = self.open.pop()?;
        match shape {
            Shape::Plain(kind) => {
                Some(build.aggregate(kind, self.waiting.drain(from..), self.open.len()))
            }
            Shape::Attribute => {
                let facts = self.waiting.split_off(from);
                self.open.push(Open { shape: Shape::Attributed(facts), left: 1, from });
                None
            }
            Shape::Attributed(facts) => {
                let value = self.waiting.pop()?; // it was opened for exactly one
                Some(build.attributed(facts, value))
            }
        }
    }

    /// The next scalar, string or header, if it is complete, and where what follows it begins.
    #[inline]
    fn token(&mut self) -> Result<Option<(Token<'_, V>, usize)>, ReplyError> {
        // Nearly all lines are a type and a few digits: those are read in one go.
        if let Some(count) = one_digit(&self.buf[self.at..self.end], b'*') {
            let open = Token::Open(Shape::Plain(Aggregate::Array), count as u64);
            return Ok(Some((open, self.at + 4)));
        }
        if let Some((&mark @ (b'$' | b'*' | b':'), rest)) =
            self.buf[self.at..self.end].split_first()
            && let Some((number, len)) = digits(rest)
        {
            let next = self.at + 1 + len;
            return Ok(match mark {
                b':' => Some((Token::Leaf(Leaf::Int(number)), next)),
                b'*' => {
                    let count = u64::try_from(number).map_err(|_| ReplyError::BadLength)?;
                    Some((Token::Open(Shape::Plain(Aggregate::Array), count), next))
                }
                _ => self
                    .string(number, next)?
                    .map(|bytes| (Token::Leaf(Leaf::Bulk(bytes)), next + bytes.len() + 2)),
            });
        }
        let Some(line_end) = self.line_end()? else { return Ok(None) };
        let line = &self.buf[self.at..line_end];
        let (mark, text) = (line[0], &line[1..]);
        let next = line_end + 2;
        let token = match mark {
            b'$' | b'*' if text == b"-1" => {
                Token::Leaf(if mark == b'$' { Leaf::NullBulk } else { Leaf::NullArray })
            }
            b'$' | b'=' | b'!' => {
                let length = base::num::parse_i64(text).ok_or(ReplyError::BadLength)?;
                let Some(bytes) = self.string(length, next)? else { return Ok(None) };
                let leaf = match mark {
                    b'$' => Leaf::Bulk(bytes),
                    b'!' => Leaf::BulkError(bytes),
                    _ => verbatim(bytes)?,
                };
                return Ok(Some((Token::Leaf(leaf), next + bytes.len() + 2)));
            }
            b'*' => Token::Open(Shape::Plain(Aggregate::Array), count(text)?),
            b'~' => Token::Open(Shape::Plain(Aggregate::Set), count(text)?),
            b'>' => Token::Open(Shape::Plain(Aggregate::Push), count(text)?),
            b'%' => Token::Open(Shape::Plain(Aggregate::Map), pairs(text)?),
            b'|' => Token::Open(Shape::Attribute, pairs(text)?),
            _ => Token::Leaf(scalar(mark, text)?),
        };
        Ok(Some((token, next)))
    }

    /// The offset of the line break that ends the line at `at`; the line is not empty.
    #[inline]
    fn line_end(&mut self) -> Result<Option<usize>, ReplyError> {
        let line = &self.buf[self.at..self.end];
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
    #[inline]
    fn string(&self, length: i64, from: usize) -> Result<Option<&[u8]>, ReplyError> {
        let len = usize::try_from(length).map_err(|_| ReplyError::BadLength)?;
        if len > self.limits.bytes {
            return Err(ReplyError::TooLong);
        }
        let rest = &self.buf[from..self.end];
        match (rest.get(..len), rest.get(len..).and_then(|rest| rest.get(..2))) {
            (Some(bytes), Some(b"\r\n")) => Ok(Some(bytes)),
            (Some(_), Some(_)) => Err(ReplyError::Unterminated),
            _ => Ok(None),
        }
    }
}

#[cfg(test)]
#[path = "reader_tests.rs"]
mod tests;
