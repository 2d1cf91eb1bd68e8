//! Files of redis-server are read, and ours are loaded by it, with everything alike.
#![allow(clippy::unwrap_used, clippy::cast_possible_truncation)] // a test says why by failing

use std::process::Command;

use kvist_rdb::digest::Digest;
use kvist_rdb::{FieldTtlCount, Input, Item, Limits, Meta, Reader, Writer};
use testkit::oracle::{Client, Oracle};
use testkit::skip;

use crate::dataset;

/// What is asked of two servers that should hold the same.
fn portrait(client: &mut Client) -> Vec<String> {
    let mut answers = vec![client.say("DEBUG DIGEST"), client.say("FUNCTION LIST LIBRARYNAME o*")];
    for key in ["groups", "groups:empty"] {
        // How long consumers have been idle depends on when one asks.
        let full = client.say(&format!("XINFO STREAM {key} FULL"));
        answers.push(full);
    }
    answers.push(client.say("PEXPIRETIME few:hash"));
    for kind in ["list", "set", "intset", "hash", "zset"] {
        for name in ["few", "long", "many"] {
            answers.push(client.say(&format!("OBJECT ENCODING {name}:{kind}")));
        }
    }
    answers
}

fn items(file: &[u8]) -> (Reader<&[u8]>, Vec<Item>) {
    let mut reader = Reader::new(Input::new(file)).unwrap();
    let mut items = Vec::new();
    while let Some(item) = reader.next().unwrap() {
        items.push(item);
    }
    (reader, items)
}

/// The bytes of each item, under its name.
fn pieces(file: &[u8]) -> Vec<(String, &[u8])> {
    let mut reader = Reader::new(Input::new(file)).unwrap();
    let (mut pieces, mut start) = (Vec::new(), reader.offset());
    while let Some(item) = reader.next().unwrap() {
        let name = match item {
            Item::Key(key, _) => format!("{}/{}", key.db, key.name.escape_ascii()),
            other => format!("{other:?}"),
        };
        pieces.push((name, &file[start as usize..reader.offset() as usize]));
        start = reader.offset();
    }
    pieces
}

/// The same content as redis-server would write it.
fn rewrite(items: &[Item], limits: Limits, compress: bool) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new(), limits, compress, true).unwrap();
    let mut database = 0;
    for item in items {
        match item {
            Item::Aux { name, value } => writer.aux(name, value).unwrap(),
            Item::Function(code) => writer.function(code).unwrap(),
            Item::Database { db } => database = *db,
            Item::Resize { keys, mortal } => writer.database(database, *keys, *mortal).unwrap(),
            Item::Key(key, value) => {
                let meta =
                    Meta { deadline: key.deadline, idle: key.idle, frequency: key.frequency };
                writer.key(meta, &key.name, value).unwrap();
            }
            other => panic!("{other:?}"),
        }
    }
    writer.finish().unwrap()
}

fn digest(items: &[Item]) -> Digest {
    let mut digest = Digest::default();
    for item in items {
        match item {
            Item::Database { db } => digest.database(*db as u32),
            Item::Key(key, value) => digest.key(&key.name, value, key.deadline.is_some()),
            _ => {}
        }
    }
    digest
}

fn check_rdb(folder: &std::path::Path, file: &[u8]) {
    let path = folder.join("checked.rdb");
    std::fs::write(&path, file).unwrap();
    let Ok(output) = Command::new("redis-check-rdb").arg(&path).output() else {
        skip::without("redis-check-rdb", "redis-tools", "have files checked");
        return;
    };
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("RDB looks OK"), "{text}");
}

/// Entries that were deleted leave traces in a stream, and members in a set.
const TRACES: &[&str] = &["0/groups", "0/mixed"];

fn there_and_back(options: &[&str], limits: Limits, compress: bool, other_bytes: &[&str]) {
    let options = &[&["--enable-debug-command", "yes"], options].concat();
    let Some(first) = Oracle::start(options) else { return };
    let mut client = Client::new(&first);
    dataset::everything(&mut client);
    client.say("SAVE");
    let file = std::fs::read(first.folder().join("dump.rdb")).unwrap();
    let (reader, found) = items(&file);
    assert_eq!(reader.version(), 10);
    assert_eq!(reader.offset(), file.len() as u64);
    assert_eq!(reader.field_ttl_count(), FieldTtlCount::default());
    let keys = found.iter().filter(|item| matches!(item, Item::Key(..))).count();
    assert!(keys > 400, "{keys} keys");
    let theirs = portrait(&mut client);
    assert_eq!(format!("+{}", digest(&found)), theirs[0]);

    let ours = rewrite(&found, limits, compress);
    check_rdb(first.folder(), &ours);
    let (old, new) = (pieces(&file), pieces(&ours));
    assert_eq!(old.len(), new.len());
    let pairs = old.iter().zip(&new);
    let mut differing: Vec<_> =
        pairs.filter(|(old, new)| old != new).map(|pair| &*pair.0.0).collect();
    differing.sort_unstable();
    assert_eq!(differing, other_bytes);
    let Some(second) = Oracle::start_with(&[("dump.rdb", &ours)], options) else { return };
    let mut client = Client::new(&second);
    assert_eq!(portrait(&mut client), theirs);
}

#[test]
fn with_the_limits_of_the_default() {
    there_and_back(&[], Limits::default(), true, TRACES);
}

#[test]
fn without_compression() {
    there_and_back(&["--rdbcompression", "no"], Limits::default(), false, TRACES);
}

#[test]
fn with_nothing_packed() {
    let options = [
        ["--hash-max-listpack-entries", "0"],
        ["--set-max-intset-entries", "0"],
        ["--zset-max-listpack-entries", "0"],
        ["--list-max-listpack-size", "3"],
        ["--stream-node-max-entries", "5"],
    ]
    .concat();
    let limits = Limits {
        hash_entries: 0,
        set_intset_entries: 0,
        zset_entries: 0,
        list_size: 3,
        stream_entries: 5,
        ..Limits::default()
    };
    there_and_back(&options, limits, true, &["0/groups"]);
}

#[test]
fn with_everything_packed() {
    let options = [
        ["--hash-max-listpack-entries", "100000"],
        ["--hash-max-listpack-value", "100000"],
        ["--set-max-intset-entries", "100000"],
        ["--zset-max-listpack-entries", "100000"],
        ["--zset-max-listpack-value", "100000"],
        ["--list-max-listpack-size", "-5"],
        ["--stream-node-max-bytes", "0"],
        ["--stream-node-max-entries", "0"],
        ["--list-compress-depth", "1"],
    ]
    .concat();
    let limits = Limits {
        hash_entries: 100_000,
        hash_value: 100_000,
        set_intset_entries: 100_000,
        zset_entries: 100_000,
        zset_value: 100_000,
        list_size: -5,
        stream_bytes: 0,
        stream_entries: 0,
    };
    there_and_back(&options, limits, true, TRACES);
}

#[test]
fn frequencies_and_idle_times() {
    for (policy, meta) in [
        ("allkeys-lfu", Meta { frequency: Some(77), ..Meta::default() }),
        ("allkeys-lru", Meta { idle: Some(1000), ..Meta::default() }),
    ] {
        let mut writer = Writer::new(Vec::new(), Limits::default(), true, true).unwrap();
        writer.database(0, 1, 0).unwrap();
        writer.key(meta, b"k", &kvist_rdb::Value::String(b"v".to_vec())).unwrap();
        let file = writer.finish().unwrap();
        let options = ["--maxmemory-policy", policy];
        let Some(server) = Oracle::start_with(&[("dump.rdb", &file)], &options) else { return };
        let mut client = Client::new(&server);
        if meta.frequency.is_some() {
            assert_eq!(client.say("OBJECT FREQ k"), ":77");
        } else {
            assert_eq!(client.say("OBJECT IDLETIME k"), ":1000");
        }
        client.say("SAVE");
        let file = std::fs::read(server.folder().join("dump.rdb")).unwrap();
        let key = items(&file).1.into_iter().find_map(|item| match item {
            Item::Key(key, _) => Some(key),
            _ => None,
        });
        let key = key.unwrap();
        assert_eq!((key.idle, key.frequency), (meta.idle, meta.frequency));
    }
}

#[test]
fn plain_nodes_of_lists() {
    // Elements too large for a listpack, which only a debugging switch makes small enough to test.
    let Some(server) = Oracle::start(&["--enable-debug-command", "yes"]) else { return };
    let mut client = Client::new(&server);
    client.say("DEBUG QUICKLIST-PACKED-THRESHOLD 100b");
    let long = vec![b'x'; 500];
    client.ask(&[b"RPUSH", b"k", b"a", &long, b"b", b"c"]);
    let payload = client.ask(&[b"DUMP", b"k"]).pop().unwrap();
    let elements = [b"a".to_vec(), long, b"b".to_vec(), b"c".to_vec()].to_vec();
    assert_eq!(kvist_rdb::dump::decode(&payload).unwrap(), kvist_rdb::Value::List(elements));
}
