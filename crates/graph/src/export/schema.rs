//! Indexes and constraints, and the name of the mark.

use std::collections::BTreeSet;

use super::writer::{Writer, write_name};
use super::{About, Error};
use crate::storage::{Constraint, ConstraintKind, KeyId, Of, View};

/// What a line about a constraint begins with: it is a command, as there is no statement.
pub const CONSTRAINT_COMMAND: &str = "GRAPH.CONSTRAINT CREATE";

/// A name that is neither that of a label of some node nor of a property in the graph.
pub(super) fn mark(view: &View) -> String {
    let is_free = |name: &String| {
        let labelled = view.label(name).is_some_and(|label| view.label_count(label) > 0);
        !labelled
            && !view.key(name).is_some_and(|key| view.is_used(key))
            && !is_in_schema(view, name)
    };
    let mut names = (1_u32..).map(|number| match number {
        1 => "_export".to_owned(),
        number => format!("_export{number}"),
    });
    names.find(is_free).unwrap_or_default()
}

fn is_in_schema(view: &View, name: &str) -> bool {
    let label = view.label(name).map(Of::Label);
    let indexes = view.indexes().map(|index| index.on().of);
    let constraints = view.constraints().iter().map(|constraint| constraint.on.of);
    indexes.chain(constraints).any(|of| Some(of) == label)
}

/// Writes the statements of the schema from one of them on.
pub(super) fn write(writer: &mut Writer<'_>, from: u64) -> Result<Option<u64>, Error> {
    let (view, mut number) = (writer.view, 0);
    let mut each = |writer: &mut Writer<'_>, text: String| {
        let is_next = number >= from;
        if is_next && writer.is_full() {
            return Some(number);
        }
        number += 1;
        if is_next {
            writer.text = text;
            writer.end(About::Statement);
            writer.entities += 1;
        }
        None
    };
    for text in indexes(view) {
        if let Some(next) = each(writer, text) {
            return Ok(Some(next));
        }
    }
    for constraint in view.constraints() {
        writer.work(1)?;
        if let Some(next) = each(writer, constraint_command(view, constraint)) {
            return Ok(Some(next));
        }
    }
    Ok(None)
}

/// The statements that make all indexes. One on several properties makes one more on each of them
/// but the first, and a constraint of uniqueness may make its own: these need no statement.
fn indexes(view: &View) -> Vec<String> {
    let mut made = BTreeSet::new();
    let mut texts = Vec::new();
    for index in view.indexes() {
        let on = index.on();
        let (of, number) = match on.of {
            Of::Label(label) => (0, label),
            Of::Type(kind) => (1, kind),
        };
        let is_made = |key| made.contains(&(of, number, key));
        if on.keys.first().is_none_or(|&first| is_made(first)) {
            continue;
        }
        let keys: Vec<KeyId> = on.keys.iter().copied().filter(|&key| !is_made(key)).collect();
        texts.push(index_statement(view, on.of, &keys));
        made.extend(keys.iter().map(|&key| (of, number, key)));
    }
    texts
}

fn index_statement(view: &View, of: Of, keys: &[KeyId]) -> String {
    let mut text = "CREATE INDEX FOR ".to_owned();
    match of {
        Of::Label(label) => {
            text.push_str("(x:");
            write_name(view.label_name(label).unwrap_or_default(), &mut text);
            text.push(')');
        }
        Of::Type(kind) => {
            text.push_str("()-[x:");
            write_name(view.type_name(kind).unwrap_or_default(), &mut text);
            text.push_str("]-()");
        }
    }
    text.push_str(" ON (");
    for (at, &key) in keys.iter().enumerate() {
        text.push_str(if at > 0 { ", x." } else { "x." });
        write_name(view.key_name(key).unwrap_or_default(), &mut text);
    }
    text.push_str(");");
    text
}

/// The command that makes a constraint, with `graph` for its key.
fn constraint_command(view: &View, constraint: &Constraint) -> String {
    let kind = match constraint.kind {
        ConstraintKind::Unique => "UNIQUE",
        ConstraintKind::Mandatory => "MANDATORY",
    };
    let (entity, name) = match constraint.on.of {
        Of::Label(label) => ("NODE", view.label_name(label)),
        Of::Type(kind) => ("RELATIONSHIP", view.type_name(kind)),
    };
    let mut text = format!("{CONSTRAINT_COMMAND} graph {kind} {entity} ");
    write_name(name.unwrap_or_default(), &mut text);
    text.push_str(&format!(" PROPERTIES {}", constraint.on.keys.len()));
    for &key in &constraint.on.keys {
        text.push(' ');
        write_name(view.key_name(key).unwrap_or_default(), &mut text);
    }
    text.push(';');
    text
}

/// Labels as one word, with colons between them: one that has a colon or a backtick stands in
/// backticks.
#[must_use]
pub fn joined_labels<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut text = String::new();
    for (at, name) in names.enumerate() {
        text.push_str(if at > 0 { ":" } else { "" });
        if name.contains([':', '`']) {
            text.push('`');
            text.push_str(&name.replace('`', "``"));
            text.push('`');
        } else {
            text.push_str(name);
        }
    }
    text
}
