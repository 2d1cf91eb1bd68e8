//! Standard deviations, by Welford's method: one pass, and no difference of large sums.

use crate::value::{Error, Value, number};

/// The mean so far, and the squares of the distances from it.
#[derive(Debug)]
pub(super) struct Deviation {
    sample: bool,
    count: f64,
    mean: f64,
    squares: f64,
}

impl Deviation {
    pub(super) fn new(sample: bool) -> Deviation {
        Deviation { sample, count: 0.0, mean: 0.0, squares: 0.0 }
    }

    pub(super) fn add(&mut self, value: &Value) -> Result<(), Error> {
        let given = match value {
            Value::Integer(whole) => number::float(*whole),
            Value::Float(number) => *number,
            other => return Err(Error::mismatch("Integer, Float, or Null", other.type_name())),
        };
        self.count += 1.0;
        let away = given - self.mean;
        self.mean += away / self.count;
        self.squares += away * (given - self.mean);
        Ok(())
    }

    pub(super) fn finish(self) -> f64 {
        let divisor = if self.sample { self.count - 1.0 } else { self.count };
        if divisor < 1.0 { 0.0 } else { (self.squares / divisor).sqrt() }
    }
}
