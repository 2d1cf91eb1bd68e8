//! Pairs of a score and a member, as sorted sets have them.
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
//! only where scores are equal. Numbers are in the machine's byte order: nodes never leave memory.
//!
//! Its members together are shorter than 4 GiB (the tree splits nodes of some kilobytes).

use std::cmp::Ordering;

use table::room;

use super::{Layout, common, touch};

const SCORE: usize = 8;
/// Bytes of a pair beside its member.
const FIXED: usize = 12;

/// Scores and members, in the order of sorted sets: see the head of this file. A score is no NaN;
/// where one is, it counts as equal to any.
#[derive(Default, Debug)]
pub struct Scored {
    buf: Vec<u8>,
    len: usize,
}

/// The order of sorted sets: by score as C compares (-0 equals 0), then by the member's bytes.
#[inline]
#[must_use]
pub fn order(a: (f64, &[u8]), b: (f64, &[u8])) -> Ordering {
    match a.0.partial_cmp(&b.0) {
        Some(Ordering::Less) => Ordering::Less,
        Some(Ordering::Greater) => Ordering::Greater,
        _ => a.1.cmp(b.1),
    }
}

impl Scored {
    #[inline]
    fn fixed(&self, i: usize) -> &[u8; FIXED] {
        &self.buf.as_chunks::<FIXED>().0[i]
    }

    /// The score of pair `i`.
    #[inline]
    #[must_use]
    pub fn score(&self, i: usize) -> f64 {
        let [a, b, c, d, e, f, g, h, ..] = *self.fixed(i);
        f64::from_ne_bytes([a, b, c, d, e, f, g, h])
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

    /// The member of pair `i`.
    #[inline]
    #[must_use]
    pub fn member(&self, i: usize) -> &[u8] {
        let members = &self.buf[FIXED * self.len..];
        &members[self.offset(i)..self.offset(i + 1)]
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

impl Layout for Scored {
    type Item<'a> = (f64, &'a [u8]);
    type Owned = (f64, Vec<u8>);

    const MOST: usize = if cfg!(test) { 8 } else { 64 };
    const MOST_BYTES: usize = if cfg!(test) { 512 } else { 4 << 10 };

    fn of(pairs: &[(f64, &[u8])]) -> Scored {
        let members: usize = pairs.iter().map(|pair| pair.1.len()).sum();
        let mut run = Scored { buf: Vec::new(), len: pairs.len() };
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
    fn len(&self) -> usize {
        self.len
    }

    #[inline]
    fn bytes(&self) -> usize {
        self.buf.len()
    }

    #[inline]
    fn memory(&self) -> usize {
        room::of_vec(&self.buf)
    }

    #[inline]
    fn size((_, member): (f64, &[u8])) -> usize {
        FIXED + member.len()
    }

    #[inline]
    fn touch(&self) {
        touch(&self.buf);
    }

    #[inline]
    fn item(&self, i: usize) -> (f64, &[u8]) {
        (self.score(i), self.member(i))
    }

    #[inline]
    fn order(left: (f64, &[u8]), right: (f64, &[u8])) -> Ordering {
        order(left, right)
    }

    /// Reads the member only if need be.
    #[inline(always)]
    fn order_to(&self, i: usize, key: (f64, &[u8])) -> Ordering {
        match self.score(i).partial_cmp(&key.0) {
            Some(Ordering::Less) => Ordering::Less,
            Some(Ordering::Greater) => Ordering::Greater,
            _ => self.member(i).cmp(key.1),
        }
    }

    fn insert(&mut self, i: usize, (score, member): (f64, &[u8])) {
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

    fn remove(&mut self, i: usize, j: usize) {
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

    /// In place, if the member stays the same.
    #[inline]
    fn replace(&mut self, i: usize, old: (f64, &[u8]), (score, member): (f64, &[u8])) {
        // Most often it is the very same bytes, which are not read once more then.
        if std::ptr::eq(old.1, member) || old.1 == member {
            self.buf[FIXED * i..FIXED * i + SCORE].copy_from_slice(&score.to_ne_bytes());
        } else {
            self.remove(i, i + 1);
            self.insert(i, (score, member));
        }
    }

    fn split_off(&mut self, i: usize) -> Scored {
        let (members, cut) = (FIXED * self.len, self.offset(i));
        let mut rest = Scored { buf: Vec::new(), len: self.len - i };
        room::reserve(&mut rest.buf, self.buf.len() - FIXED * i - cut);
        rest.buf.extend_from_slice(&self.buf[FIXED * i..members]);
        rest.buf.extend_from_slice(&self.buf[members + cut..]);
        rest.shift_ends(0, |end| end.wrapping_sub(narrow(cut)));
        self.remove(i, self.len);
        rest
    }

    fn append(&mut self, other: &Scored) {
        let (n, cut) = (self.len, self.offset(self.len));
        let mut joined = Vec::new();
        room::reserve(&mut joined, self.buf.len() + other.buf.len());
        joined.extend_from_slice(&self.buf[..FIXED * n]);
        joined.extend_from_slice(&other.buf[..FIXED * other.len]);
        joined.extend_from_slice(&self.buf[FIXED * n..]);
        joined.extend_from_slice(&other.buf[FIXED * other.len..]);
        *self = Scored { buf: joined, len: n + other.len };
        self.shift_ends(n, |end| end.wrapping_add(narrow(cut)));
    }

    /// With scores that differ it has no member at all.
    fn separator(left: (f64, &[u8]), right: (f64, &[u8])) -> (f64, Vec<u8>) {
        if left.0 < right.0 {
            return (right.0, Vec::new());
        }
        let same = common(left.1, right.1);
        (right.0, right.1[..right.1.len().min(same + 1)].to_vec())
    }

    fn own((score, member): (f64, &[u8])) -> (f64, Vec<u8>) {
        (score, member.to_vec())
    }

    #[inline]
    fn item_of((score, member): &(f64, Vec<u8>)) -> (f64, &[u8]) {
        (*score, member)
    }
}

impl Clone for Scored {
    fn clone(&self) -> Self {
        let mut buf = Vec::new();
        room::reserve(&mut buf, self.buf.len());
        buf.extend_from_slice(&self.buf);
        Scored { buf, len: self.len }
    }
}

/// An offset within the members of a node, which are shorter than 4 GiB together.
#[inline]
fn narrow(offset: usize) -> u32 {
    debug_assert!(u32::try_from(offset).is_ok());
    u32::try_from(offset).unwrap_or(u32::MAX)
}

#[cfg(test)]
#[path = "scored_tests.rs"]
mod tests;
