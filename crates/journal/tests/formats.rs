//! Files of earlier versions as they were written: later versions must read them.
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::path::Path;

use base::{HashFunction, Hashing};
use kvist_journal::record::Kind;
use kvist_journal::snapshot::{self, Reader};
use kvist_journal::{Directory, Manifest, Segments, reader, record, segment};

use crate::disk::Liar;

/// How keys were hashed before manifests said it.
const OLD: Hashing = Hashing { function: HashFunction::KnownNumbers, seed: 1 };

fn text(folder: &Path) -> String {
    std::fs::read_to_string(folder.join("MANIFEST")).unwrap()
}

/// Reads a fixture; what kinds of records it has, and the databases they are of.
fn records_of(folder: &str, (version, entries): (u32, u64)) -> Vec<(Kind, u32)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(folder);
    let disk = Directory::open(&path).unwrap();
    let manifest = Manifest::read(&disk).unwrap().unwrap();
    assert_eq!((manifest.hashing, manifest.shards), (OLD, 4));
    assert!(matches!(manifest.journal, Segments::From(2, _)), "{manifest:?}");
    let file = std::fs::read(path.join(segment::name(2))).unwrap();
    assert_eq!(file[8..12], version.to_le_bytes());
    let name = manifest.snapshot.clone().unwrap();
    let snapshot = Reader::open(&disk, &name).unwrap();
    assert_eq!((snapshot.header.id, snapshot.header.shards), (manifest.id, 4));
    assert_eq!(snapshot.header.hashing, OLD);
    assert!(text(&path).starts_with("kvist-manifest 1\n") && manifest.encode() == text(&path));
    assert_eq!(snapshot.entries, entries);
    for place in &snapshot.blocks {
        snapshot.block(place).unwrap();
    }
    let mut records = Vec::new();
    let mut take = |body: &mut Vec<u8>, _: &_, _: &str, _| {
        let mut rest = body.as_slice();
        while let Some(record) = record::next(&mut rest).map_err(|error| error.to_string())? {
            records.push((record.kind, record.db));
        }
        Ok(())
    };
    let report = reader::read(&disk, manifest.id, manifest.journal, &mut take).unwrap();
    assert_eq!((report.segments, report.cut, report.open_end), (1, None, None));
    records
}

#[test]
fn files_of_version_1_are_read() {
    let records = records_of("1", (1, 9));
    for kind in [Kind::Command, Kind::Image, Kind::Delete, Kind::Flush] {
        assert!(records.iter().any(|record| record.0 == kind), "{kind:?}");
    }
    assert!(records.contains(&(Kind::Flush, 3)));
}

#[test]
fn journals_of_later_versions_are_read() {
    for (folder, version) in [("2", 2), ("3", 3)] {
        every_kind_is_there(&records_of(folder, (version, 4)));
    }
}

#[test]
fn journals_of_version_4_are_read() {
    let records = records_of("4", (4, 2));
    every_kind_is_there(&records);
    for kind in [Kind::From, Kind::To, Kind::Derived, Kind::Barrier] {
        assert!(records.iter().any(|record| record.0 == kind), "{kind:?}");
    }
}

#[test]
fn snapshots_of_version_2_are_read() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/pieces-2");
    let disk = Directory::open(&path).unwrap();
    let name = Manifest::read(&disk).unwrap().unwrap().snapshot.unwrap();
    let bytes = std::fs::read(path.join(&name)).unwrap();
    assert_eq!(bytes[8..12], 2_u32.to_le_bytes());
    assert!(bytes.windows(4).all(|word| word != b"KvBl"), "its blocks have a secret");
    assert_eq!(bytes[44..48], [0; 4], "it is of before headers said how keys are hashed");
    let snapshot = Reader::open(&disk, &name).unwrap();
    assert_eq!(snapshot.header.hashing, OLD);
    assert!(snapshot.blocks.iter().any(|place| place.db == u32::MAX - 3), "no pieces");
    for place in &snapshot.blocks {
        snapshot.block(place).unwrap();
    }
}

/// How the header of a fixture's snapshot says that keys are hashed, after a change to it.
fn hashing_of(folder: &str, change: impl FnOnce(&mut [u8])) -> Result<Hashing, String> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let name = snapshot::name(2);
    let mut bytes = std::fs::read(fixtures.join(folder).join(&name)).unwrap();
    change(&mut bytes);
    let crc = crc32fast::hash(&bytes[16..64]);
    bytes[12..16].copy_from_slice(&crc.to_le_bytes());
    let disk = Liar::default();
    disk.put(&name, &bytes);
    let read = Reader::open(&disk, &name);
    read.map(|reader| reader.header.hashing).map_err(|error| error.to_string())
}

#[test]
fn files_whose_keys_are_hashed_with_secret_numbers_are_read() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/keys-2");
    let manifest = Manifest::read(&Directory::open(&path).unwrap()).unwrap().unwrap();
    assert!(text(&path).starts_with("kvist-manifest 2\n") && manifest.encode() == text(&path));
    assert_eq!(manifest.hashing, Hashing::new(1));
    assert_eq!(hashing_of("keys-2", |_| ()), Ok(Hashing::new(1)));
}

#[test]
fn a_snapshot_says_how_keys_are_hashed() {
    assert_eq!(hashing_of("1", |_| ()), Ok(OLD));
    assert_eq!(hashing_of("pieces-2", |_| ()), Ok(OLD));
    assert_eq!(hashing_of("pieces-2", |bytes| bytes[44] = 1), Ok(Hashing::new(1)));
    for (folder, number) in [("1", 1), ("1", 2), ("pieces-2", 2)] {
        assert!(hashing_of(folder, |bytes| bytes[44] = number).is_err(), "{folder}: {number}");
    }
}

fn every_kind_is_there(records: &[(Kind, u32)]) {
    for kind in [Kind::Set, Kind::Command, Kind::Image, Kind::Delete, Kind::Flush, Kind::Swap] {
        assert!(records.iter().any(|record| record.0 == kind), "{kind:?}");
    }
    assert!(records.contains(&(Kind::Set, 0)) && records.contains(&(Kind::Set, 3)));
}
