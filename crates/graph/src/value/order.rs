//! The order of all values, by which `ORDER BY` sorts, and `min` and `max` choose.
//!
//! Maps come first, then nodes, relationships, lists, paths, points, vectors, instants, local
//! datetimes, dates, times, local times, durations, strings, booleans, numbers, NaN, and null last.
//! Values that are equal by `=`, and NaN and NaN, and null and null, are equal here.

use std::cmp::Ordering;

use super::{Map, Point, Value, number};

fn rank(value: &Value) -> u8 {
    match value {
        Value::Map(_) => 0,
        Value::Node(_) => 1,
        Value::Relationship(_) => 2,
        Value::List(..) => 3,
        Value::Path(_) => 4,
        Value::Point(_) => 5,
        Value::Vector(_) => 6,
        Value::DateTime(_) => 7,
        Value::LocalDateTime(_) => 8,
        Value::Date(_) => 9,
        Value::Time(_) => 10,
        Value::LocalTime(_) => 11,
        Value::Duration(_) => 12,
        Value::String(_) => 13,
        Value::Boolean(_) => 14,
        Value::Integer(_) | Value::Float(_) => 15,
        Value::Null => 16,
    }
}

/// How two values stand to each other in the order of all values.
pub fn compare(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::Integer(a), Value::Integer(b)) => a.cmp(b),
        (Value::Float(a), Value::Float(b)) => floats(*a, *b),
        (Value::Integer(a), Value::Float(b)) => number::compare(*a, *b).unwrap_or(Ordering::Less),
        (Value::Float(a), Value::Integer(b)) => {
            number::compare(*b, *a).map_or(Ordering::Greater, Ordering::reverse)
        }
        (Value::String(a), Value::String(b)) => a.cmp(b),
        (Value::Boolean(a), Value::Boolean(b)) => a.cmp(b),
        (Value::Map(a), Value::Map(b)) => maps(a, b),
        (Value::Node(a), Value::Node(b)) => a.cmp(b),
        (Value::Relationship(a), Value::Relationship(b)) => a.cmp(b),
        (Value::List(a, _), Value::List(b, _)) => each(a.iter(), b.iter(), compare),
        (Value::Path(a), Value::Path(b)) => a.cmp(b),
        (Value::Point(a), Value::Point(b)) => points(*a, *b),
        (Value::Vector(a), Value::Vector(b)) => {
            each(a.iter(), b.iter(), |a, b| floats((*a).into(), (*b).into()))
        }
        (Value::DateTime(a), Value::DateTime(b)) => a.cmp(b),
        (Value::LocalDateTime(a), Value::LocalDateTime(b)) => a.cmp(b),
        (Value::Date(a), Value::Date(b)) => a.cmp(b),
        (Value::Time(a), Value::Time(b)) => a.cmp(b),
        (Value::LocalTime(a), Value::LocalTime(b)) => a.cmp(b),
        (Value::Duration(a), Value::Duration(b)) => a.cmp(b),
        (a, b) => rank(a).cmp(&rank(b)),
    }
}

/// NaN after all others, and equal to itself; the two zeros are one.
fn floats(a: f64, b: f64) -> Ordering {
    a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
}

fn points(a: Point, b: Point) -> Ordering {
    let by = |a: f32, b: f32| floats(a.into(), b.into());
    by(a.latitude, b.latitude).then(by(a.longitude, b.longitude))
}

/// Element by element; of two that begin alike the shorter comes first.
fn each<T>(
    mut a: impl ExactSizeIterator<Item = T>,
    mut b: impl ExactSizeIterator<Item = T>,
    compare: impl Fn(T, T) -> Ordering,
) -> Ordering {
    let lengths = a.len().cmp(&b.len());
    let pairs = std::iter::from_fn(|| Some((a.next()?, b.next()?)));
    pairs.map(|(a, b)| compare(a, b)).find(|order| order.is_ne()).unwrap_or(lengths)
}

/// The smaller first; then by their keys, then by the values of their keys.
fn maps(a: &Map, b: &Map) -> Ordering {
    a.len()
        .cmp(&b.len())
        .then_with(|| each(a.sorted(), b.sorted(), |a, b| a.0.cmp(b.0)))
        .then_with(|| each(a.sorted(), b.sorted(), |a, b| compare(a.1, b.1)))
}
