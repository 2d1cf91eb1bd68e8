//! Places on earth.

use std::fmt;

use crate::Error;

/// Latitude and longitude in millionths of a degree; by default where both are zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Coord {
    lat: i32,
    lng: i32,
}

/// Degrees in millionths, if they are within bounds.
fn millionths(degrees: f64, most: f64) -> Option<i32> {
    // Within 180 millions: no bits are lost.
    (degrees.abs() <= most).then(|| (degrees * 1e6).round() as i32)
}

impl Coord {
    /// A place in degrees, rounded to six decimals; an error beyond ±90 and ±180.
    pub fn new(lat: f64, lng: f64) -> Result<Coord, Error> {
        match (millionths(lat, 90.0), millionths(lng, 180.0)) {
            (Some(lat), Some(lng)) => Ok(Coord { lat, lng }),
            _ => Err(Error::new(format!("No such place: {lat},{lng}"))),
        }
    }

    /// Degrees north.
    pub fn lat(self) -> f64 {
        f64::from(self.lat) / 1e6
    }

    /// Degrees east.
    pub fn lng(self) -> f64 {
        f64::from(self.lng) / 1e6
    }
}

/// `C(37.545,-77.449)`.
impl fmt::Display for Coord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "C({:?},{:?})", self.lat(), self.lng())
    }
}
