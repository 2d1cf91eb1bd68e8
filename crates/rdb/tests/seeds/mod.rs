//! Values as bytes in every form, and ways to spoil them.
#![allow(dead_code)] // each test program uses a part
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::sync::Arc;

use kvist_rdb::{
    Consumer, Encoder, Group, Limits, Module, ModulePart, Pending, Stream, StreamEntry, StreamId,
    Value,
};

use crate::dataset::{Numbers, score, word};

/// A copy of `seed` with some bytes changed, removed or repeated.
pub fn changed(seed: &[u8], numbers: &mut Numbers) -> Vec<u8> {
    const TELLING: [u8; 16] =
        [0, 1, 0x7f, 0x80, 0x81, 0xff, 0xfe, 0xc3, 0xf0, 0xf4, 0xe0, 0x40, 2, 0x3f, 0xfa, 0xfd];
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
    bytes
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
        nodes: kvist_rdb::Nodes::default(),
        last_id,
        first_id: StreamId { ms: 0, seq: 1 },
        max_deleted_id: StreamId::default(),
        entries_added: 40,
        miscounted: None,
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
pub fn bodies(numbers: &mut Numbers) -> Vec<Vec<u8>> {
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
pub fn old_bodies() -> Vec<Vec<u8>> {
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
