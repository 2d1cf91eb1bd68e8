//! Some rows: a column for each slot.

use super::column::{Column, NULLS};
use crate::plan::{Live, Slot};

/// How many rows operators put together.
pub const ROWS: usize = 1024;

/// Some rows, column by column. A slot without a column is null in all of them.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    columns: Vec<Column>,
    len: usize,
}

impl Batch {
    /// So many rows without columns.
    #[must_use]
    pub fn new(len: usize) -> Batch {
        Batch { columns: Vec::new(), len }
    }

    /// How many rows there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// How many slots may have columns.
    #[must_use]
    pub fn width(&self) -> usize {
        self.columns.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The column of a slot.
    #[must_use]
    pub fn column(&self, slot: Slot) -> &Column {
        self.columns.get(slot).unwrap_or(&NULLS)
    }

    /// Puts a column into a slot.
    pub fn set(&mut self, slot: Slot, column: Column) {
        if self.columns.len() <= slot {
            self.columns.resize_with(slot + 1, || NULLS.clone());
        }
        self.columns[slot] = column;
    }

    /// Some rows of this, in the order given.
    #[must_use]
    pub fn gather(&self, rows: &[u32]) -> Batch {
        let columns = self.columns.iter().map(|column| column.gather(rows)).collect();
        Batch { columns, len: rows.len() }
    }

    /// Some rows of this, with the columns that are read later.
    #[must_use]
    pub fn gather_live(&self, rows: &[u32], live: &Live) -> Batch {
        let column = |(slot, column): (Slot, &Column)| match live.has(slot) {
            true => column.gather(rows),
            false => NULLS.clone(),
        };
        let columns = self.columns.iter().enumerate().map(column).collect();
        Batch { columns, len: rows.len() }
    }

    /// Some rows of this, with the columns of some slots.
    #[must_use]
    pub fn gather_slots(&self, rows: &[u32], slots: &[Slot]) -> Batch {
        let mut batch = Batch::new(rows.len());
        for &slot in slots {
            batch.set(slot, self.column(slot).gather(rows));
        }
        batch
    }

    /// A row.
    #[must_use]
    pub fn row(&self, row: usize) -> Batch {
        let columns = self.columns.iter().map(|column| Column::Constant(column.value(row)));
        Batch { columns: columns.collect(), len: 1 }
    }

    /// All rows, with the columns of some slots only.
    #[must_use]
    pub fn keep(&self, slots: &[Slot]) -> Batch {
        let mut batch = Batch::new(self.len);
        for &slot in slots {
            batch.set(slot, self.column(slot).clone());
        }
        batch
    }

    /// The columns of some slots, as the first ones, in this order.
    #[must_use]
    pub fn project(&self, slots: &[Slot]) -> Batch {
        let columns = slots.iter().map(|&slot| self.column(slot).clone()).collect();
        Batch { columns, len: self.len }
    }

    /// The rows of several batches, one behind the other.
    #[must_use]
    pub fn concat(batches: &[Batch]) -> Batch {
        if let [only] = batches {
            return only.clone();
        }
        let width = batches.iter().map(|batch| batch.columns.len()).max().unwrap_or(0);
        let columns = (0..width).map(|slot| {
            let parts: Vec<_> =
                batches.iter().map(|batch| (batch.column(slot), batch.len)).collect();
            Column::concat(&parts)
        });
        Batch { columns: columns.collect(), len: batches.iter().map(|batch| batch.len).sum() }
    }

    /// The bytes that it keeps.
    #[must_use]
    pub fn memory(&self) -> usize {
        let columns: usize = self.columns.iter().map(Column::memory).sum();
        size_of_val(&self.columns[..]) + columns
    }
}

/// A number of rows as they are numbered in a batch: there are never more than 32 bits hold.
#[must_use]
pub fn row_number(row: usize) -> u32 {
    u32::try_from(row).unwrap_or(u32::MAX)
}
