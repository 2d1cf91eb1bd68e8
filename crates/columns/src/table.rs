//! Columns of the same length, with names.

use crate::column::{Cell, Column};

/// What is said of something, by names: Arrow's metadata.
pub type Notes = Vec<(String, String)>;

/// What a reply became.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    rows: usize,
    names: Vec<String>,
    columns: Vec<Column>,
    /// What is said of the whole, and of each column, if anything is.
    notes: Notes,
    column_notes: Vec<Notes>,
}

impl Table {
    /// A table of columns that all have so many rows, with a name for each.
    pub(crate) fn new(rows: usize, names: Vec<String>, columns: Vec<Column>) -> Self {
        Table { rows, names, columns, notes: Notes::new(), column_notes: Vec::new() }
    }

    /// A table of columns that all have so many rows: those that have not are left out.
    ///
    /// ```
    /// use kvist_columns::{Cells, Column, Table};
    /// let of = |len| Column::of(Cells::Ints(vec![7; len]), len, None);
    /// let table = Table::of(2, [("a".to_owned(), of(2)), ("b".to_owned(), of(1))]);
    /// assert_eq!(table.names(), ["a"]);
    /// ```
    #[must_use]
    pub fn of(rows: usize, columns: impl IntoIterator<Item = (String, Column)>) -> Self {
        let whole = columns.into_iter().filter(|(_, column)| column.len() == rows);
        let (names, columns) = whole.unzip();
        Table::new(rows, names, columns)
    }

    /// The same with something said of the whole, and of the columns in their order.
    #[must_use]
    pub fn with_notes(self, notes: Notes, column_notes: Vec<Notes>) -> Self {
        Table { notes, column_notes, ..self }
    }

    /// The same with other names for the columns, if there are as many.
    #[must_use]
    pub fn with_names(self, names: Vec<String>) -> Self {
        if names.len() == self.names.len() { Table { names, ..self } } else { self }
    }

    /// What is said of the whole.
    #[must_use]
    pub fn notes(&self) -> &[(String, String)] {
        &self.notes
    }

    /// What is said of a column.
    #[must_use]
    pub fn column_notes(&self, column: usize) -> &[(String, String)] {
        self.column_notes.get(column).map_or(&[], Vec::as_slice)
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
