//! From the parts of a reply to columns.
//!
//! ```text
//!   depth  0        1         2        3
//!          [ rows   [ cells   [ items  refused
//!          [ values                    one column, or as many as there are names, by turns
//!          { keys, values }            two columns
//!          value                       one row; nothing is none
//! ```
//!
//! Once something does not fit, the rest of the reply is read and not looked at: the stream must
//! stand behind the reply when the complaint is made.

use crate::column::{Column, Mismatch, Type};
use crate::table::Table;
use std::fmt;
use std::vec::Drain;
use wire::{Aggregate, Build, Leaf};

/// What a reply's columns are to be.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// The columns' names. They also say how many values of a flat reply make a row.
    pub names: Option<Vec<String>>,
    /// Types by the columns' positions.
    pub types: Vec<(usize, Type)>,
    /// Types by the columns' names.
    pub types_by_name: Vec<(String, Type)>,
    /// Whether strings are text where nothing else is asked for.
    pub text: bool,
}

/// Why a reply did not become a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotATable {
    /// It is an error, or has one inside.
    Error(String),
    /// It has another shape, or values of different types where one type is wanted.
    Shape(String),
}

impl fmt::Display for NotATable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Error(text) | Self::Shape(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for NotATable {}

/// What the items of the reply are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Items {
    /// Not known before the first one comes.
    Unknown,
    /// Values, in rows of a fixed width.
    Values,
    /// Rows.
    Rows,
}

/// Builds a [`Table`] while a [`wire::ReplyReader`] reads. One is good for one reply.
///
/// ```
/// use kvist_columns::{Cell, Rows, Wanted};
/// use wire::ReplyReader;
///
/// let mut reader = ReplyReader::new();
/// reader.feed(b"*2\r\n*2\r\n:1\r\n$3\r\nAda\r\n*2\r\n:2\r\n$-1\r\n");
/// let mut rows = Rows::new(Wanted { text: true, ..Wanted::default() });
/// assert_eq!(reader.next(&mut rows), Ok(Some(())));
/// let table = rows.finish()?;
/// assert_eq!(table.names(), ["column_0", "column_1"]);
/// assert_eq!(table.row(0).collect::<Vec<_>>(), [Cell::Int(1), Cell::Text("Ada")]);
/// assert_eq!(table.row(1).collect::<Vec<_>>(), [Cell::Int(2), Cell::Null]);
/// # Ok::<(), kvist_columns::NotATable>(())
/// ```
#[derive(Debug)]
pub struct Rows {
    wanted: Wanted,
    columns: Vec<Column>,
    items: Items,
    /// Values in a row of a flat reply.
    width: usize,
    /// The column that the next value belongs to.
    at: usize,
    rows: usize,
    problem: Option<NotATable>,
}

impl Rows {
    /// For one reply.
    #[must_use]
    pub fn new(wanted: Wanted) -> Self {
        let width = wanted.names.as_ref().map_or(1, |names| names.len().max(1));
        Rows {
            wanted,
            columns: Vec::new(),
            items: Items::Unknown,
            width,
            at: 0,
            rows: 0,
            problem: None,
        }
    }

    /// The table.
    ///
    /// # Errors
    /// The reply was none.
    pub fn finish(mut self) -> Result<Table, NotATable> {
        if self.problem.is_none() && self.items == Items::Values && self.at != 0 {
            let values = self.rows * self.width + self.at;
            let text = format!("{values} values do not make rows of {}", self.width);
            self.problem = Some(NotATable::Shape(text));
        }
        if let Some(problem) = self.problem {
            return Err(problem);
        }
        // What has no rows still has the columns that were named.
        let width = self.wanted.names.as_ref().map_or(self.columns.len(), Vec::len);
        while self.columns.len() < width && self.rows == 0 {
            let column = self.column(self.columns.len());
            self.columns.push(column);
        }
        if width != self.columns.len() {
            let text = format!("{width} names for {} columns", self.columns.len());
            return Err(NotATable::Shape(text));
        }
        let names: Vec<String> = (0..width).map(|index| self.name(index)).collect();
        let unknown = self.wanted.types_by_name.iter().find(|(name, _)| !names.contains(name));
        if let Some((name, _)) = unknown.filter(|_| width > 0) {
            return Err(NotATable::Shape(format!("a type for '{name}', which is no column")));
        }
        for (name, column) in names.iter().zip(&self.columns) {
            column.validate().map_err(|row| {
                NotATable::Shape(format!("column '{name}' has bytes in row {row} that are no text"))
            })?;
        }
        Ok(Table::new(self.rows, names, self.columns))
    }

    fn name(&self, index: usize) -> String {
        let given = self.wanted.names.as_ref().and_then(|names| names.get(index));
        given.cloned().unwrap_or_else(|| format!("column_{index}"))
    }

    /// A new column for a position.
    fn column(&self, index: usize) -> Column {
        let wanted = &self.wanted;
        let by_position = wanted.types.iter().find(|(at, _)| *at == index).map(|(_, it)| *it);
        let by_name = || {
            let name = self.name(index);
            wanted.types_by_name.iter().find(|(it, _)| *it == name).map(|(_, it)| *it)
        };
        Column::new(by_position.or_else(by_name), wanted.text)
    }

    fn refuse(&mut self, text: String) {
        self.problem.get_or_insert(NotATable::Shape(text));
    }

    fn mismatch(&mut self, mismatch: Mismatch) {
        let name = self.name(self.at);
        let Mismatch { value, column } = mismatch;
        self.refuse(format!("{value} in row {} of column '{name}', which has {column}", self.rows));
    }

    /// The column of the next value, made if it is the first row's; nothing if the row is longer
    /// than those before.
    #[inline(always)]
    fn here(&mut self) -> Option<&mut Column> {
        if self.at == self.columns.len() {
            self.widen();
        }
        self.columns.get_mut(self.at)
    }

    /// A value that has no column yet.
    #[cold]
    fn widen(&mut self) {
        if self.rows > 0 {
            let text = format!("row {} has more than {} values", self.rows, self.at);
            return self.refuse(text);
        }
        let column = self.column(self.at);
        self.columns.push(column);
    }

    #[inline(always)]
    fn value(&mut self, leaf: Leaf<'_>) {
        let Some(column) = self.here() else { return };
        match column.push(leaf) {
            Ok(()) => self.at += 1,
            Err(mismatch) => self.mismatch(mismatch),
        }
    }

    /// A value of a flat reply.
    fn flat(&mut self, leaf: Leaf<'_>) {
        if self.items == Items::Rows {
            let text = format!("item {} is a value where those before are rows", self.rows);
            return self.refuse(text);
        }
        self.items = Items::Values;
        self.value(leaf);
        if self.at == self.width {
            self.at = 0;
            self.rows += 1;
        }
    }

    /// A value of a list in a row.
    fn item(&mut self, leaf: Leaf<'_>) {
        let Some(column) = self.here() else { return };
        if let Err(mismatch) = column.items().and_then(|items| items.push(leaf)) {
            self.mismatch(mismatch);
        }
    }
}

impl Build for Rows {
    type Value = ();

    #[inline(always)]
    fn leaf(&mut self, leaf: Leaf<'_>, depth: usize) {
        if self.problem.is_some() {
            return;
        }
        if let Leaf::Error(text) | Leaf::BulkError(text) = leaf {
            self.problem = Some(NotATable::Error(String::from_utf8_lossy(text).into_owned()));
            return;
        }
        match depth {
            2 => self.value(leaf),
            0 if matches!(leaf, Leaf::Null | Leaf::NullBulk | Leaf::NullArray) => {}
            0 | 1 => self.flat(leaf),
            _ => self.item(leaf),
        }
    }

    fn open(&mut self, kind: Option<Aggregate>, depth: usize) {
        if self.problem.is_some() {
            return;
        }
        let Some(kind) = kind else {
            return self.refuse("a reply with facts about its values".to_owned());
        };
        match (depth, kind) {
            (0, Aggregate::Map) => {
                self.width = 2;
                let names = || vec!["key".to_owned(), "value".to_owned()];
                self.wanted.names.get_or_insert_with(names);
            }
            (0, Aggregate::Array | Aggregate::Set) => {}
            (0, Aggregate::Push) => self.refuse("a message is no table".to_owned()),
            (_, Aggregate::Map) => self.refuse(format!("a map in row {}", self.rows)),
            (1, _) if self.items == Items::Values => {
                let text = format!("item {} is a list where those before are values", self.rows);
                self.refuse(text);
            }
            (1, _) => self.items = Items::Rows,
            (2, _) => {
                if let Some(Err(mismatch)) = self.here().map(|column| column.items().map(drop)) {
                    self.mismatch(mismatch);
                }
            }
            _ => {
                let text = format!("a list in a list in row {} of column {}", self.rows, self.at);
                self.refuse(text);
            }
        }
    }

    #[inline]
    fn aggregate(&mut self, _: Aggregate, _: Drain<'_, ()>, depth: usize) {
        if self.problem.is_some() {
            return;
        }
        match depth {
            1 => {
                if self.at != self.columns.len() {
                    let (row, has, width) = (self.rows, self.at, self.columns.len());
                    return self.refuse(format!("row {row} has {has} values instead of {width}"));
                }
                self.at = 0;
                self.rows += 1;
            }
            2 => {
                if let Some(column) = self.here() {
                    column.end_list();
                    self.at += 1;
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
#[path = "rows_tests.rs"]
mod tests;
