//! Offsets of bits: how they are written, how far they reach, and strings that grow to reach them.

use base::{CmdError, num};

const BAD_OFFSET: CmdError = CmdError::new("ERR bit offset is not an integer or out of range");

/// Strings longer than this are reported as `raw` whatever was done to them.
const LONGEST_EMBEDDED: usize = 44;

/// The bit that `word` names, in a string that may have `string_max` bytes. With a `width`, `#n`
/// stands for the n-th field of that many bits.
///
/// # Errors
/// It is no integer, negative, or beyond what a string may hold.
pub(super) fn parse(word: &[u8], width: Option<u32>, string_max: usize) -> Result<u64, CmdError> {
    let number = |text: &[u8]| num::parse_i64(text).ok_or(BAD_OFFSET);
    let offset = match (word, width) {
        // The product wraps around, as in Redis.
        ([b'#', rest @ ..], Some(width)) => number(rest)?.wrapping_mul(i64::from(width)),
        _ => number(word)?,
    };
    let offset = u64::try_from(offset).map_err(|_| BAD_OFFSET)?;
    let fits = usize::try_from(offset >> 3).is_ok_and(|byte| byte < string_max);
    if fits { Ok(offset) } else { Err(BAD_OFFSET) }
}

/// How long a string must be to hold the bit that the word at a position names, or a field of that
/// many bits there; 0 if it names none.
pub(super) fn length_to(argv: &[&[u8]], at: usize, width: Option<u32>) -> usize {
    let named = argv.get(at).and_then(|word| parse(word, width, usize::MAX).ok());
    named.map_or(0, |bit| byte_of(bit.saturating_add(u64::from(width.unwrap_or(1)) - 1)) + 1)
}

/// The byte that bit `offset` lies in; offsets have been checked to fit.
#[inline]
pub(super) fn byte_of(offset: u64) -> usize {
    usize::try_from(offset >> 3).unwrap_or(usize::MAX)
}

/// The mask of bit `offset` in its byte.
#[inline]
pub(super) fn mask_of(offset: u64) -> u8 {
    0x80 >> (offset & 7)
}

/// Lengthens `bytes` with zeros to at least `length`; whether that was needed.
pub(super) fn grow(bytes: &mut Vec<u8>, length: usize) -> bool {
    if bytes.len() >= length {
        return false;
    }
    if bytes.is_empty() {
        // Zeros from the allocator cost nothing before they are touched.
        *bytes = vec![0; length];
    } else {
        bytes.resize(length, 0);
    }
    true
}

/// Whether a write that changes nothing leaves a string of this length as it is. A shorter one
/// is reported as `raw` after any write, so the write must take place.
pub(super) fn is_raw_anyway(length: usize) -> bool {
    length > LONGEST_EMBEDDED
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAX: usize = 512 << 20;

    #[test]
    fn offsets_end_where_strings_do() {
        assert_eq!(parse(b"4294967295", None, MAX), Ok(u64::from(u32::MAX)));
        assert_eq!(parse(b"4294967296", None, MAX), Err(BAD_OFFSET));
        assert_eq!(parse(b"4294967296", None, MAX + 1), Ok(1 << 32));
        assert_eq!(parse(b"7", None, 1), Ok(7));
        assert_eq!(parse(b"8", None, 1), Err(BAD_OFFSET));
        for bad in [&b"-1"[..], b"", b"#", b"#1", b" 1", b"1.0", b"9223372036854775808"] {
            assert_eq!(parse(bad, None, MAX), Err(BAD_OFFSET));
        }
    }

    #[test]
    fn fields_are_counted_and_wrap_around() {
        assert_eq!(parse(b"#3", Some(8), MAX), Ok(24));
        assert_eq!(parse(b"#0", Some(63), MAX), Ok(0));
        assert_eq!(parse(b"#-1", Some(8), MAX), Err(BAD_OFFSET));
        assert_eq!(parse(b"##1", Some(8), MAX), Err(BAD_OFFSET));
        assert_eq!(parse(b"#2305843009213693953", Some(8), MAX), Ok(8));
    }

    #[test]
    fn growing_keeps_what_is_there() {
        let mut bytes = Vec::new();
        assert!(grow(&mut bytes, 2));
        bytes[1] = 7;
        assert!(grow(&mut bytes, 4));
        assert!(!grow(&mut bytes, 3));
        assert_eq!(bytes, [0, 7, 0, 0]);
    }
}
