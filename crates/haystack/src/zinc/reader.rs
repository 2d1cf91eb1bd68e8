//! Grids of Zinc, row by row.

use super::read;
use crate::limits::NESTED;
use crate::scan::Cursor;
use crate::value::{Col, GridBuilder};
use crate::{Dict, Error, Grid, Limits, Value};

/// Reads the head of a grid, then its rows one by one.
///
/// ```
/// use kvist_haystack::{Limits, zinc::Reader};
/// let mut reader = Reader::new("ver:\"3.0\"\na,b\n1,2\n3,4\n", Limits::DEFAULT)?;
/// assert_eq!(reader.cols().len(), 2);
/// let (mut row, mut rows) = (Vec::new(), 0);
/// while reader.next_row(&mut row)? {
///     rows += 1;
/// }
/// assert_eq!(rows, 2);
/// # Ok::<(), kvist_haystack::Error>(())
/// ```
pub struct Reader<'a> {
    text: Cursor<'a>,
    /// How deep values may nest.
    depth: usize,
    is_nested: bool,
    meta: Dict,
    cols: Vec<Col>,
    is_old: bool,
}

impl<'a> Reader<'a> {
    /// Reads the head of a grid.
    pub fn new(text: &'a str, limits: Limits) -> Result<Reader<'a>, Error> {
        if text.len() > limits.bytes {
            return Err(Error::new(format!("Grid of more than {} bytes", limits.bytes)));
        }
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut cursor = Cursor::within(text, limits);
        cursor.skip_space();
        Reader::head(cursor, limits.depth, false)
    }

    /// Reads the head of a grid within a cell, which ends before `>>`.
    pub(super) fn nested(text: Cursor<'a>, depth: usize) -> Result<Reader<'a>, Error> {
        Reader::head(text, depth, true)
    }

    fn head(mut text: Cursor<'a>, depth: usize, is_nested: bool) -> Result<Reader<'a>, Error> {
        let (meta, is_old) = first_line(&mut text, depth)?;
        let cols = columns(&mut text, depth)?;
        Ok(Reader { text, depth, is_nested, meta, cols, is_old })
    }

    /// What is said of the grid, without its version.
    pub fn meta(&self) -> &Dict {
        &self.meta
    }

    /// The columns.
    pub fn cols(&self) -> &[Col] {
        &self.cols
    }

    /// Whether it is of version 2.
    pub fn is_version_2(&self) -> bool {
        self.is_old
    }

    pub(super) fn cursor(&self) -> Cursor<'a> {
        self.text
    }

    /// Whether there is no row any more.
    fn is_end(&mut self) -> bool {
        if !self.is_nested {
            let mut line = self.text;
            line.skip_blanks();
            // A grid of one column may have rows of spaces alone; they end it like empty lines.
            return line.is_line_end();
        }
        let mut rest = self.text;
        rest.skip_space();
        let is_end = rest.is_end() || rest.peek() == Some(b'>');
        if is_end {
            self.text = rest;
        }
        is_end
    }

    /// Reads a row into `row`, a value for each column. False at the end, which is that of the text
    /// or an empty line.
    pub fn next_row(&mut self, row: &mut Vec<Value>) -> Result<bool, Error> {
        row.clear();
        if self.is_end() {
            return Ok(false);
        }
        read_row(&mut self.text, self.cols.len(), self.depth, row)?;
        self.text.skip_blanks();
        let ends = self.text.take_line_end()
            || self.text.is_end()
            || self.is_nested && self.text.peek() == Some(b'>');
        if ends { Ok(true) } else { Err(self.text.expected("the end of the row")) }
    }

    /// Reads all rows that are left.
    pub fn read_rest(&mut self) -> Result<Grid, Error> {
        let meta = std::mem::take(&mut self.meta);
        let mut grid = GridBuilder::new(meta, self.cols.clone())
            .map_err(|error| self.text.error(error.message()))?;
        let mut row = Vec::with_capacity(self.cols.len());
        while self.next_row(&mut row)? {
            grid.push(row.drain(..));
        }
        Ok(grid.finish())
    }

    /// Whether nothing but space is left; an error otherwise.
    pub fn finish(mut self) -> Result<(), Error> {
        self.text.skip_space();
        if self.text.is_end() { Ok(()) } else { Err(self.text.expected("the end of the grid")) }
    }
}

/// `ver:"3.0"` and what is said of the grid; whether it is of version 2.
pub(super) fn first_line(text: &mut Cursor<'_>, depth: usize) -> Result<(Dict, bool), Error> {
    let place = text.place();
    if !text.take_text("ver:") {
        return Err(text.expected("'ver:'"));
    }
    let version = read::value(text, 0)?;
    let is_old = match version.as_str() {
        Some("2.0") => true,
        Some("3.0") => false,
        _ => return Err(text.error_at(place, "Unsupported version of Zinc")),
    };
    let mut meta = read::meta(text, depth)?;
    meta.remove("ver");
    if !text.take_line_end() {
        return Err(text.expected("a tag or the end of the line"));
    }
    Ok((meta, is_old))
}

/// The line of columns.
pub(super) fn columns(text: &mut Cursor<'_>, depth: usize) -> Result<Vec<Col>, Error> {
    let mut cols = Vec::new();
    let mut names = std::collections::HashSet::new();
    loop {
        text.skip_blanks();
        let place = text.place();
        let name = read::tag(text)?;
        text.charge(NESTED)?;
        if !names.insert(name.clone()) {
            return Err(text.error_at(place, format!("Duplicate column '{name}'")));
        }
        let meta = read::meta(text, depth)?;
        cols.push(Col { name, meta });
        if text.take(b',') {
            continue;
        }
        let ends = text.take_line_end() || text.is_end() || text.peek() == Some(b'>');
        return if ends { Ok(cols) } else { Err(text.expected("',' or the end of the line")) };
    }
}

/// The cells of a row.
pub(super) fn read_row(
    text: &mut Cursor<'_>,
    cols: usize,
    depth: usize,
    row: &mut Vec<Value>,
) -> Result<(), Error> {
    for col in 0..cols {
        text.skip_blanks();
        let is_empty = text.is_line_end() || matches!(text.peek(), Some(b',' | b'>'));
        text.charge(1)?;
        row.push(if is_empty { Value::NULL } else { read::value(text, depth)? });
        text.skip_blanks();
        if col + 1 < cols && !text.take(b',') {
            return Err(text.expected("','"));
        }
    }
    Ok(())
}
