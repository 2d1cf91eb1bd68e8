//! Zinc, the text format of grids, versions 2 and 3.
//!
//! ```text
//!   ver:"3.0" projName:"demo"            what is said of the grid
//!   id,dis,area unit:"ft²",tags          columns, with what is said of them
//!   @a "A","Site A",3400ft²,{site}       rows, a cell each for each column
//!   @b,"Site B",,[1, "x"]                nothing, or N: null
//! ```
//!
//! [`Reader`] yields row by row of a text, [`Stream`] of bytes as they come; [`read_grid`] makes a
//! [`Grid`]. [`Writer`] appends row by row; [`write_grid`] writes anything that has [`Rows`].
//!
//! ```
//! use kvist_haystack::zinc;
//! let grid = zinc::read_grid("ver:\"3.0\"\na,b\n1,\"x\"\n,T\n")?;
//! let mut out = Vec::new();
//! zinc::write_grid(&mut out, &grid);
//! assert_eq!(out, b"ver:\"3.0\"\na,b\n1,\"x\"\n,T\n");
//! # Ok::<(), kvist_haystack::Error>(())
//! ```

mod read;
mod reader;
mod stream;
mod version2;
mod write;

use crate::scan::Cursor;
use crate::value::Rows;
use crate::{Cell, Error, Grid, Limits, Value};

pub use reader::Reader;
pub use stream::Stream;
pub use version2::write_grid_2;
pub use write::Writer;

pub(crate) use read::value as value_at;
pub(crate) use write::append;

/// Reads a grid, within the usual [`Limits`].
pub fn read_grid(text: &str) -> Result<Grid, Error> {
    read_grid_within(text, Limits::DEFAULT)
}

/// Reads a grid, within limits.
pub fn read_grid_within(text: &str, limits: Limits) -> Result<Grid, Error> {
    let mut reader = Reader::new(text, limits)?;
    let grid = reader.read_rest()?;
    reader.finish()?;
    Ok(grid)
}

/// Reads one value, such as `5kW`, `@a "A"` or `[1, 2]`.
pub fn read_value(text: &str) -> Result<Value, Error> {
    let mut cursor = Cursor::new(text);
    cursor.skip_space();
    let value = read::value(&mut cursor, Limits::DEFAULT.depth)?;
    cursor.skip_space();
    if cursor.is_end() { Ok(value) } else { Err(cursor.expected("the end")) }
}

/// Appends a grid in version 3.
pub fn write_grid(out: &mut Vec<u8>, grid: &(impl Rows + ?Sized)) {
    let mut writer = Writer::new(out, grid.meta(), grid.cols());
    for row in 0..grid.row_count() {
        writer.row(out, (0..grid.cols().len()).map(|col| grid.cell(row, col)));
    }
}

/// Appends one value in version 3.
pub fn write_value(out: &mut Vec<u8>, value: &Cell<'_>) {
    append(out, value);
}

/// The text of a value.
pub fn to_text(value: &Cell<'_>) -> String {
    let mut out = Vec::new();
    append(&mut out, value);
    String::from_utf8_lossy(&out).into_owned()
}

/// The beginning of a value's text: no more is written than it takes until about so many bytes are
/// there.
///
/// ```
/// use kvist_haystack::{Value, zinc};
/// let nested = zinc::read_value("[1, {a:[2, 3, 4]}, \"a long text\"]")?;
/// assert_eq!(zinc::beginning(&nested.cell(), 9), "[1, {a:[2]}]");
/// assert_eq!(zinc::beginning(&nested.cell(), 100), zinc::to_text(&nested.cell()));
/// # Ok::<(), kvist_haystack::Error>(())
/// ```
pub fn beginning(value: &Cell<'_>, bytes: usize) -> String {
    let mut out = Vec::new();
    write::append_within(&mut out, bytes, value);
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
#[path = "zinc_tests.rs"]
mod tests;
