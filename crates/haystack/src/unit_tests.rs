//! The list of units, and conversion, beside that of libhaystack.

use std::collections::BTreeSet;

use super::*;

#[test]
fn the_list_is_whole() {
    assert_eq!(Unit::all().count(), 457);
    let quantities: BTreeSet<_> = Unit::all().map(|unit| unit.quantity().unwrap()).collect();
    assert_eq!(quantities.len(), 60);
    let lines = include_str!("../data/units.txt").lines();
    let lines = lines.filter(|line| line.contains('\t'));
    assert_eq!(lines.count(), 457, "a line was not understood");
    for unit in Unit::all() {
        for name in unit.names() {
            assert_eq!(Unit::named(name).unwrap(), unit, "{name}");
            assert!(name.chars().all(is_unit_char), "{name}");
        }
    }
}

#[test]
fn conversion_agrees_with_libhaystack() {
    let theirs = |unit: &Unit| libhaystack::units::get_unit(unit.symbol()).unwrap();
    let mut converted = 0;
    for from in Unit::all() {
        for to in Unit::all().filter(|to| to.quantity() == from.quantity() && *to != from) {
            let Some(ours) = from.convert(37.5, &to) else {
                assert_eq!(from.quantity(), Some("currency"));
                continue;
            };
            if let Ok(other) = theirs(&from).convert_to(37.5, theirs(&to)) {
                let close = (ours - other).abs() <= other.abs().max(1e-300) * 1e-9;
                assert!(close, "{from} to {to}: {ours}, {other}");
                converted += 1;
            }
        }
    }
    assert!(converted > 1_000, "{converted}");
}

#[test]
fn conversion_by_dimension() {
    let convert = |number, from: &str, to: &str| {
        Unit::named(from).unwrap().convert(number, &Unit::named(to).unwrap())
    };
    let close = |number: Option<f64>, wanted: f64| (number.unwrap() - wanted).abs() < 1e-6;
    assert!(close(convert(32.0, "°F", "°C"), 0.0));
    assert!(close(convert(1.0, "kWh", "kJ"), 3_600.0));
    assert!(close(convert(1.0, "hr", "min"), 60.0));
    assert_eq!(convert(1.0, "m", "kg"), None);
    assert_eq!(convert(1.0, "$", "€"), None);
    assert_eq!(convert(1.0, "_own", "m"), None);
    assert_eq!(convert(1.5, "_own", "_own"), Some(1.5));
}

#[test]
fn units_of_users() {
    assert_eq!(Unit::named("_foo/bar").unwrap().to_string(), "_foo/bar");
    let long = format!("_{}", "x".repeat(LONGEST));
    for bad in ["", "_", "_a b", "_5", "foo", long.as_str()] {
        assert!(Unit::named(bad).is_err(), "{bad}");
    }
}
