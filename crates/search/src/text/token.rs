//! The division of text into words.

use std::borrow::Cow;
use std::ops::Range;

use super::StopWords;

/// A word of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token<'t> {
    /// In lower case and without backslashes.
    pub word: Cow<'t, [u8]>,
    /// How many words precede it; stop words are not counted.
    pub position: u32,
    /// Where it is in the text, backslashes included.
    pub range: Range<usize>,
}

/// Whether a byte separates words unless a backslash precedes it.
pub fn is_separator(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c)
        || (byte.is_ascii_punctuation() && byte != b'_')
}

/// The same bytes with letters in lower case; what is not UTF-8 stays.
pub fn lower(bytes: &[u8]) -> Cow<'_, [u8]> {
    if bytes.is_ascii() {
        if bytes.iter().any(u8::is_ascii_uppercase) {
            return Cow::Owned(bytes.to_ascii_lowercase());
        }
        return Cow::Borrowed(bytes);
    }
    let mut lowered = Vec::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for letter in chunk.valid().chars().flat_map(char::to_lowercase) {
            lowered.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
        }
        lowered.extend_from_slice(chunk.invalid());
    }
    Cow::Owned(lowered)
}

/// The words of a text, in order, without stop words.
pub fn tokens<'t>(text: &'t [u8], stop_words: &'t StopWords) -> Tokens<'t> {
    Tokens { text, stop_words, at: 0, position: 0 }
}

/// See [`tokens`].
pub struct Tokens<'t> {
    text: &'t [u8],
    stop_words: &'t StopWords,
    at: usize,
    position: u32,
}

impl<'t> Tokens<'t> {
    /// The next run of letters and escaped separators, and whether it has a backslash.
    fn run(&mut self) -> Option<(Range<usize>, bool)> {
        let (mut start, mut escaped) = (None, false);
        while let Some(byte) = self.text.get(self.at) {
            let escapes = *byte == b'\\'
                && self.text.get(self.at + 1).is_some_and(|next| is_separator(*next));
            if !escapes && is_separator(*byte) {
                if start.is_some() {
                    break;
                }
                self.at += 1;
                continue;
            }
            start.get_or_insert(self.at);
            escaped |= escapes;
            self.at += if escapes { 2 } else { 1 };
        }
        start.map(|start| (start..self.at, escaped))
    }
}

/// A word without the backslashes that keep separators.
fn without_escapes(word: &[u8]) -> Vec<u8> {
    let (mut kept, mut at) = (Vec::with_capacity(word.len()), 0);
    while let Some(byte) = word.get(at) {
        let next = word.get(at + 1).filter(|next| *byte == b'\\' && is_separator(**next));
        kept.push(*next.unwrap_or(byte));
        at += if next.is_some() { 2 } else { 1 };
    }
    kept
}

impl<'t> Iterator for Tokens<'t> {
    type Item = Token<'t>;

    fn next(&mut self) -> Option<Token<'t>> {
        loop {
            let (range, escaped) = self.run()?;
            let raw = &self.text[range.clone()];
            let word = match escaped {
                true => Cow::Owned(lower(&without_escapes(raw)).into_owned()),
                false => lower(raw),
            };
            if self.stop_words.contains(&word) {
                continue;
            }
            let position = self.position;
            self.position = position.saturating_add(1);
            return Some(Token { word, position, range });
        }
    }
}
