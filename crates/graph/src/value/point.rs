//! A point on the earth. FalkorDB's are pairs of 32-bit numbers, and so are these: what it stores
//! and answers is the same to the last digit.

/// A point by latitude and longitude, in degrees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// From −90 to 90.
    pub latitude: f32,
    /// From −180 to 180.
    pub longitude: f32,
}

/// The earth's mean radius in metres.
const EARTH: f64 = 6_378_140.0;

impl Point {
    /// A point; `None` if there is none such.
    pub fn new(latitude: f64, longitude: f64) -> Option<Point> {
        let there = (-90.0..=90.0).contains(&latitude) && (-180.0..=180.0).contains(&longitude);
        #[expect(clippy::cast_possible_truncation, reason = "points have 32-bit numbers")]
        there.then_some(Point { latitude: latitude as f32, longitude: longitude as f32 })
    }

    /// The way between two points along a great circle, in metres.
    pub fn distance(self, other: Point) -> f64 {
        let radians = |degrees: f32| f64::from(degrees).to_radians();
        let (from, to) = (radians(self.latitude), radians(other.latitude));
        let across = radians(other.longitude) - radians(self.longitude);
        let half = |angle: f64| (angle / 2.0).sin().powi(2);
        let chord = half(to - from) + from.cos() * to.cos() * half(across);
        2.0 * EARTH * chord.sqrt().min(1.0).asin()
    }
}
