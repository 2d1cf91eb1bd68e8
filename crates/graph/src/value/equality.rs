//! `=`, `<>` and `IN`, which are unknown where null decides.

use super::logic::{self, Truth};
use super::{Error, Map, Value, number};

/// Whether two values are equal. Values of different types are not, but for numbers; NaN equals
/// nothing.
pub fn equal(a: &Value, b: &Value) -> Truth {
    Some(match (a, b) {
        (Value::Null, _) | (_, Value::Null) => return None,
        (Value::List(a, _), Value::List(b, _)) => return lists(a, b),
        (Value::Map(a), Value::Map(b)) => return maps(a, b),
        (Value::Integer(a), Value::Float(b)) | (Value::Float(b), Value::Integer(a)) => {
            number::compare(*a, *b) == Some(std::cmp::Ordering::Equal)
        }
        // Of one type and without nulls inside, or of two types.
        (a, b) => a == b,
    })
}

/// All equal; that one is not is known even where others are unknown.
fn all(pairs: impl Iterator<Item = Truth>) -> Truth {
    let mut so_far = Some(true);
    for pair in pairs {
        match pair {
            Some(false) => return Some(false),
            None => so_far = None,
            Some(true) => {}
        }
    }
    so_far
}

fn lists(a: &[Value], b: &[Value]) -> Truth {
    if a.len() != b.len() {
        return Some(false);
    }
    all(a.iter().zip(b).map(|(a, b)| equal(a, b)))
}

fn maps(a: &Map, b: &Map) -> Truth {
    let same_keys = a.len() == b.len() && a.sorted().zip(b.sorted()).all(|(a, b)| a.0 == b.0);
    if !same_keys {
        return Some(false);
    }
    all(a.sorted().zip(b.sorted()).map(|(a, b)| equal(a.1, b.1)))
}

/// `value IN list`.
pub fn is_in(value: &Value, list: &Value) -> Result<Truth, Error> {
    let list = match list {
        Value::Null => return Ok(None),
        Value::List(list, _) => list,
        other => return Err(Error::mismatch("List or Null", other.type_name())),
    };
    let mut found = Some(false);
    for element in list.iter() {
        found = logic::or(found, equal(value, element));
        if found == Some(true) {
            break;
        }
    }
    Ok(found)
}
