//! Functions of numbers.

use super::argument::{float, integer, optional};
use super::{Context, Function};
use crate::value::{Error, Type, Value};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("abs", 1, 1, Type::NUMBER, |_, a| abs(&a[0])),
    Function::new("ceil", 1, 1, Type::FLOAT, |_, a| whole(&a[0], f64::ceil)),
    Function::new("floor", 1, 1, Type::FLOAT, |_, a| whole(&a[0], f64::floor)),
    Function::new("round", 1, 2, Type::NUMBER, |_, a| round(a)),
    Function::new("sign", 1, 1, Type::INTEGER, |_, a| sign(&a[0])),
    Function::new("sqrt", 1, 1, Type::FLOAT, |_, a| of_float(&a[0], f64::sqrt)),
    Function::new("exp", 1, 1, Type::FLOAT, |_, a| of_float(&a[0], f64::exp)),
    Function::new("log", 1, 1, Type::FLOAT, |_, a| of_float(&a[0], f64::ln)),
    Function::new("log10", 1, 1, Type::FLOAT, |_, a| of_float(&a[0], f64::log10)),
    Function::new("pow", 2, 2, Type::FLOAT, |_, a| {
        Ok(Value::Float(float(&a[0])?.powf(float(&a[1])?)))
    }),
    Function::new("sin", 1, 1, Type::FLOAT, |_, a| of_float(&a[0], f64::sin)),
    Function::new("cos", 1, 1, Type::FLOAT, |_, a| of_float(&a[0], f64::cos)),
    Function::new("tan", 1, 1, Type::FLOAT, |_, a| of_float(&a[0], f64::tan)),
    Function::new("cot", 1, 1, Type::FLOAT, |_, a| of_float(&a[0], |x| x.tan().recip())),
    Function::new("asin", 1, 1, Type::FLOAT, |_, a| of_float(&a[0], f64::asin)),
    Function::new("acos", 1, 1, Type::FLOAT, |_, a| of_float(&a[0], f64::acos)),
    Function::new("atan", 1, 1, Type::FLOAT, |_, a| of_float(&a[0], f64::atan)),
    Function::new("atan2", 2, 2, Type::FLOAT, |_, a| {
        Ok(Value::Float(float(&a[0])?.atan2(float(&a[1])?)))
    }),
    Function::new("degrees", 1, 1, Type::FLOAT, |_, a| of_float(&a[0], f64::to_degrees)),
    Function::new("radians", 1, 1, Type::FLOAT, |_, a| of_float(&a[0], f64::to_radians)),
    Function::new("haversin", 1, 1, Type::FLOAT, |_, a| {
        of_float(&a[0], |x| (x / 2.0).sin().powi(2))
    }),
    Function::new("isNaN", 1, 1, Type::BOOLEAN, |_, a| Ok(Value::Boolean(float(&a[0])?.is_nan()))),
    Function::new("e", 0, 0, Type::FLOAT, |_, _| Ok(Value::Float(std::f64::consts::E))),
    Function::new("pi", 0, 0, Type::FLOAT, |_, _| Ok(Value::Float(std::f64::consts::PI))),
    Function::new("rand", 0, 0, Type::FLOAT, |context, _| Ok(Value::Float(drawn(context)))).draws(),
];

fn of_float(value: &Value, of: fn(f64) -> f64) -> Result<Value, Error> {
    Ok(Value::Float(of(float(value)?)))
}

/// Integers stay what they are.
fn whole(value: &Value, of: fn(f64) -> f64) -> Result<Value, Error> {
    match value {
        Value::Integer(number) => Ok(Value::Integer(*number)),
        other => of_float(other, of),
    }
}

fn abs(value: &Value) -> Result<Value, Error> {
    match value {
        Value::Integer(number) => {
            number.checked_abs().map(Value::Integer).ok_or_else(Error::overflow)
        }
        other => of_float(other, f64::abs),
    }
}

fn sign(value: &Value) -> Result<Value, Error> {
    let number = float(value)?;
    Ok(Value::Integer(i64::from(number > 0.0) - i64::from(number < 0.0)))
}

/// To the nearest whole number, or to so many digits behind the point.
fn round(arguments: &[Value]) -> Result<Value, Error> {
    let Some(digits) = optional(arguments, 1) else {
        return whole(&arguments[0], f64::round);
    };
    let digits = i32::try_from(integer(digits)?.clamp(0, 300)).unwrap_or_default();
    let (number, scale) = (float(&arguments[0])?, 10_f64.powi(digits));
    let scaled = (number * scale).round() / scale;
    Ok(Value::Float(if scaled.is_finite() { scaled } else { number }))
}

/// From zero to below one.
fn drawn(context: &Context<'_>) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "53 bits fit a float")]
    let bits = (context.draw() >> 11) as f64;
    bits / 9_007_199_254_740_992.0
}
