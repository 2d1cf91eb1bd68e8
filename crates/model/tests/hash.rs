//! What random choices and size make of hash commands, and what the journal is told.

use std::collections::{BTreeMap, BTreeSet};

use base::{PackLimits, Protocol};

use crate::stage::{Stage, elements};

fn stage_with_fields(fields: usize) -> Stage {
    let mut stage = Stage::new();
    let fields: Vec<_> = (0..fields).map(|n| format!("f{n} v{n}")).collect();
    stage.ask(&format!("HSET h {}", fields.join(" ")));
    stage
}

#[test]
fn the_journal_is_told_what_replays_the_same() {
    let mut stage = Stage::new();
    for (line, effect) in [
        ("HSET h a 1", "as sent"),
        ("HSET h a 1", "as sent"),
        ("HMSET h b 2", "as sent"),
        ("HSETNX h a 2", "none"),
        ("HSETNX h c 3", "as sent"),
        ("HINCRBY h a 2", "as sent"),
        ("HINCRBY h a x", "none"),
        ("HINCRBYFLOAT h a 0.10", "HSET h a 3.1"),
        ("HGETALL h", "none"),
        ("HDEL h none", "none"),
        ("HDEL missing none", "none"),
        ("HDEL h a none", "as sent"),
        ("HRANDFIELD h", "none"),
    ] {
        assert_eq!(stage.effect(line), effect, "{line}");
    }
}

#[test]
fn a_hash_changes_form_at_the_limits() {
    let limits = PackLimits { hash_entries: 2, hash_value: 3, ..PackLimits::default() };
    let mut stage = Stage::with_limits(limits);
    for (line, reply) in [
        ("HSET h a 1 b 2", ":2"),
        ("OBJECT ENCODING h", "$8|listpack"),
        ("HSET h a 333", ":0"),
        ("OBJECT ENCODING h", "$8|listpack"),
        ("HSET h c 3", ":1"),
        ("OBJECT ENCODING h", "$9|hashtable"),
        ("HDEL h a b", ":2"),
        ("OBJECT ENCODING h", "$9|hashtable"),
        ("HSET i a 4444", ":1"),
        ("OBJECT ENCODING i", "$9|hashtable"),
        ("HINCRBY j n 999", ":999"),
        ("OBJECT ENCODING j", "$8|listpack"),
        ("HINCRBY j n 1", ":1000"),
        ("OBJECT ENCODING j", "$9|hashtable"),
        ("HINCRBYFLOAT k n 10.25", "$5|10.25"),
        ("OBJECT ENCODING k", "$9|hashtable"),
    ] {
        assert_eq!(stage.reply(line), reply, "{line}");
    }
}

#[test]
fn random_fields_are_fields_and_come_with_their_values() {
    for fields in [1, 20, 600] {
        let mut stage = stage_with_fields(fields);
        let all: BTreeSet<String> = (0..fields).map(|n| format!("f{n}")).collect();
        for count in [1, 2, fields / 2, fields, fields + 5] {
            let drawn = elements(&stage.ask(&format!("HRANDFIELD h {count}")).reply);
            let distinct: BTreeSet<String> = drawn.iter().cloned().collect();
            assert_eq!(drawn.len(), count.min(fields));
            assert_eq!(distinct.len(), drawn.len(), "no field twice");
            assert!(distinct.is_subset(&all));
            let pairs = elements(&stage.ask(&format!("HRANDFIELD h -{count} WITHVALUES")).reply);
            assert_eq!(pairs.len(), 2 * count);
            assert!(pairs.chunks(2).all(|pair| pair[0][1..] == pair[1][1..]));
        }
    }
}

#[test]
fn every_field_is_drawn_sooner_or_later() {
    for fields in [5, 600] {
        let mut stage = stage_with_fields(fields);
        let mut seen = BTreeSet::new();
        for _ in 0..fields * 30 {
            seen.extend(elements(&stage.ask("HRANDFIELD h").reply));
        }
        assert_eq!(seen.len(), fields);
    }
}

#[test]
fn a_walk_finds_every_field_with_its_value() {
    let mut stage = stage_with_fields(2000);
    stage.protocol = Protocol::Resp3;
    for (options, wanted) in [("", 2000), ("COUNT 100", 2000), ("MATCH f1?", 10)] {
        let mut found = BTreeMap::new();
        let (mut cursor, mut steps) = ("0".to_owned(), 0);
        loop {
            let step = elements(&stage.ask(&format!("HSCAN h {cursor} {options}")).reply);
            let (next, pairs) = step.split_first().expect("a cursor");
            found.extend(pairs.chunks(2).map(|pair| (pair[0].clone(), pair[1].clone())));
            steps += 1;
            cursor.clone_from(next);
            if cursor == "0" {
                break;
            }
        }
        assert_eq!(found.len(), wanted, "{options}");
        assert!(found.iter().all(|(field, value)| field[1..] == value[1..]));
        assert!(steps > 1, "a large hash is not answered in one step");
    }
}
