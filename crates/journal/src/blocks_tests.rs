//! Against a file in memory that takes whole blocks only.
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::io;

use sync::Mutex;

use super::*;

const LITTLE: usize = 64 << 10;

#[derive(Debug, Default)]
struct Memory {
    bytes: Mutex<Vec<u8>>,
    writes: Mutex<usize>,
    blocks: Mutex<usize>,
}

impl DiskFile for Memory {
    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let (mut all, offset) = (self.bytes.lock(), usize::try_from(offset).unwrap());
        let len = all.len().max(offset + bytes.len());
        all.resize(len, 0xee);
        all[offset..offset + bytes.len()].copy_from_slice(bytes);
        *self.writes.lock() += 1;
        Ok(())
    }

    fn write_blocks(&self, offset: u64, blocks: &[u8]) -> io::Result<()> {
        assert_eq!(blocks.as_ptr().align_offset(SIZE), 0);
        assert!(offset.is_multiple_of(BLOCK) && blocks.len().is_multiple_of(SIZE));
        assert!(!blocks.is_empty());
        *self.blocks.lock() += 1;
        self.write_at(offset, blocks)
    }

    fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<usize> {
        let all = self.bytes.lock();
        let there = all.get(usize::try_from(offset).unwrap()..).unwrap_or_default();
        let count = there.len().min(into.len());
        into[..count].copy_from_slice(&there[..count]);
        Ok(count)
    }

    fn len(&self) -> io::Result<u64> {
        Ok(self.bytes.lock().len() as u64)
    }

    fn set_len(&self, _: u64) -> io::Result<()> {
        Ok(())
    }

    fn reserve(&self, _: u64) -> io::Result<()> {
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        Ok(())
    }

    fn forget(&self, _: u64, _: u64) {}
}

#[test]
fn what_is_written_in_parts_stands_in_one_piece() {
    let (file, mut blocks) = (Memory::default(), Blocks::default());
    let mut expected = b"a header".to_vec();
    file.write_at(0, &expected).unwrap();
    let mut end = End::behind(&expected);
    let sizes = [0, 1, 40, 4000, 40, 4096, 8192 - 8, LITTLE, 100, PIECE, 3, PIECE + SIZE, 8]
        .into_iter()
        .chain([3 * PIECE + 77, LITTLE, 1]);
    for (n, size) in sizes.enumerate() {
        let part: Vec<u8> = (0..size).map(|at| (at * 7 + n) as u8).collect();
        let halves = part.split_at(size / 3);
        end = blocks.write(&file, &end, [halves.0, halves.1], 48).unwrap();
        expected.extend_from_slice(&part);
        assert_eq!(end.offset, expected.len() as u64, "{size}");
        let there = file.bytes.lock();
        assert!(there.starts_with(&expected), "{size}");
        assert_eq!(there[expected.len()..expected.len() + 48], [0; 48], "{size}");
    }
}

#[test]
fn a_frame_is_one_write() {
    let (file, mut blocks) = (Memory::default(), Blocks::default());
    let mut end = End::behind(&[1; 64]);
    for n in 0..10 {
        let much = vec![3; if n % 2 == 0 { 3000 } else { LITTLE }];
        end = blocks.write(&file, &end, [&[2; 1000][..], &much], 48).unwrap();
    }
    assert_eq!((*file.writes.lock(), *file.blocks.lock()), (10, 5));
}

#[test]
fn a_file_is_read_ahead() {
    let file = Memory::default();
    let bytes: Vec<u8> = (0..PIECE * 2 + 999).map(|at| (at % 251) as u8).collect();
    file.write_at(0, &bytes).unwrap();
    let ahead = ReadAhead::new(&file);
    for (at, len) in
        [(0, 64), (64, 3 * SIZE), (PIECE - 7, 20), (5, PIECE + 100), (PIECE * 2, 5000), (9, 1)]
    {
        let mut into = vec![0; len];
        let got = ahead.read_at(at as u64, &mut into).unwrap();
        assert_eq!(into[..got], bytes[at..bytes.len().min(at + len)], "{at} {len}");
    }
    assert_eq!(ahead.read_at(PIECE as u64 * 9, &mut [0; 9]).unwrap(), 0);
}
