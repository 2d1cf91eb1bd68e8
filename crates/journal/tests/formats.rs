//! Files of version 1 as they were written: later versions must read them.
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::path::Path;

use kvist_journal::snapshot::Reader;
use kvist_journal::{Directory, Manifest, Segments, reader, record};

#[test]
fn files_of_version_1_are_read() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/1");
    let disk = Directory::open(&path).unwrap();
    let manifest = Manifest::read(&disk).unwrap().unwrap();
    assert_eq!((manifest.seed, manifest.shards), (1, 4));
    assert!(matches!(manifest.journal, Segments::From(2, _)), "{manifest:?}");
    let name = manifest.snapshot.unwrap();
    let snapshot = Reader::open(&disk, &name).unwrap();
    assert_eq!((snapshot.header.id, snapshot.header.shards), (manifest.id, 4));
    assert_eq!(snapshot.entries, 9);
    for place in &snapshot.blocks {
        snapshot.block(place).unwrap();
    }
    let mut records = Vec::new();
    let mut take = |body: &mut Vec<u8>, _: &_, _: &str, _| {
        let mut rest = body.as_slice();
        while let Some(record) = record::next(&mut rest).map_err(|error| error.to_string())? {
            records.push(record.kind);
        }
        Ok(())
    };
    let report = reader::read(&disk, manifest.id, manifest.journal, &mut take).unwrap();
    assert_eq!((report.segments, report.cut, report.open_end), (1, None, None));
    assert!(records.contains(&record::Kind::Command) && records.contains(&record::Kind::Image));
    assert!(records.contains(&record::Kind::Delete) && records.contains(&record::Kind::Flush));
}
