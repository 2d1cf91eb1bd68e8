//! Files of the formats as they were, which later versions must read; and hostile entries.
#![allow(clippy::unwrap_used)] // a test says why by failing

#[path = "../../journal/tests/disk/mod.rs"]
mod disk;
mod seats;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use disk::{Chance, Liar};
use journal::codec::{Source, put_bytes, put_number};
use kvist_engine::durable::Home;
use seats::{Seat, engine_with};
use store::image;

const CONFIG: &str =
    "appendonly yes\nappendfsync always\nshards 4\ndatabases 4\nsave \"\"\ndir /liar";

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../journal/tests/fixtures/1")
}

fn start(disk: &Liar) -> Seat {
    let engine = engine_with(CONFIG);
    let mut home = Home::on(Arc::new(disk.clone())).unwrap();
    home.segment_size = 4096;
    engine.move_in(home);
    engine.recover().unwrap();
    Seat::new(&engine)
}

/// Writes the fixtures anew: for a new version of a format, into a folder of its own.
#[test]
#[ignore = "writes files into the source"]
fn write_fixtures() {
    let disk = Liar::default();
    let mut seat = start(&disk);
    for line in [
        "set text one",
        "set number 12345",
        "set dies later px 9000000000000",
        "rpush list a b c",
        "sadd ints 1 2 3",
        "sadd words x y",
        "hset hash f v",
        "zadd zset 1.5 m -inf n",
        "select 3",
        "set elsewhere 1",
        "select 0",
        "save",
        "append text two",
        "lpop list",
        "rename words names",
        "select 3",
        "flushdb",
        "set after flush",
    ] {
        assert!(!seat.ask(line).starts_with('-'), "{line}");
    }
    seat.worker.engine.move_out();
    for (name, len) in disk.files() {
        if name.contains("spare") {
            continue;
        }
        let mut bytes = disk.bytes(&name);
        bytes.truncate(usize::try_from(len.next_multiple_of(8)).unwrap().min(bytes.len()));
        std::fs::write(fixtures().join(name), bytes).unwrap();
    }
}

#[test]
fn files_of_version_1_are_read() {
    let disk = Liar::default();
    for entry in std::fs::read_dir(fixtures()).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        disk.put(&name, &std::fs::read(entry.path()).unwrap());
    }
    let mut seat = start(&disk);
    for (line, reply) in [
        ("dbsize", ":8"),
        ("get text", "$6\r\nonetwo"),
        ("get number", "$5\r\n12345"),
        ("pexpiretime dies", ":9000001000000"),
        ("lrange list 0 -1", "*2\r\n$1\r\nb\r\n$1\r\nc"),
        ("smembers ints", "*3\r\n$1\r\n1\r\n$1\r\n2\r\n$1\r\n3"),
        ("scard names", ":2"),
        ("exists words", ":0"),
        ("hget hash f", "$1\r\nv"),
        ("zscore zset n", "$4\r\n-inf"),
        ("select 3", "+OK"),
        ("dbsize", ":1"),
        ("get after", "$5\r\nflush"),
    ] {
        assert_eq!(seat.ask(line), reply, "{line}");
    }
    seat.worker.engine.move_out();
}

/// Entries as they stand in a snapshot, one of each type.
fn images() -> Vec<Vec<u8>> {
    let head = |kind: u8, flags: u8| {
        let mut out = vec![kind, flags];
        if flags & 128 != 0 {
            out.extend_from_slice(&9_u64.to_le_bytes());
        }
        put_number(&mut out, 77);
        put_bytes(&mut out, b"the key");
        out
    };
    let words: Vec<Vec<u8>> = (0..20).map(|n: u32| format!("{n}").into_bytes()).collect();
    let document = |form: u8, rest: &[u8]| {
        let mut out = head(6, 128);
        put_bytes(&mut out, &[&[form], rest].concat());
        out
    };
    let text = br#"{"a":[1,2.5,"x\n",null,true],"b":{"a":-1e300},"c":[0.5,1.5]}"#;
    let mut tree = Vec::new();
    let value = json::Value::parse(text, &mut json::Registry::new()).unwrap();
    value.root().encode(&mut tree);
    (0..5)
        .map(|kind| {
            let mut out = head(kind, if kind % 2 == 0 { 128 } else { 0 });
            if kind == 0 {
                put_bytes(&mut out, b"a value");
                return out;
            }
            put_number(&mut out, words.len() as u64);
            for word in &words {
                put_bytes(&mut out, word);
                match kind {
                    3 => put_bytes(&mut out, b"value"),
                    4 => out.extend_from_slice(&1.5_f64.to_bits().to_le_bytes()),
                    _ => {}
                }
            }
            out
        })
        .chain([document(0, text), document(1, &tree)])
        .collect()
}

#[test]
fn broken_entries_are_refused_or_read() {
    let engine = engine_with("");
    let limits = engine.store.limits();
    let mut chance = Chance::new(11);
    let mut read = [0; 2];
    for original in images() {
        assert!(
            image::read(&mut Source::new(&original), &limits, &mut json::Registry::new()).is_ok()
        );
        for _ in 0..6_000 {
            let mut bytes = original.clone();
            for _ in 0..=chance.below(2) {
                let at = usize::try_from(chance.below(bytes.len() as u64)).unwrap();
                match chance.below(4) {
                    0 => bytes[at] ^= 1 << chance.below(8),
                    1 => bytes[at] = 0xff,
                    2 => bytes.truncate(at + 1),
                    _ => bytes.insert(at, 0x80),
                }
            }
            let (mut whole, mut passed) = (Source::new(&bytes), Source::new(&bytes));
            let found = image::read(&mut whole, &limits, &mut json::Registry::new()).is_ok();
            let skipped = image::skip(&mut passed).is_ok();
            // What can be read is as long as what is passed over.
            assert!(!found || (skipped && whole.rest() == passed.rest()), "{bytes:?}");
            read[usize::from(found)] += 1;
        }
    }
    assert!(read.iter().all(|&count| count > 1000), "{read:?}");
}
