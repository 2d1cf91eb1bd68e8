//! Values as the storage holds them. Numbers, texts and truth values lie there as they are; lists,
//! points, vectors, times and durations as bytes: a tag, and what follows it.
//!
//! What is stored never holds a map, a node, a relationship or a path. The bytes stay readable for
//! ever: a new type takes a new tag.

use std::sync::Arc;

use base::codec::{Malformed, Source, put_bytes, put_number};

use super::{Error, Point, Value};
use crate::storage::{Property, PropertyRef};
use crate::temporal::{Date, DateTime, Duration, Instant, LocalDateTime, LocalTime, Time, Zone};

/// A value as a property is stored.
///
/// # Errors
/// It is, or holds, something that no property may be.
pub fn to_property(value: &Value) -> Result<Property, Error> {
    Ok(match value {
        Value::Null => Property::Null,
        Value::Boolean(is) => Property::Bool(*is),
        Value::Integer(number) => Property::Integer(*number),
        Value::Float(number) => Property::Float(*number),
        Value::String(text) => Property::Text((&**text).into()),
        other => {
            let mut out = Vec::new();
            put(other, &mut out)?;
            Property::Encoded(out.into())
        }
    })
}

/// The value of a property.
#[must_use]
pub fn from_property(stored: PropertyRef<'_>) -> Value {
    match stored {
        PropertyRef::Null => Value::Null,
        PropertyRef::Bool(is) => Value::Boolean(is),
        PropertyRef::Integer(number) => Value::Integer(number),
        PropertyRef::Float(number) => Value::Float(number),
        PropertyRef::Text(text) => Value::from(text),
        // What the storage holds was put there by `to_property`, or checked when it was loaded.
        PropertyRef::Encoded(bytes) => take(&mut Source::new(bytes)).unwrap_or_default(),
    }
}

/// Whether bytes are those of a value that may be stored: to be asked of bytes from outside.
#[must_use]
pub fn is_encoded(bytes: &[u8]) -> bool {
    let mut source = Source::new(bytes);
    take(&mut source).is_ok() && source.is_done()
}

fn put_signed(out: &mut Vec<u8>, number: i64) {
    out.extend(number.to_le_bytes());
}

fn put(value: &Value, out: &mut Vec<u8>) -> Result<(), Error> {
    match value {
        Value::Null => out.push(0),
        Value::Boolean(is) => out.push(1 + u8::from(*is)),
        Value::Integer(number) => {
            out.push(3);
            put_signed(out, *number);
        }
        Value::Float(number) => {
            out.push(4);
            out.extend(number.to_bits().to_le_bytes());
        }
        Value::String(text) => {
            out.push(5);
            put_bytes(out, text.as_bytes());
        }
        Value::List(values, _) => {
            out.push(6);
            put_number(out, values.len() as u64);
            values.iter().try_for_each(|value| put(value, out))?;
        }
        Value::Point(point) => {
            out.push(7);
            out.extend(point.latitude.to_bits().to_le_bytes());
            out.extend(point.longitude.to_bits().to_le_bytes());
        }
        Value::Vector(numbers) => {
            out.push(8);
            put_number(out, numbers.len() as u64);
            numbers.iter().for_each(|number| out.extend(number.to_bits().to_le_bytes()));
        }
        other => return put_temporal(other, out),
    }
    Ok(())
}

fn put_temporal(value: &Value, out: &mut Vec<u8>) -> Result<(), Error> {
    match value {
        Value::Date(date) => {
            out.push(9);
            put_signed(out, date.days());
        }
        Value::LocalTime(time) => {
            out.push(10);
            put_signed(out, time.nanos());
        }
        Value::Time(time) => {
            out.push(11);
            put_signed(out, time.utc());
            put_signed(out, time.offset().into());
        }
        Value::LocalDateTime(both) => {
            out.push(12);
            put_signed(out, both.seconds());
            put_number(out, both.nanos().into());
        }
        Value::DateTime(instant) => {
            out.push(13);
            put_signed(out, instant.instant().seconds);
            put_number(out, instant.instant().nanos.into());
            put_bytes(out, instant.zone().name().unwrap_or_default().as_bytes());
            put_signed(out, instant.offset().into());
        }
        Value::Duration(span) => {
            out.push(14);
            [span.months(), span.days(), span.seconds(), span.nanos().into()]
                .into_iter()
                .for_each(|part| put_signed(out, part));
        }
        other => {
            let expected = "Boolean, Integer, Float, String, List, Point, Vectorf32, or a time";
            return Err(Error::property(expected, other.type_name()));
        }
    }
    Ok(())
}

fn signed(source: &mut Source<'_>) -> Result<i64, Malformed> {
    Ok(source.fixed_u64()?.cast_signed())
}

fn fraction(source: &mut Source<'_>) -> Result<f32, Malformed> {
    let bytes = source.take(4)?;
    let bytes = bytes.try_into().map_err(|_| Malformed("a number is cut off"))?;
    Ok(f32::from_bits(u32::from_le_bytes(bytes)))
}

fn take(source: &mut Source<'_>) -> Result<Value, Malformed> {
    Ok(match source.byte()? {
        0 => Value::Null,
        flag @ 1..=2 => Value::Boolean(flag == 2),
        3 => Value::Integer(signed(source)?),
        4 => Value::Float(f64::from_bits(source.fixed_u64()?)),
        5 => Value::from(text(source)?),
        6 => {
            let count = source.length()?;
            let values = (0..count).map(|_| take(source)).collect::<Result<Vec<_>, _>>()?;
            Value::list(values).checked().map_err(|_| Malformed("a list is nested too deep"))?
        }
        7 => {
            let (latitude, longitude) = (fraction(source)?, fraction(source)?);
            Value::Point(Point { latitude, longitude })
        }
        8 => {
            let count = source.length()?;
            let numbers = (0..count).map(|_| fraction(source)).collect::<Result<Vec<_>, _>>()?;
            Value::Vector(Arc::from(numbers))
        }
        tag => take_temporal(tag, source)?.ok_or(Malformed("an unknown kind of value"))?,
    })
}

fn text<'a>(source: &mut Source<'a>) -> Result<&'a str, Malformed> {
    std::str::from_utf8(source.bytes()?).map_err(|_| Malformed("a text is no UTF-8"))
}

fn small<T: TryFrom<i64>>(number: i64) -> Result<T, Malformed> {
    T::try_from(number).map_err(|_| Malformed("a number is too large"))
}

fn take_temporal(tag: u8, source: &mut Source<'_>) -> Result<Option<Value>, Malformed> {
    let beyond = |_| Malformed("a time is beyond what there is");
    Ok(Some(match tag {
        9 => Value::Date(Date::from_days(signed(source)?).map_err(beyond)?),
        10 => Value::LocalTime(LocalTime::from_nanos(signed(source)?)),
        11 => {
            let (utc, offset) = (signed(source)?, small::<i32>(signed(source)?)?);
            let utc = Time::new(LocalTime::from_nanos(utc), 0).map_err(beyond)?;
            Value::Time(utc.at(offset).map_err(beyond)?)
        }
        12 => {
            let seconds = signed(source)?;
            let nanos = u32::try_from(source.number()?).map_err(|_| Malformed("nanoseconds"))?;
            Value::LocalDateTime(LocalDateTime::from_seconds(seconds, nanos).map_err(beyond)?)
        }
        13 => {
            let seconds = signed(source)?;
            let nanos = u32::try_from(source.number()?).map_err(|_| Malformed("nanoseconds"))?;
            let (name, offset) = (text(source)?, signed(source)?);
            let zone = match name {
                "" => Zone::fixed(small(offset)?),
                // A zone that this program does not know keeps the offset that it had.
                name => Zone::named(name).or_else(|_| Zone::fixed(offset as i32)),
            };
            let instant = Instant { seconds, nanos };
            Value::DateTime(DateTime::new(instant, zone.map_err(beyond)?).map_err(beyond)?)
        }
        14 => {
            let (months, days) = (signed(source)?, signed(source)?);
            let (seconds, nanos) = (signed(source)?, signed(source)?);
            Value::from(Duration::new(months, days, seconds, nanos).map_err(beyond)?)
        }
        _ => return Ok(None),
    }))
}
