//! What a type gets for one line in `base::objects` and two traits: everything that happens to
//! values. Shown by the rings of `types::example`, whose commands are in
//! `commands::example`.
#![cfg(debug_assertions)] // rings are there in such builds only
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::path::Path;
use std::sync::Arc;

use kvist_engine::persistence::Reason;
use kvist_engine::{Engine, Start, redis_files};
use rdb::{Item, ModulePart, Value};
use testkit::folder::Folder;

use crate::data_dir;
use crate::rings::engine;
use crate::test_client::{TestClient, start};

/// One that has read this directory.
fn open(dir: &Path, lines: &str) -> Arc<Engine> {
    let data_dir = data_dir::unlocked(dir).unwrap();
    let start = Start {
        kept: data_dir.manifest.clone(),
        ..start(&format!("dir {}\nenable-debug-command yes\n{lines}", dir.display()))
    };
    let engine = engine(start);
    engine.attach_data_dir(data_dir);
    engine.durability.set_loading(true);
    let recovered = engine.recover().unwrap();
    engine.durability.set_loading(false);
    assert_eq!(recovered.failed, 0);
    engine
}

fn check(client: &mut TestClient, asked: &[(&str, &str)]) {
    for (line, reply) in asked {
        assert_eq!(client.ask(line), *reply, "{line}");
    }
}

/// Three words pushed to a ring of two.
fn fill(client: &mut TestClient, key: &str) {
    for (word, reply) in [("a", ":1"), ("b", ":2"), ("c", ":2")] {
        assert_eq!(client.ask(&format!("RING.PUSH {key} 2 {word}")), reply);
    }
}

const WORDS: &str = "*2\r\n$1\r\nb\r\n$1\r\nc";
const WRONG: &str = "-WRONGTYPE Operation against a key holding the wrong kind of value";

#[test]
fn commands_on_keys_take_values_of_a_new_type() {
    let engine = engine(start("enable-debug-command yes"));
    let mut client = TestClient::new(&engine);
    fill(&mut client, "k");
    check(
        &mut client,
        &[
            ("TYPE k", "+kvistring"),
            ("OBJECT ENCODING k", "$4\r\nring"),
            ("SCAN 0 TYPE KvistRing", "*2\r\n$1\r\n0\r\n*1\r\n$1\r\nk"),
            ("GET k", WRONG),
            ("SET s v", "+OK"),
            ("RING.WORDS s", WRONG),
            ("RING.PUSH s 1 x", WRONG),
            ("COPY k copy", ":1"),
            ("RING.PUSH copy 3 d", ":3"),
            ("RING.WORDS k", WORDS),
            ("RENAME copy renamed", "+OK"),
            ("MOVE renamed 1", ":1"),
            ("PEXPIREAT k 9000000000000", ":1"),
            ("PEXPIRETIME k", ":9000000000000"),
            ("PERSIST k", ":1"),
            ("RING.PUSH gone 0 x", ":0"),
            ("EXISTS gone", ":0"),
            ("SELECT 1", "+OK"),
            ("RING.WORDS renamed", "*3\r\n$1\r\nb\r\n$1\r\nc\r\n$1\r\nd"),
            ("UNLINK renamed", ":1"),
            ("SELECT 0", "+OK"),
        ],
    );
    let before = client.ask("MEMORY USAGE k");
    assert_eq!(client.ask(&format!("RING.PUSH k 5 {}", "x".repeat(900))), ":3");
    assert_ne!(client.ask("MEMORY USAGE k"), before);
    client.worker.txn.report_memory();
    assert_eq!(store::recount(&mut client.worker.txn.held), engine.store.memory());
}

#[test]
fn scripts_and_transactions_run_commands_of_a_new_type() {
    let mut client = TestClient::new(&engine(start("")));
    let script = "EVAL \"redis.call('ring.push', KEYS[1], 2, 'a') return redis.call('ring.push', \
                  KEYS[1], 2, 'b')\" 1 k";
    assert_eq!(client.ask(script), ":2");
    client.ask("MULTI");
    client.ask("RING.PUSH k 2 c");
    client.ask("RING.WORDS k");
    assert_eq!(client.ask("EXEC"), format!("*2\r\n:2\r\n{WORDS}"));
    // What a script has changed is taken back where it wants a key that it has not declared.
    let undeclared = "EVAL \"redis.call('ring.push', KEYS[1], 9, 'd') return \
                      redis.call('ring.words', 'other')\" 1 k";
    assert_eq!(client.ask(undeclared), "*0");
    assert_eq!(client.ask("RING.WORDS k"), "*3\r\n$1\r\nb\r\n$1\r\nc\r\n$1\r\nd");
}

#[test]
fn a_payload_of_a_new_type_is_restored() {
    let mut client = TestClient::new(&engine(start("enable-debug-command yes")));
    fill(&mut client, "k");
    let ask = |client: &mut TestClient, words: &[&[u8]]| {
        let mut out = Vec::new();
        client.worker.execute(&mut client.session, words, &mut out);
        out
    };
    let reply = ask(&mut client, &[b"DUMP", b"k"]);
    let at = reply.iter().position(|&byte| byte == b'\n').unwrap() + 1;
    let payload = &reply[at..reply.len() - 2];
    let Value::Module(module) = rdb::dump::decode(payload).unwrap() else { panic!("a module's") };
    assert_eq!((module.name().as_str(), module.version()), ("kvistring", 1));
    assert_eq!(ask(&mut client, &[b"RESTORE", b"again", b"0", payload]), b"+OK\r\n");
    assert_eq!(client.ask("RING.WORDS again"), WORDS);
    let digest = client.ask("DEBUG DIGEST-VALUE k");
    assert_eq!(client.ask("DEBUG DIGEST-VALUE again"), digest);
    client.ask("RING.PUSH again 2 d");
    assert_ne!(client.ask("DEBUG DIGEST-VALUE again"), digest);
    // What is broken is refused.
    let encoder = &mut rdb::Encoder::new(rdb::Limits::default(), true);
    for (name, version, bytes) in [
        ("kvistring", 2, &b"\x03\x01\x01b"[..]),
        ("kvistring", 1, b"\x03\x02\x01b"),
        ("kvistring", 1, b"\x01\x00"),
        ("kvistrong", 1, b"\x03\x01\x01b"),
    ] {
        let id = rdb::Module::id_of(name, version).unwrap();
        let parts = vec![ModulePart::String(bytes.to_vec())];
        let broken = rdb::dump::encode(encoder, &Value::Module(rdb::Module { id, parts }));
        let reply = ask(&mut client, &[b"RESTORE", b"b", b"0", &broken]);
        assert_eq!(reply, b"-ERR Bad data format\r\n", "{name} {version} {bytes:?}");
    }
}

#[test]
fn values_of_a_new_type_are_evicted() {
    let engine = engine(start("maxmemory 4mb\nmaxmemory-policy allkeys-lru"));
    let mut client = TestClient::new(&engine);
    let word = "x".repeat(1000);
    for n in 0..8000 {
        // Room is made before a batch.
        client.worker.begin(1_000_000);
        assert_eq!(client.ask(&format!("RING.PUSH ring:{n} 3 {word}")), ":1");
    }
    let keys: usize = client.ask("DBSIZE")[1..].parse().unwrap();
    assert!((100..4000).contains(&keys), "{keys} keys");
}

#[test]
fn values_of_a_new_type_are_recovered() {
    for (saved_before, saved_after) in [(false, false), (true, false), (false, true)] {
        let folder = Folder::new("engine");
        let lines = "appendonly yes\nsave \"\"";
        let engine = open(folder.path(), lines);
        let mut client = TestClient::new(&engine);
        fill(&mut client, "k");
        if saved_before {
            engine.save(Reason::Save, true).unwrap();
        }
        // The journal has an image of what a script leaves to another database, commands otherwise.
        check(
            &mut client,
            &[
                ("COPY k far DB 3", ":1"),
                ("RENAME k moved", "+OK"),
                ("RING.PUSH moved 3 d", ":3"),
                ("EVAL \"return redis.call('ring.push', KEYS[1], 3, 'e')\" 1 moved", ":3"),
                ("PEXPIREAT moved 9000000000000", ":1"),
            ],
        );
        if saved_after {
            engine.save(Reason::Save, true).unwrap();
        }
        let digest = client.ask("DEBUG DIGEST");
        engine.store.log().sync().unwrap();
        engine.close_data_dir();
        let engine = open(folder.path(), lines);
        let mut client = TestClient::new(&engine);
        assert_eq!(client.ask("DEBUG DIGEST"), digest, "{saved_before}, {saved_after}");
        check(
            &mut client,
            &[
                ("RING.WORDS moved", "*3\r\n$1\r\nc\r\n$1\r\nd\r\n$1\r\ne"),
                ("DEBUG RELOAD", "+OK"),
                ("PEXPIRETIME moved", ":9000000000000"),
                ("SELECT 3", "+OK"),
                ("RING.WORDS far", WORDS),
            ],
        );
        assert_eq!(client.ask("DEBUG DIGEST"), digest);
        engine.close_data_dir();
    }
}

#[test]
fn values_of_a_new_type_go_out_into_redis_files_and_come_back() {
    let folder = Folder::new("engine");
    let engine = open(folder.path(), "appendonly no\nsave \"\"");
    let mut client = TestClient::new(&engine);
    fill(&mut client, "k");
    let digest = client.ask("DEBUG DIGEST");
    engine.save(Reason::Save, true).unwrap();
    engine.close_data_dir();
    drop(client);
    drop(engine);
    let file = folder.join("ring.rdb");
    let data_dir = data_dir::unlocked(folder.path()).unwrap();
    let manifest = data_dir.manifest.clone().unwrap();
    let disk = Arc::clone(&data_dir.disk);
    let settings = start("").settings;
    let exported =
        redis_files::export(&settings, (&disk, &manifest), redis_files::Until::End, &file).unwrap();
    assert_eq!(exported.keys, 1);
    let mut reader =
        rdb::Reader::new(rdb::Input::new(std::fs::File::open(&file).unwrap())).unwrap();
    let mut values = Vec::new();
    while let Some(item) = reader.next().unwrap() {
        if let Item::Key(key, value) = item {
            values.push((key.name, value));
        }
    }
    assert!(matches!(&values[..], [(name, Value::Module(module))]
        if name == b"k" && module.name() == "kvistring"));
    let other = Folder::new("engine");
    std::fs::copy(&file, other.join("dump.rdb")).unwrap();
    let engine = open(other.path(), "appendonly no\nsave \"\"");
    let mut client = TestClient::new(&engine);
    assert_eq!(client.ask("RING.WORDS k"), WORDS);
    assert_eq!(client.ask("DEBUG DIGEST"), digest);
    engine.close_data_dir();
}
