//! What a statement on a graph answers, packed as columns: `docs/internals/graph-columns.md`.
//!
//! ```text
//!   [ column …, entities ] ─► GraphRows ─┬─ cell      a value, for who wants objects
//!                                        └─ to_table  columns, for who speaks Arrow
//! ```
//!
//! Bytes come from a server, and nothing is believed: what is cut off or wrong is [`Malformed`].
//! In the values that are read a node or relationship is its place among the
//! [entities](GraphRows::node), where another statement's would have its id.

mod entities;
mod json;
mod pack;
mod read;
mod to_table;

pub use entities::{NodeEntry, RelationshipEntry};

use graph::temporal::{Date, Duration};
use graph::value::Value;

use self::entities::Entities;
use self::pack::Packed;
use self::read::Read;
use crate::column::Bitmap;
use crate::table::Table;

/// Why bytes are no rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed(pub &'static str);

impl std::fmt::Display for Malformed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for Malformed {}

/// The days of a duration and of its months, for who has no months: as long as they are from
/// 1900-01-01 on, as in replies that are no columns.
#[must_use]
pub fn days(span: &Duration) -> i64 {
    let first = Date::from_calendar(1900, 1, 1).ok();
    let months =
        first.and_then(|first| Some(first.plus_months(span.months()).ok()?.days() - first.days()));
    months.unwrap_or_default().saturating_add(span.days())
}

/// A cell of a row.
#[derive(Debug, PartialEq)]
pub enum GraphCell<'a> {
    /// It is missing.
    Null,
    /// A truth.
    Boolean(bool),
    /// A whole number.
    Integer(i64),
    /// A number.
    Float(f64),
    /// A text.
    Text(&'a str),
    /// A text that repeats: its place among those of its column.
    Repeated(usize),
    /// A node, by its place.
    Node(u32),
    /// A relationship, by its place.
    Relationship(u32),
    /// Any other value.
    Value(&'a Value),
}

struct PackedColumn {
    cells: Packed,
    present: Option<Bitmap>,
}

/// The rows of a statement.
pub struct GraphRows {
    rows: usize,
    names: Vec<String>,
    columns: Vec<PackedColumn>,
    entities: Entities,
}

impl GraphRows {
    /// Reads the parts of a reply: a column for each name, and the entities.
    ///
    /// # Errors
    /// They are none.
    pub fn read(names: Vec<String>, parts: &[&[u8]]) -> Result<Self, Malformed> {
        let Some((entities, columns)) = parts.split_last() else {
            return Err(Malformed("there are no parts"));
        };
        if columns.len() != names.len() {
            return Err(Malformed("there are not as many columns as names"));
        }
        let mut rows = None;
        let mut read = Vec::with_capacity(columns.len());
        for bytes in columns {
            let (many, column) = pack::column(bytes)?;
            if *rows.get_or_insert(many) != many {
                return Err(Malformed("the columns are not as long as each other"));
            }
            read.push(column);
        }
        let entities = Entities::read(&mut Read::new(entities))?;
        Ok(GraphRows { rows: rows.unwrap_or_default(), names, columns: read, entities })
    }

    /// How many rows there are.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The names of the columns.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// A cell; a missing one where there is none.
    #[must_use]
    pub fn cell(&self, column: usize, row: usize) -> GraphCell<'_> {
        let Some(column) = self.columns.get(column) else { return GraphCell::Null };
        if column.present.as_ref().is_some_and(|present| !present.get(row)) {
            return GraphCell::Null;
        }
        column.cells.get(row).unwrap_or(GraphCell::Null)
    }

    /// The texts of a column that repeat; none of one that has no such texts.
    pub fn repeated(&self, column: usize) -> impl Iterator<Item = &str> {
        let texts = self.columns.get(column).and_then(|column| match &column.cells {
            Packed::Repeated { texts, .. } => Some(texts),
            _ => None,
        });
        texts.into_iter().flat_map(|texts| (0..texts.len()).map(|at| texts.get(at)))
    }

    /// A row as a text of JSON: that of the server's `--json`.
    #[must_use]
    pub fn json(&self, row: usize) -> String {
        let mut out = vec![b'['];
        for column in 0..self.columns.len() {
            if column > 0 {
                out.push(b',');
            }
            let repeated = |place| self.repeated(column).nth(place).unwrap_or_default();
            let value = match self.cell(column, row) {
                GraphCell::Null => Value::Null,
                GraphCell::Boolean(is) => Value::Boolean(is),
                GraphCell::Integer(number) => Value::Integer(number),
                GraphCell::Float(number) => Value::Float(number),
                GraphCell::Text(text) => Value::from(text),
                GraphCell::Repeated(place) => Value::from(repeated(place)),
                GraphCell::Node(place) => Value::Node(place.into()),
                GraphCell::Relationship(place) => Value::Relationship(place.into()),
                GraphCell::Value(value) => value.clone(),
            };
            json::value(&self.entities, &value, &mut out);
        }
        out.push(b']');
        String::from_utf8(out).unwrap_or_default()
    }

    /// A node, by its place.
    #[must_use]
    pub fn node(&self, place: u64) -> Option<&NodeEntry> {
        self.entities.node(place)
    }

    /// A relationship, by its place.
    #[must_use]
    pub fn relationship(&self, place: u64) -> Option<&RelationshipEntry> {
        self.entities.relationship(place)
    }

    /// The labels that nodes have.
    #[must_use]
    pub fn labels(&self) -> &[String] {
        &self.entities.labels
    }

    /// The types that relationships have.
    #[must_use]
    pub fn types(&self) -> &[String] {
        &self.entities.types
    }

    /// The keys that properties have.
    #[must_use]
    pub fn keys(&self) -> &[String] {
        &self.entities.keys
    }

    /// The rows as columns of Arrow's types. Nodes, relationships and points become structs, lists
    /// of one type lists, and maps, paths and what is of several types texts of JSON. Times that
    /// nanoseconds of 64 bits do not hold, and those that Arrow has no type for, are texts.
    #[must_use]
    pub fn to_table(&self) -> Table {
        let columns = self.columns.iter().map(|column| {
            to_table::column(&column.cells, column.present.as_ref(), self.rows, &self.entities)
        });
        Table::new(self.rows, self.names.clone(), columns.collect())
    }
}

#[cfg(test)]
#[path = "graph_tests.rs"]
mod tests;
