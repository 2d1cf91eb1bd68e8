//! The request decoder: RESP arrays of bulk strings, and inline commands.
//!
//! ```text
//!   *2\r\n $3\r\n GET\r\n $1\r\n k\r\n *1\r\n $4\r\n PI
//!   ^                                 ^          ^
//!   start of the first request        start of   `at`: parsed so far, relative to
//!                                     the next   the start of its request
//! ```
//!
//! The decoder owns no bytes. The caller reads into a buffer of its own, hands it over with the
//! offset of the first byte not consumed, and gets back where the words of a whole request lie;
//! a word is never copied. When a request is unfinished the decoder remembers how far it came,
//! relative to the request's start, so the caller may move the bytes and go on once there are
//! more; nothing is parsed twice, however small the pieces.
//!
//! This is the hottest code of the server, so lengths of up to three digits are read inline, and
//! everything unusual (long lengths, lines cut in two, errors) is in functions of its own.
//!
//! The rules are those of Redis 7.0.15, laxity included: the byte behind `\r` is not looked at,
//! the two bytes behind a bulk string are not either, and a zero byte hides the rest of a line,
//! so that the request never gets any further until the line is too long.
//!
//! This file must never reserve memory by an announced length.

use crate::inline;
use std::fmt;

/// The longest unfinished line, inline requests included, in bytes.
const MAX_LINE: usize = 64 * 1024;
/// The largest count of words in a request.
const MAX_WORDS: i64 = i32::MAX as i64;
/// What a client may send before it has authenticated.
const MAX_UNAUTHENTICATED_WORDS: i64 = 10;
const MAX_UNAUTHENTICATED_BULK: i64 = 16 * 1024;
/// Words kept room for between requests; a larger request's memory is given back.
const KEPT_WORDS: usize = 64;

/// Where a word of a request lies in the caller's buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    /// Offset of its first byte from the start of the buffer.
    pub start: usize,
    /// Its length in bytes.
    pub len: usize,
}

impl Word {
    /// The word's bytes. `buf` must be the buffer it was decoded from, not moved since.
    ///
    /// # Panics
    /// If `buf` is too short to be that buffer.
    #[inline]
    #[must_use]
    pub fn of(self, buf: &[u8]) -> &[u8] {
        &buf[self.start..][..self.len]
    }
}

/// What a client may send; may differ from call to call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// `proto-max-bulk-len`: bytes of one word. Redis takes no less than 1 MiB here; a limit below
    /// 1000 would not hold for short words.
    pub max_bulk: i64,
    /// Whether the client has authenticated, or need not. Before, requests must be small: 10
    /// words, 16 KiB each. Decode one request at a time then, since `AUTH` lifts the limit for
    /// whatever follows it in the same buffer.
    pub authenticated: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { max_bulk: 512 * 1024 * 1024, authenticated: true }
    }
}

/// What [`Decoder::next`] found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A whole request.
    Request {
        /// How many words it has, at least one: the last ones of the caller's vector.
        words: usize,
        /// How many bytes it took; the next request starts behind them.
        bytes: usize,
    },
    /// A request without words (`*0`, `*-1`, an empty line), to be skipped without an answer.
    Empty {
        /// How many bytes it took.
        bytes: usize,
    },
    /// The request is unfinished, and no byte of it is consumed.
    Partial {
        /// At least so many further bytes are needed, 1 or more. A client wrote this number:
        /// it may guide how much to read, but must not size a buffer unchecked.
        missing: usize,
    },
}

/// A violation of the protocol; the connection ends after it has been told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProtocolError {
    /// The count behind `*` is no integer or too large.
    InvalidMultibulkLength,
    /// More words than a client may send before it has authenticated.
    UnauthenticatedMultibulkLength,
    /// The line of the count does not end.
    TooBigMultibulkCount,
    /// A word does not begin with `$`, but with this byte.
    ExpectedDollar(u8),
    /// The length behind `$` is no integer, negative, or above `proto-max-bulk-len`.
    InvalidBulkLength,
    /// A longer word than a client may send before it has authenticated.
    UnauthenticatedBulkLength,
    /// The line of a length does not end.
    TooBigBulkCount,
    /// An inline request does not end.
    TooBigInline,
    /// An inline request's quotes are not closed, or closed in the middle of a word.
    UnbalancedQuotes,
}

impl ProtocolError {
    fn text(self) -> &'static str {
        match self {
            Self::InvalidMultibulkLength => "invalid multibulk length",
            Self::UnauthenticatedMultibulkLength => "unauthenticated multibulk length",
            Self::TooBigMultibulkCount => "too big mbulk count string",
            Self::ExpectedDollar(_) => "expected '$', got '",
            Self::InvalidBulkLength => "invalid bulk length",
            Self::UnauthenticatedBulkLength => "unauthenticated bulk length",
            Self::TooBigBulkCount => "too big bulk count string",
            Self::TooBigInline => "too big inline request",
            Self::UnbalancedQuotes => "unbalanced quotes in request",
        }
    }

    /// Appends the error reply, `-ERR Protocol error: …` and a line break. Not necessarily
    /// UTF-8: a byte out of place is shown as it is, unless it would break the line.
    pub fn write_reply(self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"-ERR Protocol error: ");
        out.extend_from_slice(self.text().as_bytes());
        if let Self::ExpectedDollar(byte) = self {
            let shown = if matches!(byte, b'\r' | b'\n') { b' ' } else { byte };
            out.extend_from_slice(&[shown, b'\'']);
        }
        out.extend_from_slice(b"\r\n");
    }
}

impl fmt::Display for ProtocolError {
    /// For logs: bytes out of place are escaped.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Protocol error: {}", self.text())?;
        if let Self::ExpectedDollar(byte) = self {
            write!(f, "{}'", byte.escape_ascii())?;
        }
        Ok(())
    }
}

impl std::error::Error for ProtocolError {}

/// Whether decoding the request that `input` begins with changes bytes of `input`: it is an inline
/// one with quotes. All others can be decoded any number of times. O(n) in the length of an inline
/// request's line, O(1) for others.
///
/// ```
/// use kvist_wire::is_unquoted_in_place;
///
/// assert!(is_unquoted_in_place(b"SET k 'a b'\r\n"));
/// assert!(!is_unquoted_in_place(b"SET k ab\r\nSET k 'a b'\r\n"));
/// assert!(!is_unquoted_in_place(b"*1\r\n$1\r\n'\r\n"));
/// ```
#[inline]
#[must_use]
pub fn is_unquoted_in_place(input: &[u8]) -> bool {
    if input.first().is_none_or(|&byte| byte == b'*') {
        return false;
    }
    let found = memchr::memchr3(b'\n', b'"', b'\'', input);
    found.is_some_and(|at| input[at] != b'\n')
}

/// The state of one connection's incoming side. 80 bytes and no allocation while whole requests
/// arrive.
#[derive(Debug, Default)]
pub struct Decoder {
    /// Bytes of the request that are parsed, from its start.
    at: usize,
    /// Bytes of the request, from its start, known not to end the line that begins at `at`.
    searched: usize,
    /// Words still to come; 0 between requests and in their first line.
    left: usize,
    /// The length of the word at `at`, once its `$` line is parsed.
    bulk: Option<usize>,
    /// Words of an unfinished request, relative to its start.
    words: Vec<Word>,
}

/// Why parsing stopped early.
enum Stop {
    Partial(usize),
    Error(ProtocolError),
}

impl From<ProtocolError> for Stop {
    #[cold]
    fn from(error: ProtocolError) -> Self {
        Stop::Error(error)
    }
}

impl Decoder {
    /// A decoder between requests.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Bytes it takes beside itself: it notes where the words of an unfinished request lie.
    #[inline]
    #[must_use]
    pub fn memory(&self) -> usize {
        self.words.capacity() * size_of::<Word>()
    }

    /// Decodes the request at `buf[start..]`, appending its words to `words`.
    ///
    /// After [`Step::Partial`] the next call must see the same request from its first byte, with
    /// more bytes behind it; the buffer may have moved and `start` may differ. The bytes are
    /// writable because the words of an inline request are unquoted where they lie; the bytes of
    /// other requests are left alone.
    ///
    /// Each byte is looked at a constant number of times, over all calls.
    ///
    /// # Errors
    /// A [`ProtocolError`]; `words` is as before, and the decoder is of no further use.
    ///
    /// ```
    /// use kvist_wire::{Decoder, Limits, Step};
    ///
    /// let mut buf = b"*2\r\n$3\r\nGET\r\n$1\r\nk\r\nPING\r\n*1".to_vec();
    /// let (mut decoder, limits, mut words) = (Decoder::new(), Limits::default(), Vec::new());
    /// let first = decoder.next(&mut buf, 0, &limits, &mut words);
    /// assert_eq!(first, Ok(Step::Request { words: 2, bytes: 20 }));
    /// let second = decoder.next(&mut buf, 20, &limits, &mut words);
    /// assert_eq!(second, Ok(Step::Request { words: 1, bytes: 6 }));
    /// let third = decoder.next(&mut buf, 26, &limits, &mut words);
    /// assert_eq!(third, Ok(Step::Partial { missing: 1 }));
    /// let words: Vec<_> = words.iter().map(|word| word.of(&buf)).collect();
    /// assert_eq!(words, [&b"GET"[..], b"k", b"PING"]);
    /// ```
    #[inline]
    pub fn next(
        &mut self,
        buf: &mut [u8],
        start: usize,
        limits: &Limits,
        words: &mut Vec<Word>,
    ) -> Result<Step, ProtocolError> {
        if self.left > 0 {
            return self.resume(buf, start, limits, words);
        }
        let input = buf.get(start..).unwrap_or_default();
        match input.first() {
            Some(b'*') => {}
            Some(_) => return self.inline(buf, start, words),
            None => return Ok(Step::Partial { missing: 1 }),
        }
        let first = words.len();
        let (count, header) = match short_line(input, b'*') {
            Some((count @ 1..=10, header)) => {
                self.searched = 0; // the line may have come in pieces
                (count, header)
            }
            _ => match self.count_line(input, limits) {
                Ok((0, bytes)) => return Ok(Step::Empty { bytes }),
                Ok(found) => found,
                Err(Stop::Partial(missing)) => return Ok(Step::Partial { missing }),
                Err(Stop::Error(error)) => return Err(error),
            },
        };
        let mut cursor = Cursor { at: header, left: count, bulk: None, searched: header };
        match cursor.bulks(input, start, limits, words) {
            Ok(()) => Ok(Step::Request { words: words.len() - first, bytes: cursor.at }),
            Err(Stop::Partial(missing)) => {
                self.suspend(cursor);
                self.words.extend(
                    words.drain(first..).map(|w| Word { start: w.start - start, len: w.len }),
                );
                Ok(Step::Partial { missing })
            }
            Err(Stop::Error(error)) => {
                words.truncate(first);
                Err(error)
            }
        }
    }

    fn suspend(&mut self, cursor: Cursor) {
        (self.at, self.left) = (cursor.at, cursor.left);
        (self.bulk, self.searched) = (cursor.bulk, cursor.searched);
    }

    /// Goes on with a request whose first words are known.
    #[inline(never)]
    fn resume(
        &mut self,
        buf: &[u8],
        start: usize,
        limits: &Limits,
        words: &mut Vec<Word>,
    ) -> Result<Step, ProtocolError> {
        let input = buf.get(start..).unwrap_or_default();
        let mut cursor =
            Cursor { at: self.at, left: self.left, bulk: self.bulk, searched: self.searched };
        match cursor.bulks(input, 0, limits, &mut self.words) {
            Ok(()) => {
                let count = self.words.len();
                words.extend(
                    self.words.drain(..).map(|w| Word { start: w.start + start, len: w.len }),
                );
                self.words.shrink_to(KEPT_WORDS);
                (self.at, self.left, self.bulk, self.searched) = (0, 0, None, 0);
                Ok(Step::Request { words: count, bytes: cursor.at })
            }
            Err(Stop::Partial(missing)) => {
                self.suspend(cursor);
                Ok(Step::Partial { missing })
            }
            Err(Stop::Error(error)) => Err(error),
        }
    }

    /// The count of words in a request, and the length of its line; any form.
    #[inline(never)]
    fn count_line(&mut self, input: &[u8], limits: &Limits) -> Result<(usize, usize), Stop> {
        let Some(end) = line_end(input, 0, &mut self.searched) else {
            let too_long = input.len() > MAX_LINE && input.get(self.searched) != Some(&b'\r');
            return Err(if too_long {
                ProtocolError::TooBigMultibulkCount.into()
            } else {
                Stop::Partial(1)
            });
        };
        self.searched = 0;
        match base::num::parse_i64(&input[1..end]) {
            Some(..=0) => Ok((0, end + 2)),
            Some(count) if count > MAX_WORDS => Err(ProtocolError::InvalidMultibulkLength.into()),
            Some(count) if count > MAX_UNAUTHENTICATED_WORDS && !limits.authenticated => {
                Err(ProtocolError::UnauthenticatedMultibulkLength.into())
            }
            Some(count) => {
                let count = usize::try_from(count);
                Ok((count.map_err(|_| ProtocolError::InvalidMultibulkLength)?, end + 2))
            }
            None => Err(ProtocolError::InvalidMultibulkLength.into()),
        }
    }

    /// An inline request: words on a line, for people at a terminal.
    #[inline(never)]
    fn inline(
        &mut self,
        buf: &mut [u8],
        start: usize,
        words: &mut Vec<Word>,
    ) -> Result<Step, ProtocolError> {
        let input = &buf[start..];
        let from = self.searched.min(input.len());
        let newline = memchr::memchr2(b'\n', 0, &input[from..]).map(|index| from + index);
        let Some(newline) = newline.filter(|&index| input[index] == b'\n') else {
            self.searched = newline.unwrap_or(input.len());
            if input.len() > MAX_LINE {
                return Err(ProtocolError::TooBigInline);
            }
            return Ok(Step::Partial { missing: 1 });
        };
        self.searched = 0;
        let len = newline - usize::from(newline > 0 && input[newline - 1] == b'\r');
        let first = words.len();
        if inline::split_in_place(&mut buf[start..start + len], start, words).is_none() {
            words.truncate(first);
            return Err(ProtocolError::UnbalancedQuotes);
        }
        let bytes = newline + 1;
        Ok(match words.len() - first {
            0 => Step::Empty { bytes },
            words => Step::Request { words, bytes },
        })
    }
}

/// Where the parser stands inside a request; the hot copy of the decoder's state.
struct Cursor {
    at: usize,
    left: usize,
    bulk: Option<usize>,
    searched: usize,
}

impl Cursor {
    /// Reads bulk strings until none is left, appending them as words shifted by `offset`.
    #[inline]
    fn bulks(
        &mut self,
        input: &[u8],
        offset: usize,
        limits: &Limits,
        words: &mut Vec<Word>,
    ) -> Result<(), Stop> {
        while self.left > 0 {
            let len = match self.bulk {
                Some(len) => len,
                None => match short_line(input.get(self.at..).unwrap_or_default(), b'$') {
                    Some((len, header)) => {
                        self.at += header;
                        len
                    }
                    None => self.length_line(input, limits)?,
                },
            };
            let end = self.at + len + 2; // lengths are below 2^63
            if input.len() < end {
                self.bulk = Some(len);
                return Err(Stop::Partial(end - input.len()));
            }
            words.push(Word { start: offset + self.at, len });
            self.at = end;
            self.left -= 1;
            self.bulk = None;
        }
        Ok(())
    }

    /// The length of the word at `at`, in any form; moves behind its line.
    #[inline(never)]
    fn length_line(&mut self, input: &[u8], limits: &Limits) -> Result<usize, Stop> {
        let Some(end) = line_end(input, self.at, &mut self.searched) else {
            let too_long = input.len() - self.at.min(input.len()) > MAX_LINE
                && input.get(self.searched) != Some(&b'\r');
            return Err(if too_long {
                ProtocolError::TooBigBulkCount.into()
            } else {
                // A whole empty word takes four bytes and two.
                Stop::Partial((self.at + 6).saturating_sub(input.len()).max(1))
            });
        };
        if input[self.at] != b'$' {
            return Err(ProtocolError::ExpectedDollar(input[self.at]).into());
        }
        let len = match base::num::parse_i64(&input[self.at + 1..end]) {
            Some(len @ 0..) if len <= limits.max_bulk => len,
            _ => return Err(ProtocolError::InvalidBulkLength.into()),
        };
        if len > MAX_UNAUTHENTICATED_BULK && !limits.authenticated {
            return Err(ProtocolError::UnauthenticatedBulkLength.into());
        }
        self.at = end + 2;
        usize::try_from(len).map_err(|_| ProtocolError::InvalidBulkLength.into())
    }
}

/// A length of up to three digits behind `mark`, and how many bytes its line takes; `None` for
/// every other line, well-formed or not.
#[inline(always)]
fn short_line(line: &[u8], mark: u8) -> Option<(usize, usize)> {
    let digit = |c: u8| usize::from(c.wrapping_sub(b'0'));
    match *line {
        [m, a, b'\r', _, ..] if m == mark && digit(a) <= 9 => Some((digit(a), 4)),
        [m, a, b, b'\r', _, ..] if m == mark && matches!(digit(a), 1..=9) && digit(b) <= 9 => {
            Some((digit(a) * 10 + digit(b), 5))
        }
        [m, a, b, c, b'\r', _, ..]
            if m == mark && matches!(digit(a), 1..=9) && digit(b) <= 9 && digit(c) <= 9 =>
        {
            Some((digit(a) * 100 + digit(b) * 10 + digit(c), 6))
        }
        _ => None,
    }
}

/// Where the line at `from` ends, if its `\r` and one more byte are there. Otherwise `searched`
/// is how far there is no need to look again: up to a lone `\r` at the end, or a zero byte,
/// behind which Redis sees nothing.
fn line_end(input: &[u8], from: usize, searched: &mut usize) -> Option<usize> {
    let begin = from.max(*searched).min(input.len());
    let Some(index) = memchr::memchr2(b'\r', 0, &input[begin..]) else {
        *searched = input.len();
        return None;
    };
    *searched = begin + index;
    (input[*searched] == b'\r' && *searched + 2 <= input.len()).then_some(*searched)
}

#[cfg(test)]
#[path = "decode_tests.rs"]
mod tests;
