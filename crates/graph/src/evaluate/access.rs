//! Properties and elements.

use std::slice;
use std::sync::Arc;

use super::{Made, drawn};
use crate::execute::{Column, NULLS, Run, TextColumn, narrow};
use crate::query::{Class, Error};
use crate::storage::{Entity, Values, Vector, View};
use crate::value::{Value, access};

/// A property that was asked of what is gone.
pub fn deleted() -> Error {
    let message = "The node or relationship has been deleted";
    Error::new(Class::EntityNotFound, "DeletedEntityAccess", message)
}

/// Whether all of these are there, but for null.
pub fn check(ids: &[u32], entity: fn(u32) -> Entity, view: &View) -> Result<(), Error> {
    let there = view.has_all(entity, ids);
    if there { Ok(()) } else { Err(deleted()) }
}

/// `entity.key` of each row.
pub fn property(column: &Column, key: &str, len: usize, run: &Run<'_>) -> Result<Column, Error> {
    let view = run.view();
    let mut vector = Vector::default();
    match column {
        Column::Nodes(ids) => {
            check(ids, Entity::Node, view)?;
            let Some(key) = view.key(key) else { return Ok(Column::Constant(Value::Null)) };
            view.fetch_of_nodes(key, ids, &mut vector);
            of_vector(vector, ids, run)
        }
        Column::Edges(ids) => {
            check(ids, Entity::Edge, view)?;
            let Some(key) = view.key(key) else { return Ok(Column::Constant(Value::Null)) };
            view.fetch_of_edges(key, ids, &mut vector);
            of_vector(vector, ids, run)
        }
        Column::Constant(value) => Ok(Column::Constant(of_value(value, key, run)?)),
        other => drawn(slice::from_ref(other), len, run, |values| of_value(&values[0], key, run)),
    }
}

/// The stored values of entities as a column. One may be large, and that of many rows.
fn of_vector(vector: Vector<'_>, ids: &[u32], run: &Run<'_>) -> Result<Column, Error> {
    if !vector.has_nulls() {
        match vector.values() {
            Values::Nulls => return Ok(Column::Constant(Value::Null)),
            Values::Texts(texts) => {
                if let Some(texts) = TextColumn::of(texts) {
                    return Ok(Column::Texts(Arc::new(texts)));
                }
            }
            Values::Integers(_) | Values::Floats(_) => {
                return Ok(match vector.into_values() {
                    Values::Integers(numbers) => Column::Integers(Arc::new(numbers)),
                    Values::Floats(numbers) => Column::Floats(Arc::new(numbers)),
                    _ => NULLS.clone(),
                });
            }
            _ => {}
        }
    }
    Ok(match vector.values() {
        Values::Nulls => Column::Constant(Value::Null),
        Values::Bools(flags) => {
            let truth = |(at, flag): (usize, &bool)| (!vector.is_null(at)).then_some(*flag);
            Column::truths(flags.iter().enumerate().map(truth).collect())
        }
        _ => {
            let mut made = Made::default();
            let mut values: Vec<Value> = Vec::with_capacity(vector.len());
            for at in 0..vector.len() {
                // Rows next to each other are often about the same entity: they share its value.
                let same = at.checked_sub(1).filter(|&before| ids[before] == ids[at]);
                let value = match same.and_then(|before| values.get(before)) {
                    Some(value) => value.clone(),
                    None => made.copy(vector.get(at), run)?,
                };
                values.push(value);
            }
            Column::Values(Arc::new(values))
        }
    })
}

/// `value.key`.
pub fn of_value(value: &Value, key: &str, run: &Run<'_>) -> Result<Value, Error> {
    let entity = match value {
        Value::Node(id) => Entity::Node(narrow(*id)),
        Value::Relationship(id) => Entity::Edge(narrow(*id)),
        other => return Ok(access::property(other, key)?),
    };
    let view = run.view();
    if !view.has(entity) {
        return Err(deleted());
    }
    let Some(key) = view.key(key) else { return Ok(Value::Null) };
    Made::default().copy(view.property(entity, key), run)
}

/// `container[index]`.
pub fn element(container: &Value, index: &Value, run: &Run<'_>) -> Result<Value, Error> {
    match (container, index) {
        (Value::Node(_) | Value::Relationship(_), Value::String(key)) => {
            of_value(container, key, run)
        }
        (Value::Node(_) | Value::Relationship(_), Value::Null) => Ok(Value::Null),
        _ => Ok(access::element(container, index)?),
    }
}
