//! Where a page ended: a text that clients bring back.
//!
//! It says everything by itself, so the server keeps nothing of walks, and one goes on after a
//! restart: a letter for the direction, and the last name that was looked at, in base64 that can
//! stand in a URL (RFC 4648, section 5, without padding). `0` begins a walk and ends one.

use base::{CmdError, error};

/// Begins and ends a walk.
pub(super) const ENDS: &[u8] = b"0";

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

fn direction(reverse: bool) -> u8 {
    if reverse { b'd' } else { b'a' }
}

/// The cursor of a walk in a direction that has come to `name`.
pub(super) fn write(name: &[u8], reverse: bool) -> Vec<u8> {
    let mut text = Vec::with_capacity(1 + name.len().div_ceil(3) * 4);
    text.push(direction(reverse));
    for three in name.chunks(3) {
        let byte = |at: usize| u32::from(three.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        let letter = |at: usize| LETTERS[(bits >> (18 - 6 * at)) as usize & 63];
        text.extend((0..=three.len()).map(letter));
    }
    text
}

/// Where to go on in a direction: behind a name, or at the beginning.
///
/// # Errors
/// No walk in this direction has answered this cursor.
pub(super) fn read(text: &[u8], reverse: bool) -> Result<Option<Vec<u8>>, CmdError> {
    if text == ENDS {
        return Ok(None);
    }
    let Some((first, letters)) = text.split_first() else { return Err(error::INVALID_CURSOR) };
    if *first != direction(reverse) {
        return Err(error::INVALID_CURSOR);
    }
    decode(letters).map(Some).ok_or(error::INVALID_CURSOR)
}

fn value(letter: u8) -> Option<u32> {
    let value = match letter {
        b'A'..=b'Z' => letter - b'A',
        b'a'..=b'z' => letter - b'a' + 26,
        b'0'..=b'9' => letter - b'0' + 52,
        b'-' => 62,
        b'_' => 63,
        _ => return None,
    };
    Some(u32::from(value))
}

fn decode(letters: &[u8]) -> Option<Vec<u8>> {
    let mut name = Vec::with_capacity(letters.len() / 4 * 3 + 2);
    for four in letters.chunks(4) {
        let mut bits = 0;
        for &letter in four {
            bits = bits << 6 | value(letter)?;
        }
        bits <<= 6 * (4 - four.len());
        let [_, bytes @ ..] = bits.to_be_bytes();
        let (said, rest) = bytes.split_at_checked(four.len() - 1)?;
        // One letter says no byte, and bits behind the last byte are zero.
        if said.is_empty() || rest.iter().any(|&byte| byte != 0) {
            return None;
        }
        name.extend_from_slice(said);
    }
    Some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back() {
        let mut name = Vec::new();
        for byte in 0..=255_u8 {
            for reverse in [false, true] {
                let text = write(&name, reverse);
                assert_eq!(read(&text, reverse), Ok(Some(name.clone())));
                assert_eq!(read(&text, !reverse), Err(error::INVALID_CURSOR));
                assert!(text != ENDS && text.iter().all(u8::is_ascii_graphic));
            }
            name.push(byte.wrapping_mul(37));
        }
        assert_eq!(read(b"0", false), Ok(None));
        assert_eq!(write(b"key:1", false), b"aa2V5OjE");
    }

    #[test]
    fn no_other_text_is_a_cursor() {
        for bad in
            ["", "1", "00", "b", "aA", "aAB", "aAAAAA", "aa2V5OjE=", "a a2V5", "a\0", "aa2V+"]
        {
            assert_eq!(read(bad.as_bytes(), false), Err(error::INVALID_CURSOR), "{bad}");
        }
    }
}
