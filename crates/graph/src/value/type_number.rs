//! The numbers that FalkorDB's compact replies have for the types of values.
//!
//! ```text
//!   1 null   2 text   3 integer   4 boolean   5 float   6 list   7 edge   8 node   9 path
//!   10 map   11 point   12 vector   13 date and time   14 date   15 time   16 duration
//! ```

use super::Value;

/// `null`.
pub const NULL: i64 = 1;
/// A text.
pub const TEXT: i64 = 2;
/// An integer.
pub const INTEGER: i64 = 3;
/// True or false.
pub const BOOLEAN: i64 = 4;
/// A number with a fraction.
pub const FLOAT: i64 = 5;
/// A list.
pub const LIST: i64 = 6;
/// A relationship.
pub const RELATIONSHIP: i64 = 7;
/// A node.
pub const NODE: i64 = 8;
/// A path.
pub const PATH: i64 = 9;
/// A map.
pub const MAP: i64 = 10;
/// A point.
pub const POINT: i64 = 11;
/// A vector.
pub const VECTOR: i64 = 12;
/// A date and a time, in a zone or not: FalkorDB knows no zones.
pub const DATE_TIME: i64 = 13;
/// A date.
pub const DATE: i64 = 14;
/// A time, with an offset or not.
pub const TIME: i64 = 15;
/// A duration.
pub const DURATION: i64 = 16;

/// The number of a value's type.
///
/// ```
/// use kvist_graph::value::{Value, type_number};
/// assert_eq!(type_number::of(&Value::from("a")), type_number::TEXT);
/// ```
#[must_use]
pub fn of(value: &Value) -> i64 {
    match value {
        Value::Null => NULL,
        Value::String(_) => TEXT,
        Value::Integer(_) => INTEGER,
        Value::Boolean(_) => BOOLEAN,
        Value::Float(_) => FLOAT,
        Value::List(..) => LIST,
        Value::Relationship(_) => RELATIONSHIP,
        Value::Node(_) => NODE,
        Value::Path(_) => PATH,
        Value::Map(_) => MAP,
        Value::Point(_) => POINT,
        Value::Vector(_) => VECTOR,
        Value::LocalDateTime(_) | Value::DateTime(_) => DATE_TIME,
        Value::Date(_) => DATE,
        Value::LocalTime(_) | Value::Time(_) => TIME,
        Value::Duration(_) => DURATION,
    }
}
