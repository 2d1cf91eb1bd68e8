//! Texts: by their number in a small dictionary, or one after the other.
//!
//! ```text
//!   Dictionary  codes  0 1 0 2 …     texts, ends  "oslo" "rome" …     at most 256 texts
//!   Arena       starts 0 5 11 …      "Dolga" "EErling…" …             length and text
//! ```
//!
//! A chunk begins with a dictionary, and gives it up when most of its texts differ. What is
//! overwritten or removed stays until it is half of all; then the chunk is made anew.

use super::integers::place;
use crate::storage::vec_bytes;

/// With so many texts a dictionary must have proved itself.
const TRIAL: usize = 64;
/// Below this much no garbage is collected.
const SMALL: usize = 256;

/// Texts of a chunk, by position.
#[derive(Clone)]
pub struct TextChunk {
    form: Form,
    /// Bytes of `text` that no position has any more.
    garbage: usize,
    text: String,
}

#[derive(Clone)]
enum Form {
    Dictionary {
        codes: Vec<u8>,
        /// Of each text: where it ends, how many positions have it, and some bits of its hash.
        ends: Vec<u32>,
        uses: Vec<u16>,
        marks: Vec<u8>,
    },
    Arena {
        starts: Vec<u32>,
    },
}

impl TextChunk {
    pub fn new() -> Self {
        let form = Form::Dictionary {
            codes: Vec::new(),
            ends: Vec::new(),
            uses: Vec::new(),
            marks: Vec::new(),
        };
        TextChunk { form, garbage: 0, text: String::new() }
    }

    /// Whether it is better to make all of this anew.
    pub fn is_wasteful(&self) -> bool {
        self.garbage > SMALL && self.garbage > self.text.len() / 2
    }

    /// Whether there is room for a text of this length.
    pub fn has_room(&self, length: usize) -> bool {
        self.text.len().saturating_add(length).saturating_add(8) < u32::MAX as usize
    }

    #[inline]
    pub fn get(&self, at: usize) -> Option<&str> {
        match &self.form {
            Form::Dictionary { codes, ends, .. } => {
                entry(&self.text, ends, usize::from(*codes.get(at)?))
            }
            Form::Arena { starts } => text_at(&self.text, *starts.get(at)? as usize),
        }
    }

    /// Puts a text at a position where there is none: into the place there, or before it. `held`:
    /// how many positions have one.
    pub fn put(&mut self, at: usize, text: &str, before: bool, held: usize) {
        if let Form::Dictionary { codes, ends, uses, marks } = &mut self.form {
            let mark = mark(text);
            let known = (0..ends.len())
                .find(|&code| marks[code] == mark && entry(&self.text, ends, code) == Some(text));
            if let Some(code) = known {
                if uses[code] == 0 {
                    self.garbage -= text.len();
                }
                uses[code] += 1;
                // There are 256 at most.
                place(codes, at, code as u8, before);
                return;
            }
            if ends.len() < 256 && (ends.len() < TRIAL || ends.len() * 2 < held) {
                push(&mut self.text, text);
                place(codes, at, ends.len() as u8, before);
                // There is room, as was asked.
                ends.push(self.text.len() as u32);
                uses.push(1);
                marks.push(mark);
                return;
            }
            self.give_up_dictionary();
        }
        if let Form::Arena { starts } = &mut self.form {
            place(starts, at, append(&mut self.text, text), before);
        }
    }

    /// A position has its text no more, but stays.
    pub fn release(&mut self, at: usize) {
        match &mut self.form {
            Form::Dictionary { codes, ends, uses, .. } => {
                let code = usize::from(codes[at]);
                uses[code] -= 1;
                if uses[code] == 0 {
                    self.garbage += entry(&self.text, ends, code).map_or(0, str::len);
                }
            }
            Form::Arena { starts } => {
                let start = starts[at] as usize;
                let length = text_at(&self.text, start).map_or(0, str::len);
                self.garbage += length + digits(length);
            }
        }
    }

    /// A position whose text was released goes.
    pub fn remove(&mut self, at: usize) {
        match &mut self.form {
            Form::Dictionary { codes, .. } => drop(codes.remove(at)),
            Form::Arena { starts } => drop(starts.remove(at)),
        }
    }

    pub fn memory(&self) -> usize {
        let form = match &self.form {
            Form::Dictionary { codes, ends, uses, marks } => {
                vec_bytes(codes) + vec_bytes(ends) + vec_bytes(uses) + vec_bytes(marks)
            }
            Form::Arena { starts } => vec_bytes(starts),
        };
        form + table::size_class(self.text.capacity())
    }

    /// The texts one after the other, each as often as positions have it.
    fn give_up_dictionary(&mut self) {
        let Form::Dictionary { codes, ends, uses, .. } = &self.form else { return };
        let mut text = String::with_capacity(self.text.len() * 2);
        let mut starts = Vec::with_capacity(codes.len() + 1);
        // What positions without a text point to.
        for &code in codes {
            let code = usize::from(code);
            let used = uses.get(code).is_some_and(|&uses| uses > 0);
            let known = entry(&self.text, ends, code).filter(|_| used);
            starts.push(known.map_or(0, |known| append(&mut text, known)));
        }
        (self.text, self.form, self.garbage) = (text, Form::Arena { starts }, 0);
    }
}

/// A text of the dictionary.
#[inline]
fn entry<'a>(text: &'a str, ends: &[u32], code: usize) -> Option<&'a str> {
    let start = if code == 0 { 0 } else { *ends.get(code - 1)? };
    text.get(start as usize..*ends.get(code)? as usize)
}

/// Some bits of a text's hash: they tell most others apart.
fn mark(text: &str) -> u8 {
    let bytes = text.as_bytes();
    let some = bytes.iter().rev().take(16);
    some.fold(bytes.len() as u8, |mark, &byte| mark.wrapping_mul(31).wrapping_add(byte))
}

/// Appends a text with its length before it, in digits to the base of 64 that are characters, as
/// what stands in a `String` must be. Returns where.
fn append(arena: &mut String, text: &str) -> u32 {
    let start = arena.len();
    let mut rest = text.len();
    let mut length = ([0_u8; 11], 0);
    loop {
        let more = rest >= 64;
        length.0[length.1] = (rest % 64) as u8 | u8::from(more) << 6;
        length.1 += 1;
        rest /= 64;
        if !more {
            break;
        }
    }
    make_room(arena, text.len() + length.1);
    arena.extend(length.0[..length.1].iter().map(|&digit| char::from(digit)));
    arena.push_str(text);
    // There is room, as was asked.
    start as u32
}

/// How many digits a length has.
fn digits(length: usize) -> usize {
    (length.checked_ilog2().unwrap_or(0) / 6) as usize + 1
}

/// The text that begins here with its length.
#[inline]
fn text_at(arena: &str, start: usize) -> Option<&str> {
    let bytes = arena.as_bytes();
    let (mut length, mut at) = (0_usize, start);
    loop {
        let digit = usize::from(*bytes.get(at)?);
        length |= (digit % 64) << (6 * (at - start));
        at += 1;
        if digit < 64 {
            return arena.get(at..at + length);
        }
    }
}

fn push(arena: &mut String, text: &str) {
    make_room(arena, text.len());
    arena.push_str(text);
}

/// Makes room for so many bytes, and a quarter more than there is.
fn make_room(arena: &mut String, more: usize) {
    if arena.len() + more > arena.capacity() {
        arena.reserve_exact(more.max(arena.len() / 4));
    }
}
