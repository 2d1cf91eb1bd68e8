//! Places and numbers of tags are used again.

use haystack::{DateTime, Dict, Value, Zone};

use crate::{Diff, Flags, Project, limits};

fn now() -> DateTime {
    DateTime::from_nanos(1_700_000_000_000_000_000, Zone::UTC)
}

fn add(project: &mut Project, ids: impl Iterator<Item = usize>) {
    let diffs: Vec<Diff> =
        ids.map(|id| Diff::add(&format!("r{id}"), Dict::new()).unwrap()).collect();
    project.commit(&diffs, now()).unwrap();
}

fn remove(project: &mut Project, ids: impl Iterator<Item = usize>) {
    let one = |id| Diff::remove(&format!("r{id}"), None).unwrap().with(Flags::FORCE);
    let diffs: Vec<Diff> = ids.map(one).collect();
    project.commit(&diffs, now()).unwrap();
}

#[test]
fn a_project_that_was_large_is_small_again() {
    let mut project = Project::default();
    add(&mut project, 0..5_000);
    remove(&mut project, 3_000..4_000);
    project.check();
    assert_eq!((project.segments(), project.next_slot()), (5, Some(3_000)));
    remove(&mut project, 4_000..5_000);
    project.check();
    assert_eq!((project.end(), project.segments(), project.next_slot()), (3_000, 3, Some(3_000)));
    remove(&mut project, 5..2_999);
    remove(&mut project, 2_999..3_000);
    project.check();
    assert_eq!((project.end(), project.segments(), project.next_slot()), (5, 1, Some(5)));
    remove(&mut project, 0..5);
    assert_eq!((project.end(), project.segments(), project.next_slot()), (0, 0, Some(0)));
    add(&mut project, 0..2_000);
    project.check();
}

#[test]
fn tags_that_no_record_has_any_more_make_room_for_others() {
    let mut project = Project::default();
    add(&mut project, 0..2);
    let set = |project: &mut Project, id: &str, tags: std::ops::Range<usize>, value: Value| {
        let mut dict = Dict::new();
        tags.for_each(|number| dict.put(&format!("t{number}"), value.clone()).unwrap());
        let diff = Diff::update(id, dict, None).unwrap().with(Flags::FORCE);
        project.commit(&[diff], now())
    };
    let room = limits::MOST_TAGS - 10;
    set(&mut project, "r0", 0..room, Value::MARKER).unwrap();
    assert!(set(&mut project, "r1", room..room + 1, Value::MARKER).is_err());
    // What is unknown needs no room to be taken away.
    set(&mut project, "r1", room..room + 5, Value::REMOVE).unwrap();
    set(&mut project, "r0", 100..room, Value::REMOVE).unwrap();
    // Half of the new ones were known.
    set(&mut project, "r1", room - 50..room + 50, Value::MARKER).unwrap();
    assert!(set(&mut project, "r1", room + 50..2 * room, Value::MARKER).is_err());
    set(&mut project, "r1", room + 50..2 * room - 150, Value::MARKER).unwrap();
    let (r0, r1) = (project.slot_of("r0").unwrap(), project.slot_of("r1").unwrap());
    assert!(!project.value(r0, "t99").is_null() && project.value(r1, "t99").is_null());
    assert!(!project.value(r1, &format!("t{}", room + 60)).is_null());
    assert_eq!(project.tag_count(&format!("t{}", room - 60)), 0);
    assert_eq!(project.tags().count(), 2 + 100 + room - 100);
    project.check();
}

#[test]
fn ids_and_tags_count_with_their_project() {
    let mut project = Project::default();
    let memory = |project: &Project, id: usize| {
        let before = project.memory();
        let diffs = (0..1_000).map(|n| Diff::add(&format!("{n:0id$}"), Dict::new()).unwrap());
        let mut other = Project::default();
        other.commit(&diffs.collect::<Vec<_>>(), now()).unwrap();
        other.memory() - before
    };
    let more = memory(&project, 50) - memory(&project, 10);
    // How full the blocks are that find records by the hashes of ids differs from run to run.
    assert!(more.abs_diff(1_000 * 40) < 4_000, "{more}");
    add(&mut project, 0..1);
    let before = project.memory();
    let mut dict = Dict::new();
    (0..100).for_each(|n| dict.put(&format!("tag{n:050}"), Value::MARKER).unwrap());
    project.commit(&[Diff::add("x", dict).unwrap()], now()).unwrap();
    assert!(project.memory() > before + 100 * 53);
}
