//! Numbers as text: read as C's `strtod` reads them, printed as its `%.12g` prints them.
//!
//! Replies carry numbers that were printed by `printf`; the digits of Rust's `Display` differ.

/// Reads a number; infinities are numbers, NaN is none.
pub fn parse(text: &[u8]) -> Option<f64> {
    let value: f64 = std::str::from_utf8(text).ok()?.parse().ok()?;
    (!value.is_nan()).then_some(value)
}

/// Prints as expressions turn numbers into text: whole numbers with all their digits, as RediSearch
/// 2 does (redis-py's tests multiply times by 10), others as `%.12g`.
pub fn print(value: f64) -> String {
    const LARGEST: f64 = (1_u64 << 63) as f64;
    if value.fract() == 0.0 && value.abs() < LARGEST {
        #[allow(clippy::cast_possible_truncation)] // whole and within bounds
        return (value as i64).to_string();
    }
    print_digits(value, 12)
}

/// Prints as `%.{digits}g`.
pub fn print_digits(value: f64, digits: usize) -> String {
    if value.is_nan() {
        return "nan".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    let digits = digits.clamp(1, 17);
    let scientific = format!("{value:.*e}", digits - 1);
    let Some((mantissa, exponent)) = scientific.split_once('e') else { return scientific };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let places = i32::try_from(digits).unwrap_or(17);
    if exponent < -4 || exponent >= places {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{}e{sign}{:02}", without_zeros(mantissa), exponent.abs());
    }
    let decimals = usize::try_from(places - 1 - exponent).unwrap_or(0);
    without_zeros(&format!("{value:.decimals$}")).to_owned()
}

/// Without zeros at the end of the fraction.
fn without_zeros(text: &str) -> &str {
    if !text.contains('.') {
        return text;
    }
    text.trim_end_matches('0').trim_end_matches('.')
}

#[cfg(test)]
#[path = "number_tests.rs"]
mod tests;
