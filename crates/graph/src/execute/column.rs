//! A column of a batch: as narrow as its values allow. To copy one costs a count.

use std::sync::Arc;

use super::texts::TextColumn;
use crate::query::{Class, Error};
use crate::value::logic::Truth;
use crate::value::{self, Value};

/// The id that stands for null.
pub const NO_ID: u32 = u32::MAX;

/// The values of a slot in the rows of a batch.
#[derive(Clone, Debug)]
pub enum Column {
    /// The same in every row.
    Constant(Value),
    /// Nodes, or null.
    Nodes(Arc<Vec<u32>>),
    /// Relationships, or null.
    Edges(Arc<Vec<u32>>),
    /// Integers.
    Integers(Arc<Vec<i64>>),
    /// Floats.
    Floats(Arc<Vec<f64>>),
    /// Texts.
    Texts(Arc<TextColumn>),
    /// Truth values, or null.
    Truths(Arc<Vec<Truth>>),
    /// Values of whatever types.
    Values(Arc<Vec<Value>>),
}

/// The column of what is not there.
pub static NULLS: Column = Column::Constant(Value::Null);

/// The id of a node or relationship: the storage has no larger ones.
#[must_use]
pub fn narrow(id: u64) -> u32 {
    u32::try_from(id).unwrap_or(NO_ID)
}

fn node(id: u32) -> Value {
    if id == NO_ID { Value::Null } else { Value::Node(id.into()) }
}

fn edge(id: u32) -> Value {
    if id == NO_ID { Value::Null } else { Value::Relationship(id.into()) }
}

fn pick<T: Copy>(from: &[T], rows: &[u32]) -> Arc<Vec<T>> {
    Arc::new(rows.iter().map(|&row| from[row as usize]).collect())
}

impl Column {
    /// A column of nodes.
    #[must_use]
    pub fn nodes(ids: Vec<u32>) -> Column {
        Column::Nodes(Arc::new(ids))
    }

    /// A column of relationships.
    #[must_use]
    pub fn edges(ids: Vec<u32>) -> Column {
        Column::Edges(Arc::new(ids))
    }

    /// A column of truth values.
    #[must_use]
    pub fn truths(truths: Vec<Truth>) -> Column {
        Column::Truths(Arc::new(truths))
    }

    /// A column of values, as narrow as they allow.
    #[must_use]
    pub fn of(values: Vec<Value>) -> Column {
        match values.first() {
            Some(Value::Node(_)) => {
                let id = |value: &Value| match value {
                    // What was deleted has an id beyond.
                    Value::Node(id) => u32::try_from(*id).ok(),
                    Value::Null => Some(NO_ID),
                    _ => None,
                };
                let ids: Option<Vec<u32>> = values.iter().map(id).collect();
                ids.map_or_else(|| Column::Values(Arc::new(values)), Column::nodes)
            }
            Some(Value::Integer(_)) => {
                let number = |value: &Value| match value {
                    Value::Integer(number) => Some(*number),
                    _ => None,
                };
                let numbers: Option<Vec<i64>> = values.iter().map(number).collect();
                match numbers {
                    Some(numbers) => Column::Integers(Arc::new(numbers)),
                    None => Column::Values(Arc::new(values)),
                }
            }
            _ => Column::Values(Arc::new(values)),
        }
    }

    /// The value in a row.
    #[must_use]
    pub fn value(&self, row: usize) -> Value {
        match self {
            Column::Constant(value) => value.clone(),
            Column::Nodes(ids) => node(ids[row]),
            Column::Edges(ids) => edge(ids[row]),
            Column::Integers(numbers) => Value::Integer(numbers[row]),
            Column::Floats(numbers) => Value::Float(numbers[row]),
            Column::Texts(texts) => Value::from(texts.get(row)),
            Column::Truths(truths) => Value::from(truths[row]),
            Column::Values(values) => values[row].clone(),
        }
    }

    /// Whether the value in a row is null.
    #[must_use]
    pub fn is_null(&self, row: usize) -> bool {
        match self {
            Column::Constant(value) => value.is_null(),
            Column::Nodes(ids) | Column::Edges(ids) => ids[row] == NO_ID,
            Column::Integers(_) | Column::Floats(_) | Column::Texts(_) => false,
            Column::Truths(truths) => truths[row].is_none(),
            Column::Values(values) => values[row].is_null(),
        }
    }

    /// What the value in a row says where a condition is wanted.
    ///
    /// # Errors
    /// It is no truth value.
    pub fn truth(&self, row: usize) -> Result<Truth, value::Error> {
        match self {
            Column::Truths(truths) => Ok(truths[row]),
            Column::Constant(value) => value::logic::truth(value),
            Column::Values(values) => value::logic::truth(&values[row]),
            _ => value::logic::truth(&self.value(row)),
        }
    }

    /// The values of some rows, in the order given.
    #[must_use]
    pub fn gather(&self, rows: &[u32]) -> Column {
        match self {
            Column::Constant(value) => Column::Constant(value.clone()),
            Column::Nodes(ids) => Column::Nodes(pick(ids, rows)),
            Column::Edges(ids) => Column::Edges(pick(ids, rows)),
            Column::Integers(numbers) => Column::Integers(pick(numbers, rows)),
            Column::Floats(numbers) => Column::Floats(pick(numbers, rows)),
            Column::Texts(texts) => match texts.gather(rows) {
                Some(texts) => Column::Texts(Arc::new(texts)),
                None => {
                    let picked = rows.iter().map(|&row| self.value(row as usize));
                    Column::Values(Arc::new(picked.collect()))
                }
            },
            Column::Truths(truths) => Column::Truths(pick(truths, rows)),
            Column::Values(values) => {
                let picked = rows.iter().map(|&row| values[row as usize].clone());
                Column::Values(Arc::new(picked.collect()))
            }
        }
    }

    /// The ids of the nodes of all rows, and [`NO_ID`] where there is null.
    ///
    /// # Errors
    /// Something else is among them.
    pub fn node_ids(&self, len: usize) -> Result<Arc<Vec<u32>>, Error> {
        match self {
            Column::Nodes(ids) => Ok(Arc::clone(ids)),
            _ => self.ids(len, "Node", |value| match value {
                Value::Node(id) => Some(narrow(*id)),
                _ => None,
            }),
        }
    }

    /// The ids of the relationships of all rows, and [`NO_ID`] where there is null.
    ///
    /// # Errors
    /// Something else is among them.
    pub fn edge_ids(&self, len: usize) -> Result<Arc<Vec<u32>>, Error> {
        match self {
            Column::Edges(ids) => Ok(Arc::clone(ids)),
            _ => self.ids(len, "Edge", |value| match value {
                Value::Relationship(id) => Some(narrow(*id)),
                _ => None,
            }),
        }
    }

    fn ids(
        &self,
        len: usize,
        expected: &str,
        id: impl Fn(&Value) -> Option<u32>,
    ) -> Result<Arc<Vec<u32>>, Error> {
        let one = |row: usize| {
            let value = self.value(row);
            match id(&value) {
                Some(id) => Ok(id),
                None if value.is_null() => Ok(NO_ID),
                None => {
                    let found = value.type_name();
                    let message = format!("Type mismatch: expected {expected} but was {found}");
                    Err(Error::new(Class::TypeError, "InvalidArgumentType", message))
                }
            }
        };
        Ok(Arc::new((0..len).map(one).collect::<Result<Vec<u32>, Error>>()?))
    }

    /// Columns of so many rows each, one behind the other.
    #[must_use]
    pub fn concat(parts: &[(&Column, usize)]) -> Column {
        macro_rules! joined {
            ($kind:ident) => {{
                let all = parts.iter().map(|(column, len)| match column {
                    Column::$kind(values) => Some(&values[..*len]),
                    _ => None,
                });
                if let Some(all) = all.collect::<Option<Vec<_>>>() {
                    return Column::$kind(Arc::new(all.concat()));
                }
            }};
        }
        match parts.first().map(|part| part.0) {
            Some(Column::Nodes(_)) => joined!(Nodes),
            Some(Column::Edges(_)) => joined!(Edges),
            Some(Column::Integers(_)) => joined!(Integers),
            Some(Column::Floats(_)) => joined!(Floats),
            Some(Column::Texts(_)) => {
                let all = parts.iter().map(|(column, len)| match column {
                    Column::Texts(texts) => Some((&**texts, *len)),
                    _ => None,
                });
                let all = all.collect::<Option<Vec<_>>>();
                if let Some(texts) = all.and_then(|all| TextColumn::concat(&all)) {
                    return Column::Texts(Arc::new(texts));
                }
            }
            Some(Column::Truths(_)) => joined!(Truths),
            Some(Column::Constant(first)) if parts.len() == 1 || first.is_null() => {
                let same = |part: &(&Column, usize)| match part.0 {
                    Column::Constant(other) => parts.len() == 1 || other.is_null(),
                    _ => false,
                };
                if parts.iter().all(same) {
                    return Column::Constant(first.clone());
                }
            }
            _ => {}
        }
        let values = parts.iter().flat_map(|(column, len)| (0..*len).map(|row| column.value(row)));
        Column::of(values.collect())
    }

    /// Whether the values of so many rows are so large that to compare a few takes long.
    #[must_use]
    pub fn is_heavy(&self, rows: usize) -> bool {
        let Column::Values(values) = self else { return false };
        let units: u64 = values.iter().map(|value| u64::from(value.units())).sum();
        units > 64 * rows as u64
    }

    /// The bytes that it keeps.
    #[must_use]
    pub fn memory(&self) -> usize {
        match self {
            Column::Constant(value) => value.memory(),
            Column::Nodes(ids) | Column::Edges(ids) => size_of_val(&ids[..]),
            Column::Integers(numbers) => size_of_val(&numbers[..]),
            Column::Floats(numbers) => size_of_val(&numbers[..]),
            Column::Texts(texts) => texts.memory(),
            Column::Truths(truths) => size_of_val(&truths[..]),
            Column::Values(values) => {
                size_of_val(&values[..]) + values.iter().map(Value::memory).sum::<usize>()
            }
        }
    }
}
