//! Values for programs: each with its type (`graph/src/value/type_number.rs`), and names as
//! numbers.
//!
//! Times are seconds, as FalkorDB's are: those of a day count from 1900-01-01, and a duration is as
//! long as it is from that day on.

use ::graph::query::Cell;
use ::graph::storage::{Entity, PropertyRef};
use ::graph::temporal::{DAY_SECONDS, Date, Duration, NANOS};
use ::graph::value::stored::from_property;
use ::graph::value::{Path, Value, text, type_number};
use base::Reply;

use super::paced::Paced;

/// Writes a value with its type.
pub(super) fn cell(view: &Paced<'_>, value: &Value, out: &mut dyn Reply) {
    out.array(2);
    typed(view, value, out);
}

/// Writes a value of a row with its type. `digits`: room for those of a number.
pub(super) fn row_cell(
    view: &Paced<'_>,
    value: Cell<'_>,
    digits: &mut String,
    out: &mut dyn Reply,
) {
    match value {
        Cell::Integer(number) => {
            out.array(2);
            out.int(type_number::INTEGER);
            out.int(number);
        }
        Cell::Float(number) => {
            out.array(2);
            out.int(type_number::FLOAT);
            digits.clear();
            text::write_general(number, digits);
            out.bulk(digits.as_bytes());
        }
        Cell::Text(text) => {
            out.array(2);
            out.int(type_number::TEXT);
            out.bulk(text.as_bytes());
        }
        Cell::Value(value) => cell(view, &value, out),
    }
}

/// The two parts of a cell.
fn typed(view: &Paced<'_>, value: &Value, out: &mut dyn Reply) {
    out.int(type_number::of(value));
    match value {
        Value::Null => out.null(),
        Value::String(text) => out.bulk(text.as_bytes()),
        Value::Integer(number) => out.int(*number),
        Value::Boolean(is) => out.bulk(if *is { b"true" } else { b"false" }),
        Value::Float(number) => out.bulk(text::general(*number).as_bytes()),
        Value::List(values, _) => {
            out.array(values.len());
            values.iter().for_each(|value| cell(view, value, out));
        }
        Value::Relationship(id) => edge(view, *id, out),
        Value::Node(id) => node(view, *id, out),
        Value::Path(path) => self::path(view, path, out),
        Value::Map(map) => {
            out.array(2 * map.len());
            for (key, value) in map.iter() {
                out.bulk(key.as_bytes());
                cell(view, value, out);
            }
        }
        Value::Point(point) => {
            out.array(2);
            out.bulk(text::general(point.latitude.into()).as_bytes());
            out.bulk(text::general(point.longitude.into()).as_bytes());
        }
        Value::Vector(numbers) => {
            out.array(numbers.len());
            numbers.iter().for_each(|&number| out.double(number.into()));
        }
        Value::LocalDateTime(both) => out.int(both.seconds()),
        Value::DateTime(instant) => out.int(instant.instant().seconds),
        Value::Date(date) => out.int(date.days() * DAY_SECONDS),
        Value::LocalTime(time) => out.int(of_1900(time.nanos() / NANOS)),
        Value::Time(time) => out.int(of_1900(time.utc() / NANOS)),
        Value::Duration(duration) => out.int(seconds(duration)),
    }
}

/// Seconds from 1970 to a second of the first day of 1900.
fn of_1900(second: i64) -> i64 {
    first_of_1900().map_or(0, Date::days) * DAY_SECONDS + second
}

fn first_of_1900() -> Option<Date> {
    Date::from_calendar(1900, 1, 1).ok()
}

/// How long a duration is from the first day of 1900 on, in seconds.
fn seconds(duration: &Duration) -> i64 {
    let first = first_of_1900();
    let months = first
        .and_then(|first| Some(first.plus_months(duration.months()).ok()?.days() - first.days()));
    let days = months.unwrap_or_default().saturating_add(duration.days());
    days.saturating_mul(DAY_SECONDS).saturating_add(duration.seconds())
}

fn node(view: &Paced<'_>, id: u64, out: &mut dyn Reply) {
    let number = u32::try_from(id).unwrap_or(u32::MAX);
    if !view.goes_on(1, &*out, 0) {
        return;
    }
    out.array(3);
    out.int(id.cast_signed());
    out.array(view.labels_of(number).count());
    view.labels_of(number).for_each(|label| out.int(label.into()));
    properties(view, Entity::Node(number), out);
}

fn edge(view: &Paced<'_>, id: u64, out: &mut dyn Reply) {
    let number = u32::try_from(id).unwrap_or(u32::MAX);
    if !view.goes_on(1, &*out, 0) {
        return;
    }
    out.array(5);
    out.int(id.cast_signed());
    match view.ends(number) {
        Some(ends) => {
            out.int(ends.kind.into());
            out.int(ends.source.into());
            out.int(ends.target.into());
        }
        // It was deleted by this very query.
        None => (0..3).for_each(|_| out.int(-1)),
    }
    properties(view, Entity::Edge(number), out);
}

/// Each is its key, and the two parts of a cell.
fn properties(view: &Paced<'_>, entity: Entity, out: &mut dyn Reply) {
    let all: Vec<_> = if view.has(entity) { view.properties(entity).collect() } else { Vec::new() };
    out.array(all.len());
    for (key, value) in all {
        if !view.goes_on(value.units().into(), &*out, 0) {
            break;
        }
        out.array(3);
        out.int(key.into());
        stored(view, value, out);
    }
}

/// The two parts of a cell, of what the graph holds: numbers and texts where they lie.
fn stored(view: &Paced<'_>, value: PropertyRef<'_>, out: &mut dyn Reply) {
    match value {
        PropertyRef::Integer(number) => {
            out.int(type_number::INTEGER);
            out.int(number);
        }
        PropertyRef::Text(text) => {
            out.int(type_number::TEXT);
            out.bulk(text.as_bytes());
        }
        other => typed(view, &from_property(other), out),
    }
}

/// A list of its nodes and one of its edges, as cells.
fn path(view: &Paced<'_>, path: &Path, out: &mut dyn Reply) {
    out.array(2);
    let list = |count: usize, out: &mut dyn Reply| {
        out.array(2);
        out.int(type_number::LIST);
        out.array(count);
    };
    list(path.nodes().len(), out);
    path.nodes().iter().for_each(|&id| cell(view, &Value::Node(id), out));
    list(path.relationships().len(), out);
    path.relationships().iter().for_each(|&id| cell(view, &Value::Relationship(id), out));
}
