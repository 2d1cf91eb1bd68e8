//! One file of an append-only log is read.
//!
//! A command is an array of bulk strings, as clients send it. A line that begins with `#` says
//! something about what follows: the only thing known is the time, `#TS:` and seconds.
//!
//! If the file ends early, all up to the last whole command is valid, or up to before the `MULTI`
//! of a transaction whose `EXEC` is missing: a transaction is done as a whole or not at all.

use std::fmt;
use std::io::Read;

use base::num::parse_i64;

use crate::{Error, Input, Item, Reader as RdbReader};

/// The longest line with a number or a note in it.
const LINE_MAX: usize = 128;

/// What a file holds.
#[derive(Debug, PartialEq)]
pub enum Record {
    /// An item of the RDB file that stands at the beginning.
    Item(Item),
    /// A command.
    Command(Command),
    /// What follows was done at this time, in seconds since the Unix epoch.
    Time(u64),
}

/// A command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// Offset of its first byte.
    pub at: u64,
    /// Offset behind its last byte.
    pub end: u64,
    /// Its name and arguments; there is at least one.
    pub words: Vec<Vec<u8>>,
}

/// Why reading ended.
#[derive(Debug)]
pub enum AofError {
    /// The file ends in the middle of something, or inside a transaction.
    Truncated {
        /// Up to where it is whole; cut there, it can be read and appended to.
        valid: u64,
    },
    /// The file is broken.
    Broken(Error),
}

impl fmt::Display for AofError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AofError::Truncated { valid } => {
                write!(f, "unexpected end of file; all up to byte {valid} is valid")
            }
            AofError::Broken(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for AofError {}

impl From<Error> for AofError {
    fn from(error: Error) -> Self {
        AofError::Broken(error)
    }
}

enum State<R> {
    Preamble(RdbReader<R>),
    Commands(Input<R>),
    Done,
}

/// Reads a file of an append-only log, or an append-only file from before Redis 7.0.
///
/// ```
/// use kvist_rdb::aof::{Reader, Record};
/// let file = b"*1\r\n$4\r\nPING\r\n";
/// let mut reader = Reader::new(&file[..]);
/// let Some(Record::Command(command)) = reader.next().unwrap() else { panic!() };
/// assert_eq!((command.words, command.end), (vec![b"PING".to_vec()], 14));
/// assert_eq!(reader.next().unwrap(), None);
/// ```
pub struct Reader<R> {
    state: State<R>,
    begun: bool,
    /// End of the last whole command outside a transaction.
    valid: u64,
    in_transaction: bool,
    /// It is an RDB file, and nothing else.
    is_snapshot: bool,
    set_up: fn(&mut RdbReader<R>),
}

impl<R: Read> Reader<R> {
    /// Reads from `source`, which needs no buffer of its own.
    pub fn new(source: R) -> Self {
        Self::with(source, |_| ())
    }

    /// As [`new`](Self::new); `set_up` is told of the reader of an RDB file at the beginning.
    pub fn with(source: R, set_up: fn(&mut RdbReader<R>)) -> Self {
        let state = State::Commands(Input::new(source));
        let (begun, in_transaction, is_snapshot) = (false, false, false);
        Reader { state, begun, valid: 0, in_transaction, is_snapshot, set_up }
    }

    /// The same of a file that was named as a snapshot: one that does not begin as an RDB file is
    /// no empty log, nor are its words commands, and what follows the RDB file does not count.
    #[must_use]
    pub fn of_snapshot(self, is_snapshot: bool) -> Self {
        Reader { is_snapshot, ..self }
    }

    /// The next record, or `None` at the end of the file.
    ///
    /// # Errors
    /// If the file is broken or ends early. There is nothing to be read behind an error.
    #[allow(clippy::should_implement_trait)] // `Ok(None)` and `None` would be too much of a choice
    pub fn next(&mut self) -> Result<Option<Record>, AofError> {
        loop {
            match std::mem::replace(&mut self.state, State::Done) {
                State::Done => return Ok(None),
                State::Preamble(mut preamble) => match preamble.next() {
                    Ok(Some(item)) => {
                        self.state = State::Preamble(preamble);
                        return Ok(Some(Record::Item(item)));
                    }
                    Ok(None) if self.is_snapshot => return Ok(None),
                    Ok(None) => {
                        self.valid = preamble.offset();
                        self.state = State::Commands(preamble.into_input());
                    }
                    // An RDB file that ends early is of no use: what is missing is not the last
                    // thing that was done.
                    Err(error) => return Err(error.into()),
                },
                State::Commands(mut input) => {
                    if !std::mem::replace(&mut self.begun, true) {
                        let head = input.peek(5)?;
                        let is_rdb = |head: &[u8]| head == b"REDIS" || head == b"VALKE";
                        if self.is_snapshot || head.is_some_and(is_rdb) {
                            let mut preamble = RdbReader::new(input)?;
                            (self.set_up)(&mut preamble);
                            self.state = State::Preamble(preamble);
                            continue;
                        }
                    }
                    let record = match record(&mut input) {
                        Ok(record) => record,
                        Err(error) if error.is_truncated() => {
                            return Err(AofError::Truncated { valid: self.valid });
                        }
                        Err(error) => return Err(error.into()),
                    };
                    let Some(record) = record else {
                        return match self.in_transaction {
                            true => Err(AofError::Truncated { valid: self.valid }),
                            false => Ok(None),
                        };
                    };
                    self.follow(&record, input.offset());
                    self.state = State::Commands(input);
                    return Ok(Some(record));
                }
            }
        }
    }

    /// Keeps account of transactions and of what is whole.
    fn follow(&mut self, record: &Record, end: u64) {
        if let Record::Command(command) = record
            && let Some(name) = command.words.first()
        {
            if name.eq_ignore_ascii_case(b"MULTI") {
                self.in_transaction = true;
            } else if name.eq_ignore_ascii_case(b"EXEC") {
                self.in_transaction = false;
            }
        }
        if !self.in_transaction {
            self.valid = end;
        }
    }
}

/// The next record; `None` at the end of the file.
fn record<R: Read>(input: &mut Input<R>) -> Result<Option<Record>, Error> {
    loop {
        let at = input.offset();
        if input.unread()?.is_empty() {
            return Ok(None);
        }
        match input.byte()? {
            b'*' => {
                let count = number(input, at)?;
                if count < 1 {
                    return Err(Error::corrupt(at, "a command without words"));
                }
                let mut words = Vec::new();
                for _ in 0..count {
                    words.push(word(input)?);
                }
                return Ok(Some(Record::Command(Command { at, end: input.offset(), words })));
            }
            b'#' => {
                let line = line(input, at)?;
                let seconds = line.strip_prefix(b"TS:").and_then(parse_i64);
                if let Some(seconds) = seconds.and_then(|seconds| u64::try_from(seconds).ok()) {
                    return Ok(Some(Record::Time(seconds)));
                }
            }
            _ => return Err(Error::corrupt(at, "neither a command nor a note")),
        }
    }
}

fn word<R: Read>(input: &mut Input<R>) -> Result<Vec<u8>, Error> {
    let at = input.offset();
    if input.byte()? != b'$' {
        return Err(Error::corrupt(at, "a word of a command that is no string"));
    }
    let len = u64::try_from(number(input, at)?);
    let len = len.map_err(|_| Error::corrupt(at, "a string of negative length"))?;
    let bytes = input.bytes(len)?;
    let at = input.offset();
    if input.array()? != *b"\r\n" {
        return Err(Error::corrupt(at, "a string without its end"));
    }
    Ok(bytes)
}

fn number<R: Read>(input: &mut Input<R>, at: u64) -> Result<i64, Error> {
    let line = line(input, at)?;
    parse_i64(&line).ok_or_else(|| Error::corrupt(at, "a number that is none"))
}

/// The rest of a line, without its end.
fn line<R: Read>(input: &mut Input<R>, at: u64) -> Result<Vec<u8>, Error> {
    let mut line = Vec::new();
    loop {
        match input.byte()? {
            b'\n' => break,
            byte => line.push(byte),
        }
        if line.len() > LINE_MAX {
            return Err(Error::corrupt(at, "a line without an end"));
        }
    }
    line.pop_if(|last| *last == b'\r');
    Ok(line)
}

#[cfg(test)]
#[path = "reader_tests.rs"]
mod tests;
