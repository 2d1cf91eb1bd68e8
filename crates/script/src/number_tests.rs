//! Numbers: what C would print and read.

use super::*;

fn g(n: f64, digits: usize) -> String {
    let mut out = Vec::new();
    write_g(&mut out, n, digits);
    String::from_utf8(out).unwrap()
}

#[test]
fn prints_as_percent_g() {
    for (n, digits, text) in [
        (0.0, 14, "0"),
        (-0.0, 14, "-0"),
        (0.1, 17, "0.10000000000000001"),
        (0.1, 14, "0.1"),
        (1e20, 17, "1e+20"),
        (1e14, 14, "1e+14"),
        (99_999_999_999_999.0, 14, "99999999999999"),
        (999_999_999_999_999.0, 14, "1e+15"),
        (1e-5, 14, "1e-05"),
        (0.0001, 14, "0.0001"),
        (123.456, 4, "123.5"),
        (1.5e300, 14, "1.5e+300"),
        (-3.25, 14, "-3.25"),
        (120.5, 3, "120"),
        (12.5, 2, "12"),
        (f64::INFINITY, 14, "inf"),
        (f64::NEG_INFINITY, 14, "-inf"),
    ] {
        assert_eq!(g(n, digits), text);
    }
}

#[test]
fn reads_as_strtod() {
    for (text, n, len) in [
        ("1.5e3,", 1500.0, 5),
        ("1e", 1.0, 1),
        ("1.", 1.0, 2),
        ("-0x1p3]", -8.0, 6),
        ("0x", 0.0, 1),
        ("0x.8", 0.5, 4),
        ("inf", f64::INFINITY, 3),
        ("-Infinity", f64::NEG_INFINITY, 9),
        ("1e999", f64::INFINITY, 5),
        ("0x10000000000000000", 18_446_744_073_709_551_616.0, 19),
    ] {
        assert_eq!(read_f64(text.as_bytes()), Some((n, len)), "{text}");
    }
    assert_eq!(read_f64(b"-"), None);
    assert_eq!(read_f64(b"nan(12)x").map(|(_, len)| len), Some(7));
}
