//! Grids of Zinc from bytes as they come: one row in memory at a time.

use std::io::{BufRead, Read};

use super::reader::{columns, first_line, read_row};
use crate::scan::Cursor;
use crate::value::Col;
use crate::{Dict, Error, Limits, Value};

/// Reads the head of a grid from a source of bytes, then its rows one by one. Of the bytes it keeps
/// those of one row, which are at most [`Limits::bytes`].
///
/// ```
/// use kvist_haystack::{Limits, zinc::Stream};
/// let bytes: &[u8] = b"ver:\"3.0\"\na\n1\n2\n";
/// let mut stream = Stream::new(bytes, Limits::DEFAULT)?;
/// let (mut row, mut rows) = (Vec::new(), 0);
/// while stream.next_row(&mut row)? {
///     rows += 1;
/// }
/// assert_eq!(rows, 2);
/// # Ok::<(), kvist_haystack::Error>(())
/// ```
pub struct Stream<R> {
    lines: Lines<R>,
    limits: Limits,
    meta: Dict,
    cols: Vec<Col>,
    is_done: bool,
}

/// Lines that belong together, as a cell holds a grid of several.
struct Lines<R> {
    source: R,
    line: Vec<u8>,
    most: usize,
    /// How many lines are read, and how many of them before those in `line`.
    read: usize,
    before: usize,
}

/// What part of a row a byte is in.
#[derive(Default)]
struct Scan {
    quote: Option<u8>,
    depth: usize,
}

impl Scan {
    /// Goes over the bytes of a line.
    fn over(&mut self, line: &[u8]) {
        let mut bytes = line.iter().copied().peekable();
        while let Some(byte) = bytes.next() {
            match (self.quote, byte) {
                (Some(_), b'\\') => drop(bytes.next()),
                (Some(quote), _) if quote == byte => self.quote = None,
                (None, b'"' | b'`') => self.quote = Some(byte),
                (None, b'<') if bytes.next_if_eq(&b'<').is_some() => self.depth += 1,
                (None, b'>') if bytes.next_if_eq(&b'>').is_some() => {
                    self.depth = self.depth.saturating_sub(1);
                }
                _ => {}
            }
        }
        // No text goes on in the next line.
        self.quote = None;
    }
}

impl<R: BufRead> Lines<R> {
    /// Reads the lines of one row. There are none left if it is empty.
    fn next(&mut self) -> Result<&str, Error> {
        self.line.clear();
        self.before = self.read;
        let mut scan = Scan::default();
        loop {
            let start = self.line.len();
            let room = (self.most - start.min(self.most)) as u64 + 1;
            let limited = Read::take(&mut self.source, room).read_until(b'\n', &mut self.line);
            limited.map_err(|error| Error::new(format!("Reading failed: {error}")))?;
            if self.line.len() > self.most {
                return Err(Error::new(format!("Row of more than {} bytes", self.most)));
            }
            self.read += 1;
            let line = self.line.get(start..).unwrap_or_default();
            scan.over(line);
            if scan.depth == 0 || line.is_empty() {
                break;
            }
        }
        std::str::from_utf8(&self.line).map_err(|_| Error::new("Text that is not UTF-8"))
    }
}

impl<R: BufRead> Stream<R> {
    /// Reads the head of a grid.
    pub fn new(source: R, limits: Limits) -> Result<Stream<R>, Error> {
        let most = limits.bytes;
        let mut lines = Lines { source, line: Vec::new(), most, read: 0, before: 0 };
        let mut head = lines.next()?.to_owned();
        while !head.is_empty() && head.trim().is_empty() {
            lines.next()?.clone_into(&mut head);
        }
        let before = lines.before;
        let head = head.trim_start_matches('\u{feff}');
        let (meta, _) = first_line(&mut Cursor::within(head, limits), limits.depth)
            .map_err(|error| error.lines_down(before))?;
        let second = lines.next()?.to_owned();
        let cols = columns(&mut Cursor::within(&second, limits), limits.depth)
            .map_err(|error| error.lines_down(lines.before))?;
        Ok(Stream { lines, limits, meta, cols, is_done: false })
    }

    /// What is said of the grid.
    pub fn meta(&self) -> &Dict {
        &self.meta
    }

    /// The columns.
    pub fn cols(&self) -> &[Col] {
        &self.cols
    }

    /// How many lines stand before the row that was read last.
    pub fn line(&self) -> usize {
        self.lines.before
    }

    /// Reads a row into `row`, a value for each column. False at the end, which is that of the
    /// bytes or an empty line.
    pub fn next_row(&mut self, row: &mut Vec<Value>) -> Result<bool, Error> {
        row.clear();
        if self.is_done {
            return Ok(false);
        }
        let (limits, cols) = (self.limits, self.cols.len());
        let line = self.lines.next()?;
        let mut text = Cursor::within(line, limits);
        text.skip_blanks();
        if text.is_line_end() {
            self.is_done = true;
            return Ok(false);
        }
        let read = read_row(&mut text, cols, limits.depth, row).and_then(|()| {
            text.skip_blanks();
            let ends = text.is_line_end();
            if ends { Ok(()) } else { Err(text.expected("the end of the row")) }
        });
        read.map_err(|error| error.lines_down(self.lines.before))?;
        Ok(true)
    }
}
