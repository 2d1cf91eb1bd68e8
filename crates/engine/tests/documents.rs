//! JSON documents at every door but their own commands: payloads, files of Redis, keys that move,
//! snapshots and the journal.
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::path::Path;
use std::sync::Arc;

use kvist_engine::Engine;
use kvist_engine::persistence::Reason;
use rdb::{Encoder, Header, Limits, Meta, Module, ModulePart, Value, Writer, dump};
use store::{Object, Value as Kept};
use testkit::folder::Folder;

use crate::data_dir::open;
use crate::test_client::{TestClient, engine, engine_with};

const TEXT: &str = r#"{"a":[1,2.5,"drei",null],"b":{"c":true,"d":"\n"},"e":-0.0}"#;

/// `{"a":1,"b":[2,3]}` and an array of half floats, which is kept packed.
const CBOR: &[u8] = b"\xa3\x61a\x01\x61b\x82\x02\x03\x61v\xd8\x50\x44\xc3\xd8\x3c\x00";
const CBOR_TEXT: &str = r#"{"a":1,"b":[2,3],"v":[-3.921875,1.0]}"#;

/// The value of a module's type, in an encoding.
fn module(name: &str, version: u16, parts: Vec<ModulePart>) -> Value {
    Value::Module(Module { id: Module::id_of(name, version).unwrap(), parts })
}

fn text(text: &str) -> Vec<ModulePart> {
    vec![ModulePart::String(text.as_bytes().to_vec())]
}

/// A document in each encoding that can be read, and its text.
fn readable() -> [(Value, &'static str); 4] {
    let mut more = text(" [1 , 2] ");
    more.extend([ModulePart::Unsigned(7), ModulePart::String(b"more".to_vec())]);
    [
        (module("ReJSON-RL", 2, text(TEXT)), TEXT),
        (module("ReJSON-RL", 3, text("\"plain\"")), "\"plain\""),
        (module("ReJSON-RL", 3, more), "[1,2]"),
        (module("ReJSON-RL", 4, vec![ModulePart::String(CBOR.to_vec())]), CBOR_TEXT),
    ]
}

/// What cannot be read.
fn unreadable() -> [Value; 6] {
    [
        module("ReJSON-RL", 0, vec![ModulePart::Unsigned(8), ModulePart::Signed(1)]),
        module("ReJSON-RL", 2, text("[1")),
        module("ReJSON-RL", 3, vec![ModulePart::Signed(3)]),
        module("ReJSON-RL", 4, vec![ModulePart::String(CBOR[..9].to_vec())]),
        module("ReJSON-RL", 9, text("[1]")),
        module("ReJSON-XX", 2, text("[1]")),
    ]
}

fn payload(value: &Value) -> Vec<u8> {
    dump::encode(&mut Encoder::new(Limits::default(), true), value)
}

fn ask(client: &mut TestClient, words: &[&[u8]]) -> Vec<u8> {
    let mut out = Vec::new();
    client.worker.execute(&mut client.session, words, &mut out);
    out
}

fn restore(client: &mut TestClient, key: &str, value: &Value) -> String {
    let reply = ask(client, &[b"RESTORE", key.as_bytes(), b"0", &payload(value), b"REPLACE"]);
    String::from_utf8(reply).unwrap().trim_end().to_owned()
}

/// What `DUMP` answers, read.
fn dumped(client: &mut TestClient, key: &str) -> Module {
    let reply = ask(client, &[b"DUMP", key.as_bytes()]);
    let at = reply.iter().position(|&byte| byte == b'\n').unwrap() + 1;
    match dump::decode(&reply[at..reply.len() - 2]).unwrap() {
        Value::Module(module) => module,
        other => panic!("{other:?}"),
    }
}

/// Database, key, deadline, whether there is a tree, text.
type Told = (usize, Vec<u8>, Option<u64>, bool, Vec<u8>);

/// Every document with what of it can be told apart: its text, or the bytes of its tree.
fn documents(engine: &Arc<Engine>) -> Vec<Told> {
    let mut client = TestClient::new(engine);
    let mut found = Vec::new();
    for db in 0..engine.store.databases() {
        for shard in 0..engine.store.shards() {
            store::each_entry(&mut client.worker.txn.held, shard, db, &mut |seen| {
                let Kept::Object(Object::Json(json)) = seen.value else { return };
                let document = json.document().unwrap();
                let mut bytes = Vec::new();
                match document.tree() {
                    Some(tree) => {
                        tree.root().encode(&mut bytes);
                        // An object may have a form it shares, or not yet: here it is the same.
                        bytes.iter_mut().filter(|byte| **byte == 11).for_each(|byte| *byte = 10);
                    }
                    None => bytes.extend_from_slice(document.text().unwrap()),
                }
                let is_tree = document.tree().is_some();
                found.push((db, seen.key.to_vec(), seen.deadline, is_tree, bytes));
            });
        }
    }
    found.sort();
    found
}

#[test]
fn every_encoding_is_restored_and_text_is_dumped() {
    let mut client = TestClient::new(&engine());
    for (value, text) in readable() {
        assert_eq!(restore(&mut client, "k", &value), "+OK", "{value:?}");
        assert_eq!(client.ask("TYPE k"), "+ReJSON-RL");
        let module = dumped(&mut client, "k");
        assert_eq!((module.name().as_str(), module.version()), ("ReJSON-RL", 2));
        assert_eq!(module.parts, self::text(text));
        assert_eq!(restore(&mut client, "again", &Value::Module(module)), "+OK");
        assert_eq!(dumped(&mut client, "again").parts, self::text(text));
    }
    let digest = client.ask("DEBUG DIGEST-VALUE k");
    for value in unreadable() {
        assert_eq!(restore(&mut client, "k", &value), "-ERR Bad data format", "{value:?}");
    }
    assert_eq!(client.ask("DEBUG DIGEST-VALUE k"), digest);
    assert_eq!(client.ask("DBSIZE"), ":2");
}

#[test]
fn commands_on_keys_take_documents() {
    let mut client = TestClient::new(&engine_with("enable-debug-command yes"));
    assert_eq!(restore(&mut client, "k", &readable()[0].0), "+OK");
    let digest = client.ask("DEBUG DIGEST-VALUE k");
    // A deadline is a part of it.
    assert_ne!(digest, "*1\r\n+0000000000000000000000000000000000000000");
    for (line, reply) in [
        ("OBJECT ENCODING k", "$3\r\nraw"),
        ("OBJECT REFCOUNT k", ":1"),
        ("OBJECT IDLETIME k", ":0"),
        ("EXISTS k", ":1"),
        ("PEXPIREAT k 9000000000000", ":1"),
        ("COPY k copy", ":1"),
        ("COPY k copy", ":0"),
        ("COPY k far DB 3", ":1"),
        ("RENAME copy renamed", "+OK"),
        ("RENAMENX renamed k", ":0"),
        ("PEXPIRETIME renamed", ":9000000000000"),
        ("PERSIST renamed", ":1"),
        ("PERSIST k", ":1"),
        ("MOVE renamed 2", ":1"),
        ("SCAN 0 TYPE rejson-rl", "*2\r\n$1\r\n0\r\n*1\r\n$1\r\nk"),
        ("SCAN 0 TYPE ReJSON-RL", "*2\r\n$1\r\n0\r\n*1\r\n$1\r\nk"),
        ("SCAN 0 TYPE hash", "*2\r\n$1\r\n0\r\n*0"),
        ("SELECT 2", "+OK"),
        ("TYPE renamed", "+ReJSON-RL"),
        ("SWAPDB 2 3", "+OK"),
        ("TYPE far", "+ReJSON-RL"),
        ("SELECT 3", "+OK"),
        ("TOUCH renamed", ":1"),
        ("UNLINK renamed", ":1"),
        ("SELECT 0", "+OK"),
    ] {
        assert_eq!(client.ask(line), reply, "{line}");
    }
    let wrong = "WRONGTYPE Operation against a key holding the wrong kind of value";
    for line in ["SORT k", "GET k", "APPEND k x", "LPUSH k x", "HGET k f", "SMEMBERS k", "ZCARD k"]
    {
        assert_eq!(client.ask(line), format!("-{wrong}"), "{line}");
    }
    assert_eq!(client.ask("SET other 1"), "+OK");
    assert!(client.ask("JSON.TYPE other").starts_with("-Existing key has wrong Redis type"));
    assert_eq!(client.ask("DEBUG DIGEST-VALUE k"), digest);
    let number = |reply: String| match reply.strip_prefix(':').map(str::parse::<usize>) {
        Some(Ok(number)) => number,
        _ => panic!("{reply} is no number"),
    };
    let lying = number(client.ask("MEMORY USAGE k"));
    assert!(lying > TEXT.len());
    // A command that looks inside has the tree built, which is memory, too.
    assert_eq!(client.ask("JSON.TYPE k a"), "$5\r\narray");
    assert!(number(client.ask("MEMORY USAGE k SAMPLES 0")) > lying);
    assert_eq!(client.ask("DEBUG DIGEST-VALUE k"), digest);
    assert_eq!(client.ask("CONFIG SET maxmemory-policy allkeys-lfu"), "+OK");
    // Settings are looked at again with the next batch.
    client.worker.begin(1_000_000);
    assert!(number(client.ask("OBJECT FREQ k")) > 0);
    let whole = client.ask("DEBUG DIGEST");
    assert_eq!(client.ask("SET k text"), "+OK");
    assert_eq!(client.ask("TYPE k"), "+string");
    assert_ne!(client.ask("DEBUG DIGEST"), whole);
}

#[test]
fn digests_tell_documents_apart_and_not_their_form() {
    let mut client = TestClient::new(&engine_with("enable-debug-command yes"));
    let mut digests = Vec::new();
    for text in ["{}", "[]", "null", "1", "1.0", "\"1\"", "{\"a\":1}", "[1]", "[1.0]", "{\"a\":2}"]
    {
        restore(&mut client, "k", &module("ReJSON-RL", 2, self::text(text)));
        let lying = client.ask("DEBUG DIGEST-VALUE k");
        assert_eq!(client.ask("JSON.TYPE k no.such"), "$-1", "{text}");
        assert_eq!(client.ask("DEBUG DIGEST-VALUE k"), lying, "{text}");
        digests.push(lying);
    }
    let count = digests.len();
    digests.sort();
    digests.dedup();
    assert_eq!(digests.len(), count);
}

/// A snapshot of Redis with these keys in database 1.
fn snapshot(path: &Path, keys: &[(&str, &Value)]) {
    let mut writer = Writer::new(Vec::new(), Limits::default(), true, true).unwrap();
    let header = Header {
        redis_version: "8.0.0",
        created: 1,
        used_memory: 1,
        replication: None,
        aof_base: false,
    };
    writer.header(&header).unwrap();
    writer.database(1, keys.len() as u64, 0).unwrap();
    for (name, value) in keys {
        writer.key(Meta::default(), name.as_bytes(), value).unwrap();
    }
    std::fs::write(path, writer.finish().unwrap()).unwrap();
}

#[test]
fn snapshots_with_documents_are_taken_over() {
    let folder = Folder::new("engine");
    let readable = readable();
    let names = ["a", "b", "c", "d"];
    let keys: Vec<(&str, &Value)> =
        names.into_iter().zip(readable.iter().map(|(value, _)| value)).collect();
    snapshot(&folder.join("dump.rdb"), &keys);
    // From the file of Redis, and then from our own.
    for round in 0..2 {
        let (engine, recovered) = open(folder.path(), "").unwrap();
        assert_eq!(recovered.imported.is_some(), round == 0);
        let mut client = TestClient::new(&engine);
        client.ask("SELECT 1");
        assert_eq!(client.ask("DBSIZE"), ":4");
        for (name, (_, text)) in names.into_iter().zip(&readable) {
            assert_eq!(dumped(&mut client, name).parts, self::text(text), "{name} in {round}");
        }
        engine.close_data_dir();
    }
}

#[test]
fn documents_that_cannot_be_read_are_counted() {
    let folder = Folder::new("engine");
    let (readable, unreadable, plain) = (readable(), unreadable(), Value::String(b"v".to_vec()));
    let mut keys = vec![("good", &readable[0].0), ("plain", &plain)];
    keys.extend(["u0", "u1", "u2", "u3", "u4", "u5"].into_iter().zip(&unreadable));
    snapshot(&folder.join("dump.rdb"), &keys);
    let refused = open(folder.path(), "").err().unwrap();
    for (count, what) in [
        (1, "ReJSON-RL 0"),
        (1, "ReJSON-RL 2"),
        (1, "ReJSON-RL 3"),
        (1, "ReJSON-RL 4"),
        (1, "ReJSON-RL 9"),
        (1, "ReJSON-XX"),
    ] {
        let said = format!("{count} keys of the module type {what}");
        assert!(refused.contains(&said), "{said} is not in {refused}");
    }
    assert!(refused.contains("import-skip-unknown"), "{refused}");
    assert!(!folder.join("MANIFEST").exists());
    let (engine, recovered) = open(folder.path(), "import-skip-unknown yes").unwrap();
    let imported = recovered.imported.unwrap();
    assert_eq!((imported.keys, imported.loss.module_keys.values().sum::<u64>()), (2, 6));
    let mut client = TestClient::new(&engine);
    client.ask("SELECT 1");
    assert_eq!(dumped(&mut client, "good").parts, text(TEXT));
    engine.close_data_dir();
}

#[test]
fn append_only_files_with_documents_are_taken_over() {
    let folder = Folder::new("engine");
    let (value, wanted) = &readable()[3];
    let payload = payload(value);
    let lines: [&[&[u8]]; 4] = [
        &[b"SELECT", b"1"],
        &[b"RESTORE", b"k", b"0", &payload],
        &[b"COPY", b"k", b"c"],
        &[b"RENAME", b"k", b"r"],
    ];
    let bytes: Vec<u8> =
        lines.iter().flat_map(|words| wire::request(words.iter().copied())).collect();
    std::fs::write(folder.join("appendonly.aof"), bytes).unwrap();
    let (engine, recovered) = open(folder.path(), "").unwrap();
    assert!(recovered.imported.unwrap().loss.is_nothing());
    let mut client = TestClient::new(&engine);
    client.ask("SELECT 1");
    for key in ["c", "r"] {
        assert_eq!(dumped(&mut client, key).parts, text(wanted));
    }
    engine.close_data_dir();
}

/// Documents of every form, in two databases, one of them mortal, some of them looked into.
fn fill(client: &mut TestClient) {
    for db in ["1", "0"] {
        client.ask(&format!("SELECT {db}"));
        for (number, (value, _)) in readable().iter().enumerate() {
            for copy in 0..20 {
                let key = format!("doc:{number}:{copy}");
                assert_eq!(restore(client, &key, value), "+OK");
                if copy % 2 == 1 {
                    assert!(!client.ask(&format!("JSON.TYPE {key} .")).starts_with('-'));
                }
            }
        }
    }
    assert_eq!(client.ask("PEXPIREAT doc:0:0 9000000000000"), ":1");
    assert_eq!(client.ask("COPY doc:0:1 doc:copy DB 1"), ":1");
}

/// What changes keys without looking into them.
fn shuffle(client: &mut TestClient) {
    for (line, reply) in [
        ("RENAME doc:0:2 renamed", "+OK"),
        ("COPY doc:3:1 copied", ":1"),
        ("MOVE doc:1:3 5", ":1"),
        ("DEL doc:2:1 doc:2:2", ":2"),
        ("SET doc:1:1 text", "+OK"),
        ("PEXPIREAT copied 9000000000001", ":1"),
        ("SWAPDB 1 2", "+OK"),
    ] {
        assert_eq!(client.ask(line), reply, "{line}");
    }
}

#[test]
fn what_is_recovered_is_what_was_there() {
    for (saved_before, saved_after) in [(false, false), (true, false), (false, true), (true, true)]
    {
        let folder = Folder::new("engine");
        let lines = "appendonly yes\nsave \"\"";
        let (engine, _) = open(folder.path(), lines).unwrap();
        let mut client = TestClient::new(&engine);
        fill(&mut client);
        if saved_before {
            engine.save(Reason::Save, true).unwrap();
        }
        shuffle(&mut client);
        if saved_after {
            engine.save(Reason::Save, true).unwrap();
        }
        let wanted = (client.ask("DEBUG DIGEST"), documents(&engine));
        engine.store.log().sync().unwrap();
        engine.close_data_dir();
        let (engine, recovered) = open(folder.path(), lines).unwrap();
        assert_eq!(recovered.failed, 0);
        let mut client = TestClient::new(&engine);
        let found = (client.ask("DEBUG DIGEST"), documents(&engine));
        assert_eq!(found.0, wanted.0, "saved before: {saved_before}, after: {saved_after}");
        assert_eq!(found.1.len(), wanted.1.len());
        for (found, wanted) in found.1.iter().zip(&wanted.1) {
            assert_eq!((found.0, &found.1, found.2), (wanted.0, &wanted.1, wanted.2));
            // Looking is not written down, so only a snapshot tells whether there is a tree; the
            // bytes of a tree tell whether its floats are packed.
            if saved_after {
                assert_eq!((found.3, &found.4), (wanted.3, &wanted.4));
            }
        }
        let digest = client.ask("DEBUG DIGEST");
        assert_eq!(client.ask("DEBUG RELOAD"), "+OK");
        assert_eq!(client.ask("DEBUG DIGEST"), digest);
        engine.close_data_dir();
    }
}
