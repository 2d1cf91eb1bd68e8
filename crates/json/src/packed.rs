//! Arrays of numbers of one kind: how a number is kept in one to eight bytes.
//!
//! Integers take the narrowest kind that holds all of them. Floats stay doubles unless all of them
//! are singles; the half-precision kinds are only made when a client asks for them, as it then
//! accepts that its numbers are rounded.
//!
//! A kind holds either integers or floats, never both: `2` and `2.0` must stay apart.

use crate::tree::Num;

/// How the elements of an array are kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Element {
    Cell,
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F16,
    Bf16,
    /// Doubles that are all singles. They are shown as the doubles they are.
    F32,
    F64,
    /// Singles that a client has asked for. They are shown with as many digits as tell singles
    /// apart.
    Single,
}

/// A kind of floats that arrays can be made of: `FPHA` of `JSON.SET`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Floats {
    /// Brain floating point: 8 bits of exponent, 7 of mantissa.
    Bf16,
    /// Half precision: 5 bits of exponent, 10 of mantissa.
    F16,
    /// Single precision.
    F32,
    /// Double precision.
    F64,
}

impl Floats {
    pub(crate) fn element(self) -> Element {
        match self {
            Floats::Bf16 => Element::Bf16,
            Floats::F16 => Element::F16,
            Floats::F32 => Element::Single,
            Floats::F64 => Element::F64,
        }
    }
}

const ALL: [Element; 14] = [
    Element::Cell,
    Element::I8,
    Element::U8,
    Element::I16,
    Element::U16,
    Element::I32,
    Element::U32,
    Element::I64,
    Element::U64,
    Element::F16,
    Element::Bf16,
    Element::F32,
    Element::F64,
    Element::Single,
];

impl Element {
    /// The number by which blocks and the binary form name it.
    #[inline]
    pub fn code(self) -> u8 {
        self as u8
    }

    /// The element of a code written by [`code`](Element::code).
    #[inline]
    pub fn from_code(code: u32) -> Element {
        ALL.get(code as usize).copied().unwrap_or(Element::Cell)
    }

    /// Bytes per element.
    #[inline]
    pub fn width(self) -> usize {
        match self {
            Element::I8 | Element::U8 => 1,
            Element::I16 | Element::U16 | Element::F16 | Element::Bf16 => 2,
            Element::Cell | Element::I32 | Element::U32 | Element::F32 | Element::Single => 4,
            Element::I64 | Element::U64 | Element::F64 => 8,
        }
    }

    /// Whether it holds floats.
    #[inline]
    pub fn is_float(self) -> bool {
        let of_client = matches!(self, Element::F16 | Element::Bf16 | Element::Single);
        of_client || matches!(self, Element::F32 | Element::F64)
    }

    /// The narrowest kind for integers from `min` to `max`, if there is one.
    pub fn of_range(min: i64, max: u64) -> Option<Element> {
        let within = |low: i64, high: u64| min >= low && max <= high;
        let kinds = [
            (Element::I8, i64::from(i8::MIN), 127),
            (Element::U8, 0, 255),
            (Element::I16, i64::from(i16::MIN), 32_767),
            (Element::U16, 0, 65_535),
            (Element::I32, i64::from(i32::MIN), 0x7FFF_FFFF),
            (Element::U32, 0, 0xFFFF_FFFF),
            (Element::I64, i64::MIN, i64::MAX as u64),
            (Element::U64, 0, u64::MAX),
        ];
        kinds.into_iter().find(|&(_, low, high)| within(low, high)).map(|(kind, ..)| kind)
    }

    /// The number in `bytes`, which must be [`width`](Element::width) long.
    #[inline]
    pub fn read(self, bytes: &[u8]) -> Num {
        let mut long = [0; 8];
        long[..bytes.len()].copy_from_slice(bytes);
        let word = u64::from_le_bytes(long);
        match self {
            Element::I8 => Num::I64(i64::from(word as i8)),
            Element::I16 => Num::I64(i64::from(word as i16)),
            Element::I32 => Num::I64(i64::from(word as i32)),
            Element::Cell | Element::U8 | Element::U16 | Element::U32 | Element::I64 => {
                Num::I64(word as i64)
            }
            Element::U64 => match i64::try_from(word) {
                Ok(signed) => Num::I64(signed),
                Err(_) => Num::U64(word),
            },
            Element::F16 => Num::F64(from_half(word as u16)),
            Element::Bf16 => Num::F64(f64::from(f32::from_bits((word as u32) << 16))),
            Element::F32 | Element::Single => Num::F64(f64::from(f32::from_bits(word as u32))),
            Element::F64 => Num::F64(f64::from_bits(word)),
        }
    }

    /// The bytes of a number, of which [`width`](Element::width) count; `None` if it would not
    /// come back as it is.
    pub fn exactly(self, num: Num) -> Option<[u8; 8]> {
        let bytes = self.rounded(num)?;
        let same = match (self.read(&bytes[..self.width()]), num) {
            (Num::F64(a), Num::F64(b)) => a.to_bits() == b.to_bits(),
            (a, b) => a == b,
        };
        same.then_some(bytes)
    }

    /// The bytes of a number as near as this kind has it; `None` if it is out of range, or an
    /// integer for floats or the other way round.
    pub fn rounded(self, num: Num) -> Option<[u8; 8]> {
        let word = match (self, num) {
            (Element::F16, Num::F64(value)) => u64::from(to_half(value)?),
            (Element::Bf16, Num::F64(value)) => u64::from(to_brain(value)?),
            (Element::F32 | Element::Single, Num::F64(value)) => {
                let single = value as f32;
                single.is_finite().then_some(u64::from(single.to_bits()))?
            }
            (Element::F64, Num::F64(value)) => value.to_bits(),
            (Element::U64, Num::U64(value)) => value,
            (_, Num::I64(value)) if !self.is_float() && self != Element::Cell => value as u64,
            _ => return None,
        };
        Some(word.to_le_bytes())
    }
}

/// A half-precision number.
fn from_half(bits: u16) -> f64 {
    let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
    let (exponent, mantissa) = (i32::from(bits >> 10 & 31), f64::from(bits & 0x3FF));
    sign * match exponent {
        0 => mantissa * (-24.0_f64).exp2(),
        31 if mantissa == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + mantissa) * f64::from(exponent - 25).exp2(),
    }
}

/// The nearest half-precision number, ties to even; `None` beyond the largest.
fn to_half(value: f64) -> Option<u16> {
    let sign = if value.is_sign_negative() { 0x8000 } else { 0 };
    let size = value.abs();
    // Adding and subtracting nothing: the spacing of halves near `size`, and how many fit into it.
    let exponent = if size < (-14.0_f64).exp2() {
        -14
    } else {
        i32::try_from(size.to_bits() >> 52).unwrap_or(i32::MAX) - 1023
    };
    if exponent > 15 {
        return None;
    }
    let steps = (size / f64::from(exponent - 10).exp2()).round_ties_even();
    let bits = ((exponent + 14) << 10) + steps as i32;
    if bits >= 0x7C00 {
        return None;
    }
    u16::try_from(bits).ok().map(|bits| bits | sign)
}

/// The nearest brain float, ties to even; `None` beyond the largest.
fn to_brain(value: f64) -> Option<u16> {
    // Rounding twice could err by a last bit; rounding to odd first cannot.
    let single = value as f32;
    if !single.is_finite() {
        return None;
    }
    let back = f64::from(single);
    let mut bits = single.to_bits();
    if back != value {
        let away = back.abs() > value.abs();
        let truncated = if away { bits - 1 } else { bits };
        bits = truncated | 1;
    }
    let rounded = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16;
    let brain = u16::try_from(rounded).ok()?;
    f32::from_bits(u32::from(brain) << 16).is_finite().then_some(brain)
}

#[cfg(test)]
#[path = "packed_tests.rs"]
mod tests;
