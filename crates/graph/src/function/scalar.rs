//! Functions of values of several types: sizes, keys, types, parts of paths.

use std::sync::Arc;

use super::argument::map;
use super::{Context, Function, STRINGS};
use crate::value::{Error, Path, Type, Value};

/// What has keys.
const KEYED: Type = Type::NODE.or(Type::RELATIONSHIP).or(Type::MAP);
/// What has a size.
const SIZED: Type = Type::LIST.or(Type::STRING).or(Type::MAP).or(Type::VECTOR);
/// What has a length.
const LENGTH: Type = Type::PATH.or(Type::LIST).or(Type::STRING);
const NODES: Type = Type::list_of(Type::NODE);
const RELATIONSHIPS: Type = Type::list_of(Type::RELATIONSHIP);

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("coalesce", 1, usize::MAX, Type::ANY, |_, a| coalesce(a)).sees_null(),
    Function::new("size", 1, 1, Type::INTEGER, |_, a| size(&a[0])).takes(SIZED),
    Function::new("isEmpty", 1, 1, Type::BOOLEAN, |_, a| is_empty(&a[0])),
    Function::new("reverse", 1, 1, Type::ANY, |_, a| reverse(&a[0])),
    Function::new("keys", 1, 1, STRINGS, |_, a| keys(&a[0])).takes(KEYED),
    Function::new("properties", 1, 1, Type::MAP, |_, a| map(&a[0]).map(|_| a[0].clone()))
        .takes(KEYED),
    Function::new("typeOf", 1, 1, Type::STRING, |_, a| Ok(a[0].type_name().into())).sees_null(),
    Function::new("length", 1, 1, Type::INTEGER, |_, a| {
        Ok(count(path(&a[0])?.relationships().len()))
    })
    .takes(LENGTH),
    Function::new("nodes", 1, 1, NODES, |_, a| {
        Ok(Value::list(path(&a[0])?.nodes().iter().map(|&id| Value::Node(id))))
    })
    .takes(Type::PATH),
    Function::new("relationships", 1, 1, RELATIONSHIPS, |_, a| {
        Ok(Value::list(path(&a[0])?.relationships().iter().map(|&id| Value::Relationship(id))))
    })
    .takes(Type::PATH),
    Function::new("randomUUID", 0, 0, Type::STRING, |context, _| Ok(uuid(context))).draws(),
];

fn count(number: usize) -> Value {
    Value::Integer(i64::try_from(number).unwrap_or(i64::MAX))
}

fn path(value: &Value) -> Result<&Arc<Path>, Error> {
    match value {
        Value::Path(path) => Ok(path),
        other => Err(Error::mismatch("Path or Null", other.type_name())),
    }
}

fn coalesce(a: &[Value]) -> Result<Value, Error> {
    Ok(a.iter().find(|value| !value.is_null()).cloned().unwrap_or_default())
}

fn size(value: &Value) -> Result<Value, Error> {
    match value {
        Value::List(values, _) => Ok(count(values.len())),
        Value::String(text) => Ok(count(text.chars().count())),
        Value::Vector(numbers) => Ok(count(numbers.len())),
        other => Err(Error::mismatch("List, String, or Null", other.type_name())),
    }
}

fn is_empty(value: &Value) -> Result<Value, Error> {
    Ok(Value::Boolean(match value {
        Value::List(values, _) => values.is_empty(),
        Value::String(text) => text.is_empty(),
        Value::Map(map) => map.is_empty(),
        other => return Err(Error::mismatch("List, Map, String, or Null", other.type_name())),
    }))
}

fn reverse(value: &Value) -> Result<Value, Error> {
    match value {
        Value::List(values, _) => Ok(Value::list(values.iter().rev().cloned())),
        Value::String(text) => Ok(text.chars().rev().collect::<String>().into()),
        other => Err(Error::mismatch("List, String, or Null", other.type_name())),
    }
}

fn keys(value: &Value) -> Result<Value, Error> {
    Ok(Value::list(map(value)?.iter().map(|(key, _)| Value::String(key.clone()))))
}

/// A random UUID (version 4).
fn uuid(context: &Context<'_>) -> Value {
    let (high, low) = (context.draw(), context.draw());
    Value::from(format!(
        "{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}",
        high >> 32,
        (high >> 16) & 0xffff,
        high & 0xfff,
        (low >> 48) & 0x3fff | 0x8000,
        low & 0xffff_ffff_ffff
    ))
}
