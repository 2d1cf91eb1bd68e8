//! Ids as clients write them: `ms-seq`, `ms`, `-`, `+`, and `(` before one that is left out.

use base::{CmdError, Reply, StreamId, error};

/// What is no id.
const INVALID: CmdError =
    CmdError::new("ERR Invalid stream ID specified as stream command argument");
const INVALID_START: CmdError = CmdError::new("ERR invalid start ID for the interval");
const INVALID_END: CmdError = CmdError::new("ERR invalid end ID for the interval");

/// Longer words are no ids, whatever they say.
const LONGEST: usize = 127;

/// An unsigned number as Redis reads one: canonical, or whatever `strtoull` of C takes (spaces
/// and a sign before it), but no negative number that is canonical.
fn number(text: &[u8]) -> Option<u64> {
    if let Some(number) = base::num::parse_i64(text) {
        return u64::try_from(number).ok();
    }
    let spaces = text.iter().take_while(|byte| byte.is_ascii_whitespace() || **byte == 0x0b);
    let text = &text[spaces.count()..];
    let (negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] => (false, digits),
        digits => (false, digits),
    };
    if digits.is_empty() {
        return None;
    }
    let mut number: u64 = 0;
    for &digit in digits {
        let digit = char::from(digit).to_digit(10)?;
        number = number.checked_mul(10)?.checked_add(digit.into())?;
    }
    Some(if negative { number.wrapping_neg() } else { number })
}

/// An id, or the part of one before `-*`: what stands there, and whether all of it was given.
fn read(word: &[u8], missing_seq: u64, open: bool) -> Option<(StreamId, bool)> {
    if word.len() > LONGEST {
        return None;
    }
    let word = error::until_zero(word);
    let Some(at) = word.iter().position(|&byte| byte == b'-') else {
        return Some((StreamId { ms: number(word)?, seq: missing_seq }, true));
    };
    let (ms, seq) = (number(&word[..at])?, &word[at + 1..]);
    if open && seq == b"*" {
        return Some((StreamId { ms, seq: 0 }, false));
    }
    Some((StreamId { ms, seq: number(seq)? }, true))
}

/// An id that is none of the special ones.
///
/// # Errors
/// It is none.
pub(super) fn strict(word: &[u8]) -> Result<StreamId, CmdError> {
    read(word, 0, false).map(|(id, _)| id).ok_or(INVALID)
}

/// The id of a new entry; `false` beside it if its second half is to be found.
///
/// # Errors
/// It is none.
pub(super) fn of_new(word: &[u8]) -> Result<(StreamId, bool), CmdError> {
    read(word, 0, true).ok_or(INVALID)
}

/// An id, or `-` or `+` for the ends of all.
///
/// # Errors
/// It is none.
pub(super) fn loose(word: &[u8], missing_seq: u64) -> Result<StreamId, CmdError> {
    match word {
        [b'-'] | [b'-', 0, ..] => Ok(StreamId::MIN),
        [b'+'] | [b'+', 0, ..] => Ok(StreamId::MAX),
        _ => read(word, missing_seq, false).map(|(id, _)| id).ok_or(INVALID),
    }
}

/// The id itself, and whether it is left out.
fn bound(word: &[u8], missing_seq: u64) -> Result<(StreamId, bool), CmdError> {
    match word {
        [b'(', rest @ ..] if !rest.is_empty() => {
            let id = read(rest, missing_seq, false).ok_or(INVALID)?.0;
            Ok((id, true))
        }
        _ => Ok((loose(word, missing_seq)?, false)),
    }
}

/// The first id of an interval.
///
/// # Errors
/// It is none, or there is none behind the one that is left out.
pub(super) fn start(word: &[u8]) -> Result<StreamId, CmdError> {
    match bound(word, 0)? {
        (id, true) => id.next().ok_or(INVALID_START),
        (id, false) => Ok(id),
    }
}

/// The last id of an interval.
///
/// # Errors
/// It is none, or there is none before the one that is left out.
pub(super) fn end(word: &[u8]) -> Result<StreamId, CmdError> {
    match bound(word, u64::MAX)? {
        (id, true) => id.previous().ok_or(INVALID_END),
        (id, false) => Ok(id),
    }
}

/// The text of an id, without memory of its own.
pub(super) fn with_text<R>(id: StreamId, use_it: impl FnOnce(&[u8]) -> R) -> R {
    let (mut ms, mut seq) = (itoa::Buffer::new(), itoa::Buffer::new());
    let (ms, seq) = (ms.format(id.ms).as_bytes(), seq.format(id.seq).as_bytes());
    let mut text = [0; 41];
    text[..ms.len()].copy_from_slice(ms);
    text[ms.len()] = b'-';
    let len = ms.len() + 1 + seq.len();
    text[ms.len() + 1..len].copy_from_slice(seq);
    use_it(&text[..len])
}

/// Answers an id.
pub(super) fn write(id: StreamId, out: &mut dyn Reply) {
    with_text(id, |text| out.bulk(text));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_c_reads_them() {
        let id = |ms, seq| Ok(StreamId { ms, seq });
        assert_eq!(strict(b"5"), id(5, 0));
        assert_eq!(strict(b"007-+3"), id(7, 3));
        assert_eq!(strict(b" 5-1"), id(5, 1));
        assert_eq!(strict(b"1- -1"), id(1, u64::MAX));
        assert_eq!(strict(b"1--1"), Err(INVALID));
        assert_eq!(strict(b"5\x00x"), id(5, 0));
        assert_eq!(strict(b"18446744073709551615-18446744073709551615"), Ok(StreamId::MAX));
        assert_eq!(strict(b"18446744073709551616"), Err(INVALID));
        for wrong in [&b""[..], b"-", b"+", b"a", b"1-", b"-1", b"1-2-3", b"1-*", b"1 "] {
            assert_eq!(strict(wrong), Err(INVALID), "{}", wrong.escape_ascii());
        }
        assert_eq!(start(b"(5"), id(5, 1));
        assert_eq!(end(b"(5-0"), id(4, u64::MAX));
        assert_eq!(end(b"(-"), Err(INVALID));
        assert_eq!(of_new(b"5-*"), Ok((StreamId { ms: 5, seq: 0 }, false)));
    }
}
