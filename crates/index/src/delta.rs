//! Changes on their way to a tree: noted in the order in which they happen, sorted when many are
//! merged at once.
//!
//! ```text
//!   | length, and whether the key came or went | key | ...         7 bits of a number per byte
//! ```

use crate::sort;

/// A buffer grows by at least so many bytes.
const LEAST: usize = 64;
/// And, while it is small, by no more than doubles it or this.
const STEP: usize = 4096;

/// Keys that came and went, in order.
#[derive(Clone, Debug, Default)]
pub struct Delta {
    bytes: Vec<u8>,
    len: usize,
}

/// A key that is there now, or is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change<'k> {
    /// The key.
    pub key: &'k [u8],
    /// It is there.
    pub is_there: bool,
}

impl Delta {
    /// Notes that a key came or went.
    #[inline]
    pub fn push(&mut self, key: &[u8], is_there: bool) {
        let room = self.bytes.capacity() - self.bytes.len();
        if room < key.len() + 10 {
            self.grow(key.len() + 10);
        }
        let mut number = (key.len() as u64) << 1 | u64::from(is_there);
        while number >= 0x80 {
            // The lowest seven bits.
            self.bytes.push((number & 0x7f) as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push((number & 0x7f) as u8);
        self.bytes.extend_from_slice(key);
        self.len += 1;
    }

    /// By a quarter at least, so that copying costs little, without taking twice what is needed.
    #[cold]
    fn grow(&mut self, needed: usize) {
        let len = self.bytes.len();
        let more = len.clamp(LEAST, STEP).max(len / 4).max(needed);
        self.bytes.reserve_exact(more);
    }

    /// How many changes were noted.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether none was.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Bytes allocated.
    #[inline]
    #[must_use]
    pub fn memory(&self) -> usize {
        self.bytes.capacity()
    }

    /// What was noted, in order.
    pub fn iter(&self) -> impl Iterator<Item = Change<'_>> {
        let mut rest = &self.bytes[..];
        std::iter::from_fn(move || {
            let (mut number, mut shift) = (0_u64, 0);
            loop {
                let (&byte, after) = rest.split_first()?;
                rest = after;
                number |= u64::from(byte & 0x7f) << shift;
                shift += 7;
                if byte < 0x80 {
                    break;
                }
            }
            let (key, after) = rest.split_at_checked(usize::try_from(number >> 1).ok()?)?;
            rest = after;
            Some(Change { key, is_there: number & 1 == 1 })
        })
    }
}

/// What the deltas come to: of each key the last change, in the order of keys. The changes of one
/// key must all be in one delta, or in several in their order. O(n log n).
///
/// ```
/// use kvist_index::{Change, Delta, changes};
///
/// let mut delta = Delta::default();
/// for (key, is_there) in [("b", true), ("a", true), ("b", false)] {
///     delta.push(key.as_bytes(), is_there);
/// }
/// let a = Change { key: b"a", is_there: true };
/// let b = Change { key: b"b", is_there: false };
/// assert_eq!(changes(&[delta]), [a, b]);
/// ```
#[must_use]
pub fn changes(deltas: &[Delta]) -> Vec<Change<'_>> {
    let all: Vec<Change<'_>> = deltas.iter().flat_map(Delta::iter).collect();
    let mut last = Vec::with_capacity(all.len());
    // A batch holds far fewer than 2^32.
    let order = sort(u32::try_from(all.len()).unwrap_or(u32::MAX), |at| all[at as usize].key);
    for same in order.chunk_by(|&a, &b| all[a as usize].key == all[b as usize].key) {
        last.extend(same.last().map(|&at| all[at as usize]));
    }
    last
}
