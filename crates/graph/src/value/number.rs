//! Integers against floats, exactly: no integer is rounded to be compared.

use std::cmp::Ordering;

/// Two to the 63rd: the first float above all integers.
const BEYOND: f64 = 9_223_372_036_854_775_808.0;

/// How an integer stands to a float; `None` for NaN.
pub fn compare(integer: i64, float: f64) -> Option<Ordering> {
    if float.is_nan() {
        return None;
    }
    if float >= BEYOND {
        return Some(Ordering::Less);
    }
    if float < -BEYOND {
        return Some(Ordering::Greater);
    }
    #[expect(clippy::cast_possible_truncation, reason = "its whole part is within 64 bits")]
    let whole = float.trunc() as i64;
    let fraction = float.fract();
    let by_fraction = 0.0_f64.partial_cmp(&fraction).unwrap_or(Ordering::Equal);
    Some(integer.cmp(&whole).then(by_fraction))
}

/// The integer that a float is, if it is one.
pub fn integral(float: f64) -> Option<i64> {
    if float.fract() != 0.0 || !(-BEYOND..BEYOND).contains(&float) {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, reason = "it is whole and within 64 bits")]
    Some(float as i64)
}

/// The float nearest to an integer.
#[expect(clippy::cast_precision_loss, reason = "the nearest float is what is meant")]
pub fn float(integer: i64) -> f64 {
    integer as f64
}
