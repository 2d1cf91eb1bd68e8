//! A run: some (score, member) pairs in order, in one allocation; what the nodes of the tree are
//! made of.
//!
//! ```text
//!   0                              12n                                     capacity
//!  +-------------+-------------+---+---------------------------+- - - - - - -+
//!  | score | end | score | end |...| member 0 | member 1 | ... |    spare    |
//!  | f64     u32 |             |   |                           |             |
//!  +-------------+-------------+---+---------------------------+- - - - - - -+
//!
//!   member i lies from end[i - 1] (0 for the first) to end[i], counted from 12n
//! ```
//!
//! The scores lie close together, so a binary search touches few cache lines, and reads members
//! only where scores are equal. Numbers are in the machine's byte order: runs never leave memory.
//!
//! A run never holds NaN, and its members together are shorter than 4 GiB (the tree splits runs
//! of some kilobytes). Indices must be below the length; beyond, methods panic.

use std::cmp::Ordering;

use crate::room;

const SCORE: usize = 8;
/// Bytes of a pair beside its member.
pub(super) const FIXED: usize = 12;
const LINE: usize = 64;

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
    /// A run of pairs that come in order. O(bytes).
    pub(super) fn of(pairs: &[(f64, &[u8])]) -> Run {
        let members: usize = pairs.iter().map(|pair| pair.1.len()).sum();
        let mut run = Run { buf: Vec::new(), len: pairs.len() };
        room::reserve(&mut run.buf, FIXED * pairs.len() + members);
        let mut end = 0;
        for (score, member) in pairs {
            end += member.len();
            run.buf.extend_from_slice(&score.to_ne_bytes());
            run.buf.extend_from_slice(&narrow(end).to_ne_bytes());
        }
        pairs.iter().for_each(|pair| run.buf.extend_from_slice(pair.1));
        run
    }

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

    /// Reads a byte of every cache line. An edit will read most of them anyway, but one after the
    /// other; here the processor fetches them at once.
    #[inline]
    pub(super) fn touch(&self) {
        let lines = self.buf.iter().step_by(LINE);
        std::hint::black_box(lines.fold(0, |all, byte| all ^ byte));
    }

    #[inline]
    fn fixed(&self, i: usize) -> &[u8; FIXED] {
        &self.buf.as_chunks::<FIXED>().0[i]
    }

    #[inline]
    pub(super) fn score(&self, i: usize) -> f64 {
        let [a, b, c, d, e, f, g, h, ..] = *self.fixed(i);
        f64::from_ne_bytes([a, b, c, d, e, f, g, h])
    }

    pub(super) fn set_score(&mut self, i: usize, score: f64) {
        self.buf[FIXED * i..FIXED * i + SCORE].copy_from_slice(&score.to_ne_bytes());
    }

    /// Where member `i` starts, counted from the first; for the length, where the last ends.
    #[inline]
    fn offset(&self, i: usize) -> usize {
        match i.checked_sub(1) {
            Some(before) => {
                let [.., a, b, c, d] = *self.fixed(before);
                u32::from_ne_bytes([a, b, c, d]) as usize
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
        let (size, more) = (self.buf.len(), FIXED + member.len());
        let (at, members, cut) = (FIXED * i, FIXED * self.len, self.offset(i));
        room::reserve(&mut self.buf, more);
        self.buf.resize(size + more, 0);
        // From the back to the front, so that nothing is overwritten before it has moved.
        let new = members + FIXED + cut;
        self.buf.copy_within(members + cut..size, new + member.len());
        self.buf.copy_within(at..members + cut, at + FIXED);
        self.buf[new..new + member.len()].copy_from_slice(member);
        self.buf[at..at + SCORE].copy_from_slice(&score.to_ne_bytes());
        self.buf[at + SCORE..at + FIXED].copy_from_slice(&narrow(cut).to_ne_bytes());
        self.len += 1;
        self.shift_ends(i, |end| end.wrapping_add(narrow(member.len())));
    }

    /// Removes the pairs from number `i` to before number `j`. O(bytes).
    pub(super) fn remove(&mut self, i: usize, j: usize) {
        let (size, members) = (self.buf.len(), FIXED * self.len);
        let (from, to) = (self.offset(i), self.offset(j));
        let fixed = FIXED * (j - i);
        self.buf.copy_within(FIXED * j..members + from, FIXED * i);
        self.buf.copy_within(members + to..size, members - fixed + from);
        self.buf.truncate(size - fixed - (to - from));
        self.len -= j - i;
        self.shift_ends(i, |end| end.wrapping_sub(narrow(to - from)));
        room::shrink(&mut self.buf);
    }

    /// Cuts the run before pair `i` and returns the rest. O(bytes).
    pub(super) fn split_off(&mut self, i: usize) -> Run {
        let (members, cut) = (FIXED * self.len, self.offset(i));
        let mut rest = Run { buf: Vec::new(), len: self.len - i };
        room::reserve(&mut rest.buf, self.buf.len() - FIXED * i - cut);
        rest.buf.extend_from_slice(&self.buf[FIXED * i..members]);
        rest.buf.extend_from_slice(&self.buf[members + cut..]);
        rest.shift_ends(0, |end| end.wrapping_sub(narrow(cut)));
        self.remove(i, self.len);
        rest
    }

    /// Appends the pairs of `other`, all of which come after those here. O(bytes).
    pub(super) fn append(&mut self, other: &Run) {
        let (n, cut) = (self.len, self.offset(self.len));
        let mut joined = Vec::new();
        room::reserve(&mut joined, self.buf.len() + other.buf.len());
        joined.extend_from_slice(&self.buf[..FIXED * n]);
        joined.extend_from_slice(&other.buf[..FIXED * other.len]);
        joined.extend_from_slice(&self.buf[FIXED * n..]);
        joined.extend_from_slice(&other.buf[FIXED * other.len..]);
        *self = Run { buf: joined, len: n + other.len };
        self.shift_ends(n, |end| end.wrapping_add(narrow(cut)));
    }

    /// Appends a pair that comes after all others. O(bytes).
    pub(super) fn push(&mut self, pair: (f64, &[u8])) {
        self.insert(self.len, pair);
    }

    /// Changes the ends from number `i` on.
    #[inline]
    fn shift_ends(&mut self, i: usize, shift: impl Fn(u32) -> u32) {
        let fixed = &mut self.buf[FIXED * i..FIXED * self.len];
        for [.., a, b, c, d] in fixed.as_chunks_mut::<FIXED>().0 {
            [*a, *b, *c, *d] = shift(u32::from_ne_bytes([*a, *b, *c, *d])).to_ne_bytes();
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
