//! Numbers against answers of redis-server 7.0.15 and of C, and against slower definitions.

use super::double::format_f64;
use super::{LongDouble, parse_bound, parse_f64, parse_i64};
use crate::Rng;

/// Text, `ZADD` accepts it as this score (printed), `ZRANGEBYSCORE` accepts it as a bound.
const SCORES: &[(&[u8], Option<&str>, bool)] = &[
    (b"1", Some("1"), true),
    (b" 1", None, true),
    (b"1 ", None, false),
    (b"0x1p3", Some("8"), true),
    (b"0x", None, false),
    (b"0x.8", Some("0.5"), true),
    (b"0X1P-2", Some("0.25"), true),
    (b"0x1p", None, false),
    (b"+inf", Some("inf"), true),
    (b"-INF", Some("-inf"), true),
    (b"InFiniTy", Some("inf"), true),
    (b"nan", None, false),
    (b"-nan", None, false),
    (b"nan(1)", None, false),
    (b"1e400", None, true),
    (b"-1e400", None, true),
    (b"1e-400", None, true),
    (b"0e400", Some("0"), true),
    (b"4e-324", Some("4.9406564584124654e-324"), true),
    (b"2e-324", None, true),
    (b"3e-324", Some("4.9406564584124654e-324"), true),
    (b"1e308", Some("1e+308"), true),
    (b"1e309", None, true),
    (b"1.", Some("1"), true),
    (b".5", Some("0.5"), true),
    (b".", None, false),
    (b"", None, true),
    (b"+", None, false),
    (b"+.5e1", Some("5"), true),
    (b"1e", None, false),
    (b"1e+", None, false),
    (b"1_0", None, false),
    (b"1\0", None, true),
    (b"\t1", None, true),
    (b"1\n", None, false),
    (b"0x1p-1074", Some("4.9406564584124654e-324"), true),
    (b"0x1p-1075", None, true),
    (b"0x1.8p-1075", Some("4.9406564584124654e-324"), true),
    (b"0x0p99999", Some("0"), true),
    (b"0x1p1024", None, true),
    (b"0x1.fffffffffffff8p1023", None, true),
    (b"0x1.fffffffffffff7ffp1023", Some("1.7976931348623157e+308"), true),
    (b"1e99999999999999999999", None, true),
    (b"0e-99999999999999999999", Some("0"), true),
    (b"0x1p99999999999999999", None, true),
    (b"--1", None, false),
    (b"+-1", None, false),
    (b"1e1.5", None, false),
    (b"1f", None, false),
    (b"in", None, false),
    (b"infi", None, false),
    (b"-0", Some("-0"), true),
];

#[test]
fn scores_as_observed() {
    for &(text, score, bound) in SCORES {
        let shown = text.escape_ascii();
        assert_eq!(parse_f64(text).map(format_f64).as_deref(), score, "{shown}");
        assert_eq!(parse_bound(text).is_some(), bound, "{shown}");
    }
    assert_eq!(parse_bound(b"-1e400"), Some(f64::NEG_INFINITY));
    assert_eq!(parse_bound(b"1\0garbage"), Some(1.0));
}

#[test]
fn integers() {
    let cases: &[(&[u8], Option<i64>)] = &[
        (b"0", Some(0)),
        (b"-0", None),
        (b"00", None),
        (b"01", None),
        (b"", None),
        (b"-", None),
        (b"+1", None),
        (b" 1", None),
        (b"1 ", None),
        (b"1a", None),
        (b"-1", Some(-1)),
        (b"9223372036854775807", Some(i64::MAX)),
        (b"9223372036854775808", None),
        (b"-9223372036854775808", Some(i64::MIN)),
        (b"-9223372036854775809", None),
        (b"18446744073709551616", None),
        (b"99999999999999999999", None),
    ];
    for &(text, expected) in cases {
        assert_eq!(parse_i64(text), expected, "{}", text.escape_ascii());
    }
}

#[test]
fn doubles_print_as_in_c() {
    let cases = [
        (0.0, "0"),
        (-0.0, "-0"),
        (1.0, "1"),
        (-17.0, "-17"),
        (0.1, "0.10000000000000001"),
        (1.0 / 3.0, "0.33333333333333331"),
        (2.0 / 3.0, "0.66666666666666663"),
        (123_456_789.123_456_78, "123456789.12345678"),
        (1e15, "1000000000000000"),
        (1e16, "10000000000000000"),
        (99_999_999_999_999_984.0, "99999999999999984"),
        (1e17, "1e+17"),
        (1.5e300, "1.5000000000000001e+300"),
        (0.0001, "0.0001"),
        (0.000_099_999_999_999_999_99, "9.9999999999999991e-05"),
        (1e-5, "1.0000000000000001e-05"),
        (2f64.powi(-25), "2.9802322387695312e-08"), // a tie, to the even digit
        (f64::MAX, "1.7976931348623157e+308"),
        (f64::MIN_POSITIVE, "2.2250738585072014e-308"),
        (f64::INFINITY, "inf"),
        (f64::NEG_INFINITY, "-inf"),
        (f64::NAN, "nan"),
    ];
    for (d, expected) in cases {
        assert_eq!(format_f64(d), expected);
    }
}

/// `%.17g` by way of the standard library's exact `{:.16e}`.
fn slowly(d: f64) -> String {
    let text = format!("{d:.16e}");
    let (digits, exp) = text.split_once('e').unwrap();
    let exp: i32 = exp.parse().unwrap();
    if (-4..17).contains(&exp) {
        let text = format!("{d:.*}", usize::try_from(16 - exp).unwrap());
        if !text.contains('.') {
            return text;
        }
        return text.trim_end_matches('0').trim_end_matches('.').to_owned();
    }
    let digits = digits.trim_end_matches('0').trim_end_matches('.');
    let sign = if exp < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exp.abs())
}

#[test]
fn doubles_print_the_same_both_ways() {
    let mut rng = Rng::new(1);
    for round in 0..200_000 {
        let bits = rng.next_u64();
        let d = match round % 4 {
            0 => f64::from_bits(bits),
            1 => (bits >> 20) as f64 / 1000.0,
            2 => (bits >> 11) as f64 * 2f64.powi(-(i32::try_from(bits % 70).unwrap())),
            _ => (bits >> 54) as f64 / 1024.0,
        };
        if d.is_finite() {
            assert_eq!(format_f64(d), slowly(d), "{d:e}");
            assert_eq!(parse_f64(format_f64(d).as_bytes()), Some(d));
        }
    }
}

#[test]
fn hexadecimal_doubles_are_exact() {
    let mut rng = Rng::new(2);
    for _ in 0..20_000 {
        let d = f64::from_bits(rng.next_u64());
        if !d.is_finite() || d == 0.0 {
            continue;
        }
        let bits = d.to_bits();
        let biased = i32::try_from(bits >> 52 & 0x7FF).unwrap();
        let (lead, exp) = if biased == 0 { (0, -1022) } else { (1, biased - 1023) };
        let sign = if d < 0.0 { "-" } else { "" };
        let text = format!("{sign}0x{lead}.{:013x}p{exp}", bits & ((1 << 52) - 1));
        assert_eq!(parse_f64(text.as_bytes()), Some(d), "{text}");
    }
}

fn sum(a: &str, b: &str) -> Option<String> {
    let (a, b) = (LongDouble::parse(a.as_bytes())?, LongDouble::parse(b.as_bytes())?);
    Some(a.checked_add(b)?.to_string())
}

#[test]
fn long_doubles_as_observed() {
    let zero = |text: &str| sum("0", text);
    assert_eq!(zero("1e-400").as_deref(), Some("0"));
    assert_eq!(zero("-1e-30").as_deref(), Some("0"));
    assert_eq!(zero("0x1p3").as_deref(), Some("8"));
    assert_eq!(zero("inf"), None);
    assert_eq!(zero("1e99999999999"), None);
    assert_eq!(zero("1e-99999999999"), None);
    let big = zero("1e400").unwrap();
    assert!(big.starts_with("1000000000000000000028188068394758651458") && big.len() == 401);
    assert_eq!(sum("3.0", "0.1").as_deref(), Some("3.1"));
    assert_eq!(sum("0.1", "0.2").as_deref(), Some("0.3"));
    assert_eq!(sum("5.0e3", "2.0e2").as_deref(), Some("5200"));
    assert_eq!(sum("1", "-1").as_deref(), Some("0"));
    assert_eq!(sum("1e4932", "1e4932"), None);
    assert!(LongDouble::parse(&[b'0'; 5119]).is_some());
    assert!(LongDouble::parse(&[b'0'; 5120]).is_none());
}

#[test]
fn long_doubles_from_machine_numbers() {
    for n in [0, 1, -1, i64::MAX, i64::MIN, 1 << 53] {
        assert_eq!(LongDouble::from(n).to_string(), n.to_string());
        assert_eq!(LongDouble::parse(n.to_string().as_bytes()), Some(LongDouble::from(n)));
    }
    let of = |d: f64| LongDouble::try_from(d).unwrap().to_string();
    assert_eq!(of(0.1), "0.10000000000000001");
    assert_eq!(of(13.361_389_338_970_184), "13.36138933897018433");
    assert_eq!(of(-0.0), "0");
    assert_eq!(of(f64::MIN_POSITIVE), "0");
    assert_eq!(of(f64::NEG_INFINITY), "-inf");
    assert!(LongDouble::try_from(f64::NAN).is_err());
}

#[test]
fn short_and_long_ways_to_parse_agree() {
    let mut rng = Rng::new(3);
    for _ in 0..20_000 {
        let digits = rng.next_u64() >> (rng.below(60) + 1);
        let exp = rng.below(46);
        let exp = i64::try_from(exp).unwrap() - 27;
        let short = format!("{digits}e{exp}");
        // Trailing zeros make the same number too long for the short way.
        let long = format!("{digits}{}e{}", "0".repeat(20), exp - 20);
        assert_eq!(LongDouble::parse(short.as_bytes()), LongDouble::parse(long.as_bytes()));
    }
}

#[test]
fn random_text_never_panics() {
    let mut rng = Rng::new(4);
    let alphabet = b"0123456789.+-eExXpPabcdfinft()_ \0\t9999";
    for _ in 0..100_000 {
        let len = rng.below(24);
        let text: Vec<u8> = (0..len).map(|_| alphabet[rng.below(alphabet.len())]).collect();
        let _ = (parse_i64(&text), parse_f64(&text), parse_bound(&text));
        if let Some(n) = LongDouble::parse(&text) {
            let _ = (n.to_string(), n.checked_add(n));
        }
    }
}
