//! Hayson: JSON as of Haystack 4, where kinds that JSON lacks are objects with a `_kind`.
//!
//! ```text
//!   {"_kind":"grid", "meta":{"ver":"3.0"}, "cols":[{"name":"area","meta":{…}}],
//!    "rows":[{"area":{"_kind":"number","val":740,"unit":"m²"}}]}          null cells are left out
//! ```
//!
//! ```
//! use kvist_haystack::{Value, hayson};
//! let value = hayson::read_value(r#"[1, {"_kind":"ref","val":"a","dis":"A"}]"#)?;
//! assert_eq!(value, Value::list(vec![1.0.into(), Value::id("a")?]));
//! # Ok::<(), kvist_haystack::Error>(())
//! ```

mod read;
mod write;

use crate::json::{GridReader, check_size, depth_of, parse};
use crate::scan::Cursor;
use crate::value::{Col, Rows};
use crate::{Cell, Dict, Error, Grid, Limits, Value};

pub use write::Writer;

use read::Hayson;

/// Reads a grid row by row.
pub struct Reader<'a>(GridReader<'a, Hayson>);

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
    GridReader::<Hayson>::new(text, limits)?.read_rest()
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
    Hayson::value(&json, limits.depth)
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
#[path = "hayson_tests.rs"]
mod tests;
