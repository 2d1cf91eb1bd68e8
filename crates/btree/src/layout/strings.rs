//! Byte strings: what all of a node begin with is kept once.
//!
//! ```text
//!   +--------+-----------------------+--------+--------+- - - - -+
//!   | prefix | end of each rest      | rest 0 | rest 1 |...spare |     one allocation
//!   |        | u16, or u32 if wide   |        |        |         |
//!   +--------+-----------------------+--------+--------+- - - - -+
//! ```
//!
//! The prefix is what the first and the last had in common when the node was last packed, which all
//! between them share, too. A string that begins with it is inserted in place; another one packs
//! the node anew, with a shorter prefix. Ends are counted from the first rest on. A node is wide
//! once its rests take 64 KiB, which only a long string brings about.
//!
//! An index over strings, or over several fields, makes one string of an element: the fields in a
//! form that keeps their order, and behind them the number of the row.

use std::cmp::Ordering;

use table::room;

use super::{Layout, common, touch};

/// A byte string in two parts: what it has in common with others of its node, and the rest.
#[derive(Clone, Copy, Debug, Default)]
pub struct Text<'a> {
    /// What it begins with.
    pub prefix: &'a [u8],
    /// What follows.
    pub rest: &'a [u8],
}

impl<'a> From<&'a [u8]> for Text<'a> {
    #[inline]
    fn from(rest: &'a [u8]) -> Self {
        Text { prefix: &[], rest }
    }
}

impl Text<'_> {
    /// How long it is.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.prefix.len() + self.rest.len()
    }

    /// Whether it is the empty string.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// It in one piece.
    #[must_use]
    pub fn to_vec(&self) -> Vec<u8> {
        [self.prefix, self.rest].concat()
    }

    /// What follows its first `len` bytes, in two parts.
    #[inline]
    fn skip(&self, len: usize) -> Text<'_> {
        let in_rest = len.saturating_sub(self.prefix.len());
        Text {
            prefix: self.prefix.get(len..).unwrap_or_default(),
            rest: self.rest.get(in_rest..).unwrap_or_default(),
        }
    }

    /// How many bytes both begin with.
    fn common(&self, other: Text<'_>) -> usize {
        let mut same = 0;
        loop {
            let (a, b) = (self.skip(same), other.skip(same));
            let a = if a.prefix.is_empty() { a.rest } else { a.prefix };
            let b = if b.prefix.is_empty() { b.rest } else { b.prefix };
            let here = common(a, b);
            same += here;
            if here == 0 || here < a.len().min(b.len()) {
                return same;
            }
        }
    }

    #[inline]
    fn cmp_slice(&self, other: &[u8]) -> Ordering {
        let Some((head, tail)) = other.split_at_checked(self.prefix.len()) else {
            // The other is shorter than the prefix alone.
            return match self.prefix[..other.len()].cmp(other) {
                Ordering::Equal => Ordering::Greater,
                unequal => unequal,
            };
        };
        self.prefix.cmp(head).then_with(|| self.rest.cmp(tail))
    }
}

impl PartialEq for Text<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Text<'_> {}

impl PartialOrd for Text<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Text<'_> {
    /// By their bytes, however they are cut.
    fn cmp(&self, other: &Self) -> Ordering {
        if other.prefix.is_empty() {
            return self.cmp_slice(other.rest);
        }
        if self.prefix.is_empty() {
            return other.cmp_slice(self.rest).reverse();
        }
        let short = self.prefix.len().min(other.prefix.len());
        self.prefix[..short].cmp(&other.prefix[..short]).then_with(|| {
            let (a, b) = (self.skip(short), other.skip(short));
            if b.prefix.is_empty() { a.cmp_slice(b.rest) } else { b.cmp_slice(a.rest).reverse() }
        })
    }
}

/// Byte strings in order: see the head of this file.
#[derive(Default, Debug)]
pub struct Strings {
    buf: Vec<u8>,
    len: u32,
    prefix: u32,
    wide: bool,
}

impl Strings {
    #[inline]
    fn count(&self) -> usize {
        self.len as usize
    }

    #[inline]
    fn width(&self) -> usize {
        if self.wide { 4 } else { 2 }
    }

    /// What all of them begin with.
    #[inline]
    fn prefix(&self) -> &[u8] {
        &self.buf[..self.prefix as usize]
    }

    /// Where the rests begin.
    #[inline]
    fn rests(&self) -> usize {
        self.prefix as usize + self.width() * self.count()
    }

    /// Where rest `at` begins, counted from the first; for the length, where the last ends.
    #[inline]
    fn start(&self, at: usize) -> usize {
        let Some(before) = at.checked_sub(1) else { return 0 };
        let ends = &self.buf[self.prefix as usize..];
        if self.wide {
            return ends
                .as_chunks::<4>()
                .0
                .get(before)
                .map_or(0, |four| u32::from_ne_bytes(*four) as usize);
        }
        ends.as_chunks::<2>().0.get(before).map_or(0, |two| usize::from(u16::from_ne_bytes(*two)))
    }

    #[inline]
    fn rest(&self, at: usize) -> &[u8] {
        let rests = &self.buf[self.rests()..];
        &rests[self.start(at)..self.start(at + 1)]
    }

    fn rest_bytes(&self) -> usize {
        self.buf.len() - self.rests()
    }

    /// Packs strings that come in order.
    fn pack<'t>(items: impl Iterator<Item = Text<'t>> + Clone) -> Strings {
        let mut ends = items.clone();
        let Some(first) = ends.next() else { return Strings::default() };
        let prefix = ends.last().map_or(first.len(), |last| first.common(last));
        let (count, bytes) = items.clone().fold((0, 0), |(n, sum), item| (n + 1, sum + item.len()));
        let rests = bytes - count * prefix;
        let wide = rests > usize::from(u16::MAX);
        let mut packed =
            Strings { buf: Vec::new(), len: narrow(count), prefix: narrow(prefix), wide };
        let ends = packed.width() * count;
        room::reserve(&mut packed.buf, prefix + ends + rests);
        let head = first.prefix.len().min(prefix);
        packed.buf.extend_from_slice(&first.prefix[..head]);
        packed.buf.extend_from_slice(&first.rest[..prefix - head]);
        let mut end = 0;
        for item in items.clone() {
            end += item.len() - prefix;
            let width = packed.width();
            packed.buf.extend_from_slice(&end_bytes(end, wide)[..width]);
        }
        for item in items {
            let rest = item.skip(prefix);
            packed.buf.extend_from_slice(rest.prefix);
            packed.buf.extend_from_slice(rest.rest);
        }
        packed
    }

    fn texts(&self) -> impl Iterator<Item = Text<'_>> + Clone {
        (0..self.count()).map(|at| self.item(at))
    }

    /// Adds so much, which may be negative, to the ends from `at` on.
    #[inline]
    fn shift_ends(&mut self, at: usize, by: isize) {
        let (from, to) = (self.prefix as usize + self.width() * at, self.rests());
        let ends = &mut self.buf[from..to];
        // What is cut off is the sign; no end leaves the range of its form.
        if self.wide {
            for end in ends.as_chunks_mut::<4>().0 {
                *end = u32::from_ne_bytes(*end).wrapping_add(by as u32).to_ne_bytes();
            }
        } else {
            for end in ends.as_chunks_mut::<2>().0 {
                *end = u16::from_ne_bytes(*end).wrapping_add(by as u16).to_ne_bytes();
            }
        }
    }

    /// Whether `item` begins with the prefix.
    #[inline]
    fn shares_prefix(&self, item: Text<'_>) -> bool {
        let prefix = self.prefix();
        item.len() >= prefix.len() && item.common(Text::from(prefix)) == prefix.len()
    }

    fn insert_in_place(&mut self, at: usize, item: Text<'_>) {
        let (size, width) = (self.buf.len(), self.width());
        let (end, rests, cut) = (self.prefix as usize + width * at, self.rests(), self.start(at));
        let shared = self.prefix as usize;
        let long = item.len() - shared;
        room::reserve(&mut self.buf, width + long);
        self.buf.resize(size + width + long, 0);
        // From the back to the front, so that nothing is overwritten before it has moved.
        let new = rests + width + cut;
        self.buf.copy_within(rests + cut..size, new + long);
        self.buf.copy_within(end..rests + cut, end + width);
        let rest = item.skip(shared);
        let (first, second) = self.buf[new..new + long].split_at_mut(rest.prefix.len());
        first.copy_from_slice(rest.prefix);
        second.copy_from_slice(rest.rest);
        let bytes = end_bytes(cut, self.wide);
        self.buf[end..end + width].copy_from_slice(&bytes[..width]);
        self.len += 1;
        self.shift_ends(at, long.cast_signed());
    }

    /// How many strings satisfy `below`, by their rests.
    #[inline]
    fn bound(&self, item: Text<'_>, below: impl Fn(Ordering) -> bool) -> usize {
        let prefix = self.prefix();
        if item.prefix.is_empty()
            && let Some((head, tail)) = item.rest.split_at_checked(prefix.len())
        {
            return match prefix.cmp(head) {
                Ordering::Less => self.count(),
                Ordering::Greater => 0,
                Ordering::Equal => self.partition(&mut |node, at| below(node.rest(at).cmp(tail))),
            };
        }
        self.partition(&mut |node, at| below(node.item(at).cmp(&item)))
    }
}

impl Layout for Strings {
    type Item<'a> = Text<'a>;
    type Owned = Vec<u8>;

    const MOST: usize = if cfg!(test) { 8 } else { 64 };
    const MOST_BYTES: usize = if cfg!(test) { 512 } else { 8 << 10 };

    #[inline]
    fn len(&self) -> usize {
        self.count()
    }

    /// As they would be without a prefix: to pack them anew with a shorter one makes no node of
    /// another size.
    #[inline]
    fn bytes(&self) -> usize {
        self.rest_bytes() + self.count() * (2 + self.prefix as usize)
    }

    #[inline]
    fn memory(&self) -> usize {
        room::of_vec(&self.buf)
    }

    #[inline]
    fn size(item: Text<'_>) -> usize {
        2 + item.len()
    }

    #[inline]
    fn touch(&self) {
        touch(&self.buf);
    }

    #[inline]
    fn item(&self, at: usize) -> Text<'_> {
        Text { prefix: self.prefix(), rest: self.rest(at) }
    }

    #[inline]
    fn order(left: Text<'_>, right: Text<'_>) -> Ordering {
        left.cmp(&right)
    }

    fn of(items: &[Text<'_>]) -> Strings {
        Strings::pack(items.iter().copied())
    }

    fn insert(&mut self, at: usize, item: Text<'_>) {
        let fits = self.count() > 0
            && self.shares_prefix(item)
            && (self.wide || self.rest_bytes() + item.len() <= usize::from(u16::MAX));
        if fits {
            return self.insert_in_place(at, item);
        }
        let all = self.texts();
        *self = Strings::pack(all.clone().take(at).chain([item]).chain(all.skip(at)));
    }

    fn remove(&mut self, from: usize, to: usize) {
        if to - from == self.count() {
            *self = Strings::default();
            return;
        }
        let (size, width, rests) = (self.buf.len(), self.width(), self.rests());
        let (start, end) = (self.start(from), self.start(to));
        let ends = self.prefix as usize;
        let fixed = width * (to - from);
        self.buf.copy_within(ends + width * to..rests + start, ends + width * from);
        self.buf.copy_within(rests + end..size, rests - fixed + start);
        self.buf.truncate(size - fixed - (end - start));
        self.len -= narrow(to - from);
        self.shift_ends(from, -(end - start).cast_signed());
        room::shrink(&mut self.buf);
    }

    /// Both sides are packed anew: each has more in common than both.
    fn split_off(&mut self, at: usize) -> Strings {
        let rest = Strings::pack(self.texts().skip(at));
        *self = Strings::pack(self.texts().take(at));
        rest
    }

    fn append(&mut self, other: &Strings) {
        *self = Strings::pack(self.texts().chain(other.texts()));
    }

    fn separator(left: Text<'_>, right: Text<'_>) -> Vec<u8> {
        let mut separator = right.to_vec();
        separator.truncate(left.common(right) + 1);
        separator
    }

    fn own(item: Text<'_>) -> Vec<u8> {
        item.to_vec()
    }

    #[inline]
    fn item_of(owned: &Vec<u8>) -> Text<'_> {
        Text::from(&owned[..])
    }

    #[inline]
    fn lower_bound(&self, item: Text<'_>) -> usize {
        self.bound(item, Ordering::is_lt)
    }

    #[inline]
    fn upper_bound(&self, item: Text<'_>) -> usize {
        self.bound(item, Ordering::is_le)
    }
}

impl Clone for Strings {
    fn clone(&self) -> Self {
        let mut buf = Vec::new();
        room::reserve(&mut buf, self.buf.len());
        buf.extend_from_slice(&self.buf);
        Strings { buf, ..*self }
    }
}

/// An end of a rest, of which a node that is not wide has the first two bytes.
#[inline]
fn end_bytes(end: usize, wide: bool) -> [u8; 4] {
    if wide {
        return narrow(end).to_ne_bytes();
    }
    let [a, b] = u16::try_from(end).unwrap_or(u16::MAX).to_ne_bytes();
    [a, b, 0, 0]
}

/// A number of bytes of a node, which are less than 4 GiB.
#[inline]
fn narrow(bytes: usize) -> u32 {
    debug_assert!(u32::try_from(bytes).is_ok());
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

#[cfg(test)]
#[path = "strings_tests.rs"]
mod tests;
