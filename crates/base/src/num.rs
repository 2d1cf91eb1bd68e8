//! Numbers, parsed and printed exactly as Redis does.

/// A signed 64-bit integer in canonical decimal form: no plus sign, no leading zeros, no spaces.
#[inline]
#[must_use]
pub fn parse_i64(text: &[u8]) -> Option<i64> {
    let (negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    match digits {
        [b'0'] => return (!negative).then_some(0),
        [b'1'..=b'9', ..] if digits.len() <= 19 => {}
        _ => return None,
    }
    let mut magnitude: u64 = 0;
    for &digit in digits {
        let digit = digit.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        magnitude = magnitude * 10 + u64::from(digit); // 19 digits always fit
    }
    if negative {
        0i64.checked_sub_unsigned(magnitude)
    } else {
        i64::try_from(magnitude).ok()
    }
}

/// A double as `strtod` reads it when nothing may be left over; `inf` and `infinity` are fine,
/// NaN is not.
#[must_use]
pub fn parse_f64(text: &[u8]) -> Option<f64> {
    std::str::from_utf8(text).ok()?.parse().ok().filter(|d: &f64| !d.is_nan())
}

/// `%.17g`, as replies print doubles.
#[must_use]
pub fn format_f64(d: f64) -> String {
    d.to_string()
}
