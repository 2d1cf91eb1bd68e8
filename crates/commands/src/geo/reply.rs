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
    for degrees in [point.longitude, point.latitude] {
        let text = format!("{degrees:.17}");
        let text = text.trim_end_matches('0').trim_end_matches('.');
        out.double_digits(if text == "-0" { "0" } else { text });
    }
}
