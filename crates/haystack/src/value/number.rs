//! Numbers with units, and how they are written.

use std::fmt;

use crate::Unit;

/// A number with its unit. Equal are numbers of one unit with the same value, where NaN is the same
/// as NaN.
#[derive(Clone, Debug)]
pub struct Number {
    /// The value.
    pub value: f64,
    /// The unit.
    pub unit: Option<Unit>,
}

/// Up to this, integers are written without a point.
const LARGEST_PLAIN: f64 = 1e12;

/// Appends a number as all formats have it: integers up to 10¹² without a point, all others as the
/// shortest text that reads back as the same; `INF`, `-INF` and `NaN`.
pub fn append_number(out: &mut Vec<u8>, value: f64) {
    if value.is_nan() {
        out.extend_from_slice(b"NaN");
    } else if value.is_infinite() {
        out.extend_from_slice(if value > 0.0 { b"INF" } else { b"-INF" });
    } else if value.fract() == 0.0 && value.abs() <= LARGEST_PLAIN {
        // Within 10¹²: no bits are lost.
        out.extend_from_slice(itoa::Buffer::new().format(value as i64).as_bytes());
    } else {
        out.extend_from_slice(ryu::Buffer::new().format_finite(value).as_bytes());
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Number) -> bool {
        let same = self.value == other.value || self.value.is_nan() && other.value.is_nan();
        same && self.unit == other.unit
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = Vec::new();
        append_number(&mut text, self.value);
        f.write_str(&String::from_utf8_lossy(&text))?;
        self.unit.as_ref().map_or(Ok(()), |unit| f.write_str(unit.symbol()))
    }
}
