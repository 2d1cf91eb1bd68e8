//! What is promised of every command in the table, and `COMMAND INFO` beside that of Redis.
#![allow(clippy::unwrap_used)] // a test says why by failing

#[path = "../../base/tests/oracle/mod.rs"]
mod oracle;
mod seats;

use std::io::{Read, Write};

use kvist_engine::{Action, Entry};
use seats::{Seat, engine};
use wire::{ReplyParser, Value};

/// Commands whose arity Redis gives beside their documented arguments.
const ARITY_OF_ITS_OWN: [&str; 6] =
    ["client|kill", "command", "command|getkeys", "command|getkeysandflags", "debug", "quit"];

/// Commands that Redis 7.0 does not have.
const OURS: [&str; 2] = ["client|no-touch", "client|setinfo"];

#[test]
fn every_arity_follows_from_the_grammar() {
    let engine = engine();
    for entry in engine.table.entries() {
        let given = entry.spec.arity;
        let exempt =
            ARITY_OF_ITS_OWN.contains(&entry.name()) || matches!(entry.action, Action::Container);
        if given != 0 && !exempt {
            let words = i32::try_from(entry.words).unwrap();
            let derived = base::grammar::arity(&entry.arguments, words);
            assert_eq!(given, derived, "{}", entry.name());
        }
    }
}

#[test]
fn every_command_is_described() {
    let engine = engine();
    for entry in engine.table.entries() {
        let spec = entry.spec;
        let name = entry.name();
        assert!(name.chars().all(|c| !c.is_ascii_uppercase()), "{name}");
        assert!(spec.summary.len() > 9 && spec.summary.ends_with('.'), "summary of {name}");
        assert_eq!(spec.summary.matches(". ").count(), 0, "one sentence for {name}");
        assert!(spec.since.split('.').count() == 3, "version of {name}");
        assert_eq!(name.contains('|'), entry.parent.is_some(), "{name}");
        let named = engine.table.by_name(name.to_ascii_uppercase().as_bytes());
        assert_eq!(named.map(Entry::name), Some(name));
    }
}

/// A reply without what Redis leaves open: sets have no order, nor have subcommands; notes are
/// prose. Subcommands that only one side has are left out.
fn normal(value: Value, ours: &kvist_engine::Table) -> Value {
    match value {
        Value::Set(mut items) => {
            items = items.into_iter().map(|item| normal(item, ours)).collect();
            items.sort_by_key(|item| format!("{item:?}"));
            Value::Set(items)
        }
        Value::Map(pairs) => {
            let mut pairs: Vec<_> = pairs
                .into_iter()
                .filter(|(name, _)| name.as_bytes() != Some(b"notes"))
                .map(|(name, value)| (name, normal(value, ours)))
                .collect();
            pairs.sort_by_key(|(name, _)| format!("{name:?}"));
            Value::Map(pairs)
        }
        Value::Array(items) => {
            let described = |item: &Value| match item {
                Value::Array(facts) => facts.first().and_then(Value::as_bytes).map(<[u8]>::to_vec),
                _ => None,
            };
            let shared = |item: &Value| {
                described(item).is_none_or(|name| {
                    ours.by_name(&name).is_some() && !OURS.iter().any(|n| n.as_bytes() == name)
                })
            };
            let mut items: Vec<Value> = items.into_iter().filter(shared).collect();
            items = items.into_iter().map(|item| normal(item, ours)).collect();
            if items.iter().all(|item| described(item).is_some()) {
                items.sort_by_key(|item| described(item));
            }
            Value::Array(items)
        }
        other => other,
    }
}

fn parse(bytes: &[u8]) -> Option<Value> {
    let mut parser = ReplyParser::new();
    parser.feed(bytes);
    parser.next_value().unwrap()
}

#[test]
fn command_info_is_that_of_redis() {
    let Some(oracle) = oracle::Oracle::start(&[]) else { return };
    let engine = engine();
    let mut seat = Seat::new(&engine);
    let mut stream = oracle.connect();
    let mut known = 0;
    stream.write_all(b"HELLO 3\r\n").unwrap();
    let mut theirs = Vec::new();
    let mut buffer = [0; 65536];
    while parse(&theirs).is_none() {
        let n = stream.read(&mut buffer).unwrap();
        theirs.extend_from_slice(&buffer[..n]);
    }
    seat.ask("HELLO 3");
    for entry in engine.table.entries().iter().filter(|e| !OURS.contains(&e.name())) {
        let request = format!("COMMAND INFO {}\r\n", entry.name());
        stream.write_all(request.as_bytes()).unwrap();
        theirs.clear();
        while parse(&theirs).is_none() {
            let n = stream.read(&mut buffer).unwrap();
            theirs.extend_from_slice(&buffer[..n]);
        }
        let (ours, _) = seat.feed(&request);
        let ours = normal(parse(ours.as_bytes()).unwrap(), &engine.table);
        let theirs = normal(parse(&theirs).unwrap(), &engine.table);
        assert_eq!(ours, theirs, "COMMAND INFO {}", entry.name());
        known += 1;
    }
    assert!(known > 100, "{known} commands compared");
}
