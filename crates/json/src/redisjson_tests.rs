//! CBOR, by the examples of its standards and by random bytes.

use proptest::prelude::*;

use crate::{Registry, Value};

/// A tag for brain floats, for tests.
const BRAIN: Option<u64> = Some(0x1_0000);

fn text(bytes: &[u8]) -> Option<String> {
    let mut registry = Registry::new();
    let value = Value::from_cbor(bytes, BRAIN, &mut registry).ok()?;
    Some(format!("{:?}", value.root()))
}

fn hex(digits: &str) -> Vec<u8> {
    (0..digits.len() / 2)
        .map(|n| u8::from_str_radix(&digits[n * 2..n * 2 + 2], 16).expect("hex"))
        .collect()
}

#[test]
fn items_of_the_standards() {
    for (bytes, expected) in [
        ("00", "0"),
        ("1818", "24"),
        ("1b000000e8d4a51000", "1000000000000"),
        ("1bffffffffffffffff", "18446744073709551615"),
        ("3903e7", "-1000"),
        ("f93c00", "1.0"),
        ("f98000", "-0.0"),
        ("fa47c35000", "100000.0"),
        ("fb3ff199999999999a", "1.1"),
        ("f4", "false"),
        ("f5", "true"),
        ("f6", "null"),
        ("63e6b0b4", "\"水\""),
        ("80", "[]"),
        ("8301820203820405", "[1,[2,3],[4,5]]"),
        ("9f018202039f0405ffff", "[1,[2,3],[4,5]]"),
        ("a26161016162820203", "{\"a\":1,\"b\":[2,3]}"),
        ("bf61610161629f0203ffff", "{\"a\":1,\"b\":[2,3]}"),
        ("d9d9f7f5", "true"),
        ("d8404401020304", "[1,2,3,4]"),
        ("d8454401000200", "[1,2]"),
        ("d8414400010002", "[1,2]"),
        ("d84842ff7f", "[-1,127]"),
        ("d85044c3d83c00", "[-3.921875,1.0]"),
        ("d8554800002040000090c0", "[2.5,-4.5]"),
        ("d856480000000000000440", "[2.5]"),
        ("da0001000044c03f20c0", "[1.5,-2.5]"),
    ] {
        assert_eq!(text(&hex(bytes)).as_deref(), Some(expected), "{bytes}");
    }
}

#[test]
fn what_json_has_not_is_refused() {
    for bytes in [
        "",
        "0000",
        "f97c00",
        "f97e00",
        "3bffffffffffffffff",
        "4101",
        "a1000",
        "a10001",
        "c11a00",
        "ff",
        "61ff",
        "1c",
        "9f01",
        "d8404101ff",
        "d84541010",
        "d8564101",
        "9b7fffffffffffffff00",
    ] {
        assert_eq!(text(&hex(bytes)), None, "{bytes}");
    }
    assert_eq!(text(&[0x81; 100_000]), None);
    assert_eq!(text(&hex("d9d9f7").repeat(100_000)), None);
}

proptest! {
    #[test]
    fn random_bytes_are_a_value_or_refused(bytes in proptest::collection::vec(
        prop_oneof![any::<u8>(), 0x60_u8..0xA4, Just(0xD8), 0x40_u8..0x57], 0..60,
    )) {
        if let Some(text) = text(&bytes) {
            let mut registry = Registry::new();
            prop_assert!(Value::parse(text.as_bytes(), &mut registry).is_ok());
        }
    }
}
