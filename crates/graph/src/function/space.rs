//! Points and vectors.

use super::Function;
use super::argument::{float, list, map};
use crate::value::{Error, Point, Type, Value};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("point", 1, 1, Type::POINT, |_, a| point(&a[0])).takes(Type::MAP),
    Function::new("distance", 2, 2, Type::FLOAT, |_, a| distance(a)),
    Function::new("point.distance", 2, 2, Type::FLOAT, |_, a| distance(a)),
    Function::new("vecf32", 1, 1, Type::VECTOR, |_, a| vector(&a[0])),
    Function::new("vec.euclideanDistance", 2, 2, Type::FLOAT, |_, a| euclidean(a)),
    Function::new("vec.cosineDistance", 2, 2, Type::FLOAT, |_, a| cosine(a)),
];

fn point(value: &Value) -> Result<Value, Error> {
    let map = map(value)?;
    let missing = || Error::argument("A point has a latitude and a longitude");
    let latitude = map.get("latitude").ok_or_else(missing)?;
    let longitude = map.get("longitude").ok_or_else(missing)?;
    if latitude.is_null() || longitude.is_null() {
        return Ok(Value::Null);
    }
    let message = "latitude should be within the -90 to 90 range, longitude -180 to 180";
    let point = Point::new(float(latitude)?, float(longitude)?);
    point.map(Value::Point).ok_or_else(|| Error::out_of_range(message))
}

fn distance(a: &[Value]) -> Result<Value, Error> {
    match (&a[0], &a[1]) {
        (Value::Point(a), Value::Point(b)) => Ok(Value::Float(a.distance(*b))),
        (Value::Point(_), other) | (other, _) => {
            Err(Error::mismatch("Point or Null", other.type_name()))
        }
    }
}

fn vector(value: &Value) -> Result<Value, Error> {
    #[expect(clippy::cast_possible_truncation, reason = "vectors have 32-bit numbers")]
    let narrow = |value: &Value| float(value).map(|number| number as f32);
    let numbers: Result<Vec<f32>, Error> = list(value)?.iter().map(narrow).collect();
    let numbers = numbers.map_err(|error| Error {
        message: "vectorf32 expects an array of numbers".into(),
        ..error
    });
    Ok(Value::Vector(numbers?.into()))
}

/// Two vectors that are as long.
fn pair(a: &[Value]) -> Result<(&[f32], &[f32]), Error> {
    match (&a[0], &a[1]) {
        (Value::Vector(a), Value::Vector(b)) if a.len() == b.len() => Ok((a, b)),
        (Value::Vector(a), Value::Vector(b)) => Err(Error::argument(format!(
            "Vector dimension mismatch, expected {} but got {}",
            a.len(),
            b.len()
        ))),
        (Value::Vector(_), other) | (other, _) => {
            Err(Error::mismatch("Vectorf32 or Null", other.type_name()))
        }
    }
}

fn euclidean(a: &[Value]) -> Result<Value, Error> {
    let (a, b) = pair(a)?;
    let square = |(a, b): (&f32, &f32)| (f64::from(*a) - f64::from(*b)).powi(2);
    Ok(Value::Float(a.iter().zip(b).map(square).fold(0.0, |sum, more| sum + more).sqrt()))
}

fn cosine(a: &[Value]) -> Result<Value, Error> {
    let (a, b) = pair(a)?;
    let product = |a: &[f32], b: &[f32]| -> f64 {
        a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
    };
    // One root, so that a vector is at no distance from itself.
    Ok(Value::Float(1.0 - product(a, b) / (product(a, a) * product(b, b)).sqrt()))
}
