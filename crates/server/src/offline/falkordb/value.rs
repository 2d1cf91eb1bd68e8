//! A value as FalkorDB sends it in the compact form: a number for its type, and the value.

use ::graph::temporal::{DAY_SECONDS, Date, Duration, LocalDateTime, LocalTime, NANOS};
use ::graph::value::{Point, Value, type_number};
use client::Value as Sent;

use super::source::{array, text};

/// The value of a property; `None`: it is none that a property can have.
pub(super) fn property(kind: i64, sent: Sent) -> Option<Value> {
    Some(match kind {
        type_number::NULL => Value::Null,
        type_number::TEXT => Value::from(text(sent)?.as_str()),
        type_number::INTEGER => Value::Integer(sent.as_i64()?),
        type_number::BOOLEAN => Value::Boolean(match sent {
            Sent::Boolean(is_so) => is_so,
            other => text(other)? == "true",
        }),
        type_number::FLOAT => Value::Float(number(sent)?),
        type_number::LIST => {
            Value::list(array(sent)?.into_iter().map(cell).collect::<Option<Vec<_>>>()?)
        }
        type_number::POINT => {
            let [latitude, longitude] = <[Sent; 2]>::try_from(array(sent)?).ok()?;
            Value::Point(Point::new(number(latitude)?, number(longitude)?)?)
        }
        type_number::VECTOR => {
            let numbers: Option<Vec<f64>> = array(sent)?.into_iter().map(number).collect();
            #[expect(clippy::cast_possible_truncation, reason = "vectors have 32-bit numbers")]
            let numbers: Vec<f32> = numbers?.into_iter().map(|number| number as f32).collect();
            Value::Vector(numbers.into())
        }
        type_number::DATE_TIME => {
            Value::LocalDateTime(LocalDateTime::from_seconds(sent.as_i64()?, 0).ok()?)
        }
        type_number::DATE => {
            Value::Date(Date::from_days(sent.as_i64()?.div_euclid(DAY_SECONDS)).ok()?)
        }
        // It counts them from a day of its own.
        type_number::TIME => {
            Value::LocalTime(LocalTime::from_nanos(sent.as_i64()?.rem_euclid(DAY_SECONDS) * NANOS))
        }
        type_number::DURATION => {
            Value::Duration(Duration::new(0, 0, sent.as_i64()?, 0).ok()?.into())
        }
        _ => return None,
    })
}

/// A value behind its type.
pub(super) fn cell(sent: Sent) -> Option<Value> {
    let [kind, value] = <[Sent; 2]>::try_from(array(sent)?).ok()?;
    property(kind.as_i64()?, value)
}

fn number(sent: Sent) -> Option<f64> {
    let digits = match sent {
        Sent::Double(digits) => String::from_utf8(digits).ok()?,
        Sent::Int(number) => number.to_string(),
        other => text(other)?,
    };
    match digits.as_str() {
        "inf" | "Infinity" => Some(f64::INFINITY),
        "-inf" | "-Infinity" => Some(f64::NEG_INFINITY),
        "nan" | "-nan" | "NaN" => Some(f64::NAN),
        digits => digits.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bulk(text: &str) -> Sent {
        Sent::Bulk(text.as_bytes().to_vec())
    }

    #[test]
    fn values_are_those_that_were_sent() {
        let cells = |cells: Vec<(i64, Sent)>| {
            let cell = |(kind, sent)| Sent::Array(vec![Sent::Int(kind), sent]);
            Sent::Array(cells.into_iter().map(cell).collect())
        };
        assert_eq!(property(4, bulk("true")), Some(Value::Boolean(true)));
        assert_eq!(property(5, bulk("1e+300")), Some(Value::Float(1e300)));
        let list = cells(vec![(3, Sent::Int(1)), (2, bulk("a"))]);
        assert_eq!(property(6, list), Some(Value::list([Value::Integer(1), Value::from("a")])));
        let date = Date::from_calendar(2024, 2, 29).unwrap();
        assert_eq!(property(14, Sent::Int(1_709_164_800)), Some(Value::Date(date)));
        let time = LocalTime::new(10, 20, 30, 0).unwrap();
        assert_eq!(property(15, Sent::Int(-2_208_951_570)), Some(Value::LocalTime(time)));
        let both = LocalDateTime::new(date, time);
        assert_eq!(property(13, Sent::Int(1_709_202_030)), Some(Value::LocalDateTime(both)));
        for (kind, sent) in [(3, bulk("x")), (8, Sent::Int(1)), (99, Sent::Int(1)), (6, bulk("x"))]
        {
            assert_eq!(property(kind, sent), None);
        }
    }
}
