//! Cells of the grid that Earth is cut into, and places as scores.
//!
//! With each step, longitudes and latitudes are cut in two. The numbers of a cell's column and row
//! are interleaved, the column's bits first: cells near each other mostly have numbers near each
//! other. (G. M. Morton, 1966; G. Niemeyer, "Geohash", 2008.) A score is the number of a cell of 26
//! steps, so that all places in a larger cell have scores in one range.
//!
//! Latitudes end where the Mercator projection makes the map square. Scores need not be numbers of
//! cells, as ZADD can give a member any: each one is read as something.

use base::{Args, CmdError};

/// A place, in degrees.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Point {
    pub longitude: f64,
    pub latitude: f64,
}

/// Steps of a score.
pub(super) const STEPS: u32 = 26;

/// What a coordinate may be.
#[derive(Clone, Copy)]
pub(super) struct Bounds {
    min: f64,
    max: f64,
}

const LONGITUDES: Bounds = Bounds { min: -180.0, max: 180.0 };
const LATITUDES: Bounds = Bounds { min: -85.051_128_78, max: 85.051_128_78 };
/// All latitudes, as geohash strings take them.
const ALL_LATITUDES: Bounds = Bounds { min: -90.0, max: 90.0 };

impl Bounds {
    fn contains(self, degrees: f64) -> bool {
        degrees >= self.min && degrees <= self.max
    }

    /// Which of the parts `degrees` falls into; one beyond the last for the very end.
    fn part_of(self, degrees: f64, step: u32) -> u32 {
        let offset = (degrees - self.min) / (self.max - self.min);
        (offset * (1_u64 << step) as f64) as u32 // at most 2^26
    }

    /// Where a part begins.
    fn edge(self, part: u32, step: u32) -> f64 {
        self.min + f64::from(part) / (1_u64 << step) as f64 * (self.max - self.min)
    }
}

impl Point {
    /// Reads a longitude and a latitude.
    ///
    /// # Errors
    /// They are no numbers, or there is no such place on the map.
    pub fn parse(args: &mut Args<'_>) -> Result<Point, CmdError> {
        let point = Point { longitude: args.double()?, latitude: args.double()? };
        if LONGITUDES.contains(point.longitude) && LATITUDES.contains(point.latitude) {
            return Ok(point);
        }
        Err(CmdError::owned(format!(
            "ERR invalid longitude,latitude pair {:.6},{:.6}",
            point.longitude, point.latitude
        )))
    }

    /// The score of this place.
    pub fn score(self) -> f64 {
        Cell::of(self, STEPS).bits() as f64 // 53 bits at most: exact
    }

    /// The middle of the cell that a score names.
    pub fn of_score(score: f64) -> Point {
        let area = Cell::of_score(score).area();
        let middle = |low: f64, high: f64, bounds: Bounds| {
            ((low + high) / 2.0).clamp(bounds.min, bounds.max)
        };
        Point {
            longitude: middle(area.west, area.east, LONGITUDES),
            latitude: middle(area.south, area.north, LATITUDES),
        }
    }

    /// The geohash as other programs know it, with all latitudes to the poles. There are 52 bits
    /// where eleven letters would take 55; the last letter is always 0.
    pub fn geohash(self) -> [u8; 11] {
        const LETTERS: &[u8; 32] = b"0123456789bcdefghjkmnpqrstuvwxyz";
        let cell = Cell {
            column: LONGITUDES.part_of(self.longitude, STEPS),
            row: ALL_LATITUDES.part_of(self.latitude, STEPS),
            step: STEPS,
        };
        let bits = cell.bits();
        std::array::from_fn(|at| match at {
            10 => LETTERS[0],
            _ => LETTERS[(bits >> (47 - at * 5) & 31) as usize],
        })
    }
}

/// A cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cell {
    column: u32,
    row: u32,
    pub step: u32,
}

/// The edges of a cell, in degrees.
#[derive(Clone, Copy, Debug)]
pub(super) struct Area {
    pub west: f64,
    pub south: f64,
    pub east: f64,
    pub north: f64,
}

impl Cell {
    /// The cell of this size that a place is in.
    pub fn of(point: Point, step: u32) -> Cell {
        Cell {
            column: LONGITUDES.part_of(point.longitude, step),
            row: LATITUDES.part_of(point.latitude, step),
            step,
        }
    }

    fn of_score(score: f64) -> Cell {
        let bits = whole(score);
        Cell { column: every_other(bits >> 1), row: every_other(bits), step: STEPS }
    }

    /// Its number among those of its size.
    pub fn bits(self) -> u64 {
        spread(self.row) | spread(self.column) << 1
    }

    /// The scores of the places in it: from the first to below the second.
    pub fn scores(self) -> (f64, f64) {
        let shift = 2 * (STEPS - self.step);
        ((self.bits() << shift) as f64, ((self.bits() + 1) << shift) as f64)
    }

    pub fn area(self) -> Area {
        let (column, row) = (self.column, self.row);
        Area {
            west: LONGITUDES.edge(column, self.step),
            east: LONGITUDES.edge(column.wrapping_add(1), self.step),
            south: LATITUDES.edge(row, self.step),
            north: LATITUDES.edge(row.wrapping_add(1), self.step),
        }
    }

    /// The cell so many columns to the east and rows to the north; the grid's ends meet.
    pub fn neighbour(self, east: i32, north: i32) -> Cell {
        let last = u32::MAX >> (32 - self.step.clamp(1, 32));
        let shifted = |part: u32, by: i32| match by {
            0 => part,
            _ => part.wrapping_add_signed(by) & last,
        };
        Cell { column: shifted(self.column, east), row: shifted(self.row, north), step: self.step }
    }
}

/// Spreads bits to the even places.
fn spread(number: u32) -> u64 {
    let mut bits = u64::from(number);
    bits = (bits | bits << 16) & 0x0000_ffff_0000_ffff;
    bits = (bits | bits << 8) & 0x00ff_00ff_00ff_00ff;
    bits = (bits | bits << 4) & 0x0f0f_0f0f_0f0f_0f0f;
    bits = (bits | bits << 2) & 0x3333_3333_3333_3333;
    (bits | bits << 1) & 0x5555_5555_5555_5555
}

/// The bits at even places.
fn every_other(bits: u64) -> u32 {
    let mut bits = bits & 0x5555_5555_5555_5555;
    bits = (bits | bits >> 1) & 0x3333_3333_3333_3333;
    bits = (bits | bits >> 2) & 0x0f0f_0f0f_0f0f_0f0f;
    bits = (bits | bits >> 4) & 0x00ff_00ff_00ff_00ff;
    bits = (bits | bits >> 8) & 0x0000_ffff_0000_ffff;
    bits = (bits | bits >> 16) & 0x0000_0000_ffff_ffff;
    u32::try_from(bits).unwrap_or(0)
}

/// A score as 64 bits, as x86 converts it: a negative one in two's complement, and what does not
/// fit as something.
fn whole(score: f64) -> u64 {
    const HALF: f64 = 9_223_372_036_854_775_808.0; // 2^63
    let signed = |number: f64| {
        let fits = (-HALF..HALF).contains(&number);
        if fits { number as i64 } else { i64::MIN }
    };
    if score < HALF {
        return u64::from_ne_bytes(signed(score).to_ne_bytes());
    }
    u64::from_ne_bytes(signed(score - HALF).to_ne_bytes()) ^ 1 << 63
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_places() {
        let palermo = Point { longitude: 13.361389, latitude: 38.115556 };
        assert_eq!(palermo.score(), 3_479_099_956_230_698.0);
        let back = Point::of_score(palermo.score());
        assert_eq!(format!("{:.17}", back.longitude), "13.36138933897018433");
        assert_eq!(format!("{:.17}", back.latitude), "38.11555639549629859");
        assert_eq!(&back.geohash(), b"sqc8b49rny0");
    }

    #[test]
    fn numbers_are_interleaved_and_back() {
        let mut rng = base::Rng::new(9);
        for _ in 0..1000 {
            let (row, column) = (rng.next_u64() as u32, rng.next_u64() as u32);
            let bits = Cell { row, column, step: STEPS }.bits();
            assert_eq!((every_other(bits), every_other(bits >> 1)), (row, column));
        }
    }

    #[test]
    fn neighbours_wrap_around() {
        let corner = Cell { column: 0, row: 3, step: 2 };
        assert_eq!(corner.neighbour(-1, 1), Cell { column: 3, row: 0, step: 2 });
        assert_eq!(corner.neighbour(1, -1), Cell { column: 1, row: 2, step: 2 });
        let beyond = Cell::of(Point { longitude: 180.0, latitude: 85.051_128_78 }, 2);
        assert_eq!((beyond.column, beyond.row), (4, 4));
        assert_eq!(beyond.neighbour(1, 0), Cell { column: 1, row: 4, step: 2 });
    }

    #[test]
    fn any_score_is_some_place() {
        let odd =
            [f64::INFINITY, f64::NEG_INFINITY, -1.0, 1e300, -1e300, 1.8e19, 9.3e18, 0.5, -0.0];
        for score in odd {
            let point = Point::of_score(score);
            assert!(LONGITUDES.contains(point.longitude) && LATITUDES.contains(point.latitude));
            point.geohash();
        }
        assert_eq!(whole(-1.0), u64::MAX);
        assert_eq!(whole(f64::NEG_INFINITY), 1 << 63);
        assert_eq!(whole(f64::INFINITY), 0);
        assert_eq!(whole(HALF_AND_MORE), (1 << 63) + (1 << 62));
    }

    const HALF_AND_MORE: f64 = 13_835_058_055_282_163_712.0;
}
