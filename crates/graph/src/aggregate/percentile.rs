//! Percentiles of numbers: of the values that there are, or between two of them.

use crate::value::{Error, Value, number, order};

/// The numbers so far.
#[derive(Debug)]
pub(super) struct Percentile {
    continuous: bool,
    part: f64,
    values: Vec<Value>,
}

fn float(value: &Value) -> Result<f64, Error> {
    match value {
        Value::Integer(whole) => Ok(number::float(*whole)),
        Value::Float(number) => Ok(*number),
        other => Err(Error::mismatch("Integer, Float, or Null", other.type_name())),
    }
}

impl Percentile {
    pub(super) fn new(continuous: bool) -> Percentile {
        Percentile { continuous, part: 0.0, values: Vec::new() }
    }

    /// Which part of the values is to lie below: from zero to one.
    pub(super) fn set(&mut self, part: Option<&Value>) -> Result<(), Error> {
        let part = float(part.unwrap_or(&Value::Null))?;
        if !(0.0..=1.0).contains(&part) {
            let message = "Invalid input - percentile must be between 0.0 and 1.0";
            return Err(Error::out_of_range(message));
        }
        self.part = part;
        Ok(())
    }

    pub(super) fn add(&mut self, value: &Value) -> Result<(), Error> {
        float(value)?;
        self.values.push(value.clone());
        Ok(())
    }

    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "places among values that are in memory, from zero"
    )]
    pub(super) fn finish(mut self) -> Value {
        self.values.sort_by(order::compare);
        let Some(last) = self.values.len().checked_sub(1) else {
            return Value::Null;
        };
        if !self.continuous {
            let place = (self.part * self.values.len() as f64).ceil() as usize;
            return self.values[place.saturating_sub(1).min(last)].clone();
        }
        let place = self.part * last as f64;
        let below = (place.floor() as usize).min(last);
        let above = (below + 1).min(last);
        let value = |place: usize| float(&self.values[place]).unwrap_or_default();
        let between = place.fract();
        if between == 0.0 {
            return Value::Float(value(below));
        }
        Value::Float(value(below) * (1.0 - between) + value(above) * between)
    }
}
