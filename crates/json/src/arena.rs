//! The bytes of a document: one buffer, in which blocks lie at offsets that cells tell.
//!
//! ```text
//!   | root | block | block | … |     little-endian words, every block at a multiple of four
//! ```
//!
//! One allocation for all values makes dropping a document one `free` and copying it one
//! `memcpy`, makes what it takes exactly known, and needs no unsafe code. The price: a block that
//! is given up is garbage until the document is rebuilt, which happens when there is more garbage
//! than anything else. A document is at most [`LIMIT`] bytes.
//!
//! This file must not know what is in a block.

use table::size_class;

/// Offsets have 28 bits and count words.
pub(crate) const LIMIT: usize = 1 << 30;

/// See the [module](self).
#[derive(Debug, Default)]
pub(crate) struct Arena {
    bytes: Vec<u8>,
    garbage: usize,
}

/// `bytes` and what is missing to a multiple of four.
#[inline]
pub(crate) fn padded(bytes: usize) -> usize {
    (bytes + 3) & !3
}

/// A number of bytes or things in an arena, which is below 2^30.
#[inline]
pub(crate) fn word(number: usize) -> u32 {
    debug_assert!(u32::try_from(number).is_ok());
    number as u32
}

impl Arena {
    /// An arena with room for a root, in a buffer that was used before.
    pub fn reuse(mut bytes: Vec<u8>) -> Arena {
        bytes.clear();
        bytes.extend_from_slice(&[0; 4]);
        Arena { bytes, garbage: 0 }
    }

    /// The buffer, to be used again.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// A copy in a buffer as large as it must be.
    pub fn exact(&self) -> Arena {
        let mut bytes = Vec::with_capacity(size_class(self.bytes.len()));
        bytes.extend_from_slice(&self.bytes);
        Arena { bytes, garbage: self.garbage }
    }

    /// Bytes used, garbage included.
    #[inline]
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Bytes allocated.
    #[inline]
    pub fn capacity(&self) -> usize {
        self.bytes.capacity()
    }

    /// Bytes of blocks that were given up.
    #[inline]
    pub fn garbage(&self) -> usize {
        self.garbage
    }

    #[inline]
    pub fn word(&self, at: usize) -> u32 {
        let mut word = [0; 4];
        word.copy_from_slice(&self.bytes[at..at + 4]);
        u32::from_le_bytes(word)
    }

    #[inline]
    pub fn set_word(&mut self, at: usize, word: u32) {
        self.bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
    }

    #[inline]
    pub fn long(&self, at: usize) -> u64 {
        let mut word = [0; 8];
        word.copy_from_slice(&self.bytes[at..at + 8]);
        u64::from_le_bytes(word)
    }

    #[inline]
    pub fn bytes(&self, at: usize, len: usize) -> &[u8] {
        &self.bytes[at..at + len]
    }

    #[inline]
    pub fn bytes_mut(&mut self, at: usize, len: usize) -> &mut [u8] {
        &mut self.bytes[at..at + len]
    }

    /// A new block of zeros.
    pub fn alloc(&mut self, len: usize) -> usize {
        let at = self.bytes.len();
        self.reserve(padded(len));
        self.bytes.resize(at + padded(len), 0);
        at
    }

    /// A new block of these words.
    pub fn push_words(&mut self, words: impl Iterator<Item = u32>) -> usize {
        let at = self.bytes.len();
        self.reserve(words.size_hint().0 * 4);
        for word in words {
            self.bytes.extend_from_slice(&word.to_le_bytes());
        }
        at
    }

    /// A new block of eight bytes.
    #[inline]
    pub fn push_long(&mut self, long: u64) -> usize {
        let at = self.bytes.len();
        self.reserve(8);
        self.bytes.extend_from_slice(&long.to_le_bytes());
        at
    }

    /// A new block for a string: a byte with length and cleanness, the length if it is more than
    /// 126, the text.
    #[inline]
    pub fn push_text(&mut self, text: &[u8], clean: bool) -> usize {
        let at = self.bytes.len();
        self.reserve(text.len() + 8);
        if text.len() < LONG {
            self.bytes.push((text.len() as u8) << 1 | u8::from(clean));
        } else {
            self.bytes.push((LONG as u8) << 1 | u8::from(clean));
            self.bytes.extend_from_slice(&word(text.len()).to_le_bytes());
        }
        self.bytes.extend_from_slice(text);
        const PADDING: [u8; 3] = [0; 3];
        let missing = self.bytes.len().wrapping_neg() & 3;
        self.bytes.extend_from_slice(&PADDING[..missing]);
        at
    }

    /// Puts another text into the block of a string, which must be as large.
    pub fn rewrite_text(&mut self, at: usize, text: &[u8], clean: bool) {
        let head = if text.len() < LONG {
            self.bytes[at] = (text.len() as u8) << 1 | u8::from(clean);
            1
        } else {
            self.bytes[at] = (LONG as u8) << 1 | u8::from(clean);
            self.bytes[at + 1..at + 5].copy_from_slice(&word(text.len()).to_le_bytes());
            5
        };
        self.bytes[at + head..at + head + text.len()].copy_from_slice(text);
    }

    /// Appends to the string at `at` if it is long and the last block; whether it is.
    pub fn extend_text(&mut self, at: usize, more: &[u8], clean: bool) -> bool {
        let (start, len, _) = self.text_at(at);
        if len < LONG || at + Arena::text_block(len) != self.bytes.len() {
            return false;
        }
        self.bytes.truncate(start + len);
        self.reserve(more.len() + 4);
        self.bytes.extend_from_slice(more);
        self.bytes[at] = (LONG as u8) << 1 | u8::from(clean);
        self.set_word(at + 1, word(len + more.len()));
        let missing = self.bytes.len().wrapping_neg() & 3;
        self.bytes.resize(self.bytes.len() + missing, 0);
        true
    }

    /// Where the text of the string at `at` is, how long it is, and whether it is clean.
    #[inline]
    pub fn text_at(&self, at: usize) -> (usize, usize, bool) {
        let first = self.bytes[at];
        let len = usize::from(first >> 1);
        if len < LONG {
            return (at + 1, len, first & 1 != 0);
        }
        (at + 5, self.word(at + 1) as usize, first & 1 != 0)
    }

    /// The string at `at`, and whether it is written as it is.
    #[inline]
    pub fn text(&self, at: usize) -> (&[u8], bool) {
        let (at, len, clean) = self.text_at(at);
        (&self.bytes[at..at + len], clean)
    }

    /// The size of the block of a string of `len` bytes.
    #[inline]
    pub fn text_block(len: usize) -> usize {
        padded(if len < LONG { 1 + len } else { 5 + len })
    }

    /// Takes note that a block is used no more. The last one is taken back at once.
    #[inline]
    pub fn give_up(&mut self, at: usize, len: usize) {
        if at + len == self.bytes.len() {
            self.bytes.truncate(at);
        } else {
            self.garbage += len;
        }
    }

    /// Makes the last block longer, by zeros; whether the block is the last.
    pub fn lengthen(&mut self, at: usize, len: usize, more: usize) -> bool {
        let is_last = at + len == self.bytes.len();
        if is_last {
            self.alloc(more);
        }
        is_last
    }

    /// Takes back everything from `at` on.
    #[inline]
    pub fn truncate(&mut self, at: usize) {
        self.bytes.truncate(at);
    }

    /// Moves a block's bytes within the arena.
    #[inline]
    pub fn copy_within(&mut self, from: usize, len: usize, to: usize) {
        self.bytes.copy_within(from..from + len, to);
    }

    /// Makes room for `more` bytes, growing by an eighth, or a quarter above a megabyte.
    #[inline]
    fn reserve(&mut self, more: usize) {
        if self.bytes.capacity() - self.bytes.len() < more {
            self.grow(more);
        }
    }

    #[cold]
    fn grow(&mut self, more: usize) {
        let needed = self.bytes.len() + more;
        let spare = if needed < 1 << 20 { needed / 8 } else { needed / 4 };
        self.bytes.reserve_exact(size_class(needed + spare) - self.bytes.len());
    }
}

/// Lengths below this are in the first byte of a string.
const LONG: usize = 127;

impl Clone for Arena {
    fn clone(&self) -> Self {
        self.exact()
    }
}
