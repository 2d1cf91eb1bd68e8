//! Words on a line, with quotes: inline requests, and lines people type.
//!
//! The rules are those of Redis. Words are separated by white space. Inside double quotes `\n`,
//! `\r`, `\t`, `\b`, `\a` and `\xHH` are escapes, and `\` makes any other byte itself; inside
//! single quotes only `\'` is one. A closing quote must end the word.
//!
//! ```text
//!   SET "a\x41 b" 'c'      unquoting never makes a word longer,
//!   SET  aA b4    c        so it happens in place: the write
//!        ^   ^             position never passes the read position
//! ```

use crate::decode::Word;

/// Splits `line`, unquoting in place; words lie where `line` does, shifted by `offset`. `None` if
/// quotes are unbalanced; `words` may then have grown. The line must not contain zero bytes.
pub(crate) fn split_in_place(line: &mut [u8], offset: usize, words: &mut Vec<Word>) -> Option<()> {
    let mut read = 0;
    loop {
        read += line[read..].iter().take_while(|&&c| is_space(c)).count();
        if read == line.len() {
            return Some(());
        }
        let start = read;
        let len;
        (read, len) = word(line, start)?;
        words.push(Word { start: offset + start, len });
    }
}

/// The words of a line a person typed; `None` if quotes are unbalanced. A zero byte ends the line.
///
/// ```
/// let words = kvist_wire::split_line(br#"SET "a\x41 b" 'c'"#).unwrap();
/// assert_eq!(words, [&b"SET"[..], b"aA b", b"c"]);
/// assert!(kvist_wire::split_line(b"'a'b").is_none());
/// ```
#[must_use]
pub fn split(line: &[u8]) -> Option<Vec<Vec<u8>>> {
    let mut line = line.split(|&c| c == 0).next().unwrap_or_default().to_vec();
    let mut words = Vec::new();
    split_in_place(&mut line, 0, &mut words)?;
    Some(words.iter().map(|word| word.of(&line).to_vec()).collect())
}

/// White space between words. A vertical tab or form feed separates, but does not end a word.
fn is_space(c: u8) -> bool {
    matches!(c, b' ' | b'\t'..=b'\r')
}

/// Unquotes the word at `start`: where reading goes on, and the word's length.
fn word(line: &mut [u8], start: usize) -> Option<(usize, usize)> {
    let (mut read, mut write) = (start, start);
    let mut quote = None;
    while let Some(&c) = line.get(read) {
        let (byte, taken) = match (quote, c) {
            (None, b' ' | b'\n' | b'\r' | b'\t') => break,
            (None, b'"' | b'\'') => {
                quote = Some(c);
                read += 1;
                continue;
            }
            (Some(open), _) if c == open => {
                let ends = line.get(read + 1).is_none_or(|&c| is_space(c));
                return ends.then_some((read + 1, write - start));
            }
            (Some(b'"'), b'\\') => escape(&line[read..]),
            (Some(b'\''), b'\\') if line.get(read + 1) == Some(&b'\'') => (b'\'', 2),
            _ => (c, 1),
        };
        line[write] = byte;
        (read, write) = (read + taken, write + 1);
    }
    quote.is_none().then_some((read, write - start))
}

/// The byte an escape at the start of `text` stands for, and the escape's length.
fn escape(text: &[u8]) -> (u8, usize) {
    let hex = |c: u8| char::from(c).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    match *text {
        [_, b'x', high, low, ..] if hex(high).is_some() && hex(low).is_some() => {
            (hex(high).unwrap_or(0) << 4 | hex(low).unwrap_or(0), 4)
        }
        [_, b'n', ..] => (b'\n', 2),
        [_, b'r', ..] => (b'\r', 2),
        [_, b't', ..] => (b'\t', 2),
        [_, b'b', ..] => (8, 2),
        [_, b'a', ..] => (7, 2),
        [_, other, ..] => (other, 2),
        _ => (b'\\', 1), // at the end of the line; the quote stays open anyway
    }
}
