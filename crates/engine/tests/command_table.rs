//! What is promised of every command in the table, and `COMMAND INFO` beside that of Redis.
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::TcpStream;

use kvist_engine::{Action, Entry};
use testkit::oracle;
use wire::{ReplyParser, Value};

use crate::test_client::{self, TestClient, engine};

/// Commands whose arity Redis gives beside their documented arguments.
const ARITY_OF_ITS_OWN: [&str; 11] = [
    "client|kill",
    "command",
    "command|getkeys",
    "command|getkeysandflags",
    "debug",
    "geohash",
    "geopos",
    "pfmerge",
    "psync",
    "quit",
    "replconf",
];

/// Commands that Redis 7.0 does not have.
const OURS: [&str; 11] = [
    "backup",
    "client|no-touch",
    "client|setinfo",
    "flushwal",
    "prefix",
    "prefix.count",
    "range",
    "range.aggregate",
    "range.count",
    "range.delete",
    "snapshot",
];

/// Whether it is a command that Redis 7.0 without modules does not have.
fn is_ours(name: &str) -> bool {
    OURS.contains(&name)
        || name.starts_with("json.")
        || name.starts_with("graph.")
        || name.starts_with("folio.")
        || name.starts_with("ft.")
}

#[test]
fn every_arity_follows_from_the_grammar() {
    let engine = engine();
    for entry in engine.table.entries() {
        let given = entry.spec.arity;
        let exempt =
            ARITY_OF_ITS_OWN.contains(&entry.name()) || matches!(entry.action, Action::Container);
        if given != 0 && !exempt {
            let words = i32::try_from(entry.naming.words).unwrap();
            let derived = base::grammar::arity(&entry.syntax.arguments, words);
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
        assert_eq!(name.contains('|'), entry.naming.parent.is_some(), "{name}");
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

/// Asks Redis; its whole reply.
fn ask(stream: &mut TcpStream, request: &str) -> Value {
    stream.write_all(request.as_bytes()).unwrap();
    let (mut bytes, mut buffer) = (Vec::new(), [0; 65536]);
    loop {
        let n = stream.read(&mut buffer).unwrap();
        bytes.extend_from_slice(&buffer[..n]);
        if let Some(value) = parse(&bytes) {
            return value;
        }
    }
}

/// Asks both the same about every command, and compares the replies after `normal`.
fn compare_all(question: &str, normal: fn(Value, &kvist_engine::Table) -> Value) {
    let Some(oracle) = oracle::Oracle::start(&[]) else { return };
    let engine = engine();
    let mut client = TestClient::new(&engine);
    let mut stream = oracle.connect();
    let mut known = 0;
    ask(&mut stream, "HELLO 3\r\n");
    client.ask("HELLO 3");
    for entry in engine.table.entries().iter().filter(|e| !is_ours(e.name())) {
        let request = format!("{question} {}\r\n", entry.name());
        let theirs = normal(ask(&mut stream, &request), &engine.table);
        let (ours, _) = client.feed(&request);
        let ours = normal(parse(ours.as_bytes()).unwrap(), &engine.table);
        assert_eq!(ours, theirs, "{question} {}", entry.name());
        known += 1;
    }
    assert!(known > 100, "{known} commands compared");
}

#[test]
fn command_info_is_that_of_redis() {
    compare_all("COMMAND INFO", normal);
}

/// Documentation without its prose, which is our own; of a history the versions are left.
fn without_prose(value: Value, ours: &kvist_engine::Table) -> Value {
    let prose = [&b"summary"[..], b"complexity", b"replaced_by"];
    let name_of = |name: &Value| name.as_bytes().unwrap_or_default().to_vec();
    let shared = |name: &[u8]| {
        !name.contains(&b'|')
            || (ours.by_name(name).is_some() && !OURS.iter().any(|ours| ours.as_bytes() == name))
    };
    let version = |change: Value| match change {
        Value::Array(mut words) => words.remove(0),
        other => other,
    };
    match value {
        Value::Map(pairs) => {
            let pairs = pairs.into_iter().filter(|(name, _)| shared(&name_of(name)));
            let mut pairs: Vec<_> = pairs
                .map(|(name, value)| match (name_of(&name).as_slice(), value) {
                    (word, _) if prose.contains(&word) => (name, Value::Null),
                    (b"history", Value::Set(changes)) => {
                        (name, Value::Array(changes.into_iter().map(version).collect()))
                    }
                    (_, value) => (name, without_prose(value, ours)),
                })
                .collect();
            // The order of subcommands is arbitrary.
            pairs.sort_by_key(|(name, _)| name_of(name));
            Value::Map(pairs)
        }
        Value::Array(items) => {
            Value::Array(items.into_iter().map(|item| without_prose(item, ours)).collect())
        }
        Value::Set(mut items) => {
            items.sort_by_key(|item| format!("{item:?}"));
            Value::Set(items)
        }
        other => other,
    }
}

#[test]
fn command_docs_tell_what_those_of_redis_tell() {
    compare_all("COMMAND DOCS", without_prose);
}

/// What is missing yet, by the words its names begin with.
const SCRIPTING: [&str; 4] = ["eval", "fcall", "function", "script"];

/// The names in a reply, without those that only one side has by intent.
fn names(value: Value) -> BTreeSet<String> {
    let (Value::Array(items) | Value::Set(items)) = value else { panic!("{value:?}") };
    let name = |item: &Value| String::from_utf8(item.as_bytes().unwrap().to_vec()).unwrap();
    let shared =
        |name: &String| !is_ours(name) && !SCRIPTING.iter().any(|word| name.starts_with(word));
    items.iter().map(name).filter(shared).collect()
}

#[test]
fn the_lists_of_commands_are_those_of_redis() {
    let Some(oracle) = oracle::Oracle::start(&[]) else { return };
    let engine = engine();
    let mut client = TestClient::new(&engine);
    let mut stream = oracle.connect();
    let categories = names(ask(&mut stream, "ACL CAT\r\n"));
    assert!(categories.len() > 15);
    let mut questions: Vec<String> =
        categories.iter().map(|name| format!("COMMAND LIST FILTERBY ACLCAT {name}")).collect();
    let patterns = ["*", "get*", "*|*", "config|*", "nosuch*", "c*t", "?i*", "[a-c]*", "XINFO*"];
    questions.extend(patterns.map(|glob| format!("COMMAND LIST FILTERBY PATTERN {glob}")));
    questions.extend(["COMMAND LIST".to_owned(), "COMMAND LIST FILTERBY MODULE x".to_owned()]);
    for question in questions {
        let request = format!("{question}\r\n");
        let theirs = names(ask(&mut stream, &request));
        let ours = names(parse(client.feed(&request).0.as_bytes()).unwrap());
        assert_eq!(ours, theirs, "{question}");
    }
}

/// Every container answers HELP with lines, the last two about HELP itself.
#[test]
fn every_help_has_the_shape_of_that_of_redis() {
    let Some(oracle) = oracle::Oracle::start(&["--enable-debug-command", "yes"]) else { return };
    let engine = test_client::engine_with("enable-debug-command yes\n");
    let mut client = TestClient::new(&engine);
    let mut stream = oracle.connect();
    let mut asked = 0;
    let containers =
        engine.table.entries().iter().filter(|entry| !entry.naming.children.is_empty());
    let names = containers.map(Entry::name).chain(["debug", "object", "xinfo", "xgroup"]);
    // Without a cluster both refuse all of CLUSTER.
    for name in
        names.filter(|name| *name != "cluster" && !is_ours(name)).collect::<BTreeSet<&str>>()
    {
        let request = format!("{name} HELP\r\n");
        let lines = |value: Value| {
            let Value::Array(lines) = value else { panic!("{name}: {value:?}") };
            assert!(lines.iter().all(|line| matches!(line, Value::Simple(_))), "{name}");
            let text =
                |line: &Value| String::from_utf8_lossy(line.as_bytes().unwrap()).into_owned();
            lines.iter().map(text).collect::<Vec<String>>()
        };
        let theirs = lines(ask(&mut stream, &request));
        let ours = lines(parse(client.feed(&request).0.as_bytes()).unwrap());
        assert_eq!(ours[0], theirs[0], "{name}");
        assert_eq!(ours[ours.len() - 2], theirs[theirs.len() - 2], "{name}");
        assert!(ours[ours.len() - 1].starts_with("    "), "{name}");
        asked += 1;
    }
    assert!(asked >= 13, "{asked} containers");
}
