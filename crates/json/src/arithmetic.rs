//! Arithmetic of JSON numbers, as RedisJSON has it: integers stay integers, and what does not fit
//! is an error and not another number.

use crate::edit::EditError;
use crate::tree::Num;

/// What to do with two numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    /// The sum.
    Add,
    /// The product.
    Multiply,
    /// The first to the power of the second.
    Power,
}

impl Operation {
    /// The result for two numbers.
    ///
    /// Two integers give an integer, but for a negative power. Integers above `i64::MAX` count as
    /// floats.
    ///
    /// # Errors
    /// [`EditError::Overflow`] of integers, [`EditError::NotFinite`] of floats.
    ///
    /// ```
    /// use kvist_json::{EditError, Num, Operation};
    /// assert_eq!(Operation::Add.apply(Num::I64(1), Num::I64(2)), Ok(Num::I64(3)));
    /// assert_eq!(Operation::Add.apply(Num::I64(1), Num::F64(2.0)), Ok(Num::F64(3.0)));
    /// let overflow = Operation::Multiply.apply(Num::I64(i64::MAX), Num::I64(2));
    /// assert_eq!(overflow, Err(EditError::Overflow));
    /// ```
    pub fn apply(self, a: Num, b: Num) -> Result<Num, EditError> {
        if let (Num::I64(a), Num::I64(b)) = (a, b) {
            let result = match self {
                Operation::Add => a.checked_add(b),
                Operation::Multiply => a.checked_mul(b),
                Operation::Power if b < 0 => return finite((a as f64).powf(b as f64)),
                Operation::Power => power(a, b),
            };
            return result.map(Num::I64).ok_or(EditError::Overflow);
        }
        let (a, b) = (a.as_f64(), b.as_f64());
        finite(match self {
            Operation::Add => a + b,
            Operation::Multiply => a * b,
            Operation::Power => a.powf(b),
        })
    }
}

fn power(base: i64, exponent: i64) -> Option<i64> {
    match (base, u32::try_from(exponent)) {
        (_, Ok(exponent)) => base.checked_pow(exponent),
        (0 | 1, _) => Some(base),
        (-1, _) => Some(if exponent % 2 == 0 { 1 } else { -1 }),
        _ => None,
    }
}

fn finite(value: f64) -> Result<Num, EditError> {
    if value.is_finite() { Ok(Num::F64(value)) } else { Err(EditError::NotFinite) }
}
