//! A value among values of any type: a byte for its type, then what it is.
//!
//! ```text
//!   0 null   1 false   2 true   3 integer   4 float   5 text    6 list   7 map   8 node
//!   9 relationship   10 path   11 point   12 vector   13 date   14 local time   15 time
//!   16 local date and time   17 date and time   18 duration
//! ```
//!
//! Lists, maps, paths and vectors begin with how many there are, in 4 bytes; a key of a map is a
//! text. A path has its nodes, then its relationships, one fewer. A zone is the length of its name,
//! 1 byte, and the name; for one without, 0 and the seconds east, 4 bytes. All else is as in a
//! [column](super::kind) of its type.

use ::graph::temporal::Zone;
use ::graph::value::{Path, Point, Value};

use super::entities::Entities;
use super::{count, text};

/// Appends a value with its type.
pub(super) fn value(value: &Value, entities: &mut Entities, out: &mut Vec<u8>) {
    out.push(tag(value));
    match value {
        Value::Null | Value::Boolean(_) => {}
        Value::String(string) => text(string, out),
        Value::List(values, _) => {
            count(values.len(), out);
            values.iter().for_each(|one| self::value(one, entities, out));
        }
        Value::Map(map) => {
            count(map.len(), out);
            for (key, one) in map.iter() {
                text(key, out);
                self::value(one, entities, out);
            }
        }
        Value::Path(path) => self::path(path, entities, out),
        Value::Vector(numbers) => {
            count(numbers.len(), out);
            numbers.iter().for_each(|number| out.extend_from_slice(&number.to_le_bytes()));
        }
        Value::DateTime(both) => {
            instant(both.instant().seconds, both.instant().nanos, out);
            zone(both.zone(), out);
        }
        _ => fixed(value, entities, out),
    }
}

fn tag(value: &Value) -> u8 {
    match value {
        Value::Null => 0,
        Value::Boolean(is) => 1 + u8::from(*is),
        Value::Integer(_) => 3,
        Value::Float(_) => 4,
        Value::String(_) => 5,
        Value::List(..) => 6,
        Value::Map(_) => 7,
        Value::Node(_) => 8,
        Value::Relationship(_) => 9,
        Value::Path(_) => 10,
        Value::Point(_) => 11,
        Value::Vector(_) => 12,
        Value::Date(_) => 13,
        Value::LocalTime(_) => 14,
        Value::Time(_) => 15,
        Value::LocalDateTime(_) => 16,
        Value::DateTime(_) => 17,
        Value::Duration(_) => 18,
    }
}

/// Appends a value of a type whose cells all have as many bytes; of others, nothing.
pub(super) fn fixed(value: &Value, entities: &mut Entities, out: &mut Vec<u8>) {
    match value {
        Value::Integer(number) => out.extend_from_slice(&number.to_le_bytes()),
        Value::Float(number) => out.extend_from_slice(&number.to_le_bytes()),
        Value::Node(id) => out.extend_from_slice(&entities.node(*id).to_le_bytes()),
        Value::Relationship(id) => out.extend_from_slice(&entities.relationship(*id).to_le_bytes()),
        Value::Date(date) => out.extend_from_slice(&date.days().to_le_bytes()),
        Value::LocalTime(time) => out.extend_from_slice(&time.nanos().to_le_bytes()),
        Value::Time(time) => {
            out.extend_from_slice(&time.local.nanos().to_le_bytes());
            out.extend_from_slice(&time.offset().to_le_bytes());
        }
        Value::LocalDateTime(both) => instant(both.seconds(), both.nanos(), out),
        Value::Duration(span) => {
            out.extend_from_slice(&span.months().to_le_bytes());
            out.extend_from_slice(&span.days().to_le_bytes());
            instant(span.seconds(), span.nanos(), out);
        }
        Value::Point(Point { latitude, longitude }) => {
            out.extend_from_slice(&latitude.to_le_bytes());
            out.extend_from_slice(&longitude.to_le_bytes());
        }
        _ => {}
    }
}

/// Appends seconds and nanoseconds.
pub(super) fn instant(seconds: i64, nanos: u32, out: &mut Vec<u8>) {
    out.extend_from_slice(&seconds.to_le_bytes());
    out.extend_from_slice(&nanos.to_le_bytes());
}

/// Appends a zone.
pub(super) fn zone(zone: Zone, out: &mut Vec<u8>) {
    let name = zone.name().unwrap_or_default();
    out.push(u8::try_from(name.len()).unwrap_or(0)); // names of zones are short
    out.extend_from_slice(name.as_bytes());
    if name.is_empty() {
        out.extend_from_slice(&zone.offset_at(0).to_le_bytes());
    }
}

fn path(path: &Path, entities: &mut Entities, out: &mut Vec<u8>) {
    count(path.nodes().len(), out);
    for &id in path.nodes() {
        out.extend_from_slice(&entities.node(id).to_le_bytes());
    }
    for &id in path.relationships() {
        out.extend_from_slice(&entities.relationship(id).to_le_bytes());
    }
}
