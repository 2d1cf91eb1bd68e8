//! Distances on the Earth.

use super::value::Value;
use crate::number;

/// The radius that Redis computes with, in meters.
const RADIUS: f64 = 6_372_797.560_856;

/// The distance of two places in meters, each a longitude and a latitude in degrees.
pub fn distance(a: (f64, f64), b: (f64, f64)) -> f64 {
    let (a, b) = ((a.0.to_radians(), a.1.to_radians()), (b.0.to_radians(), b.1.to_radians()));
    let across = ((b.0 - a.0) / 2.0).sin();
    let along = ((b.1 - a.1) / 2.0).sin();
    let square = along * along + a.1.cos() * b.1.cos() * across * across;
    2.0 * RADIUS * square.sqrt().min(1.0).asin()
}

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
