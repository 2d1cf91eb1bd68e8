//! From JSON text to the text we would write, without a tree in between.
//!
//! A document that is only stored and fetched never needs a tree. Its text is checked, and what
//! is written differently (white space, needless escapes, `1.50`) is replaced on the way; what is
//! canonical already is copied in one go.
//!
//! ```text
//!   text  { "a": [1, 2.50],  …          what is read is copied when something is left out
//!         └┬┘└─┬┘└┬┘ └─ replaced        or replaced behind it
//!   out   {"a":[1,2.5
//! ```
//!
//! Only the tree knows what to do about names that occur twice: it is asked when the hashes of two
//! names of an object are equal. Nearly all texts are ASCII, which is seen while strings are read;
//! whether a text that is not is UTF-8 is asked at its end.

use crate::cell::Cell;
use crate::diagnose::{ParseError, diagnose};
use crate::escape::write_string;
use crate::hash::hash;
use crate::lex::{self, Fail, MAX_DEPTH, Number, Word};
use crate::names::Name;
use crate::number::{write_decimal, write_num};
use crate::registry::Registry;
use crate::scratch::Buffers;
use crate::tree::Num;
use crate::value::Value;

/// The text that [`Value::parse`] and writing would make of a text. In a buffer without room.
///
/// # Errors
/// Those of [`Value::parse`].
///
/// ```
/// let mut registry = kvist_json::Registry::new();
/// let text = kvist_json::canonical(br#"{"a" : "\u0041\/", "b" : 1.50}"#, &mut registry)?;
/// assert_eq!(&*text, br#"{"a":"A/","b":1.5}"#);
/// # Ok::<(), kvist_json::ParseError>(())
/// ```
pub fn canonical(text: &[u8], registry: &mut Registry) -> Result<Box<[u8]>, ParseError> {
    let mut buffers = registry.lend_buffers();
    let had = buffers.memory();
    buffers.names.begin();
    let mut check =
        Check { text, at: 0, copied: 0, filled: 0, buffers, has_twins: false, is_ascii: true };
    let checked = check.document().and_then(|()| {
        let is_text = check.is_ascii || str::from_utf8(text).is_ok();
        if is_text { Ok(check.has_twins) } else { Err(Fail::Syntax) }
    });
    let canonical = match checked {
        Ok(false) if check.copied == 0 => Some(text.into()),
        Ok(false) => {
            check.flush();
            Some(check.buffers.out[..check.filled].into())
        }
        _ => None,
    };
    registry.take_buffers(check.buffers, had);
    match (checked, canonical) {
        (Err(fail), _) => Err(diagnose(text, fail)),
        (Ok(_), Some(canonical)) => Ok(canonical),
        (Ok(_), None) => {
            let value = Value::parse(text, registry)?;
            let mut out = Vec::new();
            value.root().write(&mut out);
            Ok(out.into_boxed_slice())
        }
    }
}

/// Bytes of a short piece of text, and of one that is not long.
const SHORT: usize = 32;
const MEDIUM: usize = 96;

struct Check<'t> {
    text: &'t [u8],
    at: usize,
    /// Up to where the text is in `out`, as it is or replaced.
    copied: usize,
    /// How much of `out` is written.
    filled: usize,
    buffers: Buffers,
    has_twins: bool,
    /// So far.
    is_ascii: bool,
}

impl Check<'_> {
    /// Copies what was read and not replaced.
    #[inline]
    fn flush(&mut self) {
        let len = self.at - self.copied;
        // Most pieces are short, and a copy of a known size costs less than one that must look.
        let is_done = if len <= SHORT {
            self.copy::<SHORT>(len)
        } else {
            len <= MEDIUM && self.copy::<MEDIUM>(len)
        };
        if !is_done {
            self.put(&self.text[self.copied..self.at]);
        }
    }

    /// Copies so many bytes, of which `len` count, if both sides have them.
    #[inline]
    fn copy<const N: usize>(&mut self, len: usize) -> bool {
        let from = self.text.get(self.copied..).and_then(<[u8]>::first_chunk::<N>);
        let to = self.buffers.out.get_mut(self.filled..).and_then(<[u8]>::first_chunk_mut::<N>);
        let (Some(from), Some(to)) = (from, to) else { return false };
        *to = *from;
        self.filled += len;
        true
    }

    /// Adds this to what is written.
    #[inline(never)]
    fn put(&mut self, piece: &[u8]) {
        let (out, end) = (&mut self.buffers.out, self.filled + piece.len());
        if out.len() < end {
            // It is the first piece, or something was replaced by something longer.
            let room = (end + end / 4).max(self.text.len()) + MEDIUM;
            if self.filled == 0 {
                *out = vec![0; room];
            } else {
                out.resize(room, 0);
            }
        }
        out[self.filled..end].copy_from_slice(piece);
        self.filled = end;
    }

    fn document(&mut self) -> Result<(), Fail> {
        self.value(0)?;
        // A text that ends here needs no copy if it was canonical so far.
        if self.at == self.text.len() {
            return Ok(());
        }
        match self.peek() {
            Err(_) => Ok(()), // the end, as it should be
            Ok(_) => Err(Fail::Syntax),
        }
    }

    /// The next byte that is not white space.
    #[inline(always)]
    fn peek(&mut self) -> Result<u8, Fail> {
        match self.text.get(self.at) {
            Some(&byte) if byte > b' ' => Ok(byte),
            _ => self.skip_space(),
        }
    }

    #[inline(never)]
    fn skip_space(&mut self) -> Result<u8, Fail> {
        self.flush();
        // One space behind a comma or a colon, as many write it.
        if let Some([b' ', byte @ b'!'..=u8::MAX, ..]) = self.text.get(self.at..) {
            self.at += 1;
            self.copied = self.at;
            return Ok(*byte);
        }
        while let Some(b' ' | b'\n' | b'\t' | b'\r') = self.text.get(self.at) {
            self.at += 1;
        }
        self.copied = self.at;
        self.text.get(self.at).copied().ok_or(Fail::Syntax)
    }

    #[inline(always)]
    fn value(&mut self, depth: usize) -> Result<(), Fail> {
        match self.peek()? {
            b'"' => self.string(),
            b'{' => self.object(depth + 1),
            b'[' => self.array(depth + 1),
            b'-' | b'0'..=b'9' => self.number(),
            b't' => self.literal(b"true"),
            b'f' => self.literal(b"false"),
            b'n' => self.literal(b"null"),
            _ => Err(Fail::Syntax),
        }
    }

    #[inline]
    fn literal(&mut self, word: &[u8]) -> Result<(), Fail> {
        if !self.text[self.at..].starts_with(word) {
            return Err(Fail::Syntax);
        }
        self.at += word.len();
        Ok(())
    }

    #[inline]
    fn string(&mut self) -> Result<(), Fail> {
        let end = lex::ascii_end(self.text, self.at + 1);
        if self.text.get(end) != Some(&b'"') {
            return self.string_with_escapes(end);
        }
        self.at = end + 1;
        Ok(())
    }

    /// Reads on where an escape stands, or what is not ASCII.
    #[inline(never)]
    fn string_with_escapes(&mut self, mut end: usize) -> Result<(), Fail> {
        // As we would write them.
        while let Some([b'\\', b'"' | b'\\' | b'b' | b'f' | b'n' | b'r' | b't', ..]) =
            self.text.get(end..)
        {
            end = lex::ascii_end(self.text, end + 2);
        }
        if self.text.get(end) != Some(&b'"') {
            return self.other_string().map(|_| ());
        }
        self.at = end + 1;
        Ok(())
    }

    /// Reads a string of any kind, and replaces it if it has escapes, which may not be the ones we
    /// would write; whether it has none.
    fn other_string(&mut self) -> Result<bool, Fail> {
        let (word, next) = lex::string(self.text, self.at + 1, &mut self.buffers.word)?;
        self.is_ascii = self.is_ascii && self.text[self.at..next].is_ascii();
        if let Word::Plain(..) = word {
            self.at = next;
            return Ok(true);
        }
        self.flush();
        self.copied = next;
        self.at = next;
        let mut written = Vec::with_capacity(self.buffers.word.len() + 2);
        write_string(&self.buffers.word, &mut written);
        self.put(&written);
        Ok(false)
    }

    fn number(&mut self) -> Result<(), Fail> {
        match lex::number_as_written(self.text, self.at) {
            Some(next) => {
                self.at = next;
                Ok(())
            }
            None => self.other_number(),
        }
    }

    /// Reads a number that may have to be written in another way.
    #[inline(never)]
    fn other_number(&mut self) -> Result<(), Fail> {
        let (number, next) = lex::number(self.text, self.at)?;
        let mut text = std::mem::take(&mut self.buffers.word);
        text.clear();
        match number {
            // Integers are written in one way only.
            Number::Int(_) | Number::Uint(_) => text.extend_from_slice(&self.text[self.at..next]),
            Number::Float(value) => write_num(Num::F64(value), &mut text),
            Number::Decimal(negative, mantissa, places) => {
                let cell = Cell::decimal(negative, mantissa, places).ok_or(Fail::Syntax)?;
                write_decimal(cell, &mut text);
            }
        }
        if self.text[self.at..next] != *text {
            self.flush();
            self.copied = next;
            self.put(&text);
        }
        self.buffers.word = text;
        self.at = next;
        Ok(())
    }

    fn array(&mut self, depth: usize) -> Result<(), Fail> {
        if depth > MAX_DEPTH {
            return Err(Fail::Syntax);
        }
        self.at += 1;
        if self.peek()? == b']' {
            self.at += 1;
            return Ok(());
        }
        loop {
            self.value(depth)?;
            match self.peek()? {
                b',' => self.at += 1,
                b']' => break,
                _ => return Err(Fail::Syntax),
            }
        }
        self.at += 1;
        Ok(())
    }

    fn object(&mut self, depth: usize) -> Result<(), Fail> {
        if depth > MAX_DEPTH {
            return Err(Fail::Syntax);
        }
        self.at += 1;
        if self.peek()? == b'}' {
            self.at += 1;
            return Ok(());
        }
        let mark = self.buffers.names.mark();
        let mut guess = self.buffers.names.guess(self.text, self.at);
        loop {
            match self.buffers.names.expected(&mut guess, self.text, self.at) {
                Some(len) => self.at += len,
                None => self.name()?,
            }
            self.value(depth)?;
            match self.peek()? {
                b',' => self.at += 1,
                b'}' => break,
                _ => return Err(Fail::Syntax),
            }
            self.peek()?;
        }
        self.at += 1;
        self.has_twins |= self.buffers.names.end_object(mark, guess, self.text);
        Ok(())
    }

    /// Reads a name with its colon.
    fn name(&mut self) -> Result<(), Fail> {
        let start = self.at;
        if self.text.get(start) != Some(&b'"') {
            return Err(Fail::Syntax);
        }
        let end = lex::ascii_end(self.text, start + 1);
        let is_plain = if self.text.get(end) == Some(&b'"') {
            self.at = end + 1;
            true
        } else {
            self.other_string()?
        };
        let end = self.at;
        let hash =
            if is_plain { hash(&self.text[start + 1..end - 1]) } else { hash(&self.buffers.word) };
        if self.peek()? != b':' {
            return Err(Fail::Syntax);
        }
        self.at += 1;
        let is_as_written = is_plain && self.at == end + 1;
        let end = if is_as_written { self.at } else { start };
        self.buffers.names.push(Name { hash, start, end });
        Ok(())
    }
}
