//! Metres between places, and the units clients give and want them in.

use base::{CmdError, num};

use super::cell::Point;

/// Earth taken as a sphere of its quadratic mean radius, in metres.
pub(super) const RADIUS: f64 = 6_372_797.560_856;

const BAD_UNIT: CmdError = CmdError::new("ERR unsupported unit provided. please use M, KM, FT, MI");

/// Degrees as radians.
pub(super) fn radians(degrees: f64) -> f64 {
    degrees * (std::f64::consts::PI / 180.0)
}

/// Radians as degrees.
pub(super) fn degrees(radians: f64) -> f64 {
    radians / (std::f64::consts::PI / 180.0)
}

/// Along a meridian.
pub(super) fn between_latitudes(one: f64, other: f64) -> f64 {
    RADIUS * (radians(other) - radians(one)).abs()
}

/// A place that distances are measured from many times. What depends on it alone is worked out
/// once.
pub(super) struct Origin {
    point: Point,
    longitude: f64,
    latitude: f64,
    cosine: f64,
}

impl Origin {
    pub fn new(point: Point) -> Self {
        let latitude = radians(point.latitude);
        let longitude = radians(point.longitude);
        Origin { point, longitude, latitude, cosine: latitude.cos() }
    }

    /// The sine of half the longitudes between here and `point`.
    fn aside(&self, point: Point) -> f64 {
        ((radians(point.longitude) - self.longitude) / 2.0).sin()
    }

    /// Along the great circle, by the haversine formula. Not a number if rounding takes two places
    /// further apart than Earth has room for, as in Redis.
    pub fn to(&self, point: Point) -> f64 {
        let v = self.aside(point);
        if v == 0.0 {
            return between_latitudes(self.point.latitude, point.latitude);
        }
        let latitude = radians(point.latitude);
        let u = ((latitude - self.latitude) / 2.0).sin();
        arc(u * u + self.cosine * latitude.cos() * v * v)
    }

    /// To `point` from the place on its latitude that has this longitude.
    pub fn to_beside(&self, point: Point) -> f64 {
        let v = self.aside(point);
        if v == 0.0 {
            return 0.0;
        }
        let cosine = radians(point.latitude).cos();
        arc(cosine * cosine * v * v)
    }
}

/// The length of an arc, given the square of the sine of half of it.
fn arc(square: f64) -> f64 {
    2.0 * RADIUS * square.sqrt().asin()
}

/// Along the great circle.
pub(super) fn between(one: Point, other: Point) -> f64 {
    Origin::new(one).to(other)
}

/// Metres of a unit.
///
/// # Errors
/// There is no such unit.
pub(super) fn unit(word: &[u8]) -> Result<f64, CmdError> {
    let units: [(&[u8], f64); 4] =
        [(b"m", 1.0), (b"km", 1000.0), (b"ft", 0.3048), (b"mi", 1609.34)];
    let found = units.iter().find(|(name, _)| word.eq_ignore_ascii_case(name));
    found.map(|(_, metres)| *metres).ok_or(BAD_UNIT)
}

/// A length as clients give it; `error` if it is no number.
///
/// # Errors
/// It is no number.
pub(super) fn length(word: &[u8], error: CmdError) -> Result<f64, CmdError> {
    num::parse_f64(word).ok_or(error)
}

/// A distance as clients read it: with four decimals, half to even. What is not a number or does
/// not fit shows as the smallest number that does.
pub(super) fn text(distance: f64) -> String {
    let scaled = (distance * 10_000.0).round_ties_even();
    let fits = scaled.abs() < 9_223_372_036_854_775_808.0;
    let scaled = if fits { scaled as i64 } else { i64::MIN };
    let sign = if scaled < 0 { "-" } else { "" };
    let digits = scaled.unsigned_abs();
    format!("{sign}{}.{:04}", digits / 10_000, digits % 10_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_have_four_decimals() {
        assert_eq!(text(0.0), "0.0000");
        assert_eq!(text(0.000_04), "0.0000");
        assert_eq!(text(0.775), "0.7750");
        assert_eq!(text(166_274.151_562), "166274.1516");
        assert_eq!(text(0.000_25), "0.0002");
        assert_eq!(text(f64::NAN), "-922337203685477.5808");
    }

    #[test]
    fn units_are_of_any_case() {
        assert_eq!(unit(b"Km"), Ok(1000.0));
        assert_eq!(unit(b"MI"), Ok(1609.34));
        assert_eq!(unit(b"mm"), Err(BAD_UNIT));
        assert_eq!(unit(b""), Err(BAD_UNIT));
    }

    #[test]
    fn a_quarter_of_the_equator() {
        let quarter = between(Point::default(), Point { longitude: 90.0, latitude: 0.0 });
        assert!((quarter - RADIUS * std::f64::consts::FRAC_PI_2).abs() < 1e-6);
    }
}
