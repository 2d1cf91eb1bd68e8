//! A frame: everything that all threads did during one epoch, written at once.
//!
//! ```text
//!   0     4     8     12      16       24        32       40     48
//!   |begin| crc | length, flags | number | segment | synced | time | records ... | 0-7 zeros
//! ```
//!
//! `crc` covers everything behind it. `number` counts frames without gaps, across segments.
//! `segment` is the number of the file it was written for: what an earlier use of a recycled file
//! left behind carries another. `synced` is the last frame known to be durable when this one was
//! written: a broken frame at or below it is damage, above it the end that a crash leaves.
//!
//! Recovery looks for frames behind the place where a file ends, among bytes that clients have
//! chosen. So each file has a secret, and neither the word that a frame begins with nor its
//! checksum can be told without it: nothing that a client can store looks like a frame.

use std::io;

use crate::codec::u64_at;
use crate::disk::DiskFile;

/// Bytes before the records.
pub const HEADER: usize = 48;
/// Frames begin at multiples of this.
pub const ALIGN: u64 = 8;
/// The first bytes where files have no secret.
const MAGIC: u32 = u32::from_le_bytes(*b"KvFr");
/// The segment ends here, in good order.
pub const END: u32 = 1;
/// With [`END`]: the segment of the next number goes on from here, and was there before this was
/// written. A copy of the files that lacks it lacks a part.
pub const GOES_ON: u32 = 2;

/// With a secret, a length has six bytes and the flags two; without, four each.
const LONG: u64 = (1 << 48) - 1;

/// What only the frames of one file have in common, in all its uses. Files of the versions before
/// 3 have none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Secret(u64);

impl Secret {
    /// That of files of older versions.
    pub const NONE: Self = Secret(0);

    /// The secret of a file of this number, made of a random seed.
    #[must_use]
    pub fn of(seed: u64, file: u64) -> Self {
        Secret(mix(mix(seed) ^ file).max(1))
    }

    /// As it stands in a header; 0 is none.
    #[must_use]
    pub const fn from_bits(bits: u64) -> Self {
        Secret(bits)
    }

    /// As it stands in a header.
    #[must_use]
    pub fn bits(self) -> u64 {
        self.0
    }

    fn is_none(self) -> bool {
        self == Self::NONE
    }

    /// What frames begin with: never zeros, which are what was not written.
    pub(crate) fn begin(self) -> [u8; 4] {
        if self.is_none() {
            return MAGIC.to_le_bytes();
        }
        // Truncation is the point. The checksum begins with other bits of the secret.
        (mix(self.0) as u32 | 1).to_le_bytes()
    }

    pub(crate) fn checksum(self) -> crc32fast::Hasher {
        let mut crc = crc32fast::Hasher::new();
        if !self.is_none() {
            crc.update(&self.0.to_le_bytes());
        }
        crc
    }
}

/// Bits of a number in which none of its own can be told (the finish of SplitMix64).
fn mix(number: u64) -> u64 {
    let mut n = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    n = (n ^ (n >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    n = (n ^ (n >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    n ^ (n >> 31)
}

/// What stands before the records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// Bytes of records, below 2^48.
    pub len: u64,
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
    /// The header of a frame with these records, in parts, in a file of this secret.
    #[must_use]
    pub fn encode(&self, secret: Secret, parts: &[&[u8]]) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        bytes[0..4].copy_from_slice(&secret.begin());
        let flags_at = if secret.is_none() { 32 } else { 48 };
        let length = self.len | u64::from(self.flags) << flags_at;
        for (at, field) in
            [(8, length), (16, self.number), (24, self.segment), (32, self.synced), (40, self.time)]
        {
            bytes[at..at + 8].copy_from_slice(&field.to_le_bytes());
        }
        let mut crc = secret.checksum();
        crc.update(&bytes[8..]);
        parts.iter().for_each(|part| crc.update(part));
        bytes[4..8].copy_from_slice(&crc.finalize().to_le_bytes());
        bytes
    }

    /// The header in these bytes, if they begin like one of `segment`; its checksum is not looked
    /// at yet.
    #[must_use]
    pub fn decode(bytes: &[u8; HEADER], (segment, secret): Of) -> Option<Self> {
        let length = u64_at(bytes, 8);
        let (len, flags) = match secret.is_none() {
            true => (length & u64::from(u32::MAX), length >> 32),
            false => (length & LONG, length >> 48),
        };
        let header = Header {
            len,
            flags: u32::try_from(flags).unwrap_or(u32::MAX),
            number: u64_at(bytes, 16),
            segment: u64_at(bytes, 24),
            synced: u64_at(bytes, 32),
            time: u64_at(bytes, 40),
        };
        (bytes[0..4] == secret.begin() && header.segment == segment).then_some(header)
    }

    /// Bytes from its beginning to that of the next one.
    #[must_use]
    pub fn span(&self) -> u64 {
        (HEADER as u64 + self.len).next_multiple_of(ALIGN)
    }
}

/// What a frame belongs to: the number of the segment, the secret of its file.
pub type Of = (u64, Secret);

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
    of: Of,
    body: &mut Vec<u8>,
) -> io::Result<Found> {
    read_with(|offset, into| file.read_at(offset, into), place, of, body)
}

/// As [`read`], from what `read_at` reads.
pub(crate) fn read_with(
    mut read_at: impl FnMut(u64, &mut [u8]) -> io::Result<usize>,
    (offset, len): (u64, u64),
    of: Of,
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
    let Some(header) = Header::decode(&bytes, of) else {
        return Ok(if is_blank(&bytes, of.1) { Found::Nothing } else { Found::Broken });
    };
    // A length is only believed as far as the file goes.
    let size = usize::try_from(header.len).unwrap_or(usize::MAX);
    if header.len > len || offset + header.span() > len.next_multiple_of(ALIGN) {
        return Ok(Found::Broken);
    }
    body.resize(size, 0);
    let got = read_at(offset + HEADER as u64, body)?;
    let whole = got == size && header.encode(of.1, &[body]) == bytes;
    Ok(if whole { Found::Frame(header) } else { Found::Broken })
}

/// Whether these bytes were never written for this segment: zeros, or a frame of an earlier use of
/// the file.
fn is_blank(bytes: &[u8; HEADER], secret: Secret) -> bool {
    bytes.iter().all(|&b| b == 0) || bytes[0..4] == secret.begin()
}
