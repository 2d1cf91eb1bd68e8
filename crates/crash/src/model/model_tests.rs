//! The model by itself: what it must get right for a walk to mean anything.

use super::*;
use crate::unit::Unit;

fn unit(sent: i64, lines: &[&str]) -> Unit {
    let step = |line: &&str| {
        let words: Vec<&str> = line.split(' ').collect();
        Step { db: 0, command: Command::words(&words) }
    };
    let mut unit = Unit::new(lines.iter().map(step).collect(), lines.len() > 1);
    unit.sent = sent;
    unit.done = sent;
    unit
}

fn model(lines: &[&str]) -> Model {
    let mut model = Model::new(b"a:");
    for line in lines {
        model.apply(&unit(0, &[line]), None);
    }
    model
}

fn at(model: &Model, key: &str) -> Option<Entry> {
    model.keys.get(&(0, key.as_bytes().to_vec())).cloned()
}

#[test]
fn an_expired_key_is_a_missing_key() {
    let mut model = model(&["SET a:s 1 PXAT 500000"]);
    assert!(at(&model, "a:s").is_some());
    model.apply(&unit(600_000, &["APPEND a:s x"]), None);
    assert_eq!(at(&model, "a:s"), Some(Entry::lasting(Value::Text(b"x".to_vec()))));
}

#[test]
fn deadlines_travel_and_vanish_as_they_do_in_redis() {
    let deadline = Some(Deadline::exact(900_000));
    let mut model = model(&["SET a:s 1 PXAT 900000", "APPEND a:s 2", "RENAME a:s a:t"]);
    assert_eq!(at(&model, "a:t").unwrap().deadline, deadline);
    model.apply(&unit(0, &["COPY a:t a:u"]), None);
    assert_eq!(at(&model, "a:u").unwrap().deadline, deadline);
    model.apply(&unit(0, &["SET a:u 3"]), None);
    assert_eq!(at(&model, "a:u").unwrap().deadline, None);
    model.apply(&unit(950_000, &["PEXPIREAT a:u 940000"]), None);
    assert_eq!(at(&model, "a:u"), None);
}

#[test]
fn an_emptied_collection_is_no_key_even_inside_a_group() {
    let mut model = model(&["RPUSH a:l 1", "PEXPIREAT a:l 900000"]);
    model.apply(&unit(0, &["LPOP a:l", "RPUSH a:l 2"]), None);
    assert_eq!(at(&model, "a:l").unwrap().deadline, None);
}

#[test]
fn a_pop_that_was_never_answered_is_told_by_what_is_missing() {
    let base = model(&["SADD a:t 1 2 3"]);
    let mut seen = model(&["SADD a:t 1 3"]);
    let mut tried = base.clone();
    tried.apply(&unit(0, &["SPOP a:t"]), Some(&seen.keys));
    assert_eq!(tried.keys, seen.keys);
    seen = model(&["SADD a:t 3"]);
    tried = base.clone();
    tried.apply(&unit(0, &["SPOP a:t"]), Some(&seen.keys));
    assert_ne!(tried.keys, seen.keys, "one pop does not take two");
}
