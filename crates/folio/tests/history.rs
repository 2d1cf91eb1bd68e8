//! Histories of points: what is refused, merged, read.

use haystack::{Cell, DateTime, Value, Zone, zinc};
use kvist_folio::{Clear, Diff, ErrorKind, Flags, HisOptions, Layer, Project, Slot, Span};

use crate::sample::{at, dict, project};

type Items = Vec<(DateTime, Value)>;

fn point(tags: &str) -> (Project, Slot) {
    let project = project(&format!("id: @p\npoint\nhis\n{tags}\n"));
    let slot = project.read_by_id("p").unwrap();
    (project, slot)
}

fn item(second: i64, value: &str) -> (DateTime, Value) {
    (at(second), zinc::read_value(value).unwrap())
}

fn items(all: &[(i64, &str)]) -> Items {
    all.iter().map(|(second, value)| item(*second, value)).collect()
}

/// The seconds and values of all samples.
fn all(project: &Project, slot: Slot) -> Items {
    project.his_read(slot, None, &HisOptions::default()).unwrap()
}

fn change(project: &mut Project, changes: &str) {
    let diff = Diff::update("p", dict(changes), None).unwrap().with(Flags::FORCE);
    project.commit(&[diff], at(99)).unwrap();
}

const POWER: &str = "tz: \"UTC\"\nkind: \"Number\"\nunit: \"kW\"";

#[test]
fn only_points_with_a_history_have_one() {
    for (tags, changes) in [
        (POWER, "his:R"),
        (POWER, "point:R"),
        (POWER, "aux"),
        (POWER, "trash"),
        (POWER, "tz:R"),
        (POWER, "tz:\"Nowhere\""),
        (POWER, "kind:R"),
        (POWER, "kind:\"Date\""),
        (POWER, "unit:\"furlongs-per-week\""),
        (POWER, "hisTsPrecision:7min"),
    ] {
        let (mut project, slot) = point(tags);
        change(&mut project, changes);
        let error = project.his_write(slot, &items(&[(0, "1")]), Clear::Nothing).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::HisConfig, "{changes}");
        let error = project.his_read(slot, None, &HisOptions::default()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::HisConfig, "{changes}");
    }
}

#[test]
fn a_wrong_sample_leaves_nothing_written() {
    let (mut project, slot) = point(POWER);
    let paris = Zone::named("Paris").unwrap();
    let old = DateTime::from_nanos(-700_000_000_000_000_000, Zone::named("UTC").unwrap());
    for wrong in [
        item(1, "\"x\""),
        item(1, "T"),
        item(1, "1°C"),
        item(1, "N"),
        (at(1).to_zone(paris), 1.0.into()),
        (old, 1.0.into()),
    ] {
        let both = [item(0, "1kW"), wrong];
        let error = project.his_write(slot, &both, Clear::All).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::HisWrite);
        assert_eq!(project.his_size(slot), 0);
    }
    let nothing = project.his_write(slot, &[], Clear::Nothing).unwrap();
    assert_eq!((nothing.count, nothing.span), (0, None));
}

#[test]
fn the_last_write_of_an_instant_counts() {
    let (mut project, slot) = point(POWER);
    let half = DateTime::from_nanos(at(5).nanos() + 999_999_999, at(5).zone());
    let mut written = items(&[(9, "9"), (5, "1kW"), (7, "NA")]);
    written.push((half, 2.0.into()));
    let done = project.his_write(slot, &written, Clear::Nothing).unwrap();
    assert_eq!((done.count, done.span), (3, Some((at(5), at(9)))));
    assert_eq!(all(&project, slot), items(&[(5, "2kW"), (7, "NA"), (9, "9kW")]));
    project.his_write(slot, &items(&[(5, "3"), (9, "R"), (11, "R")]), Clear::Nothing).unwrap();
    assert_eq!(all(&project, slot), items(&[(5, "3kW"), (7, "NA")]));
}

#[test]
fn milliseconds_are_kept_if_they_are_asked_for() {
    let (mut project, slot) = point(&format!("{POWER}\nhisTsPrecision: 1ms"));
    let fine = DateTime::from_nanos(at(5).nanos() + 1_999_999, at(5).zone());
    project.his_write(slot, &[(fine, 1.0.into())], Clear::Nothing).unwrap();
    assert_eq!(all(&project, slot)[0].0.nanos(), at(5).nanos() + 1_000_000);
}

#[test]
fn numbers_are_whole_or_half_as_precise() {
    let (mut project, slot) = point(POWER);
    let large = 0xABF_FFFF_FFFF_u64 as f64;
    let numbers = [large, -large, 0.1, -0.0, f64::INFINITY, 72.3];
    let written: Items = (0..).zip(numbers).map(|(second, n)| (at(second), n.into())).collect();
    project.his_write(slot, &written, Clear::Nothing).unwrap();
    let read: Vec<f64> =
        all(&project, slot).iter().map(|(_, it)| it.as_number().unwrap().value).collect();
    let rounded = |number: f32| f64::from(number);
    assert_eq!(read, [large, -large, rounded(0.1), 0.0, f64::INFINITY, rounded(72.3)]);
    assert!(read[3].is_sign_positive());
}

#[test]
fn a_span_begins_with_its_start_and_ends_before_its_end() {
    let (mut project, slot) = point(POWER);
    let ten: Items = (0..10).map(|second| (at(second * 10), (second as f64).into())).collect();
    project.his_write(slot, &ten, Clear::Nothing).unwrap();
    let read = |from, to, options: HisOptions| -> Vec<f64> {
        let tokyo = Zone::named("Tokyo").unwrap();
        let span = Span { start: at(from).to_zone(tokyo), end: at(to) };
        let found = project.his_read(slot, Some(span), &options).unwrap();
        assert!(found.iter().all(|(at, _)| at.zone().city() == "UTC"));
        found.iter().map(|(_, value)| value.as_number().unwrap().value).collect()
    };
    let plain = HisOptions::default();
    let around = HisOptions { around: true, ..plain };
    assert_eq!(read(20, 50, plain), [2.0, 3.0, 4.0]);
    assert_eq!(read(20, 50, around), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    assert_eq!(read(21, 29, plain), [0.0; 0]);
    // None is inside: none before.
    assert_eq!(read(21, 29, around), [3.0, 4.0]);
    assert_eq!(read(80, 999, around), [7.0, 8.0, 9.0]);
    assert_eq!(read(50, 20, plain), [0.0; 0]);
    assert_eq!(read(20, 50, HisOptions { limit: Some(2), ..plain }), [2.0, 3.0]);
    let clipped = HisOptions { clip_future: Some(at(30)), ..around };
    assert_eq!(read(20, 50, clipped), [1.0, 2.0, 3.0]);
}

#[test]
fn clearing_some_or_all() {
    let (mut project, slot) = point(POWER);
    let four = items(&[(0, "0"), (1, "1"), (2, "2"), (3, "3")]);
    project.his_write(slot, &four, Clear::Nothing).unwrap();
    let middle = Clear::Span(Span { start: at(1), end: at(3) });
    project.his_write(slot, &items(&[(2, "7")]), middle).unwrap();
    assert_eq!(all(&project, slot), items(&[(0, "0kW"), (2, "7kW"), (3, "3kW")]));
    project.his_write(slot, &items(&[(9, "9")]), Clear::All).unwrap();
    assert_eq!(all(&project, slot), items(&[(9, "9kW")]));
    project.his_write(slot, &[], Clear::All).unwrap();
    assert_eq!(project.his_size(slot), 0);
    assert_eq!(project.value(slot, "hisSize"), Cell::Number(0.0, None));
    assert!(project.value(slot, "hisEnd").is_null());
}

#[test]
fn another_zone_or_unit_is_that_of_all_samples() {
    let (mut project, slot) = point(POWER);
    project.his_write(slot, &items(&[(0, "1"), (3, "NA")]), Clear::Nothing).unwrap();
    change(&mut project, "unit:\"°C\" tz:\"New_York\"");
    let read = all(&project, slot);
    assert_eq!(read[0].1, zinc::read_value("1°C").unwrap());
    assert_eq!((read[0].0.zone().city(), read[0].0.nanos()), ("New_York", at(0).nanos()));
    assert_eq!(project.value(slot, "hisStartVal"), Cell::Number(1.0, Some("°C")));
    let Cell::DateTime(end) = project.value(slot, "hisEnd") else { panic!("no instant") };
    assert_eq!((end.zone().city(), end.nanos()), ("New_York", at(3).nanos()));
    change(&mut project, "unit:R");
    assert_eq!(all(&project, slot)[0].1, Value::from(1.0));
    change(&mut project, "kind:\"Str\" tz:\"UTC\"");
    let error = project.his_write(slot, &items(&[(9, "\"x\"")]), Clear::Nothing).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::HisConfig);
    project.his_write(slot, &items(&[(9, "\"x\"")]), Clear::All).unwrap();
    assert_eq!(all(&project, slot), items(&[(9, "\"x\"")]));
}

/// What tells of a history is there as long as the record is a point that has one.
#[test]
fn the_tags_that_tell_come_and_go_with_the_point() {
    let (mut project, slot) = point(POWER);
    project.his_write(slot, &items(&[(1, "5kW"), (9, "7kW")]), Clear::Nothing).unwrap();
    let size = Cell::Number(2.0, None);
    for (changes, back) in [("his:R", "his"), ("point:R", "point"), ("trash", "trash:R")] {
        assert_eq!(project.value(slot, "hisSize"), size, "{changes}");
        change(&mut project, changes);
        assert!(project.value(slot, "hisSize").is_null(), "{changes}");
        assert!(project.value(slot, "hisEndVal").is_null(), "{changes}");
        change(&mut project, back);
    }
    assert_eq!(project.value(slot, "hisSize"), size);
}

#[test]
fn the_tags_that_tell_are_transient() {
    let (mut project, slot) = point(POWER);
    let before = (project.version(), project.dict(slot, Layer::Persistent));
    project.his_write(slot, &items(&[(0, "1"), (3, "4")]), Clear::Nothing).unwrap();
    assert_eq!((project.version(), project.dict(slot, Layer::Persistent)), before);
    let told = project.dict(slot, Layer::Transient);
    assert_eq!(told.get("hisSize"), Some(&Value::from(2.0)));
    assert_eq!(told.get("hisStart"), Some(&Value::from(at(0))));
    assert_eq!(told.get("hisEndVal"), Some(&zinc::read_value("4kW").unwrap()));
}

#[test]
fn a_history_goes_with_its_record_and_versions_keep_it() {
    let versions = std::sync::Arc::new(base::Versions::default());
    let (mut project, slot) = point(POWER);
    let many: Items = (0..5000).map(|second| (at(second), 1.0.into())).collect();
    project.his_write(slot, &many, Clear::Nothing).unwrap();
    let (frozen, full) = (project.freeze(&versions), project.memory());
    let remove = Diff::remove("p", None).unwrap().with(Flags::FORCE);
    project.commit(&[remove], at(1)).unwrap();
    let add = Diff::add("q", dict("point his tz:\"UTC\" kind:\"Number\"")).unwrap();
    let again = project.commit(&[add], at(1)).unwrap()[0].slot;
    assert_eq!((again, project.his_size(again)), (slot, 0));
    assert!(project.memory() < full);
    let read = frozen.his_read(slot, None, &HisOptions::default()).unwrap();
    assert_eq!(read.len(), 5000);
    drop(frozen);
    assert_eq!(versions.kept(), 0);
}

/// What is kept is told also of a record that is no point any more.
#[test]
fn samples_are_told_as_they_are_kept() {
    let (mut project, slot) = point(POWER);
    let many: Items = (0..1500).map(|second| item(second, "7kW")).collect();
    project.his_write(slot, &many, Clear::Nothing).unwrap();
    change(&mut project, "trash\nunit:R");
    let kept: Vec<_> = project.his_kept(slot).collect();
    let expected = many.iter().map(|(at, _)| (at.nanos() / 1_000_000, Value::from(7.0)));
    assert_eq!(kept, expected.collect::<Vec<_>>());
    assert_eq!(project.his_kept(slot + 1).count(), 0);
}
