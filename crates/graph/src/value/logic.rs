//! `AND`, `OR`, `XOR` and `NOT` of what may be unknown (`None`).

use super::{Error, Value};

/// True, false or unknown.
pub type Truth = Option<bool>;

/// Both.
pub fn and(a: Truth, b: Truth) -> Truth {
    match (a, b) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

/// One or both.
pub fn or(a: Truth, b: Truth) -> Truth {
    match (a, b) {
        (Some(true), _) | (_, Some(true)) => Some(true),
        (Some(false), Some(false)) => Some(false),
        _ => None,
    }
}

/// One, but not both.
pub fn xor(a: Truth, b: Truth) -> Truth {
    Some(a? != b?)
}

/// The contrary.
pub fn not(a: Truth) -> Truth {
    a.map(|a| !a)
}

/// What a value says where a predicate is wanted.
pub fn truth(value: &Value) -> Result<Truth, Error> {
    match value {
        Value::Null => Ok(None),
        Value::Boolean(is) => Ok(Some(*is)),
        other => Err(Error::mismatch("Boolean or Null", other.type_name())),
    }
}
