//! Equality, order and hashes of values; dicts and grids.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

use super::*;
use crate::{Tag, zinc};

fn v(text: &str) -> Value {
    zinc::read_value(text).unwrap()
}

fn assert_same(a: &Value, b: &Value) {
    assert_eq!(a, b);
    assert_eq!(a.cmp(b), Ordering::Equal);
    let hasher = RandomState::new();
    assert_eq!(hasher.hash_one(a), hasher.hash_one(b), "{a:?} {b:?}");
}

#[test]
fn what_is_equal() {
    let same = [
        ("@a \"A\"", "@a \"B\""),
        ("@a", "@a \"B\""),
        ("2024-07-01T08:00:00-04:00 New_York", "2024-07-01T12:00:00Z UTC"),
        ("NaN", "NaN"),
        ("0", "-0"),
        ("5kW", "5kilowatt"),
        ("{a b:1}", "{b:1 a}"),
        ("C(1.0000001,2)", "C(1,2)"),
        ("[1, @a]", "[1.0, @a \"x\"]"),
    ];
    for (a, b) in same {
        assert_same(&v(a), &v(b));
    }
    let other = [
        ("5kW", "5W"),
        ("5", "5kW"),
        ("1", "T"),
        ("\"a\"", "`a`"),
        ("@a", "^a"),
        ("@a", "\"a\""),
        ("M", "T"),
        ("N", "NA"),
        ("{a}", "{b}"),
        ("{a}", "{a b}"),
        ("[1]", "[1, 2]"),
        ("1min", "60s"),
        ("75°F", "75"),
        ("Foo(\"a\")", "Bar(\"a\")"),
        ("5_a", "5_b"),
    ];
    for (a, b) in other {
        let (a, b) = (v(a), v(b));
        assert_ne!(a, b);
        assert_ne!(a.cmp(&b), Ordering::Equal);
        assert_eq!(a.cmp(&b), b.cmp(&a).reverse());
    }
}

#[test]
fn values_are_sorted_by_kind_then_value() {
    let sorted = [
        "N",
        "M",
        "NA",
        "R",
        "F",
        "T",
        "NaN",
        "-INF",
        "-1",
        "2",
        "2°C",
        "10",
        "INF",
        "\"B\"",
        "\"a\"",
        "`a`",
        "@a",
        "@b",
        "^a",
        "2024-01-01",
        "2024-01-02",
        "00:00:00",
        "C(1,2)",
        "A(\"b\")",
        "[1]",
        "[1, 2]",
        "{a}",
        "{a:1 b}",
    ];
    let sorted: Vec<Value> = sorted.iter().map(|text| v(text)).collect();
    let mut mixed = sorted.clone();
    mixed.reverse();
    mixed.sort();
    assert_eq!(mixed, sorted);
    assert_eq!(mixed.iter().collect::<HashSet<_>>().len(), sorted.len());
}

#[test]
fn what_filters_compare() {
    let compare = |a: &str, b: &str| v(a).cell().compare(&v(b).cell());
    assert_eq!(compare("1", "2"), Some(Ordering::Less));
    assert_eq!(compare("1m", "2m"), Some(Ordering::Less));
    assert_eq!(compare("1m", "2"), None);
    assert_eq!(compare("1m", "2km"), None);
    assert_eq!(compare("F", "T"), Some(Ordering::Less));
    assert_eq!(compare("\"Z\"", "\"a\""), Some(Ordering::Less));
    assert_eq!(compare("\"a\"", "`b`"), None);
    assert_eq!(compare("2024-01-01", "2024-01-01T00:00:00Z UTC"), None);
    assert_eq!(compare("[1]", "[2]"), None);
    assert_eq!(compare("N", "N"), None);
}

#[test]
fn numbers_as_text() {
    let cases = [
        (0.0, "0"),
        (-0.0, "0"),
        (1e12, "1000000000000"),
        (-5.0, "-5"),
        (0.1, "0.1"),
        (1.5e300, "1.5e300"),
        (5e-324, "5e-324"),
        (1e12 + 0.5, "1000000000000.5"),
    ];
    for (value, text) in cases {
        assert_eq!(Value::from(value).to_string(), text);
        assert_eq!(v(text).as_number().unwrap().value, value);
    }
    for value in [f64::MAX, f64::MIN_POSITIVE, 1e13, 9_007_199_254_740_993.0, 1.0 / 3.0] {
        let text = format!("{:?}", Value::from(value));
        assert_eq!(v(&text).as_number().unwrap().value, value, "{text}");
    }
}

#[test]
fn what_cannot_be_made() {
    assert!(Value::id("").is_err() && Value::id("a b").is_err() && Value::id("å").is_err());
    assert!(Value::symbol("").is_err() && Value::symbol("a/b").is_err());
    assert!(Value::xstr("foo", "").is_err() && Value::xstr("", "").is_err());
    assert!(Coord::new(90.1, 0.0).is_err() && Coord::new(0.0, f64::NAN).is_err());
}

#[test]
fn dicts_keep_order_and_find_tags() {
    let mut dict = Dict::new();
    for n in 0..100 {
        dict.put(&format!("t{n}"), f64::from(n)).unwrap();
        assert_eq!(dict.len(), usize::try_from(n).unwrap() + 1);
        assert_eq!(dict.get("t0"), Some(&0.0.into()));
    }
    assert_eq!(dict.remove("t5"), Some(5.0.into()));
    assert_eq!(dict.remove("t5"), None);
    dict.put("t6", "six").unwrap();
    dict.put("t7", Value::NULL).unwrap();
    assert!(!dict.has("t7") && dict.get("t6").unwrap().as_str() == Some("six"));
    let names: Vec<&str> = dict.iter().map(|(tag, _)| tag.as_str()).take(7).collect();
    assert_eq!(names, ["t0", "t1", "t2", "t3", "t4", "t6", "t8"]);
    dict.retain(|tag, _| tag.len() == 2);
    assert_eq!(dict.len(), 8);
    assert!(dict.has("t9") && !dict.has("t10"));
    assert!(dict.put("Bad", 1.0).is_err());
}

#[test]
fn a_million_tags() {
    let mut dict = Dict::new();
    for n in 0..1_000_000 {
        dict.set(Tag::new(&format!("a{n}")).unwrap(), f64::from(n));
    }
    for n in (0..1_000_000).step_by(999) {
        assert_eq!(dict.get(&format!("a{n}")), Some(&f64::from(n).into()));
    }
    let mut copy = dict.clone();
    assert_eq!(copy, dict);
    copy.retain(|_, value| value.as_number().unwrap().value < 10.0);
    assert_eq!(copy.len(), 10);
}

#[test]
fn grids_of_dicts() {
    let mut dicts = Vec::new();
    for text in ["{mod:1 zone id:@a}", "{name:\"x\" area:5 id:@b}", "{}"] {
        dicts.push(v(text).as_dict().unwrap().clone());
    }
    let grid = Grid::from_dicts(Dict::new(), &dicts).unwrap();
    let names: Vec<&str> = grid.cols().iter().map(|col| col.name.as_str()).collect();
    assert_eq!(names, ["id", "name", "area", "zone", "mod"]);
    assert_eq!(grid.len(), 3);
    assert_eq!(grid.row(1).get("area"), &5.0.into());
    assert!(grid.row(0).get("area").is_null() && grid.row(9).get("id").is_null());
    assert!(grid.row(0).get("nothing").is_null());
    let back: Vec<Dict> = grid.rows().map(|row| row.to_dict()).collect();
    assert_eq!(back, dicts);
    let empty = Grid::from_dicts(Dict::new(), &[]).unwrap();
    assert_eq!((empty.cols()[0].name.as_str(), empty.len()), ("empty", 0));
}

#[test]
fn grids_that_would_be_mostly_empty_are_refused() {
    let tags = (0..3_000).map(|n| (Tag::new(&format!("a{n}")).unwrap(), Value::MARKER));
    let mut dicts = vec![tags.collect::<Dict>()];
    dicts.resize(3_000, Dict::new());
    assert!(Grid::from_dicts(Dict::new(), &dicts).is_err());
}

#[test]
fn columns_have_names_of_their_own() {
    let col = || Col::new(Tag::new("a").unwrap());
    assert!(GridBuilder::new(Dict::new(), vec![col(), col()]).is_err());
    assert!(GridBuilder::new(Dict::new(), Vec::new()).is_err());
}

#[test]
fn cells_become_values() {
    let texts = [
        "N",
        "M",
        "R",
        "NA",
        "T",
        "5kW",
        "5_own",
        "\"x\"",
        "`x`",
        "@a",
        "@a \"A\"",
        "^a-b",
        "2024-01-01",
        "08:30:00",
        "2024-07-01T08:00:00-04:00 New_York",
        "C(1.5,2.0)",
        "Foo(\"x\")",
        "[1, 2]",
        "{a}",
        "<<\nver:\"3.0\"\na\n1\n>>",
    ];
    let mut kinds = HashSet::new();
    for text in texts {
        let value = v(text);
        kinds.insert(value.kind());
        assert_eq!(value.cell().to_value(), value);
        assert_eq!(format!("{:?}", value.cell().to_value()), text);
    }
    assert_eq!(kinds.len(), Kind::ALL.len());
}
