//! The steps of `FT.AGGREGATE`, over rows that are given one after another.
//!
//! ```text
//!   Aggregate ─► compile ─► Pipeline ◄─ push(row) … ─► finish ─► Rows
//!                              └ stages: filter, apply, limit; sort and group hold rows
//! ```
//!
//! A row is a list of values, one for each column; names are resolved once, when steps are
//! compiled. Must not know where rows come from, nor how long it may take.

mod compile;
mod group;
mod reduce;
mod sketch;
mod sort;

use crate::error::Result;
use crate::expression::{Expression, Row, Value};
use crate::request::Limit;
use crate::schema::AttributeId;

use group::Groups;
use sort::Sorter;

/// What must be read for each row, in the order of the values of [`Record`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// What rows call it.
    pub name: Vec<u8>,
    /// Where it comes from.
    pub origin: Origin,
}

/// Where a property comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// An attribute of the index.
    Attribute(AttributeId),
    /// A field of the hash, or a path of the JSON document.
    Field(Vec<u8>),
    /// What the index knows beside attributes: its place in the list given to
    /// [`Pipeline::compile`].
    Extra(usize),
}

/// A row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// One for each property or column.
    pub values: Vec<Value>,
    /// With `LOAD *`: the other fields of the document.
    pub more: Vec<(Vec<u8>, Value)>,
    /// The words of the query that the document matched, if they are needed.
    pub terms: Vec<Vec<u8>>,
}

impl From<Vec<Value>> for Record {
    fn from(values: Vec<Value>) -> Self {
        Self { values, ..Self::default() }
    }
}

impl Row for Record {
    fn value(&self, place: usize) -> &Value {
        self.values.get(place).unwrap_or(&Value::Null)
    }

    fn matched_terms(&self, most: usize) -> Vec<Vec<u8>> {
        self.terms.iter().take(most).cloned().collect()
    }
}

impl Record {
    /// Bytes that it takes.
    fn size(&self) -> usize {
        let values = self.values.capacity() * size_of::<Value>();
        let heap: usize = self.values.iter().map(Value::heap).sum();
        let more: usize =
            self.more.iter().map(|(name, value)| name.capacity() + value.heap()).sum();
        let more = more + self.more.capacity() * size_of::<(Vec<u8>, Value)>();
        let terms: usize = self.terms.iter().map(Vec::capacity).sum();
        size_of::<Self>()
            + values
            + heap
            + more
            + terms
            + self.terms.capacity() * size_of::<Vec<u8>>()
    }
}

/// One step that rows pass or are held by.
#[derive(Debug)]
enum Stage {
    Filter(Expression),
    Apply { expression: Expression, place: usize },
    Limit { limit: Limit, seen: usize },
    Sort(Sorter),
    Group(Groups),
}

/// The steps, and the rows they hold.
#[derive(Debug)]
pub struct Pipeline {
    properties: Vec<Property>,
    /// The columns of properties, if not the first ones in order.
    places: Option<Vec<usize>>,
    /// Columns before the first `GROUPBY`.
    width: usize,
    stages: Vec<Stage>,
    names: Vec<Vec<u8>>,
    needs_matched_terms: bool,
    loads_all: bool,
    ready: Vec<Record>,
    ready_size: usize,
}

impl Pipeline {
    /// What must be read for each row.
    pub fn properties(&self) -> &[Property] {
        &self.properties
    }

    /// Whether rows need `terms`.
    pub fn needs_matched_terms(&self) -> bool {
        self.needs_matched_terms
    }

    /// Whether rows need `more`.
    pub fn loads_all(&self) -> bool {
        self.loads_all
    }

    /// The names of the columns of rows that come out.
    pub fn names(&self) -> &[Vec<u8>] {
        &self.names
    }

    /// Takes a row in, with the values of [`Pipeline::properties`].
    ///
    /// # Errors
    /// What an expression or a group refuses.
    pub fn push(&mut self, row: impl Into<Record>) -> Result<()> {
        let mut row = row.into();
        match &self.places {
            None => row.values.resize(self.width, Value::Null),
            Some(places) => {
                let mut values = vec![Value::Null; self.width];
                for (place, value) in places.iter().zip(row.values) {
                    values[*place] = value;
                }
                row.values = values;
            }
        }
        self.pass(0, row)
    }

    /// Whether no row that is pushed from now on can change what comes out.
    pub fn is_full(&self) -> bool {
        for stage in &self.stages {
            match stage {
                Stage::Limit { limit, seen } => {
                    if *seen >= limit.offset.saturating_add(limit.count) {
                        return true;
                    }
                }
                Stage::Sort(_) | Stage::Group(_) => return false,
                Stage::Filter(_) | Stage::Apply { .. } => {}
            }
        }
        false
    }

    /// Bytes of the rows and groups it holds.
    pub fn memory(&self) -> usize {
        let held = self.stages.iter().map(|stage| match stage {
            Stage::Sort(sorter) => sorter.memory(),
            Stage::Group(groups) => groups.memory(),
            Stage::Filter(_) | Stage::Apply { .. } | Stage::Limit { .. } => 0,
        });
        self.ready_size + held.sum::<usize>()
    }

    /// Takes the rows that came out so far, for those who do not wait for the last one.
    pub fn take_ready(&mut self) -> Vec<Record> {
        self.ready_size = 0;
        std::mem::take(&mut self.ready)
    }

    /// The rows that come out, after the last row was pushed. The interrupt is called with each of
    /// those that were held.
    ///
    /// # Errors
    /// As [`Pipeline::push`], and the interrupt's.
    pub fn finish(mut self, interrupt: &mut dyn FnMut() -> Result<()>) -> Result<Rows> {
        for at in 0..self.stages.len() {
            let rows: Box<dyn Iterator<Item = Record>> = match &mut self.stages[at] {
                Stage::Sort(sorter) => Box::new(sorter.finish().into_iter()),
                Stage::Group(groups) => Box::new(std::mem::take(groups).finish()),
                Stage::Filter(_) | Stage::Apply { .. } | Stage::Limit { .. } => continue,
            };
            for row in rows {
                interrupt()?;
                self.pass(at + 1, row)?;
            }
        }
        Ok(Rows { names: self.names, rows: self.ready.into_iter() })
    }

    /// Sends a row through the stages from this one on, until one of them holds or drops it.
    fn pass(&mut self, from: usize, mut row: Record) -> Result<()> {
        for stage in self.stages.iter_mut().skip(from) {
            match stage {
                Stage::Filter(expression) => {
                    if !expression.is_true(&row)? {
                        return Ok(());
                    }
                }
                Stage::Apply { expression, place } => {
                    let value = expression.evaluate(&row)?;
                    // Rows of groups have no column yet for what is computed of them.
                    if row.values.len() <= *place {
                        row.values.resize(*place + 1, Value::Null);
                    }
                    row.values[*place] = value;
                }
                Stage::Limit { limit, seen } => {
                    let at = *seen;
                    *seen = seen.saturating_add(1);
                    if at < limit.offset || at - limit.offset >= limit.count {
                        return Ok(());
                    }
                }
                Stage::Sort(sorter) => {
                    sorter.push(row);
                    return Ok(());
                }
                Stage::Group(groups) => return groups.push(&row),
            }
        }
        self.ready_size += row.size();
        self.ready.push(row);
        Ok(())
    }
}

/// Rows that came out.
#[derive(Debug)]
pub struct Rows {
    names: Vec<Vec<u8>>,
    rows: std::vec::IntoIter<Record>,
}

impl Rows {
    /// The names of the values of each row.
    pub fn names(&self) -> &[Vec<u8>] {
        &self.names
    }
}

impl Iterator for Rows {
    type Item = Record;

    fn next(&mut self) -> Option<Record> {
        self.rows.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.rows.size_hint()
    }
}

impl ExactSizeIterator for Rows {}

#[cfg(test)]
#[path = "aggregate_tests.rs"]
mod tests;
