//! From JSON text to the text we would write, without a tree in between.
//!
//! A document that is only stored and fetched never needs a tree. Its text is checked, and what
//! is written differently (white space, needless escapes, `1.50`) is replaced on the way; what is
//! canonical already is copied in one go.
//!
//! Only the tree knows what to do about names that occur twice: it is asked when the hashes of two
//! names of an object are equal.

use crate::cell::Cell;
use crate::diagnose::{ParseError, diagnose};
use crate::hash::hash;
use crate::lex::{self, Fail, MAX_DEPTH, Number, Word};
use crate::number::{write_decimal, write_num};
use crate::registry::Registry;
use crate::tree::Num;
use crate::value::Value;
use crate::write::write_string;

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
    if str::from_utf8(text).is_err() {
        return Err(diagnose(text, Fail::Syntax));
    }
    let mut check = Check {
        text,
        at: 0,
        copied: 0,
        out: Vec::new(),
        filled: 0,
        hashes: Vec::new(),
        distinct: Vec::new(),
        buffer: Vec::new(),
        has_twins: false,
    };
    match check.document() {
        Ok(()) if check.has_twins => {
            let value = Value::parse(text, registry)?;
            let mut out = Vec::new();
            value.root().write(&mut out);
            Ok(out.into_boxed_slice())
        }
        Ok(()) => {
            if check.copied == 0 {
                return Ok(text.into());
            }
            check.flush();
            Ok(check.out[..check.filled].into())
        }
        Err(fail) => Err(diagnose(text, fail)),
    }
}

/// Bytes of a short piece of text.
const FEW: usize = 32;

struct Check<'t> {
    text: &'t [u8],
    at: usize,
    /// Up to where the text is in `out`, as it is or replaced.
    copied: usize,
    /// There is room behind it: zeros.
    out: Vec<u8>,
    /// How much of `out` is written.
    filled: usize,
    /// Of the names of all objects that have not ended.
    hashes: Vec<u64>,
    /// Those of objects whose names differ, by how many they are: the objects of a list mostly have
    /// the same names.
    distinct: Vec<Vec<u64>>,
    buffer: Vec<u8>,
    has_twins: bool,
}

impl Check<'_> {
    /// Copies what was read and not replaced.
    #[inline]
    fn flush(&mut self) {
        let len = self.at - self.copied;
        // Most pieces are short, and a copy of a known size costs less than one that must look.
        if len <= FEW
            && let Some(from) = self.text.get(self.copied..).and_then(<[u8]>::first_chunk::<FEW>)
            && let Some(to) =
                self.out.get_mut(self.filled..).and_then(<[u8]>::first_chunk_mut::<FEW>)
        {
            *to = *from;
            self.filled += len;
        } else {
            self.put(&self.text[self.copied..self.at]);
        }
    }

    /// Adds this to what is written.
    #[inline(never)]
    fn put(&mut self, piece: &[u8]) {
        let end = self.filled + piece.len();
        if self.out.len() < end {
            // It is the first piece, or something was replaced by something longer.
            self.out.resize((end + end / 4).max(self.text.len()) + FEW, 0);
        }
        self.out[self.filled..end].copy_from_slice(piece);
        self.filled = end;
    }

    fn document(&mut self) -> Result<(), Fail> {
        self.value(0)?;
        match self.peek() {
            Err(_) => Ok(()), // the end, as it should be
            Ok(_) => Err(Fail::Syntax),
        }
    }

    /// The next byte that is not white space.
    #[inline]
    fn peek(&mut self) -> Result<u8, Fail> {
        match self.text.get(self.at) {
            Some(&byte) if byte > b' ' => Ok(byte),
            // One space behind a comma or a colon, as many write it.
            Some(b' ') if self.text.get(self.at + 1).is_some_and(|&byte| byte > b' ') => {
                self.flush();
                self.at += 1;
                self.copied = self.at;
                Ok(self.text[self.at])
            }
            _ => self.skip_space(),
        }
    }

    #[inline(never)]
    fn skip_space(&mut self) -> Result<u8, Fail> {
        self.flush();
        while let Some(b' ' | b'\n' | b'\t' | b'\r') = self.text.get(self.at) {
            self.at += 1;
        }
        self.copied = self.at;
        self.text.get(self.at).copied().ok_or(Fail::Syntax)
    }

    fn value(&mut self, depth: usize) -> Result<(), Fail> {
        match self.peek()? {
            b'"' => self.string(false),
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
    fn string(&mut self, is_name: bool) -> Result<(), Fail> {
        let (word, next) = lex::string(self.text, self.at + 1, &mut self.buffer)?;
        match word {
            Word::Plain(from, to) if is_name => self.hashes.push(hash(&self.text[from..to])),
            Word::Plain(..) => {}
            Word::Unescaped => self.escaped(next, is_name),
        }
        self.at = next;
        Ok(())
    }

    /// Replaces a string if its escapes are not the ones we would write.
    fn escaped(&mut self, next: usize, is_name: bool) {
        if is_name {
            self.hashes.push(hash(&self.buffer));
        }
        self.flush();
        self.copied = next;
        let mut written = Vec::with_capacity(self.buffer.len() + 2);
        write_string(&self.buffer, &mut written);
        self.put(&written);
    }

    fn number(&mut self) -> Result<(), Fail> {
        let (number, next) = lex::number(self.text, self.at)?;
        let mut text = std::mem::take(&mut self.buffer);
        text.clear();
        match number {
            Number::Int(_) | Number::Uint(_) => {
                // Integers are written in one way only.
                self.at = next;
                self.buffer = text;
                return Ok(());
            }
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
        self.buffer = text;
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
        let names = self.hashes.len();
        loop {
            if self.peek()? != b'"' {
                return Err(Fail::Syntax);
            }
            self.string(true)?;
            if self.peek()? != b':' {
                return Err(Fail::Syntax);
            }
            self.at += 1;
            self.value(depth)?;
            match self.peek()? {
                b',' => self.at += 1,
                b'}' => break,
                _ => return Err(Fail::Syntax),
            }
        }
        self.at += 1;
        self.compare(names);
        self.hashes.truncate(names);
        Ok(())
    }
}

impl Check<'_> {
    /// Looks for twins among the names of an object, those from this number on.
    #[inline]
    fn compare(&mut self, names: usize) {
        // Of fewer it is not worth it, and of more nobody has many.
        const REMEMBERED: std::ops::Range<usize> = 6..64;
        let hashes = &mut self.hashes[names..];
        let len = hashes.len();
        if !REMEMBERED.contains(&len) {
            self.has_twins |= has_twins(hashes);
        } else if self.distinct.get(len).is_none_or(|known| known != hashes) {
            let before = hashes.to_vec();
            if has_twins(hashes) {
                self.has_twins = true;
                return;
            }
            if self.distinct.len() <= len {
                self.distinct.resize(len + 1, Vec::new());
            }
            self.distinct[len] = before;
        }
    }
}

/// Whether two hashes are equal. They may be put into another order.
fn has_twins(hashes: &mut [u64]) -> bool {
    const NOT_SORTED: usize = 24;
    if hashes.len() <= NOT_SORTED {
        return (1..hashes.len()).any(|n| {
            let hash = hashes[n];
            hashes[..n].iter().fold(false, |found, &other| found | (other == hash))
        });
    }
    hashes.sort_unstable();
    hashes.windows(2).any(|pair| pair[0] == pair[1])
}
