//! Places on the earth as cells of 52 bits, and circles as at most nine ranges of cells.
//!
//! A cell interleaves 26 bits of latitude with 26 of longitude, as Redis's geohashes do, so that a
//! square of cells is a range of numbers. Distances are from the middle of a cell, by the haversine
//! formula with Redis's radius of the earth.

/// The radius of the earth in meters, of `GEODIST`.
const EARTH: f64 = 6_372_797.560_856;
const LATITUDE: f64 = 85.051_128_78;
const LONGITUDE: f64 = 180.0;
const BITS: u32 = 26;

/// Whether a place can be indexed: the poles are beyond the limits of Web Mercator.
pub fn is_place(longitude: f64, latitude: f64) -> bool {
    longitude.abs() <= LONGITUDE && latitude.abs() <= LATITUDE
}

/// The bits of a number at even places.
fn spread(number: u32) -> u64 {
    let mut bits = u64::from(number);
    for (shift, mask) in [
        (16, 0x0000_ffff_0000_ffff),
        (8, 0x00ff_00ff_00ff_00ff),
        (4, 0x0f0f_0f0f_0f0f_0f0f),
        (2, 0x3333_3333_3333_3333),
        (1, 0x5555_5555_5555_5555),
    ] {
        bits = (bits | bits << shift) & mask;
    }
    bits
}

/// The bits at even places.
fn gather(bits: u64) -> u32 {
    let mut bits = bits & 0x5555_5555_5555_5555;
    for (shift, mask) in [
        (1, 0x3333_3333_3333_3333),
        (2, 0x0f0f_0f0f_0f0f_0f0f),
        (4, 0x00ff_00ff_00ff_00ff),
        (8, 0x0000_ffff_0000_ffff),
        (16, 0x0000_0000_ffff_ffff),
    ] {
        bits = (bits | bits >> shift) & mask;
    }
    bits as u32
}

/// The step of a coordinate, of 2^bits between -limit and limit.
fn step(coordinate: f64, limit: f64, bits: u32) -> u32 {
    let steps = 1_u32 << bits;
    let share = (coordinate + limit) / (2.0 * limit);
    // A float beyond the range of the integer becomes its nearest end.
    ((share * f64::from(steps)) as u32).min(steps - 1)
}

/// The cell of a place.
pub fn cell(longitude: f64, latitude: f64) -> u64 {
    spread(step(latitude, LATITUDE, BITS)) | spread(step(longitude, LONGITUDE, BITS)) << 1
}

/// Longitude and latitude of the middle of a cell.
pub fn place(cell: u64) -> (f64, f64) {
    let middle = |step: u32, limit: f64| {
        (f64::from(step) + 0.5) / f64::from(1_u32 << BITS) * 2.0 * limit - limit
    };
    (middle(gather(cell >> 1), LONGITUDE), middle(gather(cell), LATITUDE))
}

/// The distance of two places in meters.
pub fn distance(one: (f64, f64), other: (f64, f64)) -> f64 {
    let (longitude, latitude) = (one.0.to_radians(), one.1.to_radians());
    let (longitude2, latitude2) = (other.0.to_radians(), other.1.to_radians());
    let (v, u) = (((longitude2 - longitude) / 2.0).sin(), ((latitude2 - latitude) / 2.0).sin());
    2.0 * EARTH * (u * u + latitude.cos() * latitude2.cos() * v * v).sqrt().min(1.0).asin()
}

/// Ranges of cells, both ends included, that contain a circle: at most nine.
pub fn ranges(center: (f64, f64), meters: f64) -> Vec<(u64, u64)> {
    // A cell's middle is within the circle where its edge may be beyond: one cell more each way.
    let margin = 360.0 / f64::from(1_u32 << BITS);
    let angle = meters / EARTH;
    let up = angle.to_degrees() + margin;
    let (south, north) = ((center.1 - up).max(-LATITUDE), (center.1 + up).min(LATITUDE));
    let beyond_pole = center.1.abs() + angle.to_degrees() >= 90.0;
    let ratio = angle.min(std::f64::consts::FRAC_PI_2).sin() / center.1.to_radians().cos();
    let aside = if beyond_pole || ratio >= 1.0 || ratio.is_nan() {
        LONGITUDE
    } else {
        (ratio.asin().to_degrees() + margin).min(LONGITUDE)
    };
    for bits in (1..=BITS).rev() {
        let rows = step(south, LATITUDE, bits)..=step(north, LATITUDE, bits);
        let columns = columns(center.0, aside, bits);
        if rows.end() - rows.start() < 3 && columns.len() <= 3 {
            let shift = 2 * (BITS - bits);
            let squares = rows.flat_map(|row| {
                columns.iter().map(move |column| spread(row) | spread(*column) << 1)
            });
            return squares.map(|it| (it << shift, ((it + 1) << shift) - 1)).collect();
        }
    }
    vec![(0, (1 << (2 * BITS)) - 1)]
}

/// The columns of squares that a span of longitudes touches, which may cross the date line; four if
/// they are more than three.
fn columns(middle: f64, aside: f64, bits: u32) -> Vec<u32> {
    let count = 1_u32 << bits;
    if aside >= LONGITUDE {
        return (0..count.min(4)).collect();
    }
    let wrapped = |longitude: f64| match longitude {
        west if west < -LONGITUDE => west + 2.0 * LONGITUDE,
        east if east > LONGITUDE => east - 2.0 * LONGITUDE,
        within => within,
    };
    let first = step(wrapped(middle - aside), LONGITUDE, bits);
    let last = step(wrapped(middle + aside), LONGITUDE, bits);
    let mut columns = vec![first];
    let mut column = first;
    // A span that returns to its first column from the other side touches all of them.
    let is_round = first == last && 2.0 * aside > LONGITUDE;
    while (column != last || (is_round && columns.len() == 1)) && columns.len() < 4 {
        column = (column + 1) % count;
        columns.push(column);
    }
    columns.sort_unstable();
    columns.dedup();
    if is_round && columns.len() < count.min(4) as usize {
        return (0..count.min(4)).collect();
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::{LATITUDE, cell, distance, place, ranges};

    #[test]
    fn cells_are_near_their_places() {
        let mut rng = testkit::seed::rng();
        let mut unit = || rng.below(1_000_001) as f64 / 1e6;
        for _ in 0..2000 {
            let at = (unit() * 360.0 - 180.0, (unit() * 2.0 - 1.0) * LATITUDE);
            let back = place(cell(at.0, at.1));
            assert!(distance(at, back) < 0.7, "{at:?} {back:?}");
        }
        // Redis's own example of GEODIST.
        let palermo = place(cell(13.361_389, 38.115_556));
        let catania = place(cell(15.087_269, 37.502_669));
        assert!((distance(palermo, catania) - 166_274.151_6).abs() < 0.001);
    }

    #[test]
    fn ranges_contain_the_circle() {
        let mut rng = testkit::seed::rng();
        let mut unit = || rng.below(1_000_001) as f64 / 1e6;
        for round in 0..3000 {
            let center = (unit() * 360.0 - 180.0, (unit() * 2.0 - 1.0) * 85.0);
            let meters = 10_f64.powf(unit() * 8.0);
            let ranges = ranges(center, meters);
            assert!(ranges.len() <= 9, "{ranges:?}");
            for _ in 0..20 {
                // Near the circle where that is small, anywhere where it is large.
                let spread = if round % 2 == 0 { 180.0 } else { meters / 80_000.0 };
                let longitude = center.0 + (unit() * 2.0 - 1.0) * spread;
                let longitude = (longitude + 540.0).rem_euclid(360.0) - 180.0;
                let latitude =
                    (center.1 + (unit() * 2.0 - 1.0) * spread).clamp(-LATITUDE, LATITUDE);
                let cell = cell(longitude, latitude);
                if distance(place(cell), center) <= meters {
                    let found = ranges.iter().any(|(min, max)| (*min..=*max).contains(&cell));
                    assert!(found, "{center:?} {meters} {longitude} {latitude} {ranges:?}");
                }
            }
        }
    }
}
