//! What is answered to a query: the names of its columns, its rows, and lines about it.
//!
//! ```text
//!   [ header, rows, lines ]                  with RETURN
//!   [ header, column …, entities, lines ]    the same as columns
//!   [ lines ]                                without
//! ```
//!
//! A header that is compact has a 1 before each name, a value in it its type. A row of JSON is one
//! text. Columns have [bytes](columns). What changes nothing has no line, but whether the
//! plan was known and how long it took are always told.

mod columns;
mod compact;
mod json;
mod paced;
mod verbose;

use ::graph::query::{Answer, Cell, SHORT_ANSWER, Statistics};
use ::graph::storage::{Entity, View};
use ::graph::value::Value;
use ::graph::value::json::{array, value as in_json};
use base::{CmdError, Pace, Reply};

use super::options::Form;
use super::statement::Statement;
use paced::Paced;

/// Writes what a query has answered on this graph.
///
/// # Errors
/// It is to end.
pub(super) fn write(
    view: &View,
    statement: &Statement,
    answer: &Answer,
    pace: &mut dyn Pace,
    out: &mut dyn Reply,
) -> Result<(), CmdError> {
    let form = statement.options.form;
    if answer.columns.is_empty() {
        out.array(1);
    } else if form == Form::Columns {
        out.array(columns::parts(answer) + 2);
        header(answer, form, out);
        columns::write(view, (answer, statement.most_rows()), pace, out)?;
    } else {
        out.array(3);
        header(answer, form, out);
        rows(view, (answer, statement.most_rows()), form, pace, out)?;
    }
    lines(statement, &answer.statistics, out);
    Ok(())
}

/// Whether an answer is written in a moment, with all that the nodes and relationships in it hold.
pub(super) fn is_short(view: &View, answer: &Answer) -> bool {
    let mut left = SHORT_ANSWER;
    answer.rows().all(|row| {
        (0..answer.columns.len()).all(|column| match row.cell(column) {
            Cell::Value(value) => takes(view, &value, &mut left),
            cell => take(cell.units(), &mut left),
        })
    })
}

/// Takes the units of a value from those that are left, if there are so many.
fn takes(view: &View, value: &Value, left: &mut u32) -> bool {
    let mut entity = |entity: Entity| {
        let mut there = view.has(entity).then(|| view.properties(entity)).into_iter().flatten();
        take(1, left) && there.all(|(_, stored)| take(stored.units(), left))
    };
    let number = |id: u64| u32::try_from(id).unwrap_or(u32::MAX);
    match value {
        Value::Node(id) => entity(Entity::Node(number(*id))),
        Value::Relationship(id) => entity(Entity::Edge(number(*id))),
        Value::Path(path) => path.steps().all(|step| takes(view, &step, left)),
        Value::List(values, _) => values.iter().all(|value| takes(view, value, left)),
        Value::Map(map) => map.iter().all(|(_, value)| takes(view, value, left)),
        other => take(other.units(), left),
    }
}

fn take(units: u32, left: &mut u32) -> bool {
    let rest = left.checked_sub(units);
    *left = rest.unwrap_or_default();
    rest.is_some()
}

fn header(answer: &Answer, form: Form, out: &mut dyn Reply) {
    out.array(answer.columns.len());
    for name in answer.columns.iter() {
        if form == Form::Compact {
            out.array(2);
            out.int(1);
        }
        out.bulk(name.as_bytes());
    }
}

fn rows(
    view: &View,
    (answer, most): (&Answer, usize),
    form: Form,
    pace: &mut dyn Pace,
    out: &mut dyn Reply,
) -> Result<(), CmdError> {
    let columns = answer.columns.len();
    out.array(answer.rows().count().min(most));
    let (mut text, mut digits) = (Vec::new(), String::new());
    let view = Paced::new(view, pace, answer.memory());
    for row in answer.rows().take(most) {
        let units = |column| u64::from(row.cell(column).units());
        if !view.goes_on((0..columns).map(units).sum::<u64>() + 1, &*out, 0) {
            break;
        }
        let values = (0..columns).map(|column| row.value(column));
        match form {
            Form::Compact => {
                out.array(columns);
                let cells = (0..columns).map(|column| row.cell(column));
                cells.for_each(|cell| compact::row_cell(&view, cell, &mut digits, out));
            }
            Form::Json => {
                text.clear();
                let within = json::Within { view: &view, reply: &*out };
                let write = |value: Value, text: &mut Vec<u8>| in_json(&within, &value, text);
                array(values, &mut text, write);
                out.bulk(&text);
            }
            _ => {
                out.array(columns);
                values.for_each(|value| verbose::value(&view, &value, out));
            }
        }
    }
    view.check()
}

fn lines(statement: &Statement, statistics: &Statistics, out: &mut dyn Reply) {
    let counted = [
        ("Labels added", statistics.labels_added),
        ("Labels removed", statistics.labels_removed),
        ("Nodes created", statistics.nodes_created),
        ("Nodes deleted", statistics.nodes_deleted),
        ("Properties set", statistics.properties_set),
        ("Properties removed", statistics.properties_removed),
        ("Relationships created", statistics.relationships_created),
        ("Relationships deleted", statistics.relationships_deleted),
        ("Indices created", statistics.indices_created),
        ("Indices deleted", statistics.indices_deleted),
        ("Constraints created", statistics.constraints_created),
        ("Constraints deleted", statistics.constraints_deleted),
    ];
    let counted = || counted.iter().filter(|(_, count)| *count > 0);
    out.array(counted().count() + 2);
    counted().for_each(|(what, count)| out.bulk(format!("{what}: {count}").as_bytes()));
    let cached: &[u8] =
        if statement.cached() { b"Cached execution: 1" } else { b"Cached execution: 0" };
    out.bulk(cached);
    // Milliseconds, of which the last of six digits behind the point is a nanosecond.
    let took = statement.took().as_nanos();
    let (millis, rest) = (took / 1_000_000, took % 1_000_000);
    let time = format!("Query internal execution time: {millis}.{rest:06} milliseconds");
    out.bulk(time.as_bytes());
}

/// The version of a graph's names, if it is another than the one that a client knows.
pub(super) fn other_version(view: &View, known: Option<u32>) -> Option<u32> {
    let known = known?;
    let current = view.names_version();
    (current != known).then_some(current)
}

/// Tells a client that it must ask for the names again.
///
/// # Errors
/// None.
pub(super) fn version_mismatch(current: u32, out: &mut dyn Reply) -> Result<(), CmdError> {
    out.array(2);
    out.error("version mismatch");
    out.int(current.into());
    Ok(())
}
