//! Arguments of the types that functions want. Each looks at what is known not to be null.

use std::sync::Arc;

use crate::value::{Error, Map, Value, number};

/// An argument that may be left out.
pub(super) fn optional(arguments: &[Value], place: usize) -> Option<&Value> {
    arguments.get(place)
}

pub(super) fn integer(value: &Value) -> Result<i64, Error> {
    match value {
        Value::Integer(number) => Ok(*number),
        other => Err(Error::mismatch("Integer or Null", other.type_name())),
    }
}

pub(super) fn float(value: &Value) -> Result<f64, Error> {
    match value {
        Value::Integer(integer) => Ok(number::float(*integer)),
        Value::Float(number) => Ok(*number),
        other => Err(Error::mismatch("Integer, Float, or Null", other.type_name())),
    }
}

pub(super) fn boolean(value: &Value) -> Result<bool, Error> {
    match value {
        Value::Boolean(is) => Ok(*is),
        other => Err(Error::mismatch("Boolean or Null", other.type_name())),
    }
}

pub(super) fn string(value: &Value) -> Result<&str, Error> {
    match value {
        Value::String(text) => Ok(text),
        other => Err(Error::mismatch("String or Null", other.type_name())),
    }
}

pub(super) fn list(value: &Value) -> Result<&Arc<[Value]>, Error> {
    match value {
        Value::List(values, _) => Ok(values),
        other => Err(Error::mismatch("List or Null", other.type_name())),
    }
}

pub(super) fn map(value: &Value) -> Result<&Arc<Map>, Error> {
    match value {
        Value::Map(map) => Ok(map),
        other => Err(Error::mismatch("Map or Null", other.type_name())),
    }
}

/// A length: an integer that is not below zero.
pub(super) fn length(value: &Value) -> Result<usize, Error> {
    let given = integer(value)?;
    let message = "length must be a non-negative integer";
    usize::try_from(given).map_err(|_| Error::out_of_range(message))
}
