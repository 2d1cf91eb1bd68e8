//! JSON as of Haystack 3: all kinds that JSON lacks are strings with a letter and a colon in front.
//!
//! ```text
//!   m:  marker     n:45 °F  number     d:2024-02-29  date       r:a Dis   ref        s:a:b  text
//!   -:  remove     y:site   symbol     h:14:30:00    time       u:http:…  URI        b:…    Bin
//!   z:  NA         c:37,-77 coord      t:… New_York  instant    x:Type:…  extended string
//! ```
//!
//! What is said of a column stands beside its name. Texts with a colon have `s:` in front.
//!
//! ```
//! use kvist_haystack::{Value, json3};
//! let value = json3::read_value(r#"["n:5 kW", "r:a A", "text"]"#)?;
//! assert_eq!(format!("{value:?}"), r#"[5kW, @a "A", "text"]"#);
//! # Ok::<(), kvist_haystack::Error>(())
//! ```

mod read;
mod write;

use crate::json::{GridReader, check_size, depth_of, parse};
use crate::scan::Cursor;
use crate::value::{Col, Rows};
use crate::{Cell, Dict, Error, Grid, Limits, Value};

pub use write::Writer;

use read::Json3;

/// Reads a grid row by row.
pub struct Reader<'a>(GridReader<'a, Json3>);

impl<'a> Reader<'a> {
    /// Reads what is said of the grid and of its columns, wherever it stands in the text.
    pub fn new(text: &'a str, limits: Limits) -> Result<Reader<'a>, Error> {
        Ok(Reader(GridReader::new(text, limits)?))
    }

    /// What is said of the grid, without its version.
    pub fn meta(&self) -> &Dict {
        self.0.meta()
    }

    /// The columns.
    pub fn cols(&self) -> &[Col] {
        self.0.cols()
    }

    /// Reads a row into `row`, a value for each column. False at the end.
    pub fn next_row(&mut self, row: &mut Vec<Value>) -> Result<bool, Error> {
        self.0.next_row(row)
    }
}

/// Reads a grid, within the usual [`Limits`].
pub fn read_grid(text: &str) -> Result<Grid, Error> {
    read_grid_within(text, Limits::DEFAULT)
}

/// Reads a grid, within limits.
pub fn read_grid_within(text: &str, limits: Limits) -> Result<Grid, Error> {
    GridReader::<Json3>::new(text, limits)?.read_rest()
}

/// Reads one value, within the usual [`Limits`].
pub fn read_value(text: &str) -> Result<Value, Error> {
    use crate::json::Format;
    let limits = Limits::DEFAULT;
    check_size(text, limits)?;
    let mut cursor = Cursor::new(text);
    let json = parse(&mut cursor, depth_of(limits))?;
    cursor.skip_space();
    if !cursor.is_end() {
        return Err(cursor.expected("the end"));
    }
    Json3::value(&json, limits.depth)
}

/// Appends a grid.
pub fn write_grid(out: &mut Vec<u8>, grid: &(impl Rows + ?Sized)) {
    let mut writer = Writer::new(out, grid.meta(), grid.cols());
    for row in 0..grid.row_count() {
        writer.row(out, (0..grid.cols().len()).map(|col| grid.cell(row, col)));
    }
    writer.finish(out);
}

/// Appends one value.
pub fn write_value(out: &mut Vec<u8>, value: &Cell<'_>) {
    write::append(out, value);
}

/// The text of a value.
pub fn to_text(value: &Cell<'_>) -> String {
    let mut out = Vec::new();
    write::append(&mut out, value);
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
#[path = "json3_tests.rs"]
mod tests;
