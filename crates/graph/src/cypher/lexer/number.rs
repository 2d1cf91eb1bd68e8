//! What a number's text is worth.

use super::super::error::{Class, Error};

/// A number without its sign: that of `-9223372036854775808` makes it an integer at all.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// An integer, of at most 2^63.
    Integer(u64),
    /// A float.
    Float(f64),
}

/// 2^63: the magnitude of the smallest integer.
const MAX_MAGNITUDE: u64 = 1 << 63;

/// Reads a number that stands at a byte of the query.
pub fn number(text: &str, offset: u32) -> Result<Number, Error> {
    let (digits, radix) = match text.get(..2) {
        Some("0x" | "0X") => (text.get(2..).unwrap_or_default(), 16),
        Some("0o") => (text.get(2..).unwrap_or_default(), 8),
        _ => (text, 10),
    };
    if !digits.is_empty() && digits.chars().all(|digit| digit.is_digit(radix)) {
        let value = u64::from_str_radix(digits, radix).ok();
        let value = value.filter(|value| *value <= MAX_MAGNITUDE);
        let overflow = || overflow(Class::IntegerOverflow, "Integer", text, offset);
        return value.map(Number::Integer).ok_or_else(overflow);
    }
    let is_float = radix == 10 && text.bytes().all(|byte| b"0123456789.eE+-".contains(&byte));
    match text.parse::<f64>() {
        Ok(value) if is_float && value.is_finite() => Ok(Number::Float(value)),
        Ok(_) if is_float => Err(overflow(Class::FloatingPointOverflow, "Float", text, offset)),
        _ => {
            let message = format!("Invalid numeric value '{text}'");
            Err(Error::new(Class::InvalidNumberLiteral, offset, message))
        }
    }
}

/// A number that is too large for its type.
fn overflow(class: Class, kind: &str, text: &str, offset: u32) -> Error {
    Error::new(class, offset, format!("{kind} overflow '{text}'"))
}

/// An integer that only the sign before it would have made one.
pub fn integer_overflow(magnitude: u64, offset: u32) -> Error {
    overflow(Class::IntegerOverflow, "Integer", &magnitude.to_string(), offset)
}
