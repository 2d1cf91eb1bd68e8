//! What a value was when a copy of it began, kept by the value itself while it is copied: its
//! pre-image.
//!
//! ```text
//!   copier   begins, and then holds the lock for a chunk at a time:   [p0]  [p1]  [p2]  [p3]
//!   value    changes in between, and first notes what was there:       a=1  c=none  a=2
//!   result   the chunks, and where something was noted, the first note of it: the value as it was
//! ```
//!
//! So a value that changes all the time is copied as it was at one moment, and no thread ever waits
//! for more than a chunk. The copier takes the notes with every chunk. Notes are bounded: a value
//! that notes too much gives up, and the copier sees that it is not followed any more. So does one
//! whose copier has gone, at its next change.
//!
//! Only large forms can be followed, so that small values do not pay for the word it takes. A copy
//! of a value is not followed, and notes are memory of the copier: no value counts them as its own.

use std::sync::Weak;

use base::Copier;

/// A change that takes more elements away at once is not noted: that would take longer than the
/// change itself, and what is left is soon copied anew.
const BULK: usize = 1 << 16;

/// What a value of a large form keeps for a copier; a word, if there is none.
pub(crate) struct Trace<P>(Option<Box<Kept<P>>>);

struct Kept<P> {
    copier: Weak<()>,
    /// Bytes of notes at which the value gives up.
    limit: usize,
    pre_image: P,
}

impl<P> Default for Trace<P> {
    fn default() -> Self {
        Trace(None)
    }
}

impl<P> Trace<P> {
    /// Begins to keep notes for `copier`, instead of the copier that had them before.
    pub fn begin(&mut self, copier: &Copier, limit: usize, pre_image: P) {
        self.0 = Some(Box::new(Kept { copier: copier.mark(), limit, pre_image }));
    }

    /// The same for the copier that another one is for.
    pub fn begin_beside<Q>(&mut self, other: &Trace<Q>, limit: usize, pre_image: P) {
        let copier = other.0.as_ref().map(|kept| Weak::clone(&kept.copier));
        self.0 = copier.map(|copier| Box::new(Kept { copier, limit, pre_image }));
    }

    /// Whether this is for the same copier as another one.
    pub fn is_beside<Q>(&self, other: &Trace<Q>) -> bool {
        match (&self.0, &other.0) {
            (Some(own), Some(other)) => Weak::ptr_eq(&own.copier, &other.copier),
            _ => false,
        }
    }

    /// The notes, if their copier has not gone meanwhile.
    pub fn wanted(&self) -> Option<&P> {
        let kept = self.0.as_deref().filter(|kept| kept.copier.strong_count() > 0)?;
        Some(&kept.pre_image)
    }

    /// The same, to go on with them.
    pub fn wanted_mut(&mut self) -> Option<&mut P> {
        let kept = self.0.as_deref_mut().filter(|kept| kept.copier.strong_count() > 0)?;
        Some(&mut kept.pre_image)
    }

    /// Ends it.
    pub fn end(&mut self) {
        self.0 = None;
    }

    /// The notes for `copier`; none if they are not kept, or not any more.
    pub fn of(&mut self, copier: &Copier) -> Option<&mut P> {
        let kept = self.0.as_deref_mut()?;
        copier.has_mark(&kept.copier).then_some(&mut kept.pre_image)
    }

    /// Whether notes are wanted.
    #[inline]
    pub fn is_on(&self) -> bool {
        self.0.is_some()
    }

    /// The same, if the copier has not gone meanwhile.
    pub fn is_wanted(&self) -> bool {
        self.wanted().is_some()
    }

    /// Notes something about `elements` elements before it changes; `note` tells the bytes of all
    /// notes since they were taken.
    #[cold]
    pub fn note(&mut self, elements: usize, note: impl FnOnce(&mut P) -> usize) {
        let Some(kept) = self.0.as_deref_mut() else { return };
        let wanted = elements <= BULK && kept.copier.strong_count() > 0;
        if !wanted || note(&mut kept.pre_image) > kept.limit {
            self.0 = None;
        }
    }
}

/// Byte strings in a row, read from the front.
#[derive(Debug, Default)]
pub(crate) struct Words {
    bytes: Vec<u8>,
    /// How many bytes have been read.
    read: usize,
}

impl Words {
    /// Bytes of all that are left.
    pub fn bytes(&self) -> usize {
        self.bytes.len() - self.read
    }

    /// Appends one.
    pub fn push(&mut self, word: &[u8]) {
        put_length(&mut self.bytes, word.len());
        self.bytes.extend_from_slice(word);
    }

    /// Appends those that are left of others.
    pub fn append(&mut self, others: Words) {
        if self.bytes() == 0 {
            *self = others;
        } else {
            self.bytes.extend_from_slice(&others.bytes[others.read..]);
        }
    }

    /// Reads the next one.
    pub fn next(&mut self) -> Option<&[u8]> {
        let mut rest = self.bytes.get(self.read..)?;
        let word = take_word(&mut rest);
        self.read = self.bytes.len() - rest.len();
        word
    }
}

/// Elements as they were before they changed, in the order of the changes.
#[derive(Debug, Default)]
pub struct Noted {
    /// Name, and 0 or 1 and what belonged to it.
    bytes: Vec<u8>,
}

impl Noted {
    /// Notes an element, or that there was none; how many bytes all notes take.
    pub(crate) fn note(&mut self, name: &[u8], was: Option<&[u8]>) -> usize {
        put_length(&mut self.bytes, name.len());
        self.bytes.extend_from_slice(name);
        self.bytes.push(u8::from(was.is_some()));
        if let Some(was) = was {
            put_length(&mut self.bytes, was.len());
            self.bytes.extend_from_slice(was);
        }
        self.bytes.len()
    }

    /// The names of elements with what belonged to them: a value, or a score's bits, low byte
    /// first; `None` where there was no such element. Of several notes of one name, the first
    /// tells how it was.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], Option<&[u8]>)> {
        let mut rest = &self.bytes[..];
        std::iter::from_fn(move || {
            let name = take_word(&mut rest)?;
            let (&there, after) = rest.split_first()?;
            rest = after;
            Some((name, if there == 0 { None } else { take_word(&mut rest) }))
        })
    }
}

/// Appends a length, seven bits to a byte, the lowest first.
fn put_length(out: &mut Vec<u8>, length: usize) {
    let mut left = length;
    while left >= 0x80 {
        out.push((left & 0x7f) as u8 | 0x80);
        left >>= 7;
    }
    out.push((left & 0x7f) as u8);
}

/// Takes a word off the front; `None` at the end.
fn take_word<'a>(from: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (mut length, mut shift) = (0, 0);
    loop {
        let (&byte, rest) = from.split_first()?;
        *from = rest;
        length |= usize::from(byte & 0x7f) << shift;
        shift += 7;
        if byte < 0x80 {
            break;
        }
    }
    let (word, rest) = from.split_at_checked(length)?;
    *from = rest;
    Some(word)
}

#[cfg(test)]
#[path = "pre_image_tests.rs"]
mod tests;
