//! `SET` and `REMOVE`: properties and labels of nodes and relationships.

use std::collections::HashSet;
use std::sync::Arc;

use super::{Batch, Column, NO_ID, Run, entity_of};
use crate::evaluate::{Made, evaluate};
use crate::plan::{Assignment, Expression, Slot};
use crate::query::{Class, Error};
use crate::storage::{Entity, KeyId, PropertyRef};
use crate::value::stored::to_property;
use crate::value::{Map, Value};

/// Does all assignments, row by row: a row sees what those before it have set.
pub fn assign(items: &[Assignment], batch: &Batch, run: &mut Run<'_>) -> Result<(), Error> {
    if let [Assignment::Property(Expression::Slot(slot), key, value)] = items
        && rows_are_apart(*slot, value, batch)
    {
        let values = evaluate(value, batch, run)?;
        let entities = batch.column(*slot);
        return (0..batch.len())
            .try_for_each(|row| set(&entities.value(row), key, &values.value(row), run));
    }
    for row in 0..batch.len() {
        let row = batch.row(row);
        items.iter().try_for_each(|item| assign_one(item, &row, run))?;
    }
    Ok(())
}

/// Whether no row sees what is set in another: the entities differ, and nothing else is asked for a
/// property.
fn rows_are_apart(slot: Slot, value: &Expression, batch: &Batch) -> bool {
    let mut seen = HashSet::new();
    let differ = match batch.column(slot) {
        Column::Nodes(ids) | Column::Edges(ids) => {
            ids.iter().all(|&id| id == NO_ID || seen.insert(id))
        }
        _ => batch.len() == 1,
    };
    differ && looks_only_at(slot, value)
}

/// Whether an expression asks nothing of the graph but properties of what is in a slot.
fn looks_only_at(slot: Slot, value: &Expression) -> bool {
    match value {
        Expression::Constant(_) | Expression::Parameter(_) | Expression::Slot(_) => true,
        Expression::Property(entity, _) => {
            matches!(**entity, Expression::Slot(other) if other == slot)
        }
        Expression::Arithmetic(first, rest) => {
            looks_only_at(slot, first) && rest.iter().all(|(_, value)| looks_only_at(slot, value))
        }
        Expression::List(values) | Expression::Function(_, values) => {
            values.iter().all(|value| looks_only_at(slot, value))
        }
        _ => false,
    }
}

fn assign_one(item: &Assignment, row: &Batch, run: &mut Run<'_>) -> Result<(), Error> {
    let value = |value: &Expression, run: &mut Run<'_>| {
        evaluate(value, row, run).map(|column| column.value(0))
    };
    match item {
        Assignment::Property(entity, key, to) => {
            let (entity, to) = (value(entity, run)?, value(to, run)?);
            set(&entity, key, &to, run)
        }
        Assignment::Replace(entity, to) => {
            let (entity, to) = (value(entity, run)?, value(to, run)?);
            set_all(&entity, &to, true, run)
        }
        Assignment::Add(entity, to) => {
            let (entity, to) = (value(entity, run)?, value(to, run)?);
            set_all(&entity, &to, false, run)
        }
        Assignment::Labels(entity, labels, given) => {
            let entity = value(entity, run)?;
            set_labels(&entity, labels, *given, run)
        }
    }
}

/// Sets a property; null takes it away.
fn set(entity: &Value, key: &Arc<str>, to: &Value, run: &mut Run<'_>) -> Result<(), Error> {
    let Some(entity) = entity_of(entity)? else { return Ok(()) };
    set_property(entity, key, to, run)
}

/// Sets a property of what is there; null takes it away.
pub fn set_property(entity: Entity, key: &str, to: &Value, run: &mut Run<'_>) -> Result<(), Error> {
    run.work(to.units())?;
    let to = to_property(to)?;
    let graph = run.graph()?;
    if matches!(to, crate::storage::Property::Null) {
        if let Some(key) = graph.key(key) {
            return remove(entity, key, run);
        }
        // What has no name is not there, but the entity must be.
        return if graph.has(entity) {
            Ok(())
        } else {
            Err(crate::storage::Refused::Missing.into())
        };
    }
    let key = graph.make_key(key)?;
    run.count_copy(entity, key)?;
    let graph = run.graph()?;
    let replaces = graph.property(entity, key) != PropertyRef::Null;
    let changed = graph.set(entity, key, to.as_ref())?;
    // What takes the place of another is one that was set, and one that was removed.
    run.statistics.properties_set += u64::from(changed);
    run.statistics.properties_removed += u64::from(changed && replaces);
    Ok(())
}

fn remove(entity: Entity, key: KeyId, run: &mut Run<'_>) -> Result<(), Error> {
    run.count_copy(entity, key)?;
    let changed = run.graph()?.set(entity, key, PropertyRef::Null)?;
    run.statistics.properties_removed += u64::from(changed);
    Ok(())
}

/// Sets the properties of a map, and takes all others away if it replaces them.
fn set_all(entity: &Value, to: &Value, replaces: bool, run: &mut Run<'_>) -> Result<(), Error> {
    let is_itself = matches!((entity, to), (Value::Node(one), Value::Node(other))
        | (Value::Relationship(one), Value::Relationship(other)) if one == other);
    let Some(entity) = entity_of(entity)? else { return Ok(()) };
    let entries = properties(to, run)?;
    if replaces && !is_itself {
        let (old, new) = (
            run.view().properties(entity).count(),
            entries.iter().filter(|(_, value)| !value.is_null()).count(),
        );
        let mut counted = run.statistics;
        // All that was there counts as removed, also what comes again.
        counted.properties_removed += old as u64;
        counted.properties_set += new as u64;
        replace(entity, &entries, run)?;
        run.statistics = counted;
        return Ok(());
    }
    entries.iter().try_for_each(|(key, value)| set_property(entity, key, value, run))
}

/// Sets the properties of a map, and takes all others away.
fn replace(entity: Entity, entries: &Map, run: &mut Run<'_>) -> Result<(), Error> {
    let view = run.view();
    let is_kept = |key: KeyId| {
        let name = view.key_name(key).unwrap_or_default();
        entries.get(name).is_some_and(|value| !value.is_null())
    };
    let all = view.properties(entity).map(|(key, _)| key);
    let gone: Vec<KeyId> = all.filter(|&key| !is_kept(key)).collect();
    gone.into_iter().try_for_each(|key| remove(entity, key, run))?;
    entries.iter().try_for_each(|(key, value)| set_property(entity, key, value, run))
}

/// The entries of a map, or the properties of a node or relationship.
fn properties(of: &Value, run: &Run<'_>) -> Result<Arc<Map>, Error> {
    let entity = match of {
        Value::Map(map) => return Ok(Arc::clone(map)),
        Value::Node(_) | Value::Relationship(_) => entity_of(of)?,
        Value::Null => None,
        other => return Err(mismatch("Map", other)),
    };
    let Some(entity) = entity else { return Ok(Arc::new(Map::default())) };
    let view = run.view();
    if !view.has(entity) {
        return Err(crate::storage::Refused::Missing.into());
    }
    let mut made = Made::default();
    let entries = view.properties(entity).map(|(key, stored)| {
        Ok((view.key_name(key).unwrap_or_default().into(), made.copy(stored, run)?))
    });
    Ok(Arc::new(Map::new(entries.collect::<Result<Vec<_>, Error>>()?)))
}

fn mismatch(expected: &str, was: &Value) -> Error {
    let message = format!("Type mismatch: expected {expected} but was {}", was.type_name());
    Error::new(Class::TypeError, "InvalidArgumentType", message)
}

fn set_labels(
    entity: &Value,
    labels: &[Arc<str>],
    given: bool,
    run: &mut Run<'_>,
) -> Result<(), Error> {
    let node = match entity_of(entity)? {
        Some(Entity::Node(node)) => node,
        Some(Entity::Edge(_)) => return Err(mismatch("Node", entity)),
        None => return Ok(()),
    };
    for name in labels {
        let graph = run.graph()?;
        if given {
            let label = graph.make_label(name)?;
            let changed = graph.add_label(node, label)?;
            run.statistics.labels_added += u64::from(changed);
        } else if let Some(label) = graph.label(name) {
            let changed = graph.remove_label(node, label)?;
            run.statistics.labels_removed += u64::from(changed);
        }
    }
    Ok(())
}
