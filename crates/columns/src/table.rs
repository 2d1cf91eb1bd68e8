//! Columns of the same length, with names.

use crate::column::{Cell, Column};

/// What a reply became.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    rows: usize,
    names: Vec<String>,
    columns: Vec<Column>,
}

impl Table {
    /// A table of columns that all have so many rows, with a name for each.
    pub(crate) fn new(rows: usize, names: Vec<String>, columns: Vec<Column>) -> Self {
        Table { rows, names, columns }
    }

    /// How many rows there are.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The columns, in order.
    #[must_use]
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Their names, in order.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// A column by its name.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<&Column> {
        let index = self.names.iter().position(|it| it == name)?;
        self.columns.get(index)
    }

    /// The values of a row; of one that there is not, missing ones.
    pub fn row(&self, row: usize) -> impl Iterator<Item = Cell<'_>> {
        self.columns.iter().map(move |column| column.get(row))
    }
}
