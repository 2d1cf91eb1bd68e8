//! A frame: everything that all threads did during one epoch, written at once.
//!
//! ```text
//!   0     4     8     12      16       24        32       40     48
//!   |magic| crc | len | flags | number | segment | synced | time | records ... | 0-7 zeros
//! ```
//!
//! `crc` covers everything behind it. `number` counts frames without gaps, across segments.
//! `segment` is the number of the file it was written for: what an earlier use of a recycled file
//! left behind carries another. `synced` is the last frame known to be durable when this one was
//! written: a broken frame at or below it is damage, above it the end that a crash leaves.

use std::io;

use crate::codec::{u32_at, u64_at};
use crate::disk::DiskFile;

/// Bytes before the records.
pub const HEADER: usize = 48;
/// Frames begin at multiples of this.
pub const ALIGN: u64 = 8;
/// The first bytes.
pub(crate) const MAGIC: u32 = u32::from_le_bytes(*b"KvFr");
/// The segment ends here, in good order.
pub const END: u32 = 1;
/// With [`END`]: the segment of the next number goes on from here, and was there before this was
/// written. A copy of the files that lacks it lacks a part.
pub const GOES_ON: u32 = 2;

/// What stands before the records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// Bytes of records.
    pub len: u32,
    /// [`END`], perhaps with [`GOES_ON`], or 0.
    pub flags: u32,
    /// Its number.
    pub number: u64,
    /// The file it belongs to.
    pub segment: u64,
    /// The last frame known to be durable when it was written.
    pub synced: u64,
    /// When it was written, in milliseconds since the Unix epoch.
    pub time: u64,
}

impl Header {
    /// The header of a frame with these records, in parts.
    #[must_use]
    pub fn encode(&self, parts: &[&[u8]]) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        bytes[0..4].copy_from_slice(&MAGIC.to_le_bytes());
        bytes[8..12].copy_from_slice(&self.len.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.flags.to_le_bytes());
        for (at, field) in
            [(16, self.number), (24, self.segment), (32, self.synced), (40, self.time)]
        {
            bytes[at..at + 8].copy_from_slice(&field.to_le_bytes());
        }
        let mut crc = crc32fast::Hasher::new();
        crc.update(&bytes[8..]);
        parts.iter().for_each(|part| crc.update(part));
        bytes[4..8].copy_from_slice(&crc.finalize().to_le_bytes());
        bytes
    }

    /// The header in these bytes, if they begin like one of `segment`; its checksum is not looked
    /// at yet.
    #[must_use]
    pub fn decode(bytes: &[u8; HEADER], segment: u64) -> Option<Self> {
        let header = Header {
            len: u32_at(bytes, 8),
            flags: u32_at(bytes, 12),
            number: u64_at(bytes, 16),
            segment: u64_at(bytes, 24),
            synced: u64_at(bytes, 32),
            time: u64_at(bytes, 40),
        };
        (u32_at(bytes, 0) == MAGIC && header.segment == segment).then_some(header)
    }

    /// Bytes from its beginning to that of the next one.
    #[must_use]
    pub fn span(&self) -> u64 {
        (HEADER as u64 + u64::from(self.len)).next_multiple_of(ALIGN)
    }
}

/// What stands at some place of a segment.
#[derive(Debug, PartialEq, Eq)]
pub enum Found {
    /// A whole frame; its records are in the buffer.
    Frame(Header),
    /// Nothing of this segment: the end of what was written.
    Nothing,
    /// Something that is no whole frame.
    Broken,
}

/// Reads the frame at `offset` of a file that is `len` long; its records go to `body`.
///
/// # Errors
/// The file cannot be read.
pub fn read(
    file: &dyn DiskFile,
    place: (u64, u64),
    segment: u64,
    body: &mut Vec<u8>,
) -> io::Result<Found> {
    read_with(|offset, into| file.read_at(offset, into), place, segment, body)
}

/// As [`read`], from what `read_at` reads.
pub(crate) fn read_with(
    mut read_at: impl FnMut(u64, &mut [u8]) -> io::Result<usize>,
    (offset, len): (u64, u64),
    segment: u64,
    body: &mut Vec<u8>,
) -> io::Result<Found> {
    let mut bytes = [0; HEADER];
    let got = read_at(offset, &mut bytes)?;
    if got < HEADER {
        return Ok(if bytes[..got].iter().all(|&b| b == 0) {
            Found::Nothing
        } else {
            Found::Broken
        });
    }
    let Some(header) = Header::decode(&bytes, segment) else {
        return Ok(if is_blank(&bytes) { Found::Nothing } else { Found::Broken });
    };
    // A length is only believed as far as the file goes.
    let size = usize::try_from(header.len).unwrap_or(usize::MAX);
    if offset + header.span() > len.next_multiple_of(ALIGN) {
        return Ok(Found::Broken);
    }
    body.resize(size, 0);
    let got = read_at(offset + HEADER as u64, body)?;
    let whole = got == size && header.encode(&[body]) == bytes;
    Ok(if whole { Found::Frame(header) } else { Found::Broken })
}

/// Whether these bytes were never written for this segment: zeros, or a frame of an earlier use of
/// the file.
fn is_blank(bytes: &[u8; HEADER]) -> bool {
    bytes.iter().all(|&b| b == 0) || bytes[0..4] == MAGIC.to_le_bytes()
}
