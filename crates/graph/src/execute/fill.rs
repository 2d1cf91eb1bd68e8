//! The properties of what is made: where they are written out in the text, column by column, so
//! that what lies together is written together; else a map for each row.

use std::ops::Range;
use std::sync::Arc;

use super::merge::{null, refuse_null};
use super::{Batch, Column, Run};
use crate::evaluate::evaluate;
use crate::plan::Expression;
use crate::query::{Class, Error};
use crate::storage::{Entity, KeyId, PropertyRef, segment_of};
use crate::value::stored::to_property;
use crate::value::{Map, Value};

/// The properties of what is made of the rows of a batch.
pub enum Properties<'p> {
    /// A column for each key, of which there is each once.
    Columns(Vec<(&'p Arc<str>, Column)>),
    /// A map for each row, or null.
    Maps(Column),
}

impl<'p> Properties<'p> {
    /// Those that an expression has.
    ///
    /// # Errors
    /// It has none.
    pub fn of(
        properties: Option<&'p Expression>,
        batch: &Batch,
        run: &mut Run<'_>,
    ) -> Result<Self, Error> {
        match properties {
            None => Ok(Properties::Columns(Vec::new())),
            Some(Expression::Map(entries)) if has_each_once(entries) => {
                let column = |(key, value): &'p (Arc<str>, Expression)| {
                    Ok((key, evaluate(value, batch, run)?))
                };
                entries.iter().map(column).collect::<Result<_, Error>>().map(Properties::Columns)
            }
            Some(other) => evaluate(other, batch, run).map(Properties::Maps),
        }
    }

    /// Refuses those of which one is null.
    ///
    /// # Errors
    /// One is.
    pub fn refuse_null(&self, rows: Range<usize>, run: &Run<'_>) -> Result<(), Error> {
        for row in rows {
            match self {
                Properties::Columns(columns) => {
                    if let Some((key, _)) = columns.iter().find(|(_, column)| column.is_null(row)) {
                        return Err(null(key));
                    }
                }
                Properties::Maps(maps) => refuse_null(&maps.value(row))?,
            }
            run.work(1)?;
        }
        Ok(())
    }
}

fn has_each_once(entries: &[(Arc<str>, Expression)]) -> bool {
    let mut keys: Vec<&Arc<str>> = entries.iter().map(|(key, _)| key).collect();
    keys.sort_unstable();
    keys.windows(2).all(|pair| pair[0] != pair[1])
}

/// Sets the properties of what was made of some rows, which has none yet. `ids`: of all rows.
///
/// # Errors
/// One cannot be stored, or the statement is to end.
pub fn fill(
    properties: &Properties<'_>,
    made: (fn(u32) -> Entity, &[u32]),
    mut rows: Range<usize>,
    run: &mut Run<'_>,
) -> Result<(), Error> {
    match properties {
        Properties::Columns(columns) => columns
            .iter()
            .try_for_each(|(key, column)| fill_column((key, column), made, rows.clone(), run)),
        Properties::Maps(maps) => {
            let (entity, ids) = made;
            rows.try_for_each(|row| set_all(entity(ids[row]), &maps.value(row), run))
        }
    }
}

/// Sets one property of all rows.
fn fill_column(
    (key, column): (&str, &Column),
    (entity, ids): (fn(u32) -> Entity, &[u32]),
    mut rows: Range<usize>,
    run: &mut Run<'_>,
) -> Result<(), Error> {
    let mut values = Vec::with_capacity(rows.len());
    for row in rows.clone() {
        match plain(column, row) {
            Some(PropertyRef::Null) => {}
            Some(value) => {
                run.work(value.units())?;
                values.push((ids[row], value));
            }
            None => {
                return rows
                    .try_for_each(|row| set(entity(ids[row]), (key, &column.value(row)), run));
            }
        }
    }
    if values.is_empty() {
        return Ok(());
    }
    run.check_rows(values.len())?;
    let key = run.graph()?.make_key(key)?;
    // Ids that are used again may lie anywhere.
    for near in values.chunk_by(|(one, _), (other, _)| segment_of(*one) == segment_of(*other)) {
        run.count_copy(entity(near[0].0), key)?;
    }
    run.graph()?.fill(entity, key, &values)?;
    run.statistics.properties_set += values.len() as u64;
    run.fit().map(drop)
}

/// The value of a row as it is stored, where that is the value itself.
fn plain(column: &Column, row: usize) -> Option<PropertyRef<'_>> {
    Some(match column {
        Column::Integers(numbers) => PropertyRef::Integer(numbers[row]),
        Column::Floats(numbers) => PropertyRef::Float(numbers[row]),
        Column::Texts(texts) => PropertyRef::Text(texts.get(row)),
        Column::Truths(truths) => truths[row].map_or(PropertyRef::Null, PropertyRef::Bool),
        Column::Constant(value) => plain_value(value)?,
        Column::Values(values) => plain_value(&values[row])?,
        Column::Nodes(_) | Column::Edges(_) => return None,
    })
}

fn plain_value(value: &Value) -> Option<PropertyRef<'_>> {
    Some(match value {
        Value::Null => PropertyRef::Null,
        Value::Boolean(is) => PropertyRef::Bool(*is),
        Value::Integer(number) => PropertyRef::Integer(*number),
        Value::Float(number) => PropertyRef::Float(*number),
        Value::String(text) => PropertyRef::Text(text),
        _ => return None,
    })
}

/// Sets the properties of something new.
fn set_all(entity: Entity, properties: &Value, run: &mut Run<'_>) -> Result<(), Error> {
    let map: &Arc<Map> = match properties {
        Value::Null => return Ok(()),
        Value::Map(map) => map,
        other => {
            let found = other.type_name();
            let message = format!("Type mismatch: expected Map but was {found}");
            return Err(Error::new(Class::TypeError, "InvalidArgumentType", message));
        }
    };
    map.iter().try_for_each(|(key, value)| set(entity, (key, value), run))
}

/// Sets a property of something new, unless it is null.
fn set(entity: Entity, (key, value): (&str, &Value), run: &mut Run<'_>) -> Result<(), Error> {
    if value.is_null() {
        return Ok(());
    }
    run.work(value.units())?;
    let value = to_property(value)?;
    let key: KeyId = run.graph()?.make_key(key)?;
    run.count_copy(entity, key)?;
    run.graph()?.set(entity, key, value.as_ref())?;
    run.statistics.properties_set += 1;
    Ok(())
}
