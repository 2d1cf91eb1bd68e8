//! The characters of a query: words with escapes, separators, where an error is.
//!
//! Which characters have a meaning depends on where they stand (a `-` in a tag is a letter), so the
//! parser reads characters and there is no list of tokens. Must not know attributes or dialects.

use crate::arguments::text;
use crate::error::{Error, Result};

/// A place in a query.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scanner<'a> {
    text: &'a [u8],
    at: usize,
    /// The word read last, which errors quote.
    near: (usize, usize),
}

/// Whether a character stands between words without a meaning of its own.
fn is_separator(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte.is_ascii_control() || b",.<>/!#^&`'+=?".contains(&byte)
}

/// Whether a character belongs to words without a backslash.
pub(super) fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a [u8]) -> Self {
        Self { text, at: 0, near: (0, 0) }
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    pub(super) fn rest(&self) -> &'a [u8] {
        &self.text[self.at..]
    }

    pub(super) fn advance(&mut self, bytes: usize) {
        self.at = (self.at + bytes).min(self.text.len());
    }

    /// Takes the next character.
    pub(super) fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    /// Takes this character, if it is next.
    pub(super) fn take(&mut self, byte: u8) -> bool {
        let is = self.peek() == Some(byte);
        self.at += usize::from(is);
        is
    }

    /// Takes this text, if it is next.
    pub(super) fn take_all(&mut self, bytes: &[u8]) -> bool {
        let is = self.rest().starts_with(bytes);
        self.at += if is { bytes.len() } else { 0 };
        is
    }

    /// Takes this character, which must be next.
    pub(super) fn must(&mut self, byte: u8) -> Result<()> {
        if self.take(byte) { Ok(()) } else { Err(self.syntax()) }
    }

    /// Passes white space.
    pub(super) fn space(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    /// Passes what separates words; `=>` does not.
    pub(super) fn separators(&mut self) {
        while self.peek().is_some_and(is_separator) && !self.rest().starts_with(b"=>") {
            self.at += 1;
        }
    }

    /// Whether a word begins here.
    pub(super) fn is_word(&self) -> bool {
        self.peek().is_some_and(|byte| is_letter(byte) || byte == b'\\')
    }

    /// Takes a word without its escapes; it may be empty.
    pub(super) fn word(&mut self) -> Vec<u8> {
        let (start, mut word) = (self.at, Vec::new());
        while let Some(byte) = self.peek() {
            if byte == b'\\' {
                self.at += 1;
                word.extend(self.next());
            } else if is_letter(byte) {
                self.at += 1;
                word.push(byte);
            } else {
                break;
            }
        }
        self.near = (start, self.at);
        word
    }

    /// Takes a run of characters without white space and without these.
    pub(super) fn run(&mut self, ends: &[u8]) -> &'a [u8] {
        let start = self.at;
        while self.peek().is_some_and(|b| !b.is_ascii_whitespace() && !ends.contains(&b)) {
            self.at += 1;
        }
        self.near = (start, self.at);
        &self.text[start..self.at]
    }

    /// Takes all up to this character, and the character. Backslashes stay.
    pub(super) fn quoted(&mut self, end: u8) -> Result<&'a [u8]> {
        let start = self.at;
        while let Some(byte) = self.next() {
            if byte == end {
                return Ok(&self.text[start..self.at - 1]);
            }
            if byte == b'\\' {
                self.advance(1);
            }
        }
        Err(self.syntax())
    }

    /// An error at this place.
    pub(super) fn syntax(&self) -> Error {
        self.syntax_at(self.at)
    }

    /// An error at another place.
    pub(super) fn syntax_at(&self, at: usize) -> Error {
        let near = text(&self.text[self.near.0..self.near.1]);
        Error::new(format!("Syntax error at offset {at} near {near}"))
    }
}

/// Without backslashes: what each of them precedes stays as it is.
pub(super) fn unescape(written: &[u8]) -> Vec<u8> {
    let (mut plain, mut bytes) = (Vec::with_capacity(written.len()), written.iter());
    while let Some(byte) = bytes.next() {
        if *byte == b'\\' {
            plain.extend(bytes.next());
        } else {
            plain.push(*byte);
        }
    }
    plain
}
