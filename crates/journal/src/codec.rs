//! How numbers and byte strings are written: as [`base::codec`] says, and of fixed length in
//! headers.

pub use base::codec::{Malformed, Source, put_bytes, put_framed, put_number};

/// The little-endian number in the four bytes from `at` on, which must be there: for headers, whose
/// length is fixed.
#[inline]
pub(crate) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

/// As [`u32_at`], of eight bytes.
#[inline]
pub(crate) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
}

/// As [`u32_at`], of two bytes.
#[inline]
pub(crate) fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}
