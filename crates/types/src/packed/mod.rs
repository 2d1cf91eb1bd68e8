//! A compact sequence of byte strings in one allocation: the form of every small collection, and
//! of the nodes of lists.
//!
//! ```text
//!  block                                                                             capacity
//!  +--------+- - - - - +-----------+-----------+-----------+-- ... --+-----------+- - - - - - +
//!  | header |  front   | element 0 | element 1 | element 2 |         | element n |   spare    |
//!  +--------+- - - - - +-----------+-----------+-----------+-- ... --+-----------+- - - - - - +
//!                      ^ start                      (count: n + 1)
//!
//!  element    +-----+-----------------+------+
//!             | len | bytes           | back |     len:  7 bits per byte, low ones first, high bit
//!             +-----+-----------------+------+           set in all bytes but the last
//!             |<------- back -------->|           back: the size of len and bytes, the same way
//!                                                       but to be read from the right
//! ```
//!
//! An element of up to 126 bytes takes 2 bytes more than its content. It is the idea of Redis's
//! listpack, but numbers stay text, so that every element can be handed out as a slice. Lengths and
//! counts stand in the header of the [`Block`]; the value itself is one pointer.
//!
//! The front gap makes pushing and popping at the front as cheap as at the back. It appears only
//! when something is pushed or removed there; a sequence edited otherwise has none. When room is
//! needed on one side, what is free on the other is taken over by half, so that using both ends
//! in turn stays amortised O(1).
//!
//! Positions ([`At`]) are offsets that any edit invalidates; edits return fresh ones. A position
//! from elsewhere gives wrong answers or a panic, never undefined behaviour.

mod element;

use table::Block;

pub use element::element_size;
use element::{SHORT, read_back, read_element, write_element};

/// Where an element of a [`Packed`] begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct At(usize);

/// See the [module](self).
#[derive(Default)]
pub struct Packed {
    buf: Block,
}

impl Packed {
    /// An empty sequence; allocates nothing.
    #[must_use]
    pub const fn new() -> Self {
        Packed { buf: Block::new() }
    }

    /// An empty sequence with room for `bytes`, all of it in front or all of it behind. For a
    /// sequence that is sure to grow so far: growing step by step would copy it, and touch fresh
    /// memory, some twenty times.
    #[must_use]
    pub fn with_room(bytes: usize, in_front: bool) -> Packed {
        let mut packed = Packed { buf: Block::with_capacity(bytes) };
        if in_front {
            let room = packed.buf.capacity();
            packed.buf.resize(room);
            packed.set_front(room);
        }
        packed
    }

    /// How many elements there are. O(1).
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.buf.count() as usize
    }

    /// Whether there are none. O(1).
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.buf.count() == 0
    }

    /// Bytes the elements take, with their lengths but without gaps. O(1).
    #[inline]
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.buf.len() - self.front()
    }

    /// Bytes allocated. O(1).
    #[inline]
    #[must_use]
    pub fn memory(&self) -> usize {
        self.buf.memory()
    }

    #[inline]
    fn front(&self) -> usize {
        self.buf.start() as usize
    }

    /// Says where the elements begin: a place in the block, which ends below 4 GiB.
    #[inline]
    fn set_front(&mut self, front: usize) {
        self.buf.set_start(u32::try_from(front).unwrap_or(u32::MAX));
    }

    /// Says how many elements there are: fewer than bytes.
    #[inline]
    fn set_len(&mut self, len: usize) {
        self.buf.set_count(u32::try_from(len).unwrap_or(u32::MAX));
    }

    #[inline]
    fn at_or_end(&self, offset: usize) -> Option<At> {
        (offset < self.buf.len()).then_some(At(offset))
    }

    /// The first element. O(1).
    #[inline]
    #[must_use]
    pub fn first(&self) -> Option<At> {
        self.at_or_end(self.front())
    }

    /// The last element. O(1).
    #[inline]
    #[must_use]
    pub fn last(&self) -> Option<At> {
        (!self.is_empty()).then(|| At(self.buf.len() - read_back(&self.buf)))
    }

    /// The element after `at`. O(1).
    #[inline]
    #[must_use]
    pub fn next(&self, at: At) -> Option<At> {
        self.at_or_end(self.end_of(at))
    }

    /// The element before `at`. O(1).
    #[inline]
    #[must_use]
    pub fn prev(&self, at: At) -> Option<At> {
        (at.0 > self.front()).then(|| At(at.0 - read_back(&self.buf[..at.0])))
    }

    /// The content of the element at `at`. O(1).
    #[inline]
    #[must_use]
    pub fn get(&self, at: At) -> &[u8] {
        read_element(&self.buf[at.0..]).0
    }

    #[inline]
    fn end_of(&self, at: At) -> usize {
        at.0 + read_element(&self.buf[at.0..]).1
    }

    /// The element number `index`, from 0. O(n), from the nearer end.
    #[must_use]
    pub fn at(&self, index: usize) -> Option<At> {
        let len = self.len();
        if index >= len {
            return None;
        }
        if index <= len / 2 {
            let mut at = At(self.front());
            for _ in 0..index {
                at = At(self.end_of(at));
            }
            Some(at)
        } else {
            let mut offset = self.buf.len();
            for _ in index..len {
                offset -= read_back(&self.buf[..offset]);
            }
            Some(At(offset))
        }
    }

    /// The first element equal to `wanted` among the elements number 0, `stride`, 2 `stride` ...
    /// O(n).
    #[must_use]
    pub fn find(&self, wanted: &[u8], stride: usize) -> Option<At> {
        // The last bytes tell apart more than the first; eight of them at once nearly always
        // decide, and then by a branch that is guessed right until the end.
        match wanted.last_chunk::<8>() {
            Some(tail) => self.find_by(stride, |content| {
                content.last_chunk::<8>() == Some(tail) && content == wanted
            }),
            None => self.find_by(stride, |content| {
                content.len() == wanted.len()
                    && content.last() == wanted.last()
                    && content == wanted
            }),
        }
    }

    #[inline]
    fn find_by(&self, stride: usize, is: impl Fn(&[u8]) -> bool) -> Option<At> {
        let mut skip = 0;
        self.places()
            .find(|(_, content)| {
                if skip > 0 {
                    skip -= 1;
                    return false;
                }
                skip = stride - 1;
                is(content)
            })
            .map(|(at, _)| at)
    }

    /// All elements, and where they are.
    #[inline]
    pub fn places(&self) -> impl Iterator<Item = (At, &[u8])> {
        self.places_from(self.first())
    }

    /// The elements from `start` on, or none, and where they are.
    #[inline]
    pub fn places_from(&self, start: Option<At>) -> impl Iterator<Item = (At, &[u8])> {
        let bytes = &self.buf[..];
        let mut next = start.map_or(bytes.len(), |at| at.0);
        std::iter::from_fn(move || {
            let at = next;
            if at >= bytes.len() {
                return None;
            }
            let (content, size) = read_element(&bytes[at..]);
            next = at + size;
            Some((At(at), content))
        })
    }

    /// All elements, from both ends.
    #[inline]
    #[must_use]
    pub fn iter(&self) -> Iter<'_> {
        Iter { live: &self.buf[self.front()..], left: self.len() }
    }

    /// The elements from number `start` to before number `end`. O(n) to get there, each from the
    /// nearer end.
    #[must_use]
    pub fn range(&self, start: usize, end: usize) -> Iter<'_> {
        let end = end.min(self.len());
        if start >= end {
            return Iter::default();
        }
        let offset = |index| self.at(index).map_or(self.buf.len(), |at| at.0);
        Iter { live: &self.buf[offset(start)..offset(end)], left: end - start }
    }

    /// Appends an element. Amortised O(its length).
    #[inline]
    pub fn push_back(&mut self, bytes: &[u8]) {
        match u8::try_from(bytes.len()) {
            Ok(len) if bytes.len() <= SHORT => {
                self.make_room(bytes.len() + 2, false);
                self.buf.extend_from_parts([&[len], bytes, &[len + 1]]);
                self.set_len(self.len() + 1);
            }
            _ => {
                self.insert(None, bytes);
            }
        }
    }

    /// Prepends an element. Amortised O(its length).
    #[inline]
    pub fn push_front(&mut self, bytes: &[u8]) {
        self.insert(self.first(), bytes);
    }

    /// Inserts an element before `at`, or at the end. O(bytes) but at the ends. Returns where it
    /// is now.
    #[inline]
    pub fn insert(&mut self, at: Option<At>, bytes: &[u8]) -> At {
        self.insert_joined(at, bytes, b"")
    }

    /// [`insert`](Self::insert) of one element that is given in two parts.
    pub fn insert_joined(&mut self, at: Option<At>, head: &[u8], tail: &[u8]) -> At {
        let at = at.map_or(self.buf.len(), |at| at.0);
        let size = element_size(head.len() + tail.len());
        let at = self.splice(at, at, size);
        write_element(head, tail, &mut self.buf[at..at + size]);
        self.set_len(self.len() + 1);
        At(at)
    }

    /// Gives the element at `at` another content. O(bytes) if its size changes. Returns where it
    /// is now.
    pub fn replace(&mut self, at: At, bytes: &[u8]) -> At {
        let size = element_size(bytes.len());
        let at = self.splice(at.0, self.end_of(at), size);
        write_element(bytes, b"", &mut self.buf[at..at + size]);
        At(at - self.shrink())
    }

    /// Removes `n` elements (or as many as there are) from `at` on. O(bytes), but at the ends
    /// O(n). Returns the element that follows now.
    pub fn remove(&mut self, at: At, n: usize) -> Option<At> {
        let (mut end, mut removed) = (at.0, 0);
        while removed < n && end < self.buf.len() {
            end = self.end_of(At(end));
            removed += 1;
        }
        let at = self.splice(at.0, end, 0);
        self.forget(removed);
        let at = At(at - self.shrink());
        self.at_or_end(at.0)
    }

    /// Removes the first `n` elements. O(n).
    pub fn drop_front(&mut self, n: usize) {
        if let Some(first) = self.first() {
            self.remove(first, n);
        }
    }

    /// Removes the last `n` elements. O(n).
    pub fn drop_back(&mut self, n: usize) {
        if n >= self.len() {
            return self.clear();
        }
        let mut end = self.buf.len();
        for _ in 0..n {
            end -= read_back(&self.buf[..end]);
        }
        self.buf.truncate(end);
        self.forget(n);
        self.shrink();
    }

    /// Removes everything and gives the memory back.
    pub fn clear(&mut self) {
        *self = Packed::new();
    }

    /// Keeps the elements for which `keep` says so. O(bytes).
    pub fn retain(&mut self, mut keep: impl FnMut(&[u8]) -> bool) {
        let (mut read, mut write, mut removed) = (self.front(), self.front(), 0);
        while read < self.buf.len() {
            let (content, size) = read_element(&self.buf[read..]);
            if keep(content) {
                if read != write {
                    self.buf.copy_within(read..read + size, write);
                }
                write += size;
            } else {
                removed += 1;
            }
            read += size;
        }
        self.buf.truncate(write);
        self.forget(removed);
        self.shrink();
    }

    /// Cuts the sequence before `at` and returns the rest. O(bytes).
    #[must_use]
    pub fn split_off(&mut self, at: At) -> Packed {
        let mut rest = Packed::new();
        rest.buf.extend_from_slice(&self.buf[at.0..]);
        rest.set_len(rest.recount());
        self.buf.truncate(at.0);
        self.forget(rest.len());
        self.shrink();
        rest
    }

    /// Appends the elements of `other`. O(bytes).
    pub fn append(&mut self, other: &Packed) {
        self.make_room(other.bytes(), false);
        self.buf.extend_from_slice(&other.buf[other.front()..]);
        self.set_len(self.len() + other.len());
    }

    fn recount(&self) -> usize {
        let live = &self.buf[self.front()..];
        let (mut offset, mut count) = (0, 0);
        while offset < live.len() {
            offset += read_element(&live[offset..]).1;
            count += 1;
        }
        count
    }

    fn forget(&mut self, removed: usize) {
        self.set_len(self.len() - removed);
    }

    /// Makes the bytes from `from` to `to` be `size` bytes instead, with any content; moves the
    /// shorter side if it can. Returns where they begin now.
    fn splice(&mut self, from: usize, to: usize, size: usize) -> usize {
        let old = to - from;
        let front = self.front();
        let at_front = from - front < self.buf.len() - to;
        if size <= old {
            let less = old - size;
            if at_front {
                self.buf.copy_within(front..from, front + less);
                self.set_front(front + less);
                return from + less;
            }
            self.buf.copy_within(to.., from + size);
            self.buf.truncate(self.buf.len() - less);
            return from;
        }
        let more = size - old;
        self.make_room(more, at_front);
        let (from, to) = (from - front + self.front(), to - front + self.front());
        let front = self.front();
        if at_front && front >= more {
            self.buf.copy_within(front..from, front - more);
            self.set_front(front - more);
            return from - more;
        }
        self.buf.open(to, more);
        from
    }

    /// Sees to it that there are `more` free bytes on the wished side.
    #[inline]
    fn make_room(&mut self, more: usize, at_front: bool) {
        let spare = self.buf.capacity() - self.buf.len();
        let free = if at_front { self.front() } else { spare };
        if free < more {
            self.relocate(more, at_front);
        }
    }

    #[cold]
    fn relocate(&mut self, more: usize, at_front: bool) {
        let (live, old) = (self.bytes(), self.buf.capacity());
        let needed = live + more;
        // Shifting within the old block is worth it only if the next shift is far enough away.
        let capacity = if old >= needed + live / 8 { old } else { Block::capacity_for(needed) };
        let slack = capacity - needed;
        let other = if at_front { old - self.buf.len() } else { self.front() };
        let kept = other.min(slack / 2);
        let front = if at_front { slack - kept + more } else { kept };
        let old_front = self.front();
        if front == 0 && old_front == 0 {
            return self.buf.reserve(more);
        }
        if capacity == old {
            if front > old_front {
                self.buf.open(old_front, front - old_front);
            } else {
                self.buf.copy_within(old_front.., front);
                self.buf.truncate(front + live);
            }
        } else {
            let mut moved = Block::with_capacity(capacity);
            moved.resize(front);
            moved.extend_from_slice(&self.buf[old_front..]);
            moved.set_count(self.buf.count());
            self.buf = moved;
        }
        self.set_front(front);
    }

    /// Gives memory back once less than half of it is used. Returns by how much elements moved to
    /// the left.
    fn shrink(&mut self) -> usize {
        let live = self.bytes();
        if !self.buf.is_wasteful_for(live) {
            return 0;
        }
        let moved = self.front();
        self.buf.copy_within(moved.., 0);
        self.buf.truncate(live);
        self.set_front(0);
        self.buf.shrink();
        moved
    }
}

impl Clone for Packed {
    fn clone(&self) -> Self {
        let mut copy = Packed::new();
        copy.append(self);
        copy
    }
}

impl std::fmt::Debug for Packed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter().map(<[u8]>::escape_ascii)).finish()
    }
}

/// The elements of a [`Packed`], from both ends; every step is O(1).
#[derive(Clone, Debug, Default)]
pub struct Iter<'a> {
    live: &'a [u8],
    left: usize,
}

impl<'a> Iterator for Iter<'a> {
    type Item = &'a [u8];

    #[inline]
    fn next(&mut self) -> Option<&'a [u8]> {
        if self.left == 0 {
            return None;
        }
        self.left -= 1;
        let (content, size) = read_element(self.live);
        self.live = &self.live[size..];
        Some(content)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl DoubleEndedIterator for Iter<'_> {
    #[inline]
    fn next_back(&mut self) -> Option<Self::Item> {
        if self.left == 0 {
            return None;
        }
        self.left -= 1;
        let (rest, element) = self.live.split_at(self.live.len() - read_back(self.live));
        self.live = rest;
        Some(read_element(element).0)
    }
}

impl ExactSizeIterator for Iter<'_> {}
impl std::iter::FusedIterator for Iter<'_> {}

#[cfg(test)]
#[path = "packed_tests.rs"]
mod tests;
