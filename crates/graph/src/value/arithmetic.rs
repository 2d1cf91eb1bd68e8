//! `+`, `-`, `*`, `/`, `%` and `^`: of numbers, strings, lists, maps, dates and durations. Null
//! makes null; an integer beyond 64 bits is an error, not another number.

use super::{Error, Map, Value, number};
use crate::temporal::Duration;

/// Two numbers, both as integers or both as floats.
enum Pair {
    Integers(i64, i64),
    Floats(f64, f64),
}

fn pair(a: &Value, b: &Value) -> Option<Pair> {
    Some(match (a, b) {
        (Value::Integer(a), Value::Integer(b)) => Pair::Integers(*a, *b),
        (Value::Integer(a), Value::Float(b)) => Pair::Floats(number::float(*a), *b),
        (Value::Float(a), Value::Integer(b)) => Pair::Floats(*a, number::float(*b)),
        (Value::Float(a), Value::Float(b)) => Pair::Floats(*a, *b),
        _ => return None,
    })
}

fn is_null(a: &Value, b: &Value) -> bool {
    a.is_null() || b.is_null()
}

/// The error of operands that do not fit: it names the one that no operation takes.
fn refused(a: &Value, b: &Value) -> Error {
    let fits = matches!(a, Value::Integer(_) | Value::Float(_) | Value::String(_));
    let wrong = if fits { b } else { a };
    Error::mismatch("Integer, Float, String, or Null", wrong.type_name())
}

fn whole(result: Option<i64>) -> Result<Value, Error> {
    result.map(Value::Integer).ok_or_else(Error::overflow)
}

/// `a + b`: a sum, a text, list or map of both, or a moment a duration later. Of what both maps
/// have, the second one's stays.
pub fn add(a: &Value, b: &Value) -> Result<Value, Error> {
    match (a, b) {
        (Value::List(a, _), Value::List(b, _)) => {
            return Value::list(a.iter().chain(b.iter()).cloned()).checked();
        }
        _ if is_null(a, b) => return Ok(Value::Null),
        (Value::List(a, _), b) => return Value::list(a.iter().chain([b]).cloned()).checked(),
        (a, Value::List(b, _)) => {
            return Value::list([a].into_iter().chain(b.iter()).cloned()).checked();
        }
        (Value::Map(a), Value::Map(b)) => {
            let both = a.iter().chain(b.iter()).map(|(key, value)| (key.clone(), value.clone()));
            return Value::Map(Map::new(both).into()).checked();
        }
        (Value::Duration(a), Value::Duration(b)) => return Ok(a.plus(b)?.into()),
        (Value::Duration(by), moment) | (moment, Value::Duration(by)) => {
            return later(moment, by)?.ok_or_else(|| refused(a, b));
        }
        _ => {}
    }
    if let Some(pair) = pair(a, b) {
        return match pair {
            Pair::Integers(a, b) => whole(a.checked_add(b)),
            Pair::Floats(a, b) => Ok(Value::Float(a + b)),
        };
    }
    let strings = matches!(a, Value::String(_)) || matches!(b, Value::String(_));
    let text = |value: &Value| super::text::scalar(value).ok_or_else(|| refused(a, b));
    if strings { Ok(Value::from(text(a)? + &text(b)?)) } else { Err(refused(a, b)) }
}

/// A moment, and a duration later; `None` if it is no moment.
fn later(moment: &Value, by: &Duration) -> Result<Option<Value>, Error> {
    Ok(Some(match moment {
        Value::Date(date) => Value::Date(date.plus(by)?),
        Value::LocalTime(time) => Value::LocalTime(time.plus(by)),
        Value::Time(time) => Value::Time(time.plus(by)),
        Value::LocalDateTime(both) => Value::LocalDateTime(both.plus(by)?),
        Value::DateTime(instant) => Value::DateTime(instant.plus(by)?),
        _ => return Ok(None),
    }))
}

/// `a - b`
pub fn subtract(a: &Value, b: &Value) -> Result<Value, Error> {
    match (a, b) {
        _ if is_null(a, b) => Ok(Value::Null),
        (Value::Duration(a), Value::Duration(b)) => Ok(a.minus(b)?.into()),
        (moment, Value::Duration(by)) => {
            later(moment, &by.negated()?)?.ok_or_else(|| refused(a, b))
        }
        _ => match pair(a, b) {
            Some(Pair::Integers(a, b)) => whole(a.checked_sub(b)),
            Some(Pair::Floats(a, b)) => Ok(Value::Float(a - b)),
            None => Err(refused(a, b)),
        },
    }
}

/// `a * b`
pub fn multiply(a: &Value, b: &Value) -> Result<Value, Error> {
    match (a, b) {
        _ if is_null(a, b) => Ok(Value::Null),
        (Value::Duration(it), Value::Integer(by)) | (Value::Integer(by), Value::Duration(it)) => {
            Ok(it.times(*by)?.into())
        }
        (Value::Duration(it), Value::Float(by)) | (Value::Float(by), Value::Duration(it)) => {
            Ok(it.scaled(*by)?.into())
        }
        _ => match pair(a, b) {
            Some(Pair::Integers(a, b)) => whole(a.checked_mul(b)),
            Some(Pair::Floats(a, b)) => Ok(Value::Float(a * b)),
            None => Err(refused(a, b)),
        },
    }
}

/// `a / b`; of integers the whole part.
pub fn divide(a: &Value, b: &Value) -> Result<Value, Error> {
    match (a, b) {
        _ if is_null(a, b) => Ok(Value::Null),
        (Value::Duration(it), Value::Integer(by)) => Ok(it.divided(*by)?.into()),
        (Value::Duration(it), Value::Float(by)) => Ok(it.scaled(1.0 / by)?.into()),
        _ => match pair(a, b) {
            Some(Pair::Integers(_, 0)) => Err(Error::division_by_zero()),
            Some(Pair::Integers(a, b)) => whole(a.checked_div(b)),
            Some(Pair::Floats(a, b)) => Ok(Value::Float(a / b)),
            None => Err(refused(a, b)),
        },
    }
}

/// `a % b`, with the sign of `a`.
pub fn remainder(a: &Value, b: &Value) -> Result<Value, Error> {
    match pair(a, b) {
        _ if is_null(a, b) => Ok(Value::Null),
        Some(Pair::Integers(_, 0)) => Err(Error::division_by_zero()),
        // The smallest integer has a remainder by -1, though not a quotient.
        Some(Pair::Integers(a, b)) => Ok(Value::Integer(a.wrapping_rem(b))),
        Some(Pair::Floats(a, b)) => Ok(Value::Float(a % b)),
        None => Err(refused(a, b)),
    }
}

/// `a ^ b`, always a float.
pub fn power(a: &Value, b: &Value) -> Result<Value, Error> {
    match pair(a, b) {
        _ if is_null(a, b) => Ok(Value::Null),
        Some(Pair::Integers(a, b)) => Ok(Value::Float(number::float(a).powf(number::float(b)))),
        Some(Pair::Floats(a, b)) => Ok(Value::Float(a.powf(b))),
        None => Err(refused(a, b)),
    }
}

/// `-a`
pub fn negate(a: &Value) -> Result<Value, Error> {
    match a {
        Value::Null => Ok(Value::Null),
        Value::Integer(a) => whole(a.checked_neg()),
        Value::Float(a) => Ok(Value::Float(-a)),
        Value::Duration(a) => Ok(a.negated()?.into()),
        other => Err(Error::mismatch("Integer, Float, or Null", other.type_name())),
    }
}
