//! A sink of bytes that counts and sums what goes through, in blocks.

use std::io::{self, Write};

use crate::Crc64;

/// Bytes gathered before they are passed on.
const BLOCK: usize = 64 << 10;

/// A sink of bytes that counts and sums what goes through, and passes it on in blocks.
pub struct Output<W: Write> {
    sink: W,
    buf: Vec<u8>,
    crc: Crc64,
    passed: u64,
    summing: bool,
}

impl<W: Write> Output<W> {
    pub(crate) fn new(sink: W, summing: bool) -> Self {
        let buf = Vec::with_capacity(BLOCK);
        Output { sink, buf, crc: Crc64::default(), passed: 0, summing }
    }

    /// Bytes written so far.
    pub fn offset(&self) -> u64 {
        self.passed + self.buf.len() as u64
    }

    fn pass(&mut self) -> io::Result<()> {
        if self.summing {
            self.crc.update(&self.buf);
        }
        self.sink.write_all(&self.buf)?;
        self.passed += self.buf.len() as u64;
        self.buf.clear();
        Ok(())
    }

    /// Passes everything on; the checksum, 0 if none was to be taken.
    pub(crate) fn checksum(&mut self) -> io::Result<u64> {
        self.pass()?;
        Ok(self.crc.value())
    }

    /// Passes everything on and gives the sink back.
    pub(crate) fn finish(mut self) -> io::Result<W> {
        self.flush()?;
        Ok(self.sink)
    }
}

impl<W: Write> Write for Output<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.buf.len() == BLOCK {
            self.pass()?;
        }
        let take = bytes.len().min(BLOCK - self.buf.len());
        self.buf.extend_from_slice(&bytes[..take]);
        Ok(take)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.pass()?;
        self.sink.flush()
    }
}
