//! Against a file in memory that takes whole blocks only.
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::io;

use parking_lot::Mutex;

use super::*;

#[derive(Debug, Default)]
struct Memory {
    bytes: Mutex<Vec<u8>>,
    writes: Mutex<usize>,
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
        self.write_at(offset, blocks)
    }

    fn read_at(&self, _: u64, _: &mut [u8]) -> io::Result<usize> {
        Ok(0)
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
    let mut end = End::behind(&expected);
    let sizes = [0, 1, 40, 4000, 40, 4096, 8192 - 8, 100, PIECE, 3, PIECE + SIZE, 3 * PIECE + 77];
    for (n, size) in sizes.into_iter().enumerate() {
        let part: Vec<u8> = (0..size).map(|at| (at * 7 + n) as u8).collect();
        let halves = part.split_at(size / 3);
        end = blocks.write(&file, &end, [halves.0, halves.1], 48).unwrap();
        expected.extend_from_slice(&part);
        assert_eq!(end.offset, expected.len() as u64, "{size}");
        let there = file.bytes.lock();
        if n > 0 {
            assert!(there[8..].starts_with(&expected[8..]), "{size}");
        }
        assert_eq!(there[expected.len()..expected.len() + 48], [0; 48], "{size}");
    }
    assert_eq!(file.bytes.lock()[..8], *b"a header");
}

#[test]
fn a_frame_is_one_write() {
    let (file, mut blocks) = (Memory::default(), Blocks::default());
    let mut end = End::behind(&[1; 64]);
    for _ in 0..10 {
        end = blocks.write(&file, &end, [&[2; 1000][..], &[3; 3000]], 48).unwrap();
    }
    assert_eq!(*file.writes.lock(), 10);
}
