//! Values as bytes, there and back, and bytes that are none.

use haystack::zinc;

use super::*;

fn there_and_back(value: &Value) -> Value {
    let mut out = Vec::new();
    put_value(&mut out, &value.cell());
    let mut source = Source::new(&out);
    let back = super::value(&mut source).unwrap();
    assert!(source.is_done());
    for len in 0..out.len() {
        assert!(super::value(&mut Source::new(&out[..len])).is_err(), "{value:?} cut at {len}");
    }
    back
}

#[test]
fn values_come_back() {
    let texts = [
        "N",
        "M",
        "NA",
        "R",
        "T",
        "F",
        "1",
        "-0.5",
        "NaN",
        "INF",
        "3kW",
        "4_own",
        "\"é\\n\"",
        "`http://a`",
        "@a",
        "@a \"A\"",
        "^a-b",
        "2024-02-29",
        "23:59:59.123",
        "2024-01-01T00:00:00Z UTC",
        "2024-07-01T08:00:00+08:00 Shanghai",
        "C(1.5,-2.25)",
        "Bin(\"text/plain\")",
        "[]",
        "[1, [2, N]]",
        "{a b:[@x \"X\"] c:{d:1m}}",
        "<<\nver:\"3.0\" m:1\na x:2,b\n1,\n,\"t\"\n>>",
    ];
    for text in texts {
        let value = zinc::read_value(text).unwrap();
        let back = there_and_back(&value);
        assert_eq!(zinc::to_text(&back.cell()), zinc::to_text(&value.cell()));
    }
}

#[test]
fn nesting_has_a_bound() {
    let nested = |depth: usize| (0..depth).fold(Value::MARKER, |within, _| vec![within].into());
    assert_eq!(there_and_back(&nested(DEEPEST)), nested(DEEPEST));
    let deep: Vec<u8> = [kind::LIST, 1].repeat(100_000);
    assert!(super::value(&mut Source::new(&deep)).is_err());
}

#[test]
fn counts_are_not_trusted() {
    for kind in [kind::LIST, kind::DICT, kind::GRID, kind::STR] {
        let mut bytes = vec![kind];
        put_number(&mut bytes, u64::MAX >> 1);
        assert!(super::value(&mut Source::new(&bytes)).is_err());
    }
    testkit::fuzz::fuzz(|rng| {
        let bytes: Vec<u8> = (0..rng.below(60)).map(|_| rng.below(30) as u8).collect();
        let _ = super::value(&mut Source::new(&bytes));
    });
}
