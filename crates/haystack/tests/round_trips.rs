//! Every kind through every format and back.

use kvist_haystack::{Cell, Dict, Grid, Kind, Value, csv, hayson, json3, trio, zinc};

use crate::sample;

/// Equality that sees all: zones, display names, the order of tags.
fn assert_exactly(read: &Value, written: &Value, text: &str) {
    assert_eq!(format!("{read:?}"), format!("{written:?}"), "by {text}");
}

/// Numbers that are none have no unit in Zinc.
fn has_lost_unit(value: &Value) -> bool {
    value.as_number().is_some_and(|number| !number.value.is_finite() && number.unit.is_some())
}

#[test]
fn every_kind_through_every_format() {
    testkit::fuzz::fuzz(|rng| {
        for kind in Kind::ALL {
            let value = sample::value(rng, kind, 2);
            assert!(!has_lost_unit(&value));
            let text = zinc::to_text(&value.cell());
            let read = zinc::read_value(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_exactly(&read, &value, &text);
            assert_eq!(read, value);
            let text = hayson::to_text(&value.cell());
            let read = hayson::read_value(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_exactly(&read, &value, &text);
            let text = json3::to_text(&value.cell());
            let read = json3::read_value(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_exactly(&read, &value, &text);
        }
    });
}

fn write(grid: &Grid, write: impl Fn(&mut Vec<u8>, &Grid)) -> String {
    let mut out = Vec::new();
    write(&mut out, grid);
    String::from_utf8(out).unwrap()
}

#[test]
fn grids_through_every_format() {
    testkit::fuzz::fuzz(|rng| {
        let grid = sample::grid(rng, 2);
        let value = Value::grid(grid.clone());
        let text = write(&grid, zinc::write_grid);
        let read = zinc::read_grid(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_exactly(&read.into(), &value, &text);
        let text = write(&grid, hayson::write_grid);
        let read = hayson::read_grid(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_exactly(&read.into(), &value, &text);
        let text = write(&grid, json3::write_grid);
        let read = json3::read_grid(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_exactly(&read.into(), &value, &text);
    });
}

#[test]
fn dicts_through_trio() {
    testkit::fuzz::fuzz(|rng| {
        let mut dicts: Vec<Dict> = (0..3).map(|_| sample::dict(rng, 2)).collect();
        dicts.retain(|dict| !dict.is_empty());
        let text = trio::to_text(&dicts);
        let read = trio::read(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(format!("{read:?}"), format!("{dicts:?}"), "by {text}");
    });
}

#[test]
fn csv_keeps_texts() {
    testkit::fuzz::fuzz(|rng| {
        let mut grid = Dict::new();
        for tag in ["a", "b"] {
            grid.put(tag, sample::text(rng)).unwrap();
        }
        let grid = Grid::from_dicts(Dict::new(), &[grid]).unwrap();
        let text = write(&grid, csv::write_grid);
        let read = csv::read_grid(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
        for (value, written) in read.row(0).values().zip(grid.row(0).values()) {
            let written = written.as_str().unwrap();
            let wanted = if written.is_empty() { Value::NULL } else { written.into() };
            assert_eq!(value, &wanted, "by {text:?}");
        }
    });
}

#[test]
fn rows_and_streams_read_what_grids_are() {
    testkit::fuzz::fuzz(|rng| {
        let grid = sample::grid(rng, 2);
        let text = write(&grid, zinc::write_grid);
        let limits = kvist_haystack::Limits::DEFAULT;
        let mut stream = zinc::Stream::new(text.as_bytes(), limits).unwrap();
        let json = write(&grid, hayson::write_grid);
        let mut rows = hayson::Reader::new(&json, limits).unwrap();
        let (mut row, mut other) = (Vec::new(), Vec::new());
        for wanted in grid.rows() {
            assert!(stream.next_row(&mut row).unwrap() && rows.next_row(&mut other).unwrap());
            let wanted: Vec<Value> = wanted.values().cloned().collect();
            assert_eq!((&row, &other), (&wanted, &wanted), "{text}");
        }
        assert!(!stream.next_row(&mut row).unwrap() && !rows.next_row(&mut other).unwrap());
    });
}

#[test]
fn values_say_what_they_weigh() {
    let mut rng = testkit::seed::rng();
    for _ in 0..200 {
        let value = sample::any(&mut rng, 2);
        let before = value.memory();
        assert_eq!(value.clone().memory(), before);
        if matches!(value.cell(), Cell::Bool(_) | Cell::Date(_) | Cell::Marker) {
            assert_eq!(before, 0);
        }
    }
    let text = "x".repeat(1_000);
    let (list, alive) = testkit::scale::rise(|| Value::list(vec![Value::str(text.as_str()); 1]));
    let said = isize::try_from(list.memory()).unwrap();
    assert!(said >= 1_000 && (said - alive).abs() <= 64, "{said} {alive}");
}
