//! The elements of a stream's nodes: Redis's listpack, read and edited where it lies.
//!
//! ```text
//!   | bytes, u32 | elements, u16 | element | element | ... | ff |
//!
//!   element   | encoding | content | size of both, to be read from the right |
//!
//!   0nnnnnnn                      a number from 0 to 127
//!   10llllll                      bytes, up to 63
//!   110nnnnn nnnnnnnn             a number of 13 bits
//!   1110llll llllllll             bytes, up to 4095
//!   f0 l l l l                    bytes, the low byte of their number first
//!   f1, f2, f3, f4                a number of 16, 24, 32, 64 bits, low byte first
//! ```
//!
//! Nodes use the very bytes of Redis because their number of bytes decides where a node ends, and
//! that decides what `XTRIM ~` removes; and because they then go into a file as they are. The
//! size behind an element is in groups of seven bits, high ones first; all bytes but the first
//! have their high bit set.
//!
//! Reading relies on the bytes having been written or checked here; others give wrong elements or
//! a panic. Where bytes come from a file, [`check`] comes first.

use base::num::parse_i64;

use crate::set::Member;
use table::room;

const HEADER: usize = 6;
/// The byte behind the last element.
const END: u8 = 0xff;
/// What the header says of more elements than it can count.
const UNCOUNTED: u16 = u16::MAX;

/// An empty listpack.
pub(super) fn new() -> Vec<u8> {
    let mut buf = Vec::new();
    room::reserve(&mut buf, 64);
    buf.extend_from_slice(&[0, 0, 0, 0, 0, 0, END]);
    seal(&mut buf, 0);
    buf
}

/// Where the first element is.
pub(super) const FIRST: usize = HEADER;

/// Where the last element ends.
pub(super) fn end(buf: &[u8]) -> usize {
    buf.len() - 1
}

/// Brings the header up to date after `more` elements were added.
fn seal(buf: &mut [u8], more: usize) {
    let bytes = u32::try_from(buf.len()).unwrap_or(u32::MAX);
    buf[..4].copy_from_slice(&bytes.to_le_bytes());
    let count = u16::from_le_bytes([buf[4], buf[5]]);
    if count != UNCOUNTED {
        let count = u16::try_from(usize::from(count) + more).unwrap_or(UNCOUNTED);
        buf[4..HEADER].copy_from_slice(&count.to_le_bytes());
    }
}

/// The number of the bytes that tell the size of an element from behind. As Redis has it, the last
/// size of each width takes a byte more than it needs.
fn back_len(size: usize) -> usize {
    match size {
        0..=127 => 1,
        128..16_383 => 2,
        16_383..2_097_151 => 3,
        2_097_151..268_435_455 => 4,
        _ => 5,
    }
}

fn little(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

/// The number of these bytes, the low one first, with its sign.
fn signed(bytes: &[u8]) -> i64 {
    let unused = 64 - 8 * u32::try_from(bytes.len()).unwrap_or(8);
    little(bytes).wrapping_shl(unused).cast_signed().wrapping_shr(unused)
}

/// The element at `at`, and where the next one is. Panics at the end.
#[inline]
pub(super) fn read(buf: &[u8], at: usize) -> (Member<'_>, usize) {
    let first = buf[at];
    let low = usize::from(first & 0x3f);
    let text = |from: usize, len: usize| (Member::Bytes(&buf[from..from + len]), from + len);
    let number = |len: usize| {
        let end = at + 1 + len;
        (Member::Int(signed(&buf[at + 1..end])), end)
    };
    let (item, stop) = match first {
        0..0x80 => (Member::Int(first.into()), at + 1),
        0x80..0xc0 => text(at + 1, low),
        0xc0..0xe0 => {
            let number = i64::from(first & 0x1f) << 8 | i64::from(buf[at + 1]);
            let number = if number >= 1 << 12 { number - (1 << 13) } else { number };
            (Member::Int(number), at + 2)
        }
        0xe0..0xf0 => text(at + 2, (low & 0x0f) << 8 | usize::from(buf[at + 1])),
        0xf0 => {
            let len = usize::try_from(little(&buf[at + 1..at + 5])).unwrap_or(0);
            text(at + 5, len)
        }
        0xf1 => number(2),
        0xf2 => number(3),
        0xf3 => number(4),
        _ => number(8),
    };
    (item, stop + back_len(stop - at))
}

/// The number at `at`, and where the next element is. 0 for what is no number.
#[inline]
pub(super) fn int(buf: &[u8], at: usize) -> (i64, usize) {
    match read(buf, at) {
        (Member::Int(number), next) => (number, next),
        (Member::Bytes(_), next) => (0, next),
    }
}

/// Where the element begins that ends before `at`.
#[inline]
pub(super) fn before(buf: &[u8], at: usize) -> usize {
    let (mut size, mut shift, mut place) = (0, 0, at - 1);
    loop {
        let byte = buf[place];
        size |= usize::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return place - size;
        }
        shift += 7;
        place -= 1;
    }
}

/// Steps over `count` elements, which is most of what finding an entry costs: short ones, which
/// are nearly all, in two instructions.
#[inline]
pub(super) fn skip(buf: &[u8], mut at: usize, count: usize) -> usize {
    for _ in 0..count {
        at = match buf[at] {
            0..0x80 => at + 2,
            short @ 0x80..0xc0 => at + 2 + usize::from(short & 0x3f),
            0xc0..0xe0 => at + 3,
            _ => read(buf, at).1,
        };
    }
    at
}

/// The bytes that tell the size of an element from behind, and how many they are.
fn back(size: usize) -> ([u8; 5], usize) {
    let len = back_len(size);
    let mut bytes = [0; 5];
    for (at, byte) in bytes.iter_mut().take(len).enumerate() {
        let [group, ..] = (size >> (7 * (len - 1 - at))).to_le_bytes();
        *byte = group & 0x7f | if at == 0 { 0 } else { 0x80 };
    }
    (bytes, len)
}

/// Appends what tells the size of the element that begins at `start`.
fn close(buf: &mut Vec<u8>, start: usize) {
    let (bytes, len) = back(buf.len() - start);
    buf.extend_from_slice(&bytes[..len]);
}

/// Writes elements one after the other.
pub(super) struct Appender<'a> {
    buf: &'a mut Vec<u8>,
    count: usize,
}

impl<'a> Appender<'a> {
    /// Takes the end away; [`finish`](Self::finish) puts it back. `room` more bytes are likely.
    pub fn new(buf: &'a mut Vec<u8>, room: usize) -> Self {
        room::reserve(buf, room);
        buf.pop();
        Appender { buf, count: 0 }
    }

    fn room(&mut self, more: usize) {
        room::reserve(self.buf, more);
    }

    pub fn int(&mut self, number: i64) {
        self.room(16);
        let start = self.buf.len();
        push_int(self.buf, number);
        close(self.buf, start);
        self.count += 1;
    }

    pub fn count(&mut self, number: usize) {
        self.int(i64::try_from(number).unwrap_or(i64::MAX));
    }

    /// A string, as a number if it is the text of one.
    pub fn text(&mut self, bytes: &[u8]) {
        if bytes.len() <= 20
            && let Some(number) = parse_i64(bytes)
        {
            return self.int(number);
        }
        self.room(bytes.len() + 16);
        let start = self.buf.len();
        match (u8::try_from(bytes.len()), u16::try_from(bytes.len())) {
            (Ok(len @ ..0x40), _) => self.buf.push(0x80 | len),
            (_, Ok(len @ ..0x1000)) => self.buf.extend_from_slice(&(0xe000 | len).to_be_bytes()),
            _ => {
                self.buf.push(0xf0);
                // Nothing longer than a gigabyte is packed.
                let len = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
                self.buf.extend_from_slice(&len.to_le_bytes());
            }
        }
        self.buf.extend_from_slice(bytes);
        close(self.buf, start);
        self.count += 1;
    }

    pub fn finish(mut self) {
        self.room(1);
        self.buf.push(END);
        seal(self.buf, self.count);
    }
}

fn push_int(buf: &mut Vec<u8>, number: i64) {
    let [a, b, c, d, ..] = number.to_le_bytes();
    match number {
        0..128 => buf.push(a),
        -0x1000..0x1000 => buf.extend_from_slice(&[0xc0 | b & 0x1f, a]),
        -0x8000..0x8000 => buf.extend_from_slice(&[0xf1, a, b]),
        -0x80_0000..0x80_0000 => buf.extend_from_slice(&[0xf2, a, b, c]),
        -0x8000_0000..0x8000_0000 => buf.extend_from_slice(&[0xf3, a, b, c, d]),
        _ => {
            buf.push(0xf4);
            buf.extend_from_slice(&number.to_le_bytes());
        }
    }
}

/// Replaces the number at `at`. What lies behind it moves if its size changes.
pub(super) fn set_int(buf: &mut Vec<u8>, at: usize, number: i64) {
    let next = read(buf, at).1;
    let mut element = Vec::with_capacity(10);
    push_int(&mut element, number);
    close(&mut element, 0);
    if element.len() == next - at {
        buf[at..next].copy_from_slice(&element);
        return;
    }
    room::reserve(buf, element.len());
    buf.splice(at..next, element);
    seal(buf, 0);
}

/// Whether these bytes are a listpack from beginning to end.
pub(super) fn check(buf: &[u8]) -> bool {
    let sound = buf.len() > HEADER
        && usize::try_from(little(&buf[..4])) == Ok(buf.len())
        && buf[buf.len() - 1] == END;
    if !sound {
        return false;
    }
    let (mut at, stop, mut count) = (FIRST, end(buf), 0_usize);
    while at < stop {
        let Some(next) = checked_next(&buf[..stop], at) else { return false };
        (at, count) = (next, count + 1);
    }
    let said = u16::from_le_bytes([buf[4], buf[5]]);
    said == UNCOUNTED || usize::from(said) == count
}

/// Where the element behind the one at `at` begins, if that one is whole.
fn checked_next(buf: &[u8], at: usize) -> Option<usize> {
    let first = *buf.get(at)?;
    let low = usize::from(first & 0x3f);
    let size = match first {
        0..0x80 => 1,
        0x80..0xc0 => 1 + low,
        0xc0..0xe0 => 2,
        0xe0..0xf0 => 2 + ((low & 0x0f) << 8 | usize::from(*buf.get(at + 1)?)),
        0xf0 => 5 + usize::try_from(little(buf.get(at + 1..at + 5)?)).ok()?,
        0xf1 => 3,
        0xf2 => 4,
        0xf3 => 5,
        0xf4 => 9,
        0xf5.. => return None,
    };
    let stop = at.checked_add(size)?;
    let (bytes, len) = back(size);
    (buf.get(stop..stop.checked_add(len)?)? == &bytes[..len]).then_some(stop + len)
}
