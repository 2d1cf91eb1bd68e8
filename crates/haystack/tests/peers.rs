//! Texts and filters beside libhaystack, where it follows the same rules.

use kvist_haystack::{Dict, Evaluator, Filter, Kind, Value, hayson, trio, zinc};
use libhaystack::encoding::{trio as their_trio, zinc as theirs};
use libhaystack::filter::Filtered;

use crate::sample;

/// Values that both have: theirs has no texts with NUL to U+001F but the usual ones, reads years of
/// a calendar with leap seconds, and rounds no coordinates.
fn is_common(value: &Value) -> bool {
    let plain = |text: &str| !text.contains(['\u{1}', '$', '`', '\\', '\n', '\t']);
    match value.cell() {
        kvist_haystack::Cell::Str(text) => plain(text),
        kvist_haystack::Cell::Uri(text) => plain(text),
        kvist_haystack::Cell::Ref(_, dis) => dis.is_none_or(|dis| plain(dis) && !dis.contains('"')),
        kvist_haystack::Cell::Symbol(name) => name.starts_with(|c: char| c.is_ascii_lowercase()),
        kvist_haystack::Cell::XStr(kind, text) => {
            kind == "Foo_9" && plain(text) && !text.contains('"')
        }
        kvist_haystack::Cell::Number(value, unit) => {
            // Numbers with exponents differ in the last digit where they read them.
            let has_none = value == 0.0 || (1e-4..1e15).contains(&value.abs());
            has_none && unit.is_none_or(|unit| !unit.starts_with('_'))
        }
        _ => true,
    }
}

#[test]
fn values_that_they_read_and_write() {
    let scalars = [
        Kind::Marker,
        Kind::Na,
        Kind::Remove,
        Kind::Bool,
        Kind::Number,
        Kind::Str,
        Kind::Uri,
        Kind::Ref,
        Kind::Symbol,
        Kind::Date,
        Kind::Time,
        Kind::XStr,
    ];
    let mut compared = 0;
    testkit::fuzz::fuzz(|rng| {
        for kind in scalars {
            let value = sample::value(rng, kind, 0);
            if !is_common(&value) {
                continue;
            }
            let text = zinc::to_text(&value.cell());
            let read = theirs::decode::from_str(&text).unwrap_or_else(|e| panic!("{text}: {e}"));
            let written = theirs::encode::to_zinc_string(&read).unwrap();
            let back = zinc::read_value(&written).unwrap_or_else(|e| panic!("{written}: {e}"));
            assert_eq!(back, value, "{text} {written}");
            let json = serde_json::to_string(&read).unwrap();
            let back = hayson::read_value(&json).unwrap_or_else(|e| panic!("{json}: {e}"));
            assert_eq!(back, value, "{text} {json}");
            let ours = hayson::to_text(&value.cell());
            let read: libhaystack::val::Value = serde_json::from_str(&ours).unwrap();
            assert_eq!(theirs::encode::to_zinc_string(&read).unwrap(), written, "{ours}");
            compared += 1;
        }
    });
    assert!(compared > 100);
}

const GRID: &str = concat!(
    "ver:\"3.0\" projName:\"test\"\nid,dis,area unit:\"ft²\",ts,tags,points\n",
    "@a \"Site A\",\"Site A\",3400ft²,2024-07-01T08:00:00-04:00 New_York,",
    "{site geo:C(37.5,-77.4)},[1, \"x\"]\n",
    "@b,,,2024-01-01T00:00:00Z UTC,,[@a, @b]\n",
);

#[test]
fn grids_that_they_read_and_write() {
    let grid = zinc::read_grid(GRID).unwrap();
    let read = theirs::decode::from_str(GRID).unwrap();
    // What is said of grids and columns they write in a way that reads back as something else.
    let bare = GRID.replace(" projName:\"test\"", "").replace(" unit:\"ft²\"", "");
    let written = theirs::decode::from_str(&bare).unwrap();
    let written = theirs::encode::to_zinc_string(&written).unwrap();
    let back = zinc::read_grid(&written).unwrap_or_else(|e| panic!("{written}: {e}"));
    assert_eq!(back, zinc::read_grid(&bare).unwrap());
    let json = serde_json::to_string(&read).unwrap();
    assert_eq!(hayson::read_grid(&json).unwrap(), grid, "{json}");
    let mut ours = Vec::new();
    hayson::write_grid(&mut ours, &grid);
    let read: libhaystack::val::Value = serde_json::from_slice(&ours).unwrap();
    assert_eq!(hayson::read_grid(&serde_json::to_string(&read).unwrap()).unwrap(), grid);
}

#[test]
fn trio_that_they_read() {
    let text = "dis: Main Street\nsite\narea: 3400ft²\nref: @a \"A\"\n---\ndis: \"x\"\n";
    let dicts = their_trio::decode::TrioReader::dicts_from_str(text).unwrap();
    let ours = trio::read(text).unwrap();
    assert_eq!(dicts.len(), ours.len());
    for (dict, ours) in dicts.into_iter().zip(&ours) {
        let written = theirs::encode::to_zinc_string(&dict.into()).unwrap();
        assert_eq!(zinc::read_value(&written).unwrap().as_dict(), Some(ours), "{written}");
    }
    let dicts = their_trio::decode::TrioReader::dicts_from_str(&trio::to_text(&ours)).unwrap();
    assert_eq!(dicts.len(), 2);
}

/// Filters on which both agree: what is there, what is not, what is equal.
fn filter(rng: &mut base::Rng, depth: usize) -> String {
    let tag = ["a", "b", "ref", "d"][rng.below(4)];
    match rng.below(if depth == 0 { 4 } else { 7 }) {
        0 | 1 => tag.to_owned(),
        2 => format!("not {tag}"),
        3 => format!("{tag} == {}", ["1", "1kW", "\"x\"", "@r1", "true"][rng.below(5)]),
        4 => format!("({} or {})", filter(rng, depth - 1), filter(rng, depth - 1)),
        5 => format!("{} or {}", filter(rng, depth - 1), filter(rng, depth - 1)),
        _ => format!("{} and {}", filter(rng, depth - 1), filter(rng, depth - 1)),
    }
}

#[test]
fn filters_that_they_evaluate() {
    testkit::fuzz::fuzz(|rng| {
        // Where they see lists otherwise than the rules do.
        let is_plain = |dict: &Dict| dict.iter().all(|(_, value)| value.as_list().is_none());
        let records = sample::records(rng);
        let text = filter(rng, 3);
        let ours = Filter::parse(&text).unwrap();
        let evaluator = Evaluator::new(&ours, &records[..]);
        let their_filter = libhaystack::filter::Filter::try_from(text.as_str()).unwrap();
        for record in records.iter().filter(|record| is_plain(record)) {
            let text_of = zinc::to_text(&kvist_haystack::Cell::Dict(record));
            let value = theirs::decode::from_str(&text_of).unwrap();
            let dict = libhaystack::val::Dict::try_from(&value).unwrap();
            assert_eq!(
                evaluator.matches(&record),
                dict.filter(&their_filter),
                "{text} on {text_of}"
            );
        }
    });
}
