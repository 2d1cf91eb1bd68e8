//! What a statement answers: rows as batches of columns, and what it has changed.

use std::sync::Arc;

use super::Explained;
use crate::execute::{Batch, Column, Deleted};
use crate::storage::text_units;
use crate::value::Value;

/// What a statement answers.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// The names of its columns; none if it returns nothing.
    pub columns: Arc<[Box<str>]>,
    /// Its rows: the columns of each batch are those, in their order.
    pub batches: Vec<Batch>,
    /// What it has changed.
    pub statistics: Statistics,
    /// What it has deleted: rows may name it still.
    pub deleted: Vec<Arc<Deleted>>,
    /// The operators that ran, each with how many rows it made, if that was asked for.
    pub profile: Option<Explained>,
}

/// What a statement has changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Labels that the graph did not know, and those that were given to nodes that were there.
    pub labels_added: u64,
    /// Labels that were taken from nodes.
    pub labels_removed: u64,
    /// Nodes that were made.
    pub nodes_created: u64,
    /// Nodes that were deleted.
    pub nodes_deleted: u64,
    /// Properties that were set.
    pub properties_set: u64,
    /// Properties that were taken away, or had another value before.
    pub properties_removed: u64,
    /// Relationships that were made.
    pub relationships_created: u64,
    /// Relationships that were deleted.
    pub relationships_deleted: u64,
    /// Indexes that were made.
    pub indices_created: u64,
    /// Indexes that were dropped.
    pub indices_deleted: u64,
    /// Constraints that were made.
    pub constraints_created: u64,
    /// Constraints that were dropped.
    pub constraints_deleted: u64,
}

/// A row of an answer.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    batch: &'a Batch,
    at: usize,
}

/// A value of a row, where it lies if it is a number or a text.
#[derive(Clone, Debug)]
pub enum Cell<'a> {
    /// An integer.
    Integer(i64),
    /// A float.
    Float(f64),
    /// A text.
    Text(&'a str),
    /// Any value.
    Value(Value),
}

impl Cell<'_> {
    /// How much there is to go through when it is written: see [`Value::units`].
    #[must_use]
    pub fn units(&self) -> u32 {
        match self {
            Cell::Integer(_) | Cell::Float(_) => 1,
            Cell::Text(text) => text_units(text),
            Cell::Value(value) => value.units(),
        }
    }
}

impl<'a> Row<'a> {
    /// The value of a column, by its place, without a copy of what is large.
    #[must_use]
    pub fn cell(&self, column: usize) -> Cell<'a> {
        match self.batch.column(column) {
            Column::Integers(all) => Cell::Integer(all[self.at]),
            Column::Floats(all) => Cell::Float(all[self.at]),
            Column::Texts(all) => Cell::Text(all.get(self.at)),
            other => Cell::Value(other.value(self.at)),
        }
    }

    /// The value of a column, by its place.
    #[must_use]
    pub fn value(&self, column: usize) -> Value {
        self.batch.column(column).value(self.at)
    }
}

impl Answer {
    /// The rows, from the first to the last.
    pub fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        self.batches.iter().flat_map(|batch| (0..batch.len()).map(move |at| Row { batch, at }))
    }

    /// What it has deleted, by an id in a row; none for what is there.
    #[must_use]
    pub fn deleted(&self, id: u64) -> Option<&Deleted> {
        Deleted::find(&self.deleted, id)
    }

    /// The bytes of its rows.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.batches.iter().map(Batch::memory).sum()
    }
}
