//! Distances on the Earth.

use super::value::Value;
use crate::number;
use crate::partition::geo::distance;

/// `geodistance`: each place is one text `lon,lat`, or two numbers. To hundredths of a meter.
pub(super) fn geodistance(values: &[Value]) -> Value {
    let mut values = values.iter();
    let (Some(a), Some(b), None) = (place(&mut values), place(&mut values), values.next()) else {
        return Value::Null;
    };
    Value::Number((distance(a, b) * 100.0).round() / 100.0)
}

fn place<'a>(values: &mut impl Iterator<Item = &'a Value>) -> Option<(f64, f64)> {
    let first = values.next()?;
    let (longitude, latitude) = match first {
        Value::Text(text) if text.contains(&b',') => {
            let comma = text.iter().position(|byte| *byte == b',')?;
            let (longitude, latitude) = (&text[..comma], &text[comma + 1..]);
            (number::parse(longitude.trim_ascii())?, number::parse(latitude.trim_ascii())?)
        }
        _ => (first.as_number()?, values.next()?.as_number()?),
    };
    let is_place = (-180.0..=180.0).contains(&longitude) && (-90.0..=90.0).contains(&latitude);
    is_place.then_some((longitude, latitude))
}
