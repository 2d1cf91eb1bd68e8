//! Numbers against what C prints.

use super::{parse, print, print_digits};

#[test]
fn prints_as_c_does() {
    for (value, text) in [
        (0.0, "0"),
        (-0.0, "0"),
        (1.0 / 3.0, "0.333333333333"),
        (0.1 + 0.2, "0.3"),
        (1e12, "1000000000000"),
        (6_373_878_785_249_699_840.0, "6373878785249699840"),
        (1e20, "1e+20"),
        (123_456_789_012.0, "123456789012"),
        (1e-5, "1e-05"),
        (1.0 - 1e-13, "1"),
        (0.0001, "0.0001"),
        (-2.5, "-2.5"),
        (1e300, "1e+300"),
        (f64::INFINITY, "inf"),
        (f64::NEG_INFINITY, "-inf"),
        (f64::NAN, "nan"),
        (999_999_999_999.9, "1e+12"),
    ] {
        assert_eq!(print(value), text);
    }
    assert_eq!(print_digits(0.1, 17), "0.10000000000000001");
}

#[test]
fn reads_numbers_only() {
    assert_eq!(parse(b"+inf"), Some(f64::INFINITY));
    assert_eq!(parse(b"-Inf"), Some(f64::NEG_INFINITY));
    assert_eq!(parse(b"1e400"), Some(f64::INFINITY));
    assert_eq!(parse(b".5"), Some(0.5));
    for text in [&b"nan"[..], b"", b" 1", b"1 ", b"x", b"\xff"] {
        assert_eq!(parse(text), None);
    }
}
