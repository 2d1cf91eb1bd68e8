//! The numbers in a vector's bytes: read, written, converted from the numbers of a JSON array.
//!
//! Half floats are converted by shifting bits, as stable Rust has no type for them; conversions to
//! them round to the nearest, ties to even (IEEE 754).

use crate::Element;

/// Why a list of numbers is no vector of an index.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ParseError {
    /// Not as many numbers as the index has dimensions.
    WrongSize(WrongSize),
    /// A number that is no integer, or is out of the range of the type.
    NotInRange(f64),
}

/// A vector of another size than those of the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrongSize {
    /// Bytes of the vector; for [`parse`], numbers.
    pub given: usize,
    /// Bytes that a vector of the index has; for [`parse`], numbers.
    pub expected: usize,
}

impl std::fmt::Display for WrongSize {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "vector of size {} where {} is expected", self.given, self.expected)
    }
}

impl std::error::Error for WrongSize {}

impl std::fmt::Display for ParseError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ParseError::WrongSize(wrong) => wrong.fmt(f),
            ParseError::NotInRange(number) => write!(f, "vector element {number} is out of range"),
        }
    }
}

impl std::error::Error for ParseError {}

impl Element {
    /// Bytes of one number.
    #[must_use]
    pub const fn size(self) -> usize {
        match self {
            Element::Float64 => 8,
            Element::Float32 => 4,
            Element::Float16 | Element::Bfloat16 => 2,
            Element::Int8 | Element::Uint8 => 1,
        }
    }

    /// Whether it is an integer.
    pub(crate) const fn is_integer(self) -> bool {
        matches!(self, Element::Int8 | Element::Uint8)
    }

    /// The numbers of a vector.
    pub(crate) fn read(self, blob: &[u8]) -> Vec<f64> {
        fn all<const N: usize>(blob: &[u8], read: impl Fn([u8; N]) -> f64) -> Vec<f64> {
            blob.as_chunks::<N>().0.iter().map(|bytes| read(*bytes)).collect()
        }
        match self {
            Element::Float32 => all(blob, |bytes| f64::from(f32::from_le_bytes(bytes))),
            Element::Float64 => all(blob, f64::from_le_bytes),
            Element::Float16 => all(blob, |bytes| f64::from(float16(u16::from_le_bytes(bytes)))),
            Element::Bfloat16 => all(blob, |bytes| f64::from(bfloat16(u16::from_le_bytes(bytes)))),
            Element::Int8 => all(blob, |[byte]| f64::from(byte.cast_signed())),
            Element::Uint8 => all(blob, |[byte]| f64::from(byte)),
        }
    }

    /// Appends numbers to a vector. Integers saturate.
    pub(crate) fn write(self, numbers: impl IntoIterator<Item = f64>, blob: &mut Vec<u8>) {
        for number in numbers {
            match self {
                Element::Float32 => blob.extend((number as f32).to_le_bytes()),
                Element::Float64 => blob.extend(number.to_le_bytes()),
                Element::Float16 => blob.extend(to_float16(number as f32).to_le_bytes()),
                Element::Bfloat16 => blob.extend(to_bfloat16(number as f32).to_le_bytes()),
                Element::Int8 => blob.extend((number as i8).to_le_bytes()),
                Element::Uint8 => blob.push(number as u8),
            }
        }
    }
}

/// The bytes of a vector that is given as numbers, as in JSON.
///
/// # Errors
/// There are not `dimension` numbers, or one of them has no place in the type: a fraction or a
/// large number in a vector of integers. Floats that are too large become infinite.
pub fn parse(element: Element, dimension: usize, numbers: &[f64]) -> Result<Vec<u8>, ParseError> {
    if numbers.len() != dimension {
        let wrong = WrongSize { given: numbers.len(), expected: dimension };
        return Err(ParseError::WrongSize(wrong));
    }
    let range = match element {
        Element::Int8 => -128.0..=127.0,
        Element::Uint8 => 0.0..=255.0,
        _ => f64::NEG_INFINITY..=f64::INFINITY,
    };
    let fits = |number: &&f64| range.contains(*number) && number.fract() == 0.0;
    if element.is_integer()
        && let Some(number) = numbers.iter().find(|number| !fits(number))
    {
        return Err(ParseError::NotInRange(*number));
    }
    let mut blob = Vec::with_capacity(dimension * element.size());
    element.write(numbers.iter().copied(), &mut blob);
    Ok(blob)
}

/// The value of the upper half of a `Float32`.
#[inline]
pub(crate) fn bfloat16(bits: u16) -> f32 {
    f32::from_bits(u32::from(bits) << 16)
}

/// The value of a half float: 1 bit of sign, 5 of exponent, 10 of fraction.
#[inline]
pub(crate) fn float16(bits: u16) -> f32 {
    let sign = u32::from(bits & 0x8000) << 16;
    let magnitude = u32::from(bits & 0x7fff);
    if magnitude < 0x400 {
        // Zero, or subnormal: a multiple of 2^-24.
        let value = f32::from_bits(magnitude | 0x4b00_0000) - f32::from_bits(0x4b00_0000);
        return f32::from_bits((value / 16_777_216.0).to_bits() | sign);
    }
    // The exponent's bias is 15 instead of 127; that of NaN and infinity is the largest in both.
    let bias = if magnitude >= 0x7c00 { 224 << 23 } else { 112 << 23 };
    f32::from_bits(((magnitude << 13) + bias) | sign)
}

/// The nearest half float.
fn to_float16(value: f32) -> u16 {
    let bits = value.to_bits();
    let sign = ((bits >> 16) & 0x8000) as u16;
    let magnitude = bits & 0x7fff_ffff;
    let half = if magnitude > 0x7f80_0000 {
        0x7e00 // NaN
    } else if magnitude >= 0x477f_f000 {
        0x7c00 // rounds to 65,536 or more
    } else if magnitude < 0x3880_0000 {
        // Subnormal: a sum with 2^23 · 2^-24 leaves the multiple of 2^-24 in the lowest bits.
        (f32::from_bits(magnitude) + 0.5).to_bits() - 0x3f00_0000
    } else {
        let tie = 0xfff + ((magnitude >> 13) & 1);
        (magnitude + tie - (112 << 23)) >> 13
    };
    sign | half as u16
}

/// The nearest upper half of a `Float32`.
fn to_bfloat16(value: f32) -> u16 {
    let bits = value.to_bits();
    if value.is_nan() {
        return (bits >> 16) as u16 | 0x40;
    }
    ((bits + 0x7fff + ((bits >> 16) & 1)) >> 16) as u16
}

#[cfg(test)]
#[path = "numbers_tests.rs"]
mod tests;
