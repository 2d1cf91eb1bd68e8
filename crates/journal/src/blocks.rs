//! Bytes on their way to a file, and from it, in whole blocks.
//!
//! ```text
//!   file   |  block  |  block  |  block  |
//!            old ▲ new ....... ▲ zeros
//!                from          end
//! ```
//!
//! Little is written through the system's memory, which gathers it until the next sync: a disk that
//! is asked for a block every few milliseconds does nothing else. A lot goes past it, as copying it
//! there would cost more than all else.
//!
//! What goes past the system's memory must begin and end at a block, in the file and in memory. So
//! the first block is written once more with what stood in it, and the last one is filled up with
//! zeros. What stood there is written as it was: a block that is torn, or not written at all,
//! still has it.
//!
//! Read in that way are files that are not written meanwhile, from front to back.
//!
//! Addresses are aligned by beginning a bit into a buffer that is a bit too long: no `unsafe`.

use std::io;
use std::ops::{Deref, DerefMut};

use sync::Mutex;

use crate::disk::{BLOCK, DiskFile};

/// Written at once; more is written in several pieces.
const PIECE: usize = 1 << 20;
const SIZE: usize = BLOCK as usize;

/// Where a file is gone on with.
#[derive(Clone, Debug, Default)]
pub(crate) struct End {
    /// How long it is.
    pub offset: u64,
    /// What stands in its last block, if that is not full.
    tail: Vec<u8>,
}

impl End {
    /// Behind these bytes at the beginning of a file, fewer than a block.
    pub fn behind(first: &[u8]) -> Self {
        End { offset: first.len() as u64, tail: first.to_vec() }
    }
}

/// Zeros that begin at a block of memory.
#[derive(Debug, Default)]
struct Aligned {
    bytes: Vec<u8>,
    start: usize,
    len: usize,
}

impl Aligned {
    fn new(len: usize) -> Self {
        let bytes = vec![0; len + SIZE];
        let start = bytes.as_ptr().align_offset(SIZE).min(SIZE);
        Aligned { bytes, start, len }
    }
}

impl Deref for Aligned {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes[self.start..self.start + self.len]
    }
}

impl DerefMut for Aligned {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[self.start..self.start + self.len]
    }
}

/// What is to be written.
#[derive(Debug, Default)]
pub(crate) struct Blocks {
    bytes: Aligned,
    /// How many bytes wait there.
    len: usize,
    /// Where in the file they belong.
    at: u64,
}

impl Blocks {
    /// Writes these parts one behind the other from `end` on, and `zeros` zeros behind them; where
    /// the file is to be gone on with, which is before the zeros.
    ///
    /// # Errors
    /// The disk refuses; some of it may have been written. Everything before `end` is as it was.
    pub fn write<'a>(
        &mut self,
        file: &dyn DiskFile,
        end: &End,
        parts: impl IntoIterator<Item = &'a [u8]>,
        zeros: usize,
    ) -> io::Result<End> {
        self.begin();
        self.at = end.offset - end.tail.len() as u64;
        self.append(file, &end.tail)?;
        for part in parts {
            self.append(file, part)?;
        }
        let (offset, len) = (self.at + self.len as u64, self.len);
        let whole = (len + zeros).next_multiple_of(SIZE);
        self.bytes[len..whole].fill(0);
        let old = end.tail.len();
        if self.at + old as u64 == end.offset && whole < file.little() {
            file.write_at(end.offset, &self.bytes[old..len + zeros])?;
        } else {
            file.write_blocks(self.at, &self.bytes[..whole])?;
        }
        Ok(End { offset, tail: self.bytes[len / SIZE * SIZE..len].to_vec() })
    }

    fn begin(&mut self) {
        if self.bytes.is_empty() {
            // A piece, a block that is kept back, one that zeros may reach into.
            self.bytes = Aligned::new(PIECE + 2 * SIZE);
        }
        self.len = 0;
    }

    fn append(&mut self, file: &dyn DiskFile, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            if self.len == PIECE + SIZE {
                // The last block is kept: the tail is taken from what waits.
                file.write_blocks(self.at, &self.bytes[..PIECE])?;
                self.bytes.copy_within(PIECE..PIECE + SIZE, 0);
                self.at += PIECE as u64;
                self.len = SIZE;
            }
            let (now, later) = bytes.split_at(bytes.len().min(PIECE + SIZE - self.len));
            self.bytes[self.len..self.len + now.len()].copy_from_slice(now);
            self.len += now.len();
            bytes = later;
        }
        Ok(())
    }
}

/// A file that is read from front to back and does not change meanwhile: it is fetched in large
/// pieces, past the system's memory where that can be, and handed out in small ones.
#[derive(Debug)]
pub(crate) struct ReadAhead<'a> {
    file: &'a dyn DiskFile,
    window: Mutex<Window>,
}

#[derive(Debug, Default)]
struct Window {
    bytes: Aligned,
    at: u64,
    len: usize,
}

impl<'a> ReadAhead<'a> {
    /// Nothing is fetched yet.
    pub fn new(file: &'a dyn DiskFile) -> Self {
        ReadAhead { file, window: Mutex::default() }
    }

    /// As [`DiskFile::read_at`].
    ///
    /// # Errors
    /// The system refuses.
    pub fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<usize> {
        let (mut window, mut done) = (self.window.lock(), 0);
        while done < into.len() {
            let from = offset + done as u64;
            if !(window.at..window.at + window.len as u64).contains(&from) {
                window.fetch(self.file, from)?;
            }
            let inside = usize::try_from(from - window.at).unwrap_or(usize::MAX);
            let there = window.bytes.get(inside..window.len).unwrap_or_default();
            let count = there.len().min(into.len() - done);
            if count == 0 {
                break;
            }
            into[done..done + count].copy_from_slice(&there[..count]);
            done += count;
        }
        Ok(done)
    }

    /// As [`DiskFile::read_from_disk`].
    pub fn read_from_disk(&self) -> bool {
        self.file.read_from_disk()
    }

    /// As [`DiskFile::next_written`].
    pub fn next_written(&self, from: u64) -> Option<u64> {
        self.file.next_written(from)
    }
}

impl Window {
    fn fetch(&mut self, file: &dyn DiskFile, from: u64) -> io::Result<()> {
        if self.bytes.is_empty() {
            self.bytes = Aligned::new(PIECE);
        }
        (self.at, self.len) = (from & !(BLOCK - 1), 0);
        self.len = file.read_blocks(self.at, &mut self.bytes)?;
        Ok(())
    }
}

#[cfg(test)]
#[path = "blocks_tests.rs"]
mod tests;
