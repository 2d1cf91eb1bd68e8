//! What a reply can be wanted as.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{BuildHasher, Hash};

use wire::Value;

use crate::error::Error;

/// Something a reply can be turned into.
///
/// ```
/// use std::collections::HashMap;
///
/// let db = kvist::Kvist::in_memory()?;
/// let _: i64 = db.run(["HSET", "h", "a", "1", "b", "2"])?;
/// let all: HashMap<String, i64> = db.run(["HGETALL", "h"])?;
/// assert_eq!(all["b"], 2);
/// let one: Option<i64> = db.run(["HGET", "h", "c"])?;
/// assert_eq!(one, None);
/// # Ok::<(), kvist::Error>(())
/// ```
pub trait FromValue: Sized {
    /// Makes it of a reply.
    ///
    /// # Errors
    /// [`Error::Unexpected`] if the reply is something else; [`Error::Refused`] if it is an error.
    fn from_value(value: Value) -> Result<Self, Error>;
}

fn unexpected<T>(wanted: &'static str, found: Value) -> Result<T, Error> {
    match found.as_error() {
        Some(text) => Err(Error::Refused(String::from_utf8_lossy(text).into_owned())),
        None => Err(Error::Unexpected { wanted, found: Box::new(found) }),
    }
}

impl FromValue for Value {
    fn from_value(value: Value) -> Result<Self, Error> {
        Ok(value)
    }
}

/// Whatever it is, unless it is an error.
impl FromValue for () {
    fn from_value(value: Value) -> Result<Self, Error> {
        if value.as_error().is_some() { unexpected("success", value) } else { Ok(()) }
    }
}

impl FromValue for Vec<u8> {
    fn from_value(value: Value) -> Result<Self, Error> {
        match value {
            Value::Bulk(bytes) | Value::Simple(bytes) | Value::Verbatim(_, bytes) => Ok(bytes),
            Value::Double(digits) | Value::BigNumber(digits) => Ok(digits),
            Value::Int(n) => Ok(n.to_string().into_bytes()),
            other => unexpected("string", other),
        }
    }
}

impl FromValue for String {
    fn from_value(value: Value) -> Result<Self, Error> {
        let bytes = Vec::<u8>::from_value(value)?;
        let text = |error: std::string::FromUtf8Error| Error::Unexpected {
            wanted: "UTF-8",
            found: Box::new(Value::Bulk(error.into_bytes())),
        };
        String::from_utf8(bytes).map_err(text)
    }
}

macro_rules! integers {
    ($($name:ty),*) => { $(
        impl FromValue for $name {
            fn from_value(value: Value) -> Result<Self, Error> {
                let parsed = match &value {
                    Value::Int(n) => <$name>::try_from(*n).ok(),
                    Value::Boolean(b) => Some(<$name>::from(*b)),
                    Value::Bulk(text) | Value::Simple(text) | Value::BigNumber(text) => {
                        std::str::from_utf8(text).ok().and_then(|text| text.parse().ok())
                    }
                    _ => None,
                };
                parsed.map_or_else(|| unexpected(stringify!($name), value), Ok)
            }
        }
    )* };
}
integers!(i64, u64, i32, u32, usize);

impl FromValue for f64 {
    fn from_value(value: Value) -> Result<Self, Error> {
        if let Value::Int(n) = value {
            return Ok(n as f64);
        }
        value.as_f64().map_or_else(|| unexpected("f64", value), Ok)
    }
}

/// `1` and `OK` are true, `0` and nothing are false.
impl FromValue for bool {
    fn from_value(value: Value) -> Result<Self, Error> {
        match value {
            Value::Boolean(b) => Ok(b),
            Value::Int(n @ (0 | 1)) => Ok(n == 1),
            Value::Simple(ref text) if text == b"OK" => Ok(true),
            ref nothing if nothing.is_null() => Ok(false),
            other => unexpected("bool", other),
        }
    }
}

impl<T: FromValue> FromValue for Option<T> {
    fn from_value(value: Value) -> Result<Self, Error> {
        if value.is_null() { Ok(None) } else { T::from_value(value).map(Some) }
    }
}

/// The elements of an array or a set; the keys and values of a map, one after another; bytes are
/// wanted as `Vec<u8>`.
impl<T: FromElement> FromValue for Vec<T> {
    fn from_value(value: Value) -> Result<Self, Error> {
        elements(value)?.into_iter().map(T::from_value).collect()
    }
}

/// A [`FromValue`] that can be an element of a `Vec`: all but `u8`, of which a `Vec` is a string.
pub trait FromElement: FromValue {}
impl FromElement for Value {}
impl FromElement for String {}
impl FromElement for Vec<u8> {}
impl FromElement for i64 {}
impl FromElement for u64 {}
impl FromElement for i32 {}
impl FromElement for u32 {}
impl FromElement for usize {}
impl FromElement for f64 {}
impl FromElement for bool {}
impl<T: FromValue> FromElement for Option<T> {}
impl<A: FromValue, B: FromValue> FromElement for (A, B) {}
impl<T: FromElement> FromElement for Vec<T> {}

fn elements(value: Value) -> Result<Vec<Value>, Error> {
    match value {
        Value::Array(items) | Value::Set(items) | Value::Push(items) => Ok(items),
        Value::Map(pairs) => Ok(pairs.into_iter().flat_map(|(key, value)| [key, value]).collect()),
        nothing if nothing.is_null() => Ok(Vec::new()),
        other => unexpected("array", other),
    }
}

/// An array of two.
impl<A: FromValue, B: FromValue> FromValue for (A, B) {
    fn from_value(value: Value) -> Result<Self, Error> {
        let items = elements(value)?;
        match <[Value; 2]>::try_from(items) {
            Ok([first, second]) => Ok((A::from_value(first)?, B::from_value(second)?)),
            Err(items) => unexpected("pair", Value::Array(items)),
        }
    }
}

/// A map's pairs; those of an array of pairs; those of an array of keys and values.
fn pairs(value: Value) -> Result<Vec<(Value, Value)>, Error> {
    if let Value::Map(pairs) = value {
        return Ok(pairs);
    }
    let mut items = elements(value)?;
    let is_pair = |item: &Value| matches!(item, Value::Array(pair) if pair.len() == 2);
    if !items.is_empty() && items.iter().all(is_pair) {
        items = items.into_iter().map(elements).collect::<Result<Vec<_>, _>>()?.concat();
    }
    if !items.len().is_multiple_of(2) {
        return unexpected("map", Value::Array(items));
    }
    let mut items = items.into_iter();
    let mut pairs = Vec::with_capacity(items.len() / 2);
    while let (Some(key), Some(value)) = (items.next(), items.next()) {
        pairs.push((key, value));
    }
    Ok(pairs)
}

impl<K: FromValue + Eq + Hash, V: FromValue, S: BuildHasher + Default> FromValue
    for HashMap<K, V, S>
{
    fn from_value(value: Value) -> Result<Self, Error> {
        let pair = |(key, value)| Ok((K::from_value(key)?, V::from_value(value)?));
        pairs(value)?.into_iter().map(pair).collect()
    }
}

impl<K: FromValue + Ord, V: FromValue> FromValue for BTreeMap<K, V> {
    fn from_value(value: Value) -> Result<Self, Error> {
        let pair = |(key, value)| Ok((K::from_value(key)?, V::from_value(value)?));
        pairs(value)?.into_iter().map(pair).collect()
    }
}

impl<T: FromValue + Eq + Hash, S: BuildHasher + Default> FromValue for HashSet<T, S> {
    fn from_value(value: Value) -> Result<Self, Error> {
        elements(value)?.into_iter().map(T::from_value).collect()
    }
}
