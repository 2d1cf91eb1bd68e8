//! `<`, `<=`, `>` and `>=`: known among numbers, among strings, among booleans, among values of one
//! temporal type that has an order, and among lists of such; unknown else.

use std::cmp::Ordering;

use super::equality::equal;
use super::logic::Truth;
use super::{Value, number};

/// How two values stand to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// One comes first, or they are equal.
    Is(Ordering),
    /// They are numbers, and one is NaN: no comparison holds.
    Unordered,
    /// They cannot be compared, or one is null.
    Unknown,
}

/// How two values stand to each other.
pub fn standing(a: &Value, b: &Value) -> Standing {
    let number = |it: Option<Ordering>| it.map_or(Standing::Unordered, Standing::Is);
    match (a, b) {
        (Value::Integer(a), Value::Integer(b)) => Standing::Is(a.cmp(b)),
        (Value::Float(a), Value::Float(b)) => number(a.partial_cmp(b)),
        (Value::Integer(a), Value::Float(b)) => number(number::compare(*a, *b)),
        (Value::Float(a), Value::Integer(b)) => {
            number(number::compare(*b, *a).map(Ordering::reverse))
        }
        (Value::String(a), Value::String(b)) => Standing::Is(a.cmp(b)),
        (Value::Boolean(a), Value::Boolean(b)) => Standing::Is(a.cmp(b)),
        (Value::Date(a), Value::Date(b)) => Standing::Is(a.cmp(b)),
        (Value::LocalTime(a), Value::LocalTime(b)) => Standing::Is(a.cmp(b)),
        (Value::Time(a), Value::Time(b)) => Standing::Is(a.cmp(b)),
        (Value::LocalDateTime(a), Value::LocalDateTime(b)) => Standing::Is(a.cmp(b)),
        (Value::DateTime(a), Value::DateTime(b)) => Standing::Is(a.cmp(b)),
        (Value::List(a, _), Value::List(b, _)) => lists(a, b),
        _ => Standing::Unknown,
    }
}

/// By the first elements that are not equal; of two lists that begin alike the shorter comes first.
fn lists(a: &[Value], b: &[Value]) -> Standing {
    for (a, b) in a.iter().zip(b) {
        match equal(a, b) {
            Some(true) => {}
            Some(false) => return standing(a, b),
            None => return Standing::Unknown,
        }
    }
    Standing::Is(a.len().cmp(&b.len()))
}

fn holds(a: &Value, b: &Value, wanted: fn(Ordering) -> bool) -> Truth {
    match standing(a, b) {
        Standing::Is(order) => Some(wanted(order)),
        Standing::Unordered => Some(false),
        Standing::Unknown => None,
    }
}

/// `a < b`
pub fn less(a: &Value, b: &Value) -> Truth {
    holds(a, b, Ordering::is_lt)
}

/// `a <= b`
pub fn less_or_equal(a: &Value, b: &Value) -> Truth {
    holds(a, b, Ordering::is_le)
}

/// `a > b`
pub fn greater(a: &Value, b: &Value) -> Truth {
    holds(a, b, Ordering::is_gt)
}

/// `a >= b`
pub fn greater_or_equal(a: &Value, b: &Value) -> Truth {
    holds(a, b, Ordering::is_ge)
}
