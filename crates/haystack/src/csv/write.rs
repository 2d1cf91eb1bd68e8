//! Grids to CSV.

use super::MARKER;
use crate::value::{Col, Rows};
use crate::{Cell, display};

/// Appends rows below the line of names; see [`write_grid`] for all at once.
pub struct Writer {
    cols: usize,
}

impl Writer {
    /// Appends the display names of columns.
    pub fn new(out: &mut Vec<u8>, cols: &[Col]) -> Writer {
        for (place, col) in cols.iter().enumerate() {
            if place > 0 {
                out.push(b',');
            }
            append(out, col.dis());
        }
        out.push(b'\n');
        Writer { cols: cols.len() }
    }

    /// Appends a row: a cell for each column.
    pub fn row<'a>(&mut self, out: &mut Vec<u8>, cells: impl IntoIterator<Item = Cell<'a>>) {
        for (place, cell) in cells.into_iter().take(self.cols).enumerate() {
            if place > 0 {
                out.push(b',');
            }
            match cell {
                Cell::Null => {}
                Cell::Marker => append(out, MARKER),
                Cell::Str(text) => append(out, text),
                Cell::Ref(id, None) => append(out, &format!("@{id}")),
                Cell::Ref(id, Some(dis)) => append(out, &format!("@{id} {dis}")),
                cell => append(out, &display::of_cell(&cell)),
            }
        }
        out.push(b'\n');
    }
}

/// Appends a field, between quotation marks if it has to be.
fn append(out: &mut Vec<u8>, text: &str) {
    if !text.contains(['"', ',', '\n', '\r']) && !text.starts_with(' ') && !text.ends_with(' ') {
        return out.extend_from_slice(text.as_bytes());
    }
    out.push(b'"');
    out.extend_from_slice(text.replace('"', "\"\"").as_bytes());
    out.push(b'"');
}

/// Appends a grid.
pub fn write_grid(out: &mut Vec<u8>, grid: &(impl Rows + ?Sized)) {
    let mut writer = Writer::new(out, grid.cols());
    for row in 0..grid.row_count() {
        writer.row(out, (0..grid.cols().len()).map(|col| grid.cell(row, col)));
    }
}
