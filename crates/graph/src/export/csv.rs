//! Nodes and relationships as tables of CSV, with the headers of FalkorDB's bulk loader.
//!
//! ```text
//!   :ID,name:STRING,age:LONG             :START_ID,:END_ID,since:LONG
//!   0,Ann,36                             0,1,1840
//!   1,"Böb, the",                        1,1,
//! ```
//!
//! A column is of one name and one type: a property whose values are of two types has two. The
//! types are the loader's, where it has one that says the same: `BOOLEAN`, `LONG`, `DOUBLE`,
//! `STRING`, `ARRAY` (of such values). All others are in columns of the type `CYPHER`, as
//! expressions, and so are texts that the loader would lose. An empty field is null.

use std::collections::HashSet;

use super::cypher::grouped;
use super::schema::joined_labels;
use super::writer::Writer;
use super::{About, Error};
use crate::storage::{Ends, Entity, KeyId, LabelId, PropertyRef};
use crate::value::{Value, literal, stored, text};

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum ColumnType {
    Boolean,
    Long,
    Double,
    String,
    Array,
    Cypher,
}

impl ColumnType {
    /// Which kind of column a value is in.
    fn of(value: PropertyRef<'_>) -> ColumnType {
        match value {
            PropertyRef::Bool(_) => ColumnType::Boolean,
            PropertyRef::Integer(_) => ColumnType::Long,
            PropertyRef::Float(number) if number.is_finite() => ColumnType::Double,
            PropertyRef::Text(text) if !text.is_empty() && !text.contains('\0') => {
                ColumnType::String
            }
            PropertyRef::Encoded(_) => match stored::from_property(value) {
                Value::List(values, _) if values.iter().all(is_plain) => ColumnType::Array,
                _ => ColumnType::Cypher,
            },
            _ => ColumnType::Cypher,
        }
    }

    fn name(self) -> &'static str {
        match self {
            ColumnType::Boolean => "BOOLEAN",
            ColumnType::Long => "LONG",
            ColumnType::Double => "DOUBLE",
            ColumnType::String => "STRING",
            ColumnType::Array => "ARRAY",
            ColumnType::Cypher => "CYPHER",
        }
    }
}

/// Whether a value may be in an array.
fn is_plain(value: &Value) -> bool {
    match value {
        Value::Boolean(_) => true,
        Value::Integer(number) => *number != i64::MIN,
        Value::Float(number) => number.is_finite(),
        Value::String(text) => !text.contains('\0'),
        _ => false,
    }
}

/// A table for all nodes that have the same labels.
pub(super) fn nodes(writer: &mut Writer<'_>, ids: &[u32]) -> Result<(), Error> {
    let view = writer.view;
    for (labels, ids) in grouped(ids, |id| Some(view.labels_of(id).collect::<Vec<LabelId>>())) {
        let names = labels.iter().map(|&label| view.label_name(label).unwrap_or_default());
        let about = About::Nodes(joined_labels(names));
        table(writer, ":ID", &ids, Entity::Node, |writer, id| {
            writer.text.push_str(&id.to_string());
        })?;
        writer.end(about);
    }
    Ok(())
}

/// A table for all relationships of the same type.
pub(super) fn relationships(writer: &mut Writer<'_>, ids: &[u32]) -> Result<(), Error> {
    let view = writer.view;
    for (kind, ids) in grouped(ids, |id| view.ends(id).map(|ends| ends.kind)) {
        let about = About::Relationships(view.type_name(kind).unwrap_or_default().to_owned());
        table(writer, ":START_ID,:END_ID", &ids, Entity::Edge, |writer, id| {
            if let Some(Ends { source, target, .. }) = view.ends(id) {
                writer.text.push_str(&format!("{source},{target}"));
            }
        })?;
        writer.end(about);
    }
    Ok(())
}

fn table(
    writer: &mut Writer<'_>,
    header: &str,
    ids: &[u32],
    entity: fn(u32) -> Entity,
    first: impl Fn(&mut Writer<'_>, u32),
) -> Result<(), Error> {
    let columns = columns(writer, ids, entity)?;
    writer.text.push_str(header);
    let (view, work) = (writer.view, u32::try_from(columns.len()).unwrap_or(u32::MAX));
    for &(key, column) in &columns {
        writer.text.push(',');
        let name = view.key_name(key).unwrap_or_default();
        field(writer, &format!("{name}:{}", column.name()))?;
    }
    writer.text.push('\n');
    for &id in ids {
        first(writer, id);
        for &(key, column) in &columns {
            writer.text.push(',');
            let value = view.property(entity(id), key);
            if !value.is_null() && ColumnType::of(value) == column {
                write(writer, column, value)?;
            }
        }
        writer.text.push('\n');
        writer.work(work.saturating_add(1))?;
    }
    Ok(())
}

/// The columns that some of these have something in.
fn columns(
    writer: &mut Writer<'_>,
    ids: &[u32],
    entity: fn(u32) -> Entity,
) -> Result<Vec<(KeyId, ColumnType)>, Error> {
    let (view, mut columns, mut there) = (writer.view, Vec::new(), HashSet::new());
    for &id in ids {
        for (key, value) in view.properties(entity(id)) {
            writer.work(value.units())?;
            let column = (key, ColumnType::of(value));
            if there.insert(column) {
                columns.push(column);
            }
        }
    }
    Ok(columns)
}

fn write(writer: &mut Writer<'_>, column: ColumnType, value: PropertyRef<'_>) -> Result<(), Error> {
    match (column, value) {
        (ColumnType::Boolean, PropertyRef::Bool(is)) => writer.text.push_str(&is.to_string()),
        (ColumnType::Long, PropertyRef::Integer(number)) => {
            writer.text.push_str(&number.to_string());
        }
        (ColumnType::Double, PropertyRef::Float(number)) => {
            writer.text.push_str(&text::float(number));
        }
        (ColumnType::String, PropertyRef::Text(text)) => return field(writer, text),
        (ColumnType::Array, _) => {
            writer.work(value.units())?;
            if let Value::List(values, _) = stored::from_property(value) {
                let text = array(&values);
                return field(writer, &text);
            }
        }
        _ => {
            writer.work(value.units())?;
            let text = literal::literal(&stored::from_property(value)).unwrap_or_default();
            return field(writer, &text);
        }
    }
    Ok(())
}

/// An array as Python writes it, which the loader reads, and which is an expression, too.
fn array(values: &[Value]) -> String {
    let mut text = "[".to_owned();
    for (at, value) in values.iter().enumerate() {
        text.push_str(if at > 0 { ", " } else { "" });
        match value {
            Value::Boolean(is) => text.push_str(if *is { "True" } else { "False" }),
            other => text.push_str(&literal::literal(other).unwrap_or_default()),
        }
    }
    text.push(']');
    text
}

/// A field, in quotes where it needs them.
fn field(writer: &mut Writer<'_>, text: &str) -> Result<(), Error> {
    let is_blank = |byte: Option<&u8>| byte.is_some_and(|byte| matches!(byte, b' ' | b'\t'));
    let (bytes, special) = (text.as_bytes(), [',', '"', '\n', '\r']);
    if !is_blank(bytes.first()) && !is_blank(bytes.last()) && !text.contains(special) {
        return writer.stretches(text, |text, out| out.push_str(text));
    }
    writer.text.push('"');
    writer.stretches(text, |text, out| out.push_str(&text.replace('"', "\"\"")))?;
    writer.text.push('"');
    Ok(())
}
