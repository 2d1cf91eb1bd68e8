//! What bytes of a string were when a copy of it began, until the chunk comes that they belong to.
//!
//! ```text
//!   copied already       still to come
//!   --------------------|--[note]------[note][note]----->  bytes
//! ```
//!
//! Notes never overlap, so a byte is noted once, however often it changes, and a note is looked at
//! once: with the chunk it belongs to.

use std::collections::BTreeMap;
use std::ops::Range;

/// Notes begin and end at multiples of this, so that there are not more than so many per byte.
const GRAIN: usize = 64;
/// The longest note. Longer ones are divided: one that reaches into the next chunk is copied there.
const LONGEST: usize = 4 << 10;
/// What a note takes beside its bytes, about.
const NOTE: usize = 64;

/// Bytes as they were: where, and what.
pub(crate) type Bytes = (usize, Vec<u8>);

/// See the [module](self).
#[derive(Debug, Default)]
pub(crate) struct TextNotes {
    notes: BTreeMap<usize, Vec<u8>>,
    bytes: usize,
}

impl TextNotes {
    /// Bytes of all notes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Notes bytes of `text` that are about to change, as far as they lie in `open` and are not
    /// noted yet. O(log n), and their length.
    pub fn note(&mut self, text: &[u8], change: Range<usize>, open: Range<usize>) {
        // A command that appends says "to the end", wherever that will be.
        let end = change.end.min(text.len()).next_multiple_of(GRAIN);
        let end = end.min(open.end).min(text.len());
        let mut at = (change.start / GRAIN * GRAIN).max(open.start);
        if let Some((start, before)) = self.notes.range(..=at).next_back() {
            at = at.max(start + before.len());
        }
        while at < end {
            let (next, noted) = match self.notes.range(at..end).next() {
                Some((&start, was)) => (start, was.len()),
                None => (end, 0),
            };
            for (n, part) in text[at..next].chunks(LONGEST).enumerate() {
                self.bytes += NOTE + part.len();
                self.notes.insert(at + n * LONGEST, part.to_vec());
            }
            at = next + noted;
        }
    }

    /// Takes the notes of bytes below this one.
    pub fn take_below(&mut self, to: usize) -> Vec<Bytes> {
        let mut taken = Vec::new();
        while let Some(first) = self.notes.first_entry()
            && *first.key() < to
        {
            let (start, mut was) = first.remove_entry();
            self.bytes -= NOTE + was.len();
            if start + was.len() > to {
                let beyond = was.split_off(to - start);
                self.bytes += NOTE + beyond.len();
                self.notes.insert(to, beyond);
            }
            taken.push((start, was));
        }
        taken
    }

    /// Forgets all of them.
    pub fn clear(&mut self) {
        *self = TextNotes::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_noted_once_and_as_it_was_first() {
        let mut rng = base::Rng::new(7);
        let mut below = |n: usize| rng.below(n);
        for _ in 0..200 {
            let len = 1 + below(30_000);
            let was: Vec<u8> = (0..len).map(|at| (at % 251) as u8).collect();
            let (mut text, mut notes, mut copied) = (was.clone(), TextNotes::default(), 0);
            while copied < len {
                for _ in 0..below(20) {
                    let start = below(len);
                    let most = if below(9) == 0 { len } else { 80 };
                    let end = len.min(start + 1 + below(most));
                    // To the end, wherever that is.
                    let told = if end == len { usize::MAX } else { end };
                    notes.note(&text, start..told, copied..len);
                    text[start..end].fill(255);
                }
                let to = len.min(copied + 1 + below(5000));
                let mut chunk = text[copied..to].to_vec();
                for (at, bytes) in notes.take_below(to) {
                    chunk[at - copied..at - copied + bytes.len()].copy_from_slice(&bytes);
                }
                assert!(chunk == was[copied..to]);
                copied = to;
            }
            assert!(notes.notes.is_empty() && notes.bytes == 0);
        }
    }

    #[test]
    fn what_changes_again_and_again_is_one_note() {
        let (text, mut notes) = (vec![0; 1 << 20], TextNotes::default());
        for _ in 0..1000 {
            notes.note(&text, 1_000_000..1_000_001, 0..text.len());
        }
        assert_eq!((notes.notes.len(), notes.bytes()), (1, NOTE + GRAIN));
        // No more than for each 64 bytes, in whatever order they change.
        for at in (0..text.len()).rev() {
            notes.note(&text, at..at + 1, 0..text.len());
        }
        assert_eq!(notes.notes.len(), text.len() / GRAIN);
        assert_eq!(notes.take_below(100).len(), 2);
    }
}
