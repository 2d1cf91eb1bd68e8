//! What can be written as a grid: anything that has columns and cells.

use super::{Cell, Col, Dict, Grid};

/// Rows and columns, wherever they lie. Writers ask cell by cell, row by row.
pub trait Rows {
    /// What is said of the whole.
    fn meta(&self) -> &Dict;

    /// The columns.
    fn cols(&self) -> &[Col];

    /// How many rows there are.
    fn row_count(&self) -> usize;

    /// The value in a row and a column, both counted from 0; null beyond the last.
    fn cell(&self, row: usize, col: usize) -> Cell<'_>;

    /// Shows the values of a column that are not null, from the first row on, as long as `each`
    /// says that it may go on: faster than cell by cell where a column lies in one piece.
    fn visit(&self, col: usize, each: &mut dyn FnMut(usize, Cell<'_>) -> bool) {
        for row in 0..self.row_count() {
            let cell = self.cell(row, col);
            if !cell.is_null() && !each(row, cell) {
                return;
            }
        }
    }
}

impl Rows for Grid {
    fn meta(&self) -> &Dict {
        Grid::meta(self)
    }

    fn cols(&self) -> &[Col] {
        Grid::cols(self)
    }

    fn row_count(&self) -> usize {
        self.len()
    }

    fn cell(&self, row: usize, col: usize) -> Cell<'_> {
        self.value(row, col).cell()
    }
}
