//! Rounding of exact binary values to a floating-point format, half to even.
//!
//! ```text
//!   mantissa (128 bits)      1xxxxxxxxxxxxxxxxxxxxx gs......  + sticky
//!                            `--- precision -----'  `- decides the rounding
//! ```
//!
//! One function serves doubles written in hexadecimal and every operation of the extended
//! format, because both are the same arithmetic with other sizes.

/// A binary floating-point format.
pub(super) struct Format {
    /// Bits of the significand, the leading one included.
    pub precision: u32,
    /// The exponent of the lowest bit that exists: that of the smallest subnormal.
    pub min_exp: i64,
    /// The exponent of the leading bit of the largest numbers.
    pub max_exp: i64,
}

/// IEEE 754 binary64.
pub(super) const DOUBLE: Format = Format { precision: 53, min_exp: -1074, max_exp: 1023 };

/// The 80-bit extended format of the x87.
pub(super) const EXTENDED: Format = Format { precision: 64, min_exp: -16445, max_exp: 16383 };

/// A value on its way to a format: `mantissa × 2^exp`, plus something smaller than one unit of
/// the mantissa if `sticky`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exact {
    pub mantissa: u128,
    pub exp: i64,
    pub sticky: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rounded {
    /// `mantissa × 2^exp`; the mantissa is below `2^precision`, not necessarily normalized.
    Finite {
        mantissa: u64,
        exp: i64,
    },
    Overflow,
}

/// Rounds to the nearest value of `format`, ties to the even one.
///
/// `sticky` needs a mantissa with at least `precision + 1` bits, or the rest could not have been
/// known to be small.
pub(super) fn round(value: Exact, format: &Format) -> Rounded {
    let Exact { mantissa, exp, sticky } = value;
    if mantissa == 0 {
        return Rounded::Finite { mantissa: 0, exp: 0 };
    }
    let bits = i64::from(u128::BITS - mantissa.leading_zeros());
    // The exponent of the lowest bit kept.
    let lowest = (exp + bits - i64::from(format.precision)).max(format.min_exp);
    let (mut kept, mut exp) = if lowest <= exp {
        (mantissa, exp) // nothing to drop; at most `precision` bits
    } else {
        (drop_bits(mantissa, lowest - exp, sticky), lowest)
    };
    if kept >> format.precision != 0 {
        (kept, exp) = (kept >> 1, exp + 1); // rounding carried into a new bit, leaving zeros
    }
    let top = exp + i64::from(u128::BITS - kept.leading_zeros()) - 1;
    match u64::try_from(kept) {
        Ok(mantissa) if top <= format.max_exp => Rounded::Finite { mantissa, exp },
        _ => Rounded::Overflow,
    }
}

/// `value / 2^count`, rounded half to even; `sticky` says that `value` is a little more.
fn drop_bits(value: u128, count: i64, sticky: bool) -> u128 {
    let count = match u32::try_from(count) {
        Ok(count @ 0..128) => count,
        // Less than half a unit, except that 2^127 < value may be more than half of 2^128.
        Ok(128) => return u128::from(value > 1 << 127 || (value == 1 << 127 && sticky)),
        _ => return 0,
    };
    if count == 0 {
        return value;
    }
    let kept = value >> count;
    let rest = value & ((1 << count) - 1);
    let half = 1 << (count - 1);
    let up = rest > half || (rest == half && (sticky || kept & 1 == 1));
    kept + u128::from(up)
}

/// Shifts right, noting in `sticky` whether anything but zeros fell out.
pub(super) fn shift_right_sticky(value: u128, count: i64, sticky: &mut bool) -> u128 {
    match u32::try_from(count) {
        Ok(count @ 0..128) => {
            *sticky |= value & ((1 << count) - 1) != 0;
            value >> count
        }
        _ => {
            *sticky |= value != 0;
            0
        }
    }
}

/// The value of hexadecimal digits `int . frac × 2^exp`, exactly as far as 128 bits go.
pub(super) fn from_hex(digits: &super::literal::Digits<'_>) -> Exact {
    let mut value = Exact { mantissa: 0, exp: digits.exp, sticky: false };
    let int_len = digits.int.len();
    for (index, c) in digits.all().enumerate() {
        let digit = (c as char).to_digit(16).unwrap_or(0);
        let dropped = value.mantissa >> 124 != 0;
        if dropped {
            value.sticky |= digit != 0;
        } else {
            value.mantissa = value.mantissa << 4 | u128::from(digit);
        }
        match (dropped, index < int_len) {
            (true, true) => value.exp += 4,
            (false, false) => value.exp -= 4,
            _ => {}
        }
    }
    value
}
