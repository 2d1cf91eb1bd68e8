//! Functions whose values the graph knows.

use super::access::deleted;
use super::plain::plain;
use super::{Made, by_row};
use crate::execute::{Batch, Column, Run, narrow};
use crate::function::named;
use crate::plan::GraphFunction;
use crate::query::{Class, Error};
use crate::storage::{Direction, Ends, Entity, View};
use crate::value::{self, Value};

/// A function's values in the rows of a batch.
pub fn call(
    function: GraphFunction,
    columns: &[Column],
    batch: &Batch,
    run: &Run<'_>,
) -> Result<Column, Error> {
    by_row(columns, batch, run, |values| {
        if values.first().is_none_or(Value::is_null) {
            return Ok(Value::Null);
        }
        one(function, values, run)
    })
}

/// Its value of the values of a row, of which the first is not null.
pub fn one(function: GraphFunction, values: &[Value], run: &Run<'_>) -> Result<Value, Error> {
    let (view, value) = (run.view(), &values[0]);
    match function {
        GraphFunction::Id => match value {
            Value::Node(id) | Value::Relationship(id) => {
                let deleted = run.gone.find(*id);
                let id = &deleted.map_or(*id, |deleted| deleted.entity.id().into());
                Ok(Value::Integer(i64::try_from(*id).unwrap_or(i64::MAX)))
            }
            other => Err(mismatch("Node, Edge, or Null", other)),
        },
        GraphFunction::Labels => {
            let id = node(value)?;
            if !view.has(Entity::Node(id)) {
                return Err(deleted());
            }
            let names = view.labels_of(id).filter_map(|label| view.label_name(label));
            Ok(Value::list(names.map(Value::from)))
        }
        GraphFunction::Type => {
            if let Some(kind) = deleted_type(value, run) {
                return Ok(kind);
            }
            let ends = ends(value, view)?;
            Ok(view.type_name(ends.kind).map(Value::from).unwrap_or_default())
        }
        GraphFunction::StartNode => Ok(Value::Node(ends(value, view)?.source.into())),
        GraphFunction::EndNode => Ok(Value::Node(ends(value, view)?.target.into())),
        GraphFunction::Properties => properties(value, run),
        GraphFunction::Keys => keys(value, run),
        GraphFunction::InDegree => degree(values, Direction::In, view),
        GraphFunction::OutDegree => degree(values, Direction::Out, view),
        GraphFunction::HasLabels => has_labels(values, view),
        GraphFunction::ToJson => match named("toJSON") {
            Some(function) => {
                let called = function.call(run.context(), &[plain(value, run)?]);
                called.map_err(|error| run.ended().unwrap_or_else(|| error.into()))
            }
            None => Ok(Value::Null),
        },
    }
}

fn mismatch(expected: &str, found: &Value) -> Error {
    value::Error::mismatch(expected, found.type_name()).into()
}

/// The type of a relationship that was deleted is known still.
fn deleted_type(value: &Value, run: &Run<'_>) -> Option<Value> {
    let Value::Relationship(id) = value else { return None };
    run.gone.find(*id)?.names.first().map(|name| Value::String(name.clone()))
}

/// What was deleted has no labels, no type and no properties.
fn node(value: &Value) -> Result<u32, Error> {
    match value {
        Value::Node(id) => Ok(narrow(*id)),
        other => Err(unconvertible("Node or Null", other)),
    }
}

fn unconvertible(expected: &str, found: &Value) -> Error {
    value::Error::unconvertible(expected, found.type_name()).into()
}

/// The ends of a relationship, and its type.
pub fn ends(value: &Value, view: &View) -> Result<Ends, Error> {
    match value {
        Value::Relationship(id) => view.ends(narrow(*id)).ok_or_else(deleted),
        other => Err(unconvertible("Edge or Null", other)),
    }
}

fn entity(value: &Value) -> Option<Entity> {
    match value {
        Value::Node(id) => Some(Entity::Node(narrow(*id))),
        Value::Relationship(id) => Some(Entity::Edge(narrow(*id))),
        _ => None,
    }
}

/// `properties(value)`: a map of all.
pub fn properties(value: &Value, run: &Run<'_>) -> Result<Value, Error> {
    let view = run.view();
    let Some(entity) = entity(value) else {
        return match value {
            Value::Map(_) | Value::Null => Ok(value.clone()),
            other => Err(mismatch("Map, Node, Edge, or Null", other)),
        };
    };
    if !view.has(entity) {
        return Err(deleted());
    }
    let mut made = Made::default();
    let entries = view
        .properties(entity)
        .map(|(key, stored)| Ok((view.key_name(key).unwrap_or_default(), made.copy(stored, run)?)));
    Ok(Value::map(entries.collect::<Result<Vec<_>, Error>>()?))
}

fn keys(value: &Value, run: &Run<'_>) -> Result<Value, Error> {
    let view = run.view();
    match (entity(value), named("keys")) {
        (Some(entity), _) => {
            if !view.has(entity) {
                return Err(deleted());
            }
            let keys = view.properties(entity).filter_map(|(key, _)| view.key_name(key));
            Ok(Value::list(keys.map(Value::from)))
        }
        (None, Some(function)) => Ok(function.call(run.context(), std::slice::from_ref(value))?),
        (None, None) => Ok(Value::Null),
    }
}

/// The names that follow a node: one, several, or a list of them; or what is no name.
fn names(values: &[Value]) -> Result<Vec<&str>, &Value> {
    let list = match values {
        [Value::List(list, _)] => list,
        values => values,
    };
    list.iter().map(|value| text(value).ok_or(value)).collect()
}

fn text(value: &Value) -> Option<&str> {
    match value {
        Value::String(text) => Some(text),
        _ => None,
    }
}

fn degree(values: &[Value], way: Direction, view: &View) -> Result<Value, Error> {
    let id = node(&values[0])?;
    let kinds = match &values[1..] {
        [] => (0..view.type_names().count()).filter_map(|kind| u16::try_from(kind).ok()).collect(),
        named => {
            let names = names(named).map_err(|wrong| mismatch("List or String", wrong))?;
            let mut kinds: Vec<_> =
                names.into_iter().filter_map(|name| view.edge_type(name)).collect();
            kinds.sort_unstable();
            kinds.dedup();
            kinds
        }
    };
    let count: usize = kinds.into_iter().map(|kind| view.degree(id, kind, way)).sum();
    Ok(Value::Integer(i64::try_from(count).unwrap_or(i64::MAX)))
}

fn has_labels(values: &[Value], view: &View) -> Result<Value, Error> {
    let id = node(&values[0])?;
    let names = names(&values[1..]).map_err(|_| {
        let message = "Type mismatch: expected List of Strings";
        Error::new(Class::TypeError, "InvalidArgumentType", message)
    })?;
    let has = |name| view.label(name).is_some_and(|label| view.has_label(id, label));
    Ok(Value::Boolean(names.into_iter().all(has)))
}
