//! Longitudes, latitudes, lengths: clusters that meet, the ends of the map, places at the same
//! distance.

use super::{Draw, from};

const LONGITUDES: [&str; 24] = [
    "13.361389",
    "15.087269",
    "13.583333",
    "12.758489",
    "0",
    "-0",
    "1",
    "1",
    "2",
    "90",
    "-90",
    "180",
    "-180",
    "179.999",
    "-179.999",
    "1e-7",
    "-122.4",
    "151.2",
    "180.0001",
    "-181",
    "x",
    "nan",
    "inf",
    "0x1p3",
];
const LATITUDES: [&str; 24] = [
    "38.115556",
    "37.502669",
    "37.316667",
    "38.788135",
    "0",
    "-0",
    "1",
    "1",
    "2",
    "66.5",
    "-66.5",
    "80.5",
    "-80.5",
    "85.05112878",
    "-85.05112878",
    "85.05112879",
    "85",
    "-85",
    "1e-7",
    "37.8",
    "-33.8",
    "89",
    "",
    "-inf",
];
const LENGTHS: [&str; 22] = [
    "0", "1", "10", "100", "100", "200", "200.5", "500", "1000", "2000", "5000", "5000", "10000",
    "20000", "20038", "40000", "1e10", "inf", "-1", "x", "0.001", "nan",
];
const UNITS: [&str; 12] = ["m", "km", "km", "km", "km", "ft", "mi", "mi", "M", "Km", "mm", ""];

fn degrees(draw: &mut Draw, list: &[&str], around: i64, limit: i64, args: &mut Vec<Vec<u8>>) {
    let spread = |draw: &mut Draw, limit: i64| {
        let millions = usize::try_from(limit * 2_000_000).unwrap_or(1);
        draw.rng.below(millions) as f64 / 1_000_000.0 - limit as f64
    };
    match draw.rng.below(10) {
        0..4 => from(list, draw, args),
        4..6 => args.push(format!("{:.6}", spread(draw, limit)).into_bytes()),
        6..9 => args.push(format!("{:.4}", around as f64 + spread(draw, 3)).into_bytes()),
        _ => args.push((draw.rng.below(9) as i64 - 4).to_string().into_bytes()),
    }
}

/// Mostly a good one.
pub(super) fn longitude(draw: &mut Draw, args: &mut Vec<Vec<u8>>) {
    let list = if draw.rng.chance(10) { &LONGITUDES[..] } else { &LONGITUDES[..18] };
    degrees(draw, list, 14, 180, args);
}

/// Mostly a good one.
pub(super) fn latitude(draw: &mut Draw, args: &mut Vec<Vec<u8>>) {
    let list = if draw.rng.chance(10) { &LATITUDES[..] } else { &LATITUDES[..15] };
    degrees(draw, list, 38, 85, args);
}

/// A radius, a width or a height.
pub(super) fn length(draw: &mut Draw, args: &mut Vec<Vec<u8>>) {
    if draw.rng.chance(30) {
        args.push(format!("{}.5", draw.rng.below(3000)).into_bytes());
    } else if draw.rng.chance(10) {
        from(&LENGTHS, draw, args);
    } else {
        from(&LENGTHS[..17], draw, args);
    }
}

/// A unit, now and then none.
pub(super) fn unit(draw: &mut Draw, args: &mut Vec<Vec<u8>>) {
    let list = if draw.rng.chance(10) { &UNITS[..] } else { &UNITS[..10] };
    from(list, draw, args);
}
