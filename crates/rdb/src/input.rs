//! A source of bytes that knows its offset and its checksum, and trusts no length.
//!
//! ```text
//!   source  ──►  | done, summed | done, not yet summed | unread | free |
//!                buf            summed                 pos      end
//! ```
//!
//! The checksum is taken block by block, when the buffer is refilled or the sum is asked for: one
//! long run is many times faster than a sum per item.

use std::io::{self, Read};

use crate::{Crc64, Error, Reason};

/// Bytes asked from the source at once, and the most that is allocated on the word of a length.
const BLOCK: usize = 64 << 10;

/// A source of bytes that knows its offset and its checksum, and needs no buffer of its own.
pub struct Input<R> {
    source: R,
    buf: Vec<u8>,
    pos: usize,
    end: usize,
    summed: usize,
    /// Offset of the first byte of `buf`.
    base: u64,
    crc: Crc64,
}

impl<R: Read> Input<R> {
    /// Reads from `source`, in blocks; it needs no buffer of its own.
    pub fn new(source: R) -> Self {
        Self::with_block(source, BLOCK)
    }

    /// As [`new`](Self::new), with blocks of at most `block` bytes: for sources known to be small.
    pub fn with_block(source: R, block: usize) -> Self {
        let buf = vec![0; block.clamp(16, BLOCK)];
        Input { source, buf, pos: 0, end: 0, summed: 0, base: 0, crc: Crc64::default() }
    }

    /// Bytes read so far.
    pub fn offset(&self) -> u64 {
        self.base + self.pos as u64
    }

    /// The checksum of the bytes read since the last [`restart_sum`](Self::restart_sum).
    pub fn checksum(&mut self) -> u64 {
        self.crc.update(&self.buf[self.summed..self.pos]);
        self.summed = self.pos;
        self.crc.value()
    }

    /// Lets the checksum begin here.
    pub fn restart_sum(&mut self) {
        self.crc = Crc64::default();
        self.summed = self.pos;
    }

    /// An error at this offset.
    pub(crate) fn corrupt(&self, what: &'static str) -> Error {
        Error::corrupt(self.offset(), what)
    }

    fn io(&self, error: io::Error) -> Error {
        Error { offset: self.base + self.end as u64, reason: Reason::Io(error) }
    }

    /// Reads more into the free end of the buffer; how many bytes came, 0 at the end.
    fn refill(&mut self) -> Result<usize, Error> {
        if self.end == self.buf.len() || self.pos == self.end {
            self.checksum();
            self.buf.copy_within(self.pos..self.end, 0);
            self.base += self.pos as u64;
            self.end -= self.pos;
            (self.pos, self.summed) = (0, 0);
        }
        loop {
            match self.source.read(&mut self.buf[self.end..]) {
                Ok(more) => {
                    self.end += more;
                    return Ok(more);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.io(error)),
            }
        }
    }

    /// What is unread, at least one byte unless the input has ended.
    pub(crate) fn unread(&mut self) -> Result<&[u8], Error> {
        if self.pos == self.end {
            self.refill()?;
        }
        Ok(&self.buf[self.pos..self.end])
    }

    /// The next `len` bytes, if there are so many, without reading them. `len` is at most 16.
    pub(crate) fn peek(&mut self, len: usize) -> Result<Option<&[u8]>, Error> {
        while self.end - self.pos < len {
            if self.refill()? == 0 {
                return Ok(None);
            }
        }
        Ok(Some(&self.buf[self.pos..self.pos + len]))
    }

    fn need(&mut self) -> Result<(), Error> {
        if self.unread()?.is_empty() {
            return Err(Error { offset: self.offset(), reason: Reason::Truncated });
        }
        Ok(())
    }

    /// The next byte.
    pub(crate) fn byte(&mut self) -> Result<u8, Error> {
        self.need()?;
        let byte = self.buf[self.pos];
        self.pos += 1;
        Ok(byte)
    }

    /// The next `N` bytes.
    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        let mut array = [0; N];
        let mut filled = 0;
        while filled < N {
            self.need()?;
            let more = (self.end - self.pos).min(N - filled);
            array[filled..filled + more].copy_from_slice(&self.buf[self.pos..self.pos + more]);
            filled += more;
            self.pos += more;
        }
        Ok(array)
    }

    /// The next `len` bytes. Allocates as they come: a length that lies costs one block.
    pub(crate) fn bytes(&mut self, len: u64) -> Result<Vec<u8>, Error> {
        let mut left = len;
        let mut bytes = Vec::with_capacity(usize::try_from(left).unwrap_or(BLOCK).min(BLOCK));
        while left > 0 {
            self.need()?;
            let here = self.end - self.pos;
            let take = usize::try_from(left).map_or(here, |left| left.min(here));
            bytes.extend_from_slice(&self.buf[self.pos..self.pos + take]);
            self.pos += take;
            left -= take as u64;
        }
        Ok(bytes)
    }
}
