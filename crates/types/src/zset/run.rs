//! A run: some (score, member) pairs in order, in one allocation; what the nodes of the tree are
//! made of.
//!
//! ```text
//!   0             8n             12n                                       capacity
//!  +-------------+--------------+---------------------------+- - - - - - -+
//!  | score x n   | end x n      | member 0 | member 1 | ... |    spare    |
//!  | f64         | u32          |                           |             |
//!  +-------------+--------------+---------------------------+- - - - - - -+
//!
//!   member i lies from end[i - 1] (0 for the first) to end[i], counted from 12n
//! ```
//!
//! The scores lie side by side, so a binary search touches few cache lines, and reads members
//! only where scores are equal. Numbers are in the machine's byte order: runs never leave memory.
//!
//! A run never holds NaN, and its members together are shorter than 4 GiB (the tree splits runs
//! of some kilobytes). Indices must be below the length; beyond, methods panic.

use std::cmp::Ordering;

use crate::room;

const SCORE: usize = 8;
const END: usize = 4;
/// Bytes of a pair beside its member.
pub(super) const FIXED: usize = SCORE + END;

/// See the [module](self).
#[derive(Default, Debug)]
pub(super) struct Run {
    buf: Vec<u8>,
    len: usize,
}

/// The order of sorted sets: by score as C compares (-0 equals 0), then by the member's bytes.
#[inline]
pub(super) fn order(a: (f64, &[u8]), b: (f64, &[u8])) -> Ordering {
    match a.0.partial_cmp(&b.0) {
        Some(Ordering::Less) => Ordering::Less,
        Some(Ordering::Greater) => Ordering::Greater,
        _ => a.1.cmp(b.1),
    }
}

impl Run {
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Bytes used.
    #[inline]
    pub(super) fn bytes(&self) -> usize {
        self.buf.len()
    }

    /// Bytes allocated. O(1).
    #[inline]
    pub(super) fn memory(&self) -> usize {
        room::of_vec(&self.buf)
    }

    #[inline]
    fn chunk<const N: usize>(&self, at: usize) -> [u8; N] {
        let mut bytes = [0; N];
        bytes.copy_from_slice(&self.buf[at..at + N]);
        bytes
    }

    #[inline]
    pub(super) fn score(&self, i: usize) -> f64 {
        f64::from_ne_bytes(self.chunk(SCORE * i))
    }

    pub(super) fn set_score(&mut self, i: usize, score: f64) {
        self.buf[SCORE * i..SCORE * (i + 1)].copy_from_slice(&score.to_ne_bytes());
    }

    /// Where member `i` starts, counted from the first; for the length, where the last ends.
    #[inline]
    fn offset(&self, i: usize) -> usize {
        match i.checked_sub(1) {
            Some(before) => {
                u32::from_ne_bytes(self.chunk(SCORE * self.len + END * before)) as usize
            }
            None => 0,
        }
    }

    #[inline]
    pub(super) fn member(&self, i: usize) -> &[u8] {
        let members = &self.buf[FIXED * self.len..];
        &members[self.offset(i)..self.offset(i + 1)]
    }

    #[inline]
    pub(super) fn pair(&self, i: usize) -> (f64, &[u8]) {
        (self.score(i), self.member(i))
    }

    pub(super) fn last(&self) -> Option<(f64, &[u8])> {
        self.len.checked_sub(1).map(|i| self.pair(i))
    }

    /// How many pairs satisfy `below`, which must hold for a prefix of the order. O(log n).
    #[inline]
    pub(super) fn partition(&self, below: &mut impl FnMut(&Run, usize) -> bool) -> usize {
        let (mut low, mut high) = (0, self.len);
        while low < high {
            let middle = low + (high - low) / 2;
            if below(self, middle) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// How many pairs come before `key`. O(log n).
    #[inline]
    pub(super) fn lower_bound(&self, key: (f64, &[u8])) -> usize {
        self.partition(&mut |run, i| run.order_to(i, key).is_lt())
    }

    /// How pair `i` compares to `key`; reads the member only if need be.
    #[inline]
    pub(super) fn order_to(&self, i: usize, key: (f64, &[u8])) -> Ordering {
        match self.score(i).partial_cmp(&key.0) {
            Some(Ordering::Less) => Ordering::Less,
            Some(Ordering::Greater) => Ordering::Greater,
            _ => self.member(i).cmp(key.1),
        }
    }

    /// Inserts a pair as number `i`. O(bytes).
    pub(super) fn insert(&mut self, i: usize, (score, member): (f64, &[u8])) {
        let (n, size) = (self.len, self.buf.len());
        let more = FIXED + member.len();
        let cut = self.offset(i);
        room::reserve(&mut self.buf, more);
        self.buf.resize(size + more, 0);
        let (ends, members) = (SCORE * n, FIXED * n);
        let (new_ends, new_members) = (ends + SCORE, members + FIXED);
        // From the back to the front, so that nothing is overwritten before it has moved.
        let buf = &mut self.buf;
        buf.copy_within(members + cut..size, new_members + cut + member.len());
        buf.copy_within(members..members + cut, new_members);
        buf.copy_within(ends + END * i..members, new_ends + END * (i + 1));
        buf.copy_within(ends..ends + END * i, new_ends);
        buf.copy_within(SCORE * i..ends, SCORE * (i + 1));
        buf[SCORE * i..SCORE * (i + 1)].copy_from_slice(&score.to_ne_bytes());
        let at = new_members + cut;
        buf[at..at + member.len()].copy_from_slice(member);
        self.len = n + 1;
        self.set_end(i, cut + member.len());
        self.shift_ends(i + 1, |end| end.wrapping_add(narrow(member.len())));
    }

    /// Removes the pairs from number `i` to before number `j`. O(bytes).
    pub(super) fn remove(&mut self, i: usize, j: usize) {
        let (n, size, gone) = (self.len, self.buf.len(), j - i);
        let (from, to) = (self.offset(i), self.offset(j));
        let (ends, members) = (SCORE * n, FIXED * n);
        let (new_ends, new_members) = (SCORE * (n - gone), FIXED * (n - gone));
        let buf = &mut self.buf;
        buf.copy_within(SCORE * j..ends, SCORE * i);
        buf.copy_within(ends..ends + END * i, new_ends);
        buf.copy_within(ends + END * j..members, new_ends + END * i);
        buf.copy_within(members..members + from, new_members);
        buf.copy_within(members + to..size, new_members + from);
        buf.truncate(size - FIXED * gone - (to - from));
        self.len = n - gone;
        self.shift_ends(i, |end| end.wrapping_sub(narrow(to - from)));
        room::shrink(&mut self.buf);
    }

    /// Cuts the run before pair `i` and returns the rest. O(bytes).
    pub(super) fn split_off(&mut self, i: usize) -> Run {
        let cut = self.offset(i);
        let mut rest = Run { buf: Vec::new(), len: self.len - i };
        room::reserve(&mut rest.buf, FIXED * rest.len + self.offset(self.len) - cut);
        rest.buf.extend_from_slice(&self.buf[SCORE * i..SCORE * self.len]);
        rest.buf.extend_from_slice(&self.buf[SCORE * self.len + END * i..FIXED * self.len]);
        rest.buf.extend_from_slice(&self.buf[FIXED * self.len + cut..]);
        rest.shift_ends(0, |end| end.wrapping_sub(narrow(cut)));
        self.remove(i, self.len);
        rest
    }

    /// Appends the pairs of `other`, all of which come after those here. O(bytes).
    pub(super) fn append(&mut self, other: &Run) {
        let (n, cut) = (self.len, self.offset(self.len));
        let mut joined = Vec::new();
        room::reserve(&mut joined, self.buf.len() + other.buf.len());
        for part in [(0, SCORE), (SCORE, FIXED)] {
            joined.extend_from_slice(&self.buf[part.0 * n..part.1 * n]);
            joined.extend_from_slice(&other.buf[part.0 * other.len..part.1 * other.len]);
        }
        joined.extend_from_slice(&self.buf[FIXED * n..]);
        joined.extend_from_slice(&other.buf[FIXED * other.len..]);
        *self = Run { buf: joined, len: n + other.len };
        self.shift_ends(n, |end| end.wrapping_add(narrow(cut)));
    }

    /// Appends a pair that comes after all others. Amortised O(bytes of the run).
    pub(super) fn push(&mut self, pair: (f64, &[u8])) {
        self.insert(self.len, pair);
    }

    fn set_end(&mut self, i: usize, end: usize) {
        let at = SCORE * self.len + END * i;
        self.buf[at..at + END].copy_from_slice(&narrow(end).to_ne_bytes());
    }

    /// Changes the ends from number `i` on.
    #[inline]
    fn shift_ends(&mut self, i: usize, shift: impl Fn(u32) -> u32) {
        let ends = &mut self.buf[SCORE * self.len + END * i..FIXED * self.len];
        for end in ends.as_chunks_mut::<END>().0 {
            *end = shift(u32::from_ne_bytes(*end)).to_ne_bytes();
        }
    }
}

impl Clone for Run {
    fn clone(&self) -> Self {
        let mut buf = Vec::new();
        room::reserve(&mut buf, self.buf.len());
        buf.extend_from_slice(&self.buf);
        Run { buf, len: self.len }
    }
}

/// An offset within the members of a run, which are shorter than 4 GiB together.
#[inline]
fn narrow(offset: usize) -> u32 {
    debug_assert!(u32::try_from(offset).is_ok());
    u32::try_from(offset).unwrap_or(u32::MAX)
}

#[cfg(test)]
#[path = "run_tests.rs"]
mod tests;
