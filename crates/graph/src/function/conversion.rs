//! `toInteger`, `toFloat`, `toBoolean`, `toString`: each also as `…OrNull`, which refuses nothing,
//! and as `…List`, of the elements of a list.

use super::argument::list;
use super::{Function, json};
use crate::value::{Error, Type, Value, number, text};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("toInteger", 1, 1, Type::INTEGER, |_, a| integer(&a[0])),
    Function::new("toFloat", 1, 1, Type::FLOAT, |_, a| float(&a[0])),
    Function::new("toBoolean", 1, 1, Type::BOOLEAN, |_, a| boolean(&a[0])),
    Function::new("toString", 1, 1, Type::STRING, |_, a| string(&a[0])),
    Function::new("toIntegerOrNull", 1, 1, Type::INTEGER, |_, a| {
        Ok(integer(&a[0]).unwrap_or_default())
    }),
    Function::new("toFloatOrNull", 1, 1, Type::FLOAT, |_, a| Ok(float(&a[0]).unwrap_or_default())),
    Function::new("toBooleanOrNull", 1, 1, Type::BOOLEAN, |_, a| {
        Ok(boolean(&a[0]).unwrap_or_default())
    }),
    Function::new("toStringOrNull", 1, 1, Type::STRING, |_, a| {
        Ok(string(&a[0]).unwrap_or_default())
    }),
    Function::new("toIntegerList", 1, 1, Type::LIST, |_, a| each(&a[0], integer)),
    Function::new("toFloatList", 1, 1, Type::LIST, |_, a| each(&a[0], float)),
    Function::new("toBooleanList", 1, 1, Type::LIST, |_, a| each(&a[0], boolean)),
    Function::new("toStringList", 1, 1, Type::LIST, |_, a| each(&a[0], string)),
    Function::new("toJSON", 1, 1, Type::STRING, |context, a| {
        json::text(context, &a[0]).map(Value::from)
    }),
];

fn each(value: &Value, convert: fn(&Value) -> Result<Value, Error>) -> Result<Value, Error> {
    Ok(Value::list(list(value)?.iter().map(|value| convert(value).unwrap_or_default())))
}

/// The whole part of a float, if it is within 64 bits.
fn cut(float: f64) -> Value {
    Value::from(number::integral(float.trunc()))
}

fn integer(value: &Value) -> Result<Value, Error> {
    Ok(match value {
        Value::Null | Value::Integer(_) => value.clone(),
        Value::Float(number) => cut(*number),
        Value::Boolean(is) => Value::Integer(i64::from(*is)),
        Value::String(text) => match text.trim().parse::<i64>() {
            Ok(number) => Value::Integer(number),
            Err(_) => decimal(text).map_or(Value::Null, cut),
        },
        other => {
            let expected = "String, Boolean, Integer, Float, or Null";
            return Err(Error::unconvertible(expected, other.type_name()));
        }
    })
}

/// The number of a text in digits: not of `inf` and `nan`, which Rust reads too.
fn decimal(text: &str) -> Option<f64> {
    let text = text.trim();
    let digits = text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
    text.parse().ok().filter(|_| digits)
}

fn float(value: &Value) -> Result<Value, Error> {
    Ok(match value {
        Value::Null | Value::Float(_) => value.clone(),
        Value::Integer(integer) => Value::Float(number::float(*integer)),
        Value::String(text) => match &**text {
            "NaN" => Value::Float(f64::NAN),
            "Infinity" => Value::Float(f64::INFINITY),
            "-Infinity" => Value::Float(f64::NEG_INFINITY),
            text => Value::from(decimal(text)),
        },
        other => {
            let expected = "String, Integer, Float, or Null";
            return Err(Error::unconvertible(expected, other.type_name()));
        }
    })
}

fn boolean(value: &Value) -> Result<Value, Error> {
    Ok(match value {
        Value::Null | Value::Boolean(_) => value.clone(),
        Value::Integer(number) => Value::Boolean(*number != 0),
        Value::String(text) => match text.trim().to_ascii_lowercase().as_str() {
            "true" => Value::Boolean(true),
            "false" => Value::Boolean(false),
            _ => Value::Null,
        },
        other => {
            let expected = "String, Boolean, Integer, or Null";
            return Err(Error::unconvertible(expected, other.type_name()));
        }
    })
}

fn string(value: &Value) -> Result<Value, Error> {
    if value.is_null() {
        return Ok(Value::Null);
    }
    let expected = "String, Boolean, Integer, Float, Point, or a temporal value";
    let refused = || Error::unconvertible(expected, value.type_name());
    text::scalar(value).map(Value::from).ok_or_else(refused)
}
