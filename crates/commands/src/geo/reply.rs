//! How places and distances are answered.

use base::Reply;

use super::cell::Point;
use super::distance;

/// A distance, with four decimals.
pub(super) fn distance(metres: f64, unit: f64, out: &mut dyn Reply) {
    out.bulk(distance::text(metres / unit).as_bytes());
}

/// A longitude and a latitude, to the last digit.
pub(super) fn point(point: Point, out: &mut dyn Reply) {
    out.array(2);
    out.double_digits(&text(point.longitude));
    out.double_digits(&text(point.latitude));
}

/// Decimals that are shown.
const DECIMALS: u32 = 17;

/// Degrees, which are below 184, with 17 decimals and without zeros at the end. This is done in
/// integers, exactly: a search answers two of them for each place.
fn text(degrees: f64) -> String {
    let one = 10_u64.pow(DECIMALS);
    let bits = degrees.to_bits();
    let exponent = bits >> 52 & 0x7ff;
    let fraction = bits & ((1 << 52) - 1);
    let mantissa = if exponent == 0 { fraction } else { fraction | 1 << 52 };
    // degrees = mantissa / 2^shift, and the product has 110 bits at most.
    let shift = u32::try_from(1075 - exponent.clamp(1, 1075)).unwrap_or(0);
    let product = u128::from(mantissa) * u128::from(one);
    let rounded = match shift {
        0 => product,
        1..=126 => {
            let (whole, rest) = (product >> shift, product & ((1 << shift) - 1));
            let half = 1 << (shift - 1);
            whole + u128::from(rest > half || rest == half && whole & 1 == 1)
        }
        _ => 0,
    };
    let number = u64::try_from(rounded).unwrap_or(u64::MAX);
    let sign = if degrees < 0.0 && number > 0 { "-" } else { "" };
    let (whole, mut decimals, mut width) = (number / one, number % one, DECIMALS as usize);
    if decimals == 0 {
        return format!("{sign}{whole}");
    }
    while decimals.is_multiple_of(10) {
        decimals /= 10;
        width -= 1;
    }
    format!("{sign}{whole}.{decimals:0width$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn degrees_print_as_in_c() {
        let slowly = |degrees: f64| {
            let text = format!("{degrees:.17}");
            let text = text.trim_end_matches('0').trim_end_matches('.');
            if text == "-0" { "0".to_owned() } else { text.to_owned() }
        };
        let mut rng = base::Rng::new(71);
        let mut all = vec![0.0, -0.0, 180.0, -180.0, 85.051_128_78, 5e-324, 1e-17, 5e-18, 4e-18];
        all.extend([1.5e-17, 2.5e-17, 0.5, 1e-300, 0.1, 2.0_f64.powi(-60), 2.0_f64.powi(-17)]);
        for _ in 0..20_000 {
            let degrees = rng.below(360_000_001) as f64 / 1e6 - 180.0;
            all.push(degrees / [1.0, 3.0, 1e7, 1e14][rng.below(4)]);
        }
        for degrees in all {
            assert_eq!(text(degrees), slowly(degrees), "{degrees:e}");
        }
    }
}
