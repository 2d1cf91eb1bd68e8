//! `a[i]`, `a[i..j]` and `a.key`. What nodes and relationships hold the graph says, not this.

use super::{Error, Value};
use crate::temporal::accessor;

/// The place of an index, which counts from the end if it is below zero.
fn place(index: i64, length: usize) -> Option<usize> {
    let length = i64::try_from(length).ok()?;
    let place = if index < 0 { index.checked_add(length)? } else { index };
    usize::try_from(place).ok().filter(|_| place < length)
}

/// `container[index]`: an element of a list, or a value of a map; null where there is none.
pub fn element(container: &Value, index: &Value) -> Result<Value, Error> {
    match (container, index) {
        (Value::Null, _) => Ok(Value::Null),
        (Value::List(..) | Value::Map(_), Value::Null) => Ok(Value::Null),
        (Value::List(list, _), Value::Integer(index)) => {
            Ok(place(*index, list.len()).map_or(Value::Null, |place| list[place].clone()))
        }
        (Value::List(..), other) => Err(Error::mismatch("Integer", other.type_name())),
        (Value::Map(map), Value::String(key)) => Ok(map.get(key).cloned().unwrap_or_default()),
        (Value::Map(_), other) => Err(Error::not_a_key(other.type_name())),
        (other, Value::String(key)) => property(other, key),
        (other, _) => Err(Error::mismatch("Map, Node, Edge, List, or Null", other.type_name())),
    }
}

/// `container.key`; null where there is none.
pub fn property(container: &Value, key: &str) -> Result<Value, Error> {
    match container {
        Value::Null => Ok(Value::Null),
        Value::Map(map) => Ok(map.get(key).cloned().unwrap_or_default()),
        Value::Point(point) => Ok(match key {
            "latitude" | "y" => Value::Float(point.latitude.into()),
            "longitude" | "x" => Value::Float(point.longitude.into()),
            "crs" => Value::from("wgs-84"),
            "srid" => Value::Integer(4_326),
            _ => Value::Null,
        }),
        Value::Date(_)
        | Value::LocalTime(_)
        | Value::Time(_)
        | Value::LocalDateTime(_)
        | Value::DateTime(_)
        | Value::Duration(_) => Ok(accessor::component(container, key).unwrap_or_default()),
        other => {
            let expected = "Map, Node, Edge, Datetime, Date, Time, Duration, Null, or Point";
            Err(Error::mismatch(expected, other.type_name()))
        }
    }
}

/// A bound of a slice.
fn bound(index: &Value, length: usize) -> Result<Option<usize>, Error> {
    match index {
        Value::Null => Ok(None),
        Value::Integer(index) => {
            let size = i64::try_from(length).unwrap_or(i64::MAX);
            let place = if *index < 0 { index.saturating_add(size) } else { *index };
            Ok(Some(usize::try_from(place.clamp(0, size)).unwrap_or(length)))
        }
        other => Err(Error::mismatch("Integer or Null", other.type_name())),
    }
}

/// `list[from..to]`, where a bound that is not written is `None` and one that is null makes null.
pub fn slice(list: &Value, from: Option<&Value>, to: Option<&Value>) -> Result<Value, Error> {
    let elements = match list {
        Value::Null => return Ok(Value::Null),
        Value::List(list, _) => list,
        other => return Err(Error::mismatch("List or Null", other.type_name())),
    };
    let length = elements.len();
    let from = from.map_or(Ok(Some(0)), |index| bound(index, length))?;
    let to = to.map_or(Ok(Some(length)), |index| bound(index, length))?;
    let (Some(from), Some(to)) = (from, to) else {
        return Ok(Value::Null);
    };
    Ok(Value::list(elements.get(from..to.max(from)).unwrap_or_default().iter().cloned()))
}
