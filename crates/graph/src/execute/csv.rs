//! Records of a CSV file, one after the other: RFC 4180, with what files in the wild add to it.
//!
//! ```text
//!   name, age          spaces and tabs around a field do not count
//!   "a ""b"", c",3     in quotes they do, and so do separators and ends of lines
//! ```
//!
//! Lines end with `\n`, `\r\n` or `\r`; empty ones are passed over, and so is a mark of the order
//! of bytes at the start. Quotes stand around a whole field or nowhere. A record is read whole, so
//! that its length is what memory is asked for; it never looks further than it must.

use std::io::Read;

/// How much is read at a time.
const BUFFER: usize = 64 << 10;
const MARK: [u8; 3] = [0xef, 0xbb, 0xbf];

/// Why there is no record.
#[derive(Debug)]
pub enum Error<E> {
    /// The file is not as it should be, or cannot be read.
    File(Box<str>),
    /// It was told to end.
    Ended(E),
}

/// A record: its fields, one behind the other.
#[derive(Debug, Default)]
pub struct Record {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    /// The line that it begins on.
    pub line: u64,
}

impl Record {
    /// How many fields there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// The bytes that it keeps.
    pub fn memory(&self) -> usize {
        self.bytes.len() + size_of_val(&self.ends[..])
    }

    /// The fields; `None` is one that is no text.
    pub fn fields(&self) -> impl Iterator<Item = Option<&str>> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let bytes = starts.zip(&self.ends).map(|(start, &end)| self.bytes.get(start..end));
        bytes.map(|bytes| bytes.and_then(|bytes| std::str::from_utf8(bytes).ok()))
    }

    fn end_field(&mut self, quoted: bool) {
        let start = self.ends.last().copied().unwrap_or(0);
        while !quoted && self.bytes.len() > start && self.bytes.last().is_some_and(is_blank) {
            self.bytes.pop();
        }
        self.ends.push(self.bytes.len());
    }
}

fn is_blank(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// Where in a field the reader is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Before its first byte that counts.
    Before,
    Plain,
    Quoted,
    /// Behind a quote in quotes: one of two, or the end.
    Quote,
    /// Behind its quotes.
    Behind,
}

impl State {
    fn is_behind(self) -> bool {
        matches!(self, State::Quote | State::Behind)
    }
}

/// A file that is read record by record.
pub struct Records {
    file: Box<dyn Read>,
    buffer: Vec<u8>,
    at: usize,
    separator: u8,
    line: u64,
    /// Whether the last line end was the first byte of one of two.
    after_return: bool,
}

impl Records {
    /// The records of a file. Nothing is read yet.
    pub fn new(file: Box<dyn Read>, separator: u8) -> Records {
        Records { file, buffer: Vec::new(), at: 0, separator, line: 0, after_return: false }
    }

    /// Reads on. False at the end of the file.
    fn refill(&mut self) -> Result<bool, Box<str>> {
        let begins = self.line == 0;
        self.buffer.clear();
        self.at = 0;
        let most = BUFFER as u64;
        let read = self.file.by_ref().take(most).read_to_end(&mut self.buffer);
        read.map_err(|error| Box::from(format!("it cannot be read: {error}")))?;
        if begins {
            self.line = 1;
            self.at = if self.buffer.starts_with(&MARK) { MARK.len() } else { 0 };
        }
        Ok(self.at < self.buffer.len())
    }

    /// The next byte.
    fn next_byte<E>(
        &mut self,
        holds: usize,
        go_on: &mut impl FnMut(usize) -> Result<(), E>,
    ) -> Result<Option<u8>, Error<E>> {
        if self.at >= self.buffer.len() {
            go_on(holds + BUFFER).map_err(Error::Ended)?;
            if !self.refill().map_err(Error::File)? {
                return Ok(None);
            }
        }
        let byte = self.buffer.get(self.at).copied();
        self.at += 1;
        Ok(byte)
    }

    /// Reads the next record into one. False if there is none. `go_on` is told, each time that
    /// more of the file is read, how many bytes are kept, and says whether to go on.
    pub fn next<E>(
        &mut self,
        record: &mut Record,
        mut go_on: impl FnMut(usize) -> Result<(), E>,
    ) -> Result<bool, Error<E>> {
        record.bytes.clear();
        record.ends.clear();
        let mut state = State::Before;
        loop {
            let holds = record.memory();
            let Some(byte) = self.next_byte(holds, &mut go_on)? else {
                return self.end_of_file(record, state);
            };
            let follows = std::mem::replace(&mut self.after_return, byte == b'\r');
            if byte == b'\n' && follows && state == State::Before && record.ends.is_empty() {
                continue;
            }
            let ends_line = byte == b'\r' || (byte == b'\n' && !follows);
            self.line += u64::from(ends_line);
            if record.ends.is_empty() && state == State::Before {
                record.line = self.line - u64::from(ends_line);
            }
            state = match (state, byte) {
                (State::Quoted, b'"') => State::Quote,
                (State::Quoted, _) | (State::Quote, b'"') => {
                    record.bytes.push(byte);
                    State::Quoted
                }
                (_, b'\n' | b'\r') => {
                    if state == State::Before && record.ends.is_empty() {
                        continue;
                    }
                    record.end_field(state.is_behind());
                    return Ok(true);
                }
                (_, byte) if byte == self.separator => {
                    record.end_field(state.is_behind());
                    State::Before
                }
                (State::Before, b' ' | b'\t') => State::Before,
                (State::Quote | State::Behind, b' ' | b'\t') => State::Behind,
                (State::Before, b'"') => State::Quoted,
                (State::Before | State::Plain, byte) if byte != b'"' => {
                    record.bytes.push(byte);
                    State::Plain
                }
                _ => return Err(Error::File("quotes stand around a part of a field".into())),
            };
        }
    }

    fn end_of_file<E>(&self, record: &mut Record, state: State) -> Result<bool, Error<E>> {
        match state {
            State::Quoted => Err(Error::File("a field in quotes has no end".into())),
            State::Before if record.ends.is_empty() => Ok(false),
            _ => {
                record.end_field(state.is_behind());
                Ok(true)
            }
        }
    }

    /// The line that is being read.
    pub fn line(&self) -> u64 {
        self.line
    }
}
