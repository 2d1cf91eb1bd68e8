//! The walk by itself: cuts that are allowed, and cuts that are not.

use differential::command::Command;

use super::*;
use crate::unit::Step;
use crate::value::Entry;

/// A partition that has sent these commands; the first `acked` were answered, one per second.
fn partition(prefix: &str, lines: &[&str], acked: usize) -> Partition {
    let mut partition = Partition::new(prefix.as_bytes());
    for (n, line) in lines.iter().enumerate() {
        let steps = line.split("; ").map(|line| {
            let words: Vec<&str> = line.split(' ').collect();
            Step { db: 0, command: Command::words(&words) }
        });
        let steps: Vec<Step> = steps.collect();
        let group = steps.len() > 1;
        let mut unit = Unit::new(steps, group);
        unit.global = line.starts_with("FLUSHDB");
        unit.acked = (n < acked).then(|| i64::try_from(n).unwrap() * 1000);
        partition.units.push(unit);
    }
    partition
}

fn seen(keys: &[(&str, &str)]) -> Observation {
    let entry = |text: &str| Entry::lasting(Value::Text(text.into()));
    let keys = keys.iter().map(|(key, text)| ((0, key.as_bytes().to_vec()), entry(text)));
    Observation { keys: keys.collect(), from: 0, to: 0 }
}

fn clean(partitions: &[Partition], found: &[(&str, &str)], acked_by: i64) -> bool {
    let promise = Promise { acked_by, counter_seen: 0 };
    check(partitions, &seen(found), promise).is_empty()
}

#[test]
fn all_that_was_acknowledged_and_any_part_of_the_rest() {
    let partitions =
        [partition("a:", &["SET a:s1 1", "SET a:s2 2", "SET a:s3 3", "SET a:s4 4"], 2)];
    let all = Promise::EVERYTHING;
    assert!(!clean(&partitions, &[("a:s1", "1")], all), "an acknowledged write is missing");
    assert!(clean(&partitions, &[("a:s1", "1"), ("a:s2", "2")], all));
    assert!(clean(&partitions, &[("a:s1", "1"), ("a:s2", "2"), ("a:s3", "3")], all));
    let skipped = [("a:s1", "1"), ("a:s2", "2"), ("a:s4", "4")];
    assert!(!clean(&partitions, &skipped, all), "a later write without the earlier one");
    assert!(
        !clean(&partitions, &[("a:s1", "1"), ("a:s2", "2"), ("a:s9", "")], all),
        "an invention"
    );
    assert!(clean(&partitions, &[], Promise::NOTHING));
    assert!(!clean(&partitions, &[("a:s2", "2")], Promise::NOTHING), "no prefix");
}

#[test]
fn only_the_last_second_may_be_missing() {
    let partitions = [partition("a:", &["SET a:s1 1", "SET a:s2 2", "SET a:s3 3"], 3)];
    assert!(clean(&partitions, &[("a:s1", "1"), ("a:s2", "2")], 1000));
    assert!(!clean(&partitions, &[("a:s1", "1")], 1000));
}

#[test]
fn a_group_is_whole_or_absent() {
    let partitions = [partition("a:", &["SET a:s1 1; SET a:s2 1"], 0)];
    assert!(clean(&partitions, &[], Promise::EVERYTHING));
    assert!(clean(&partitions, &[("a:s1", "1"), ("a:s2", "1")], Promise::EVERYTHING));
    assert!(!clean(&partitions, &[("a:s1", "1")], Promise::EVERYTHING));
}

#[test]
fn global_units_happen_to_all_or_to_none() {
    let partitions = [
        partition("a:", &["SET a:s1 1", "FLUSHDB 0"], 1),
        partition("b:", &["SET b:s1 1", "FLUSHDB 0"], 1),
    ];
    assert!(clean(&partitions, &[], Promise::EVERYTHING));
    assert!(clean(&partitions, &[("a:s1", "1"), ("b:s1", "1")], Promise::EVERYTHING));
    assert!(!clean(&partitions, &[("a:s1", "1")], Promise::EVERYTHING));
}

#[test]
fn a_key_that_was_never_written_is_a_violation() {
    assert!(!clean(&[partition("a:", &[], 0)], &[("x", "1")], Promise::NOTHING));
}

#[test]
fn what_was_refused_by_a_server_going_down_is_not_there() {
    let query = |acked: usize| {
        let lines = ["SET a:s1 1", "GRAPH.QUERY a:g q", "SET a:s2 2"];
        let mut partitions = [partition("a:", &lines, acked)];
        partitions[0].units[1].steps[0].command =
            Command::words(&["GRAPH.QUERY", "a:g", "MERGE (n:N {id: 1}) SET n.v = 'x'"]);
        partitions
    };
    let found = [("a:s1", "1"), ("a:s2", "2")];
    let mut partitions = query(3);
    assert!(!clean(&partitions, &found, Promise::EVERYTHING), "an acknowledged graph is missing");
    partitions[0].units[1].refused.insert(0);
    assert!(clean(&partitions, &found, Promise::EVERYTHING));
    // Without a reply it may have been refused, if the server was asked to end.
    for (asked, sound) in [(false, false), (true, true)] {
        let mut partitions = query(1);
        partitions[0].close(i64::MAX, asked);
        assert_eq!(clean(&partitions, &found, Promise::EVERYTHING), sound, "asked: {asked}");
    }
}

#[test]
fn a_refusal_is_noted_with_its_step() {
    let mut partition = Partition::new(b"a:");
    partition.join(&Unit::new(
        vec![Step { db: 0, command: Command::words(&["SET", "a:s1", "1"]) }],
        false,
    ));
    let text = "ERR the query was ended: the server is shutting down".into();
    let refusal = differential::resp::Value::Line { kind: b'-', text };
    assert!(partition.acknowledge(0, &[refusal]));
    assert_eq!(partition.units[0].refused.iter().copied().collect::<Vec<_>>(), [0]);
    assert!(partition.violations.is_empty());
}
