//! Bytes from an enemy: no decoder panics, hangs, or takes memory out of proportion.
#![allow(clippy::unwrap_used, clippy::cast_possible_truncation)] // a test says why by failing

use kvist_rdb::{FieldTtls, Input, Reader, aof, dump, lzf};
use testkit::scale;

use crate::dataset::Numbers;
use crate::seeds::{self, bodies, old_bodies};

/// Bytes alive at once for an input of this length: what a compressed string of the least elements
/// unpacks to, 88 bytes a byte, one element for two, with its place in a vector that is doubled as
/// it grows; and blocks of the reader.
fn bound(len: usize) -> isize {
    isize::try_from(len * 88 * (24 + 24 + 32) + (1 << 20)).unwrap()
}

/// Runs it on changed copies of `seed`, and weighs.
fn mutate(seed: &[u8], numbers: &mut Numbers, rounds: u64, run: &mut dyn FnMut(&[u8])) {
    for _ in 0..rounds {
        let bytes = seeds::changed(seed, numbers);
        let ((), rise) = scale::rise(|| run(&bytes));
        assert!(rise < bound(bytes.len()), "{rise} bytes for {}", bytes.escape_ascii());
    }
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
