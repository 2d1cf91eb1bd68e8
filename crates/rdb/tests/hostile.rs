//! Bytes from an enemy: no decoder panics, hangs, or takes memory out of proportion.
#![allow(clippy::unwrap_used, clippy::cast_possible_truncation)] // a test says why by failing

mod dataset;
#[path = "../../base/tests/oracle/mod.rs"]
mod oracle;
#[path = "../../engine/tests/hostile/scale.rs"]
mod scale;

use std::sync::Arc;

use dataset::{Numbers, score, word};
use kvist_rdb::{
    Consumer, Encoder, FieldTtls, Group, Input, Limits, Module, ModulePart, Pending, Reader,
    Stream, StreamEntry, StreamId, Value, aof, dump, lzf,
};

#[global_allocator]
static SCALE: scale::Scale = scale::Scale;

/// Bytes alive at once for an input of this length: what a compressed string of the least elements
/// unpacks to, 88 bytes a byte, one element for two, with its place in a vector that is doubled as
/// it grows; and blocks of the reader.
fn bound(len: usize) -> isize {
    isize::try_from(len * 88 * (24 + 24 + 32) + (1 << 20)).unwrap()
}

/// Runs it on changed copies of `seed`.
fn mutate(seed: &[u8], numbers: &mut Numbers, rounds: u64, run: &mut dyn FnMut(&[u8])) {
    const TELLING: [u8; 16] =
        [0, 1, 0x7f, 0x80, 0x81, 0xff, 0xfe, 0xc3, 0xf0, 0xf4, 0xe0, 0x40, 2, 0x3f, 0xfa, 0xfd];
    for _ in 0..rounds {
        let mut bytes = seed.to_vec();
        for _ in 0..=numbers.below(4) {
            if bytes.is_empty() {
                break;
            }
            // Lengths are more often at the beginning.
            let limit = if numbers.below(2) == 0 { bytes.len().min(40) } else { bytes.len() };
            let at = numbers.below(limit as u64) as usize;
            match numbers.below(8) {
                0 => bytes[at] = numbers.below(256) as u8,
                1 => bytes[at] = TELLING[numbers.below(16) as usize],
                2 => bytes[at] ^= 1 << numbers.below(8),
                3 => bytes[at] = bytes[at].wrapping_add(1),
                4 => bytes[at] = bytes[at].wrapping_sub(1),
                5 => bytes.truncate(at),
                6 => bytes.insert(at, TELLING[numbers.below(16) as usize]),
                _ => {
                    let end = bytes.len().min(at + 1 + numbers.below(20) as usize);
                    let piece = bytes[at..end].to_vec();
                    let to = numbers.below(bytes.len() as u64) as usize;
                    bytes.splice(to..to, piece);
                }
            }
        }
        let ((), rise) = scale::rise(|| run(&bytes));
        assert!(rise < bound(bytes.len()), "{rise} bytes for {}", bytes.escape_ascii());
    }
}

fn stream(numbers: &mut Numbers) -> Value {
    let names: Arc<[Vec<u8>]> = [b"a".to_vec(), b"field".to_vec()].into();
    let other: Arc<[Vec<u8>]> = [b"b".to_vec()].into();
    let entries = (1..30).map(|n| {
        let names = if n % 5 == 0 { other.clone() } else { names.clone() };
        let values = names.iter().map(|_| word(numbers, 30)).collect();
        StreamEntry { id: StreamId { ms: n / 2, seq: n }, names, values }
    });
    let pending = |n: u64, consumer| Pending {
        id: StreamId { ms: n / 2, seq: n },
        consumer,
        delivered: 1_700_000_000_000,
        deliveries: n,
    };
    let consumer = |name: &[u8]| Consumer { name: name.to_vec(), seen: 5, active: None };
    let last_id = StreamId { ms: 20, seq: 0 };
    Value::Stream(Box::new(Stream {
        entries: entries.collect(),
        last_id,
        first_id: StreamId { ms: 0, seq: 1 },
        max_deleted_id: StreamId::default(),
        entries_added: 40,
        groups: vec![Group {
            name: b"group".to_vec(),
            last_id,
            entries_read: None,
            pending: vec![pending(2, 0), pending(3, 1), pending(4, 0)],
            consumers: vec![consumer(b"ann"), consumer(b"bob")],
        }],
    }))
}

/// Values without their footers, in every form that is written.
fn bodies(numbers: &mut Numbers) -> Vec<Vec<u8>> {
    let strings = |numbers: &mut Numbers, count| -> Vec<Vec<u8>> {
        (0..count).map(|_| word(numbers, 40)).collect()
    };
    let pairs = |numbers: &mut Numbers, count| {
        (0..count).map(|_| (word(numbers, 40), word(numbers, 40))).collect()
    };
    let scored = |numbers: &mut Numbers, count| {
        (0..count).map(|_| (word(numbers, 40), score(numbers).parse().unwrap())).collect()
    };
    let mut values = vec![
        Value::String(b"12".to_vec()),
        Value::String(b"la ".repeat(50)),
        Value::List(strings(numbers, 30)),
        Value::Set(strings(numbers, 30)),
        Value::Set((0..20).map(|n: i32| (n * 999).to_string().into_bytes()).collect()),
        Value::Hash(pairs(numbers, 12)),
        Value::ZSet(scored(numbers, 12)),
        Value::Module(Module {
            id: Module::id_of("ReJSON-RL", 3).unwrap(),
            parts: vec![ModulePart::String(b"{}".to_vec()), ModulePart::Double(0.5)],
        }),
    ];
    values.push(stream(numbers));
    let mut bodies = Vec::new();
    let plain = Limits { hash_entries: 0, zset_entries: 0, list_size: 3, ..Limits::default() };
    for (limits, compress) in [(Limits::default(), false), (plain, true)] {
        let mut encoder = Encoder::new(limits, compress);
        for value in &values {
            let mut out = Vec::new();
            encoder.value(&mut out, None, value).unwrap();
            bodies.push(out);
        }
    }
    bodies
}

/// Values in forms that are no longer written, around small blobs.
fn old_bodies() -> Vec<Vec<u8>> {
    let ziplist =
        b"\x1b\0\0\0\x13\0\0\0\x04\0\0\x01a\x03\xf3\x02\xc0\xff\x7f\x04\x0215\xff".to_vec();
    let ziplist = {
        let mut blob = ziplist;
        blob[0] = blob.len() as u8;
        blob
    };
    let zipmap = b"\x02\x03foo\x03\x00bar\x05hello\x05\x02world..\xff";
    let listpack = b"\x15\0\0\0\x06\0\x81a\x02\x01\x01\x00\x01\x815\x02\x02\x01\x00\x01\xff";
    let string = |blob: &[u8]| [&[blob.len() as u8], blob].concat();
    let mut bodies: Vec<Vec<u8>> =
        [10, 12, 13].map(|form| [&[form], &string(&ziplist)[..]].concat()).into();
    bodies.push([&[14, 2], &string(&ziplist)[..], &string(&ziplist)].concat());
    bodies.push([&[9], &string(zipmap)[..]].concat());
    for form in [20, 16, 17, 23] {
        bodies.push([&[form], &string(listpack)[..]].concat());
    }
    bodies.push([&[25, 1, 0, 0, 0, 0, 0, 0, 0], &string(listpack)[..]].concat());
    bodies.push(b"\x03\x02\x01a\x031.5\x01b\xff".to_vec());
    bodies.push(b"\x01\x02\x01a\x01b".to_vec());
    bodies.push(b"\x18\x01\0\0\0\0\0\0\0\x02\x00\x01a\x01b\x05\x01c\x01d".to_vec());
    bodies.push(b"\x16\x02\x00\x01a\x01b\x05\x01c\x01d".to_vec());
    bodies
}

#[test]
fn payloads() {
    let mut numbers = Numbers(11);
    let mut taken = 0;
    let bodies = bodies(&mut numbers);
    let old = old_bodies();
    for body in bodies.iter().chain(&old[..8]) {
        assert!(dump::decode(&dump::seal(body.clone())).is_ok(), "{}", body.escape_ascii());
    }
    for body in bodies.iter().chain(&old) {
        mutate(body, &mut numbers, 1500, &mut |bytes| {
            taken += u32::from(dump::decode(&dump::seal(bytes.to_vec())).is_ok());
        });
    }
    assert!(taken > 1000, "the changes are so small that many payloads stay in order: {taken}");
}

#[test]
fn files() {
    let mut numbers = Numbers(12);
    for magic in ["REDIS0012", "VALKEY080"] {
        let mut file = magic.as_bytes().to_vec();
        file.extend(b"\xfa\x03ver\x017\xf5\x05#!lua\xf6\x01n\x03LUA\x00\x01c\xfe\x01\xfb\x05\x01");
        file.extend(b"\xf4\x01\x02\x03\xf7\x81\0\0\0\0\0\0\x12\x34\x02\x01\x05\x03aux\x00");
        for body in bodies(&mut numbers).iter().chain(&old_bodies()[..12]) {
            file.extend(b"\xfc\0\0\0\0\0\0\0\0\xf8\x07");
            file.extend([&body[..1], b"\x03key", &body[1..]].concat());
        }
        file.extend(b"\xff\0\0\0\0\0\0\0\0");
        let read = |bytes: &[u8]| {
            let Ok(mut reader) = Reader::new(Input::new(bytes)) else { return 0 };
            reader.field_ttls(FieldTtls::Drop { now: 0 });
            let mut items = 0;
            while let Ok(Some(_)) = reader.next() {
                items += 1;
            }
            items
        };
        assert!(read(&file) > 20);
        let mut items = 0;
        mutate(&file, &mut numbers, 2000, &mut |bytes| items += read(bytes));
        assert!(items > 2000, "{items}");
    }
}

#[test]
fn append_only_files() {
    let mut numbers = Numbers(13);
    let file =
        b"#TS:17\r\n*2\r\n$6\r\nSELECT\r\n$1\r\n0\r\n*1\r\n$5\r\nMULTI\r\n*3\r\n$3\r\nSET\r\n\
        $1\r\nk\r\n$3\r\nabc\r\n*1\r\n$4\r\nEXEC\r\n";
    let preamble = [&b"REDIS0003\x00\x01k\x01v\xff"[..], file].concat();
    for file in [&file[..], &preamble] {
        mutate(file, &mut numbers, 4000, &mut |bytes| {
            let mut reader = aof::Reader::new(bytes);
            let mut end = 0;
            while let Ok(Some(record)) = reader.next() {
                if let aof::Record::Command(command) = record {
                    assert!(end <= command.at && command.at < command.end);
                    end = command.end;
                }
            }
        });
    }
    let manifest =
        b"file 'a b' seq 1 type b\nfile \"x\\x00\\n\" seq 2 type i\n# c\nfile c seq 3 type h\n";
    mutate(manifest, &mut numbers, 4000, &mut |bytes| {
        if let Ok(manifest) = aof::Manifest::parse(bytes) {
            let again = aof::Manifest::parse(&manifest.to_bytes());
            assert!(manifest.files().count() == 0 || again == Ok(manifest));
        }
    });
}

#[test]
fn compressed_strings() {
    let mut numbers = Numbers(14);
    let text = b"compress me, compress me, and me, and me, too".repeat(20);
    let packed = lzf::Compressor::default().compress(&text, text.len()).unwrap();
    let mut lens = Numbers(15);
    mutate(&packed, &mut numbers, 5000, &mut |bytes| {
        let len = if lens.below(3) == 0 { lens.next() as usize } else { text.len() };
        if let Some(text) = lzf::decompress(bytes, len) {
            assert_eq!(text.len(), len);
        }
    });
}

#[test]
fn lengths_that_lie() {
    for body in [
        &b"\x00\x81\xff\xff\xff\xff\xff\xff\xff\xff"[..],
        b"\x00\x80\xff\xff\xff\xff",
        b"\x00\xc3\x05\x80\xff\xff\xff\xff\x00a\xe0\xff\x00",
        b"\x01\x81\x7f\xff\xff\xff\xff\xff\xff\xff\x01a",
        b"\x04\x81\x7f\xff\xff\xff\xff\xff\xff\xff\x01a",
        b"\x05\x81\x7f\xff\xff\xff\xff\xff\xff\xff\x01a",
        b"\x0e\x81\x7f\xff\xff\xff\xff\xff\xff\xff",
        b"\x12\x81\x7f\xff\xff\xff\xff\xff\xff\xff",
        b"\x13\x81\x7f\xff\xff\xff\xff\xff\xff\xff",
        b"\x13\x00\x00\x00\x00\x00\x00\x00\x00\x00\x81\x7f\xff\xff\xff\xff\xff\xff\xff",
        b"\x16\x81\x7f\xff\xff\xff\xff\xff\xff\xff",
        b"\x0b\x08\x08\x00\x00\x00\xff\xff\xff\xff",
        b"\x10\x07\xff\xff\xff\xff\xff\xff\xff",
    ] {
        let payload = dump::seal(body.to_vec());
        let (result, rise) = scale::rise(|| dump::decode(&payload));
        assert!(result.is_err(), "{}", body.escape_ascii());
        assert!(rise < 1 << 18, "{rise} bytes for {}", body.escape_ascii());
    }
}
