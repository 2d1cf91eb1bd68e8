//! Tens of thousands of broken inputs for everything that reads bytes: no panic, no memory out of
//! proportion, and what passes a checksum says the same again.
//!
//! Mutation is seeded, so a failure comes back. Inputs are also mutated behind a checksum that is
//! made right again, so that what lies behind it is reached.
#![allow(clippy::unwrap_used)] // a test says why by failing

extern crate kvist_journal as journal;

mod disk;
mod logbook;

use std::sync::Arc;

use base::Hashing;
use disk::{Leaves, Liar, Random};
use journal::codec::Source;
use journal::frame::Secret;
use journal::snapshot::{self, Reader, Writer};
use journal::{Disk, Manifest, Policy, Segments, record, segment};
use logbook::{ID, Logbook};

/// That of the snapshots' files.
const SECRET: Secret = Secret::from_bits(0x5ec7e7);

/// The most address space this process has had, in KiB.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmPeak:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

/// Breaks bytes: bits, bytes, numbers that are too large, cuts, parts moved elsewhere.
fn mutate(bytes: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..=random.below(3) {
        let len = bytes.len() as u64;
        if len == 0 {
            return;
        }
        let at = random.below(len) as usize;
        match random.below(6) {
            0 => bytes[at] ^= 1 << random.below(8),
            1 => bytes[at] = [0, 0xff, 0x7f, 0x80, 1][random.below(5) as usize],
            2 => {
                let end = (at + 1 + random.below(9) as usize).min(bytes.len());
                bytes[at..end].fill(0xff);
            }
            3 => bytes.truncate(at),
            4 => {
                let from = random.below(len) as usize;
                let part: Vec<u8> = bytes[from..].iter().take(16).copied().collect();
                let end = (at + part.len()).min(bytes.len());
                bytes.splice(at..end, part);
            }
            _ => bytes.insert(at, random.below(256) as u8),
        }
    }
}

fn times(count: u64, seed: u64, original: &[u8], mut look: impl FnMut(&mut Vec<u8>)) {
    let mut random = Random::new(seed);
    for _ in 0..count {
        let mut bytes = original.to_vec();
        mutate(&mut bytes, &mut random);
        look(&mut bytes);
    }
}

fn sample() -> Vec<u8> {
    let mut out = Vec::new();
    for n in 1..6 {
        record::put(&mut out, (record::Kind::Command, 3, n, 0), |out| {
            record::put_words(out, [&b"SET"[..], b"key", b"a value"].into_iter());
        });
        record::put(&mut out, (record::Kind::Swap, 1, n, 2), |out| {
            journal::codec::put_number(out, n << 20);
        });
        record::put_set(&mut out, (2, n, 0), b"key", b"a value");
    }
    out
}

fn snapshot_file(compress: bool) -> Vec<u8> {
    let liar = Liar::default();
    let disk: Arc<dyn Disk> = Arc::new(liar.clone());
    let header =
        snapshot::Header { id: ID, hashing: Hashing::new(5), shards: 4, time: 6, secret: SECRET };
    let mut writer = Writer::create(&disk, &snapshot::name(1), header, compress).unwrap();
    for shard in 0..4 {
        let mut raw = Vec::new();
        snapshot::put_step(&mut raw, 1 << 40, 7, 0);
        raw.resize(400, b'r');
        writer.block(shard, 0, &raw, 0).unwrap();
    }
    writer.finish().unwrap();
    liar.bytes(&snapshot::name(1))
}

/// Makes the checksums of a snapshot file right where its parts still stand where they did.
fn repair_snapshot(bytes: &mut [u8], places: &[snapshot::Place]) {
    for place in places {
        let (at, end) = (place.offset as usize, (place.offset + place.len) as usize);
        if let Some(block) = bytes.get_mut(at..end) {
            let crc = crc32fast::hash(&[&SECRET.bits().to_le_bytes()[..], &block[8..]].concat());
            block[4..8].copy_from_slice(&crc.to_le_bytes());
        }
    }
    let Some(last) = places.last() else { return };
    let index = (last.offset + last.len) as usize;
    let Some(end) = bytes.len().checked_sub(64).filter(|&end| end >= index) else { return };
    let crc = crc32fast::hash(&bytes[index..end]);
    bytes[end + 32..end + 36].copy_from_slice(&crc.to_le_bytes());
    let crc = crc32fast::hash(&bytes[end..end + 60]);
    bytes[end + 60..].copy_from_slice(&crc.to_le_bytes());
    let crc = crc32fast::hash(&bytes[16..64]);
    bytes[12..16].copy_from_slice(&crc.to_le_bytes());
}

/// One test, as memory is watched for the whole program.
#[test]
fn nothing_that_reads_bytes_is_led_astray() {
    let before = peak();
    // Records, which have no checksum of their own.
    times(40_000, 1, &sample(), |bytes| {
        let _ = record::renew(bytes, &mut Vec::new());
        let mut rest = bytes.as_slice();
        while let Ok(Some(found)) = record::next(&mut rest) {
            let _ = record::words(found.body, &mut Vec::new());
            let _ = record::set(found.body);
            let _ = snapshot::step(&mut Source::new(found.body));
        }
    });
    // Manifests, as they are and with their checksum made right.
    let snapshot = Some(snapshot::name(1));
    let journal = Segments::From(3, 99);
    let manifest = Manifest { id: ID, hashing: Hashing::new(1), shards: 4, snapshot, journal };
    times(20_000, 2, manifest.encode().as_bytes(), |bytes| {
        let _ = Manifest::decode(&String::from_utf8_lossy(bytes));
        if let Some(at) = bytes.windows(9).rposition(|part| part == b"checksum ") {
            bytes.truncate(at);
            let sum = format!("checksum {:08x}\n", crc32fast::hash(bytes));
            bytes.extend_from_slice(sum.as_bytes());
            if let Ok(read) = Manifest::decode(&String::from_utf8_lossy(bytes)) {
                assert_eq!(Manifest::decode(&read.encode()), Ok(read));
            }
        }
    });
    segments();
    for compress in [false, true] {
        snapshots(compress);
    }
    let grown = peak() - before;
    // A thread's arena of the allocator takes 64 MiB of addresses.
    assert!(grown < 200 << 10, "{grown} KiB");
}

fn segments() {
    let liar = Liar::default();
    let mut book = Logbook::begin(&liar, Policy::Always);
    for size in 1..5 {
        book.change(size);
    }
    let liar = liar.crash(Leaves::Nothing);
    book.end();
    let name = segment::name(1);
    let mut whole = liar.bytes(&name);
    let written = liar.files().iter().find(|file| file.0 == name).unwrap().1;
    whole.truncate(written as usize);
    let mut outcomes = [0; 2];
    times(6_000, 3, &whole, |bytes| {
        liar.put(&name, bytes);
        outcomes[usize::from(logbook::try_read(&liar).is_ok())] += 1;
    });
    assert!(outcomes.iter().all(|&count| count > 500), "{outcomes:?}");
}

fn snapshots(compress: bool) {
    let whole = snapshot_file(compress);
    let (liar, name) = (Liar::default(), snapshot::name(1));
    liar.put(&name, &whole);
    let places = Reader::open(&liar, &name).unwrap().blocks;
    let mut opened = 0;
    times(12_000, 4, &whole, |bytes| {
        if bytes.len() >= 128 && bytes.len().is_multiple_of(2) {
            repair_snapshot(bytes, &places);
        }
        liar.put(&name, bytes);
        let Ok(reader) = Reader::open(&liar, &name) else { return };
        opened += 1;
        for place in &reader.blocks {
            if let Ok(raw) = reader.block(place) {
                let _ = snapshot::step(&mut Source::new(&raw));
            }
        }
    });
    assert!(opened > 1000, "{opened}");
}
