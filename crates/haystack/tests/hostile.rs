//! Texts that mean harm: damaged, huge, deep. Nothing panics, and cost is in proportion to the
//! text.

use std::time::Duration;

use base::Rng;
use kvist_haystack::{Cell, Evaluator, Filter, Limits, csv, hayson, json3, trio, zinc};

use crate::sample;

const PIECES: &[&[u8]] = &[
    b"\"",
    b"\\",
    b"\\u",
    b"[",
    b"]",
    b"{",
    b"}",
    b"<<",
    b">>",
    b",",
    b":",
    b"\n",
    b"\r",
    b" ",
    b"@",
    b"^",
    b"`",
    b"(",
    b")",
    b"->",
    b"==",
    b"not ",
    b" and ",
    b"-",
    b"e9",
    b"1e999",
    b"_",
    b"0x",
    b"T",
    b"N",
    b"2024-02-30",
    b"T00:00",
    b"Z",
    b"+99:99",
    b"\xff",
    b"\xc2\xa0",
    "😀".as_bytes(),
    b"ver:\"3.0\"",
    b"\"_kind\":\"grid\"",
    b"\"rows\":",
    b"Zinc:",
    b"---",
    b"//",
    b"/*",
];

fn damaged(rng: &mut Rng, text: String) -> String {
    let mut bytes = text.into_bytes();
    testkit::fuzz::damage(rng, &mut bytes, PIECES);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// What is read of a damaged text is written and reads back.
#[test]
fn damaged_texts_are_read_or_refused() {
    let mut read = 0;
    testkit::fuzz::fuzz(|rng| {
        let grid = sample::grid(rng, 2);
        let mut out = Vec::new();
        zinc::write_grid(&mut out, &grid);
        let text = damaged(rng, String::from_utf8(out).unwrap());
        if let Ok(grid) = zinc::read_grid(&text) {
            let again = zinc::to_text(&Cell::Grid(&grid));
            assert_eq!(zinc::read_value(&again).unwrap().as_grid(), Some(&grid), "{text}");
            read += 1;
        }
        let mut out = Vec::new();
        hayson::write_grid(&mut out, &grid);
        let text = damaged(rng, String::from_utf8(out).unwrap());
        if let Ok(value) = hayson::read_value(&text) {
            assert_eq!(hayson::read_value(&hayson::to_text(&value.cell())).unwrap(), value);
            read += 1;
        }
        let _ = hayson::read_grid(&text);
        let mut out = Vec::new();
        json3::write_grid(&mut out, &grid);
        let text = damaged(rng, String::from_utf8(out).unwrap());
        if let Ok(value) = json3::read_value(&text) {
            assert_eq!(json3::read_value(&json3::to_text(&value.cell())).unwrap(), value);
        }
        let dicts = [sample::dict(rng, 2), sample::dict(rng, 1)];
        let text = damaged(rng, trio::to_text(&dicts));
        if let Ok(dicts) = trio::read(&text) {
            assert_eq!(trio::read(&trio::to_text(&dicts)).unwrap(), dicts, "{text:?}");
        }
        let mut out = Vec::new();
        csv::write_grid(&mut out, &grid);
        let _ = csv::read_grid(&damaged(rng, String::from_utf8(out).unwrap()));
    });
    assert!(read > 10);
}

#[test]
fn damaged_filters_are_read_or_refused() {
    testkit::fuzz::fuzz(|rng| {
        let text = sample::filter(rng, 3);
        let text = damaged(rng, text);
        if let Ok(filter) = Filter::parse(&text) {
            let again = Filter::parse(&filter.to_string());
            let again = again.unwrap_or_else(|e| panic!("{text:?} as {filter}: {e}"));
            assert_eq!(again.canonical(), filter.canonical(), "{text}");
            let records = sample::records(rng);
            let evaluator = Evaluator::new(&filter, &records[..]);
            let _ = records.iter().filter(|record| evaluator.matches(record)).count();
        }
    });
}

/// Runs this on eight times as much: the processor's time may rise as much, not with the square.
fn assert_linear(what: &str, mut work: impl FnMut(usize)) {
    let mut time = |size: usize| {
        let best = (0..3).map(|_| testkit::processor::cost(|| work(size)).1);
        best.min().unwrap().max(Duration::from_millis(2))
    };
    let (small, large) = (time(20_000), time(160_000));
    assert!(large < small * 30, "{what}: {small:?}, {large:?}");
}

#[test]
fn large_texts_take_time_in_proportion() {
    type Make = fn(usize) -> String;
    type Read = fn(&str);
    let cases: [(&str, Make, Read); 17] = [
        (
            "filter of terms",
            |n| vec!["a"; n].join(" or "),
            |text| {
                assert!(Filter::parse(text).unwrap().canonical().to_string().len() > 10);
            },
        ),
        (
            "filter of comments",
            |n| format!("a{}", " /* x */".repeat(n)),
            |text| {
                Filter::parse(text).unwrap();
            },
        ),
        ("open comments", |n| "/*".repeat(n), |text| drop(Filter::parse(text).unwrap_err())),
        ("parentheses", |n| "(".repeat(n), |text| drop(Filter::parse(text).unwrap_err())),
        ("path", |n| "a->".repeat(n), |text| drop(Filter::parse(text).unwrap_err())),
        (
            "filter of a string",
            |n| format!("a == \"{}\"", "\\n".repeat(n)),
            |text| {
                Filter::parse(text).unwrap();
            },
        ),
        ("digits", |n| "1_2".repeat(n), |text| drop(zinc::read_value(text))),
        ("dict", |n| format!("{{{}}}", tags(n, " ")), |text| drop(zinc::read_value(text).unwrap())),
        ("list", |n| format!("[{}]", "1,".repeat(n)), |text| drop(zinc::read_value(text).unwrap())),
        ("lists", |n| "[".repeat(n), |text| drop(zinc::read_value(text).unwrap_err())),
        (
            "grids",
            |n| "<<ver:\"3.0\"\n".repeat(n),
            |text| drop(zinc::read_value(text).unwrap_err()),
        ),
        (
            "columns",
            |n| format!("ver:\"3.0\"\n{}\n", tags(n, ",")),
            |text| {
                assert!(zinc::read_grid(text).unwrap().is_empty());
            },
        ),
        (
            "rows",
            |n| format!("ver:\"3.0\"\na\n{}", "\"x\"\n".repeat(n)),
            |text| {
                zinc::read_grid(text).unwrap();
            },
        ),
        ("objects", |n| "{\"a\":".repeat(n), |text| drop(hayson::read_value(text).unwrap_err())),
        (
            "kinds",
            |n| format!("[{}1]", "{\"_kind\":\"na\"},".repeat(n)),
            |text| {
                hayson::read_value(text).unwrap();
            },
        ),
        (
            "blank lines in trio",
            |n| format!("a:{}", "\n".repeat(n)),
            |text| {
                trio::read(text).unwrap();
            },
        ),
        (
            "indented in trio",
            |n| format!("a:\n{}", "  x\n\n".repeat(n)),
            |text| {
                trio::read(text).unwrap();
            },
        ),
    ];
    for (what, make, read) in cases {
        assert_linear(what, |size| read(&make(size)));
    }
}

fn tags(n: usize, between: &str) -> String {
    (0..n).map(|n| format!("a{n}")).collect::<Vec<_>>().join(between)
}

#[test]
fn dicts_of_a_million_tags_in_every_format() {
    let text = format!("{{{}}}", tags(1_000_000, " "));
    let value = zinc::read_value(&text).unwrap();
    assert_eq!(value.as_dict().unwrap().len(), 1_000_000);
    assert_eq!(hayson::read_value(&hayson::to_text(&value.cell())).unwrap(), value);
    assert_eq!(json3::read_value(&json3::to_text(&value.cell())).unwrap(), value);
    let dict = value.as_dict().unwrap();
    assert_eq!(trio::read(&trio::to_text([dict])).unwrap()[0], *dict);
}

#[test]
fn a_megabyte_of_filter_is_evaluated() {
    let text = vec!["a->b == 5kW"; 80_000].join(" or ");
    assert!(text.len() > 1 << 20);
    let filter = Filter::parse(&text).unwrap();
    let records = trio::read("id: @x\na: {b: 5}\n").unwrap();
    assert!(!Evaluator::new(&filter, &records[..]).matches(&&records[0]));
}

/// Every list leads to all records: followed one by one that were 50 to the power of 60.
#[test]
fn lists_that_lead_everywhere() {
    let ids: Vec<String> = (0..50).map(|n| format!("@r{n}")).collect();
    let list = ids.join(", ");
    let records: Vec<String> = ids.iter().map(|id| format!("id: {id}\na: [{list}]\n")).collect();
    let records = trio::read(&records.join("---\n")).unwrap();
    let filter = Filter::parse(&format!("{}->b", vec!["a"; 60].join("->"))).unwrap();
    assert!(!Evaluator::new(&filter, &records[..]).matches(&&records[0]));
}

/// As deep as the limits allow, on the stack that a thread of tests has at least.
#[test]
fn what_nests_as_deep_as_may_be() {
    let nested = |depth: usize, open: &str, close: &str| {
        format!("{}1{}", open.repeat(depth), close.repeat(depth))
    };
    let deep = move || {
        for (open, close) in [("[", "]"), ("{a:", "}"), ("<<ver:\"3.0\"\na\n", "\n>>")] {
            let value = zinc::read_value(&nested(64, open, close)).unwrap();
            assert!(zinc::read_value(&nested(65, open, close)).is_err());
            assert_eq!(hayson::read_value(&hayson::to_text(&value.cell())).unwrap(), value);
            assert_eq!(json3::read_value(&json3::to_text(&value.cell())).unwrap(), value);
        }
        assert!(hayson::read_value(&nested(65, "[", "]")).is_err());
        assert!(json3::read_value(&nested(65, "{\"a\":", "}")).is_err());
    };
    std::thread::Builder::new().stack_size(512 << 10).spawn(deep).unwrap().join().unwrap();
}

#[test]
fn memory_is_in_proportion_to_the_text() {
    let names = tags(5_000, ",");
    let rows = format!("ver:\"3.0\"\n{names}\n");
    let cols: Vec<String> = (0..5_000).map(|n| format!("{{\"name\":\"a{n}\"}}")).collect();
    let sparse = vec!["{}"; 5_000].join(",");
    let json = format!("{{\"_kind\":\"grid\",\"cols\":[{}],\"rows\":[{sparse}]}}", cols.join(","));
    let (result, rise) = testkit::scale::rise(|| hayson::read_grid(&json));
    assert!(result.is_err() && rise < 200 << 20, "{rise}");
    let (result, rise) = testkit::scale::rise(|| hayson::read_value(&json));
    assert!(result.is_err() && rise < 200 << 20, "{rise}");
    let (result, rise) = testkit::scale::rise(|| zinc::read_grid(&rows));
    assert!(result.is_ok() && rise < 10 << 20, "{rise}");
}

#[test]
fn texts_beyond_the_limit_are_refused() {
    let limits = Limits { bytes: 20, ..Limits::DEFAULT };
    let zinc_text = "ver:\"3.0\"\na\n123456789\n";
    assert!(zinc::read_grid_within(zinc_text, limits).is_err());
    assert!(hayson::read_grid_within("{\"cols\":[{\"name\":\"a\"}],\"rows\":[]}", limits).is_err());
    assert!(trio::Reader::new("a: 123456789012345678901\n", limits).is_err());
}

/// Of short texts many values can come: what they take is bounded, and not by the text alone.
#[test]
fn many_values_of_one_text_are_refused() {
    let limits = Limits { units: 10_000, ..Limits::DEFAULT };
    let zinc = |text: &str| zinc::read_grid_within(text, limits).map(drop);
    let head = "ver:\"3.0\"\na\n";
    let row = |value: &str, times: usize| format!("{head}[{}]\n", vec![value; times].join(","));
    assert!(zinc(&row("{a}", 100)).is_ok());
    for value in ["{a}", "[]", "1", "\"\"", "{a:{}}", "<<ver:\"3.0\"\na\n\n>>"] {
        assert_eq!(zinc(&row(value, 9_000)).unwrap_err().message(), TOO_MANY, "{value}");
    }
    assert_eq!(zinc(&format!("{head}{}", "1\n".repeat(9_000))).unwrap_err().message(), TOO_MANY);
    let tags: String = (0..11_000).map(|at| format!(" t{at}")).collect();
    assert_eq!(zinc(&format!("ver:\"3.0\"{tags}\na\n")).unwrap_err().message(), TOO_MANY);
    let csv = csv::read_grid_within(&"a\n".repeat(9_000), limits);
    assert_eq!(csv.unwrap_err().message(), TOO_MANY);
    let json = |rows: &str| {
        let text = format!(
            "{{\"meta\":{{\"ver\":\"3.0\"}},\"cols\":[{{\"name\":\"a\"}}],\"rows\":[{rows}]}}"
        );
        let old = json3::read_grid_within(&text, limits).map(drop);
        (hayson::read_grid_within(&text, limits).map(drop), old)
    };
    let marker = "{\"a\":{\"_kind\":\"marker\"}}";
    // Of each row the tree is gone when the next comes.
    assert!(json(&vec![marker; 900].join(",")).0.is_ok());
    for rows in
        [vec![marker; 11_000].join(","), format!("{{\"a\":[{}]}}", vec!["[]"; 1_000].join(","))]
    {
        let (new, old) = json(&rows);
        assert_eq!(new.unwrap_err().message(), TOO_MANY);
        assert!(old.is_err());
    }
    for dict in ["a\n-\n", "a:[]\n-\n", "a:Zinc:\n  ver:\"3.0\"\n  a\n  1\n-\n"] {
        let text = dict.repeat(2_000);
        let mut reader = trio::Reader::new(&text, limits).unwrap();
        let error = (0..2_000).find_map(|_| reader.next_dict().err());
        assert_eq!(error.unwrap().message(), TOO_MANY, "{dict}");
    }
}

const TOO_MANY: &str = "Too many values for one text";
