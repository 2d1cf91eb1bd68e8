//! Whether two values are one for `DISTINCT` and grouping: null and null are, NaN and NaN, 1 and
//! 1.0.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

use super::{Value, number, order};

/// Whether two values are one for `DISTINCT` and grouping.
pub fn equivalent(a: &Value, b: &Value) -> bool {
    order::compare(a, b) == Ordering::Equal
}

/// A value as a key of groups.
#[derive(Clone, Debug)]
pub struct Key(pub Value);

impl PartialEq for Key {
    fn eq(&self, other: &Key) -> bool {
        equivalent(&self.0, &other.0)
    }
}

impl Eq for Key {}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        hash(&self.0, state);
    }
}

/// Hashes a value: equal for values that are one.
pub fn hash<H: Hasher>(value: &Value, state: &mut H) {
    if !matches!(value, Value::Float(_)) {
        tag(value).hash(state);
    }
    match value {
        Value::Null => {}
        Value::Boolean(is) => is.hash(state),
        Value::Integer(number) => number.hash(state),
        Value::Float(number) => hash_float(*number, state),
        Value::String(text) => text.hash(state),
        Value::List(values, _) => {
            values.len().hash(state);
            values.iter().for_each(|value| hash(value, state));
        }
        Value::Map(map) => {
            map.len().hash(state);
            for (key, value) in map.sorted() {
                key.hash(state);
                hash(value, state);
            }
        }
        Value::Node(id) | Value::Relationship(id) => id.hash(state),
        Value::Path(path) => path.hash(state),
        Value::Point(point) => {
            hash_float(point.latitude.into(), state);
            hash_float(point.longitude.into(), state);
        }
        Value::Vector(numbers) => {
            numbers.len().hash(state);
            numbers.iter().for_each(|&number| hash_float(number.into(), state));
        }
        Value::Date(date) => date.hash(state),
        Value::LocalTime(time) => time.hash(state),
        Value::Time(time) => time.hash(state),
        Value::LocalDateTime(both) => both.hash(state),
        Value::DateTime(instant) => instant.hash(state),
        Value::Duration(duration) => duration.hash(state),
    }
}

/// The tag that whole floats share with integers.
const WHOLE: u8 = 1;
const FRACTION: u8 = 2;

fn tag(value: &Value) -> u8 {
    match value {
        Value::Integer(_) => WHOLE,
        Value::Null => 0,
        Value::Boolean(_) => 3,
        Value::Float(_) => FRACTION,
        Value::String(_) => 4,
        Value::List(..) => 5,
        Value::Map(_) => 6,
        Value::Node(_) => 7,
        Value::Relationship(_) => 8,
        Value::Path(_) => 9,
        Value::Point(_) => 10,
        Value::Vector(_) => 11,
        Value::Date(_) => 12,
        Value::LocalTime(_) => 13,
        Value::Time(_) => 14,
        Value::LocalDateTime(_) => 15,
        Value::DateTime(_) => 16,
        Value::Duration(_) => 17,
    }
}

fn hash_float<H: Hasher>(number: f64, state: &mut H) {
    match number::integral(number) {
        Some(whole) => {
            WHOLE.hash(state);
            whole.hash(state);
        }
        None => {
            FRACTION.hash(state);
            let one = if number.is_nan() { f64::NAN } else { number };
            one.to_bits().hash(state);
        }
    }
}
