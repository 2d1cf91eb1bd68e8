//! Sums of numbers, or of durations.

use crate::temporal::Duration;
use crate::value::{Error, Value, arithmetic, number};

/// A sum so far. Integers are added up apart from floats and without rounding.
#[derive(Debug, Default)]
pub(super) struct Sum {
    count: i64,
    whole: i128,
    float: Option<f64>,
    duration: Option<Duration>,
}

impl Sum {
    #[inline]
    pub(super) fn add_integer(&mut self, number: i64) {
        self.whole += i128::from(number);
        self.count += 1;
    }

    #[inline]
    pub(super) fn add_float(&mut self, number: f64) {
        *self.float.get_or_insert(0.0) += number;
        self.count += 1;
    }

    pub(super) fn add(&mut self, value: &Value) -> Result<(), Error> {
        match value {
            Value::Integer(number) => self.add_integer(*number),
            Value::Float(number) => self.add_float(*number),
            Value::Duration(it) => {
                let so_far = self.duration.take().unwrap_or_default();
                self.duration = Some(so_far.plus(it)?);
                self.count += 1;
            }
            other => {
                let expected = "Integer, Float, Duration, or Null";
                return Err(Error::mismatch(expected, other.type_name()));
            }
        }
        Ok(())
    }

    #[expect(clippy::cast_precision_loss, reason = "the nearest float is what is meant")]
    fn floats(&self) -> f64 {
        self.whole as f64 + self.float.unwrap_or_default()
    }

    pub(super) fn total(self) -> Result<Value, Error> {
        if let Some(duration) = self.duration {
            let mixed = self.whole != 0 || self.float.is_some();
            let refused = || Error::mismatch("Duration", "Integer or Float");
            return if mixed { Err(refused()) } else { Ok(duration.into()) };
        }
        if self.float.is_some() {
            return Ok(Value::Float(self.floats()));
        }
        i64::try_from(self.whole).map(Value::Integer).map_err(|_| Error::overflow())
    }

    pub(super) fn average(self) -> Result<Value, Error> {
        let count = self.count;
        if count == 0 {
            return Ok(Value::Null);
        }
        if self.duration.is_some() {
            return arithmetic::divide(&self.total()?, &Value::Integer(count));
        }
        Ok(Value::Float(self.floats() / number::float(count)))
    }
}
