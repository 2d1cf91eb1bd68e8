//! LZF: the compression of strings in RDB files. Fast rather than strong.
//!
//! ```text
//!   000nnnnn | n + 1 bytes                    these bytes
//!   lllddddd | dddddddd                       l + 2 bytes from d + 1 bytes back; l is 1 to 6
//!   111ddddd | llllllll | dddddddd            l + 9 bytes from d + 1 bytes back
//! ```
//!
//! The format leaves the choice of matches free. [`Compressor`] finds the ones that Redis finds:
//! one candidate per hash of three bytes, taken as soon as it fits, and after a match only its
//! last two positions remembered. Equal values then have equal `DUMP`s.

/// Bits of the hash of three bytes.
const HASH_BITS: u32 = 16;
/// How far back a match may lie.
const MAX_DISTANCE: usize = 1 << 13;
/// How long a match may be.
const MAX_MATCH: usize = (1 << 8) + (1 << 3);
/// How many bytes one run of literals may have.
const MAX_LITERALS: usize = 1 << 5;
/// The most bytes that one byte can unpack to: three make a match of the greatest length.
const MOST: usize = MAX_MATCH / 3;

/// Compresses one string after the other, with one table of 256 KiB for all of them.
///
/// ```
/// use kvist_rdb::lzf;
/// let text = b"abcabcabcabcabcabcabcabcabcabc";
/// let packed = lzf::Compressor::default().compress(text, text.len()).unwrap();
/// assert!(packed.len() < 12);
/// assert_eq!(lzf::decompress(&packed, text.len()).unwrap(), text);
/// ```
#[derive(Default)]
pub struct Compressor {
    /// The last position of each hash, counted from before all strings so far. What was written
    /// for an earlier string is below `base` and so needs no clearing.
    seen: Vec<u32>,
    base: u32,
}

impl Compressor {
    /// Compresses `bytes` into at most `room` bytes; `None` if they do not fit, or are 4 GiB or
    /// more. O(n).
    #[must_use]
    pub fn compress(&mut self, bytes: &[u8], room: usize) -> Option<Vec<u8>> {
        if bytes.len() <= 3 || room == 0 {
            return None;
        }
        let next = u32::try_from(bytes.len()).ok().and_then(|len| self.base.checked_add(len));
        let next = if let Some(next) = next {
            next
        } else {
            *self = Compressor::default();
            u32::try_from(bytes.len()).ok()?
        };
        self.seen.resize(1 << HASH_BITS, 0);
        let out = Vec::with_capacity(room.min(bytes.len()));
        let mut packer = Packer { table: self, bytes, room, out, literals: 0 };
        packer.out.push(0);
        let fits = packer.run();
        let out = packer.out;
        self.base = next;
        fits.map(|()| out)
    }
}

struct Packer<'a> {
    table: &'a mut Compressor,
    bytes: &'a [u8],
    room: usize,
    /// What is packed; its last `literals + 1` bytes are the run being gathered, behind its size.
    out: Vec<u8>,
    literals: usize,
}

impl Packer<'_> {
    fn run(&mut self) -> Option<()> {
        // A match needs three bytes.
        let last = self.bytes.len().saturating_sub(2);
        let mut at = 0;
        while at < last {
            let from = self.remember(at);
            let Some(from) = from.filter(|&from| self.fits(from, at)) else {
                if self.out.len() >= self.room {
                    return None;
                }
                self.literal(at);
                at += 1;
                continue;
            };
            let unused = usize::from(self.literals == 0);
            if self.out.len() - unused + 4 >= self.room {
                return None;
            }
            let len = self.match_len(from, at);
            self.stop_run();
            self.back_reference(at - from - 1, len - 2);
            at += len;
            if at >= last {
                break;
            }
            self.remember(at - 2);
            self.remember(at - 1);
        }
        if self.out.len() + 3 > self.room {
            return None;
        }
        for rest in at..self.bytes.len() {
            self.literal(rest);
        }
        self.stop_run();
        Some(())
    }

    /// Notes the position of the three bytes at `at`; the position of the last three bytes of the
    /// same hash, unless they were the very first.
    #[inline]
    fn remember(&mut self, at: usize) -> Option<usize> {
        let [a, b, c] = [self.bytes[at], self.bytes[at + 1], self.bytes[at + 2]].map(u32::from);
        let three = a << 16 | b << 8 | c;
        let hash = (three >> (24 - HASH_BITS)).wrapping_sub(three.wrapping_mul(5));
        let slot = &mut self.table.seen[(hash & ((1 << HASH_BITS) - 1)) as usize];
        // Below 4 GiB, as `compress` has seen.
        let position = self.table.base + u32::try_from(at).unwrap_or(0);
        let before = std::mem::replace(slot, position);
        before.checked_sub(self.table.base).filter(|&from| from > 0).map(|from| from as usize)
    }

    #[inline]
    fn fits(&self, from: usize, at: usize) -> bool {
        at - from <= MAX_DISTANCE && self.bytes[from..from + 3] == self.bytes[at..at + 3]
    }

    /// How far the bytes at `from` and `at` agree.
    fn match_len(&self, from: usize, at: usize) -> usize {
        let limit = (self.bytes.len() - at - 2).min(MAX_MATCH);
        let differs = |len: usize| self.bytes[from + len] != self.bytes[at + len];
        let mut len = 2;
        // The reference takes sixteen steps without looking at the limit, where they are sure to
        // stay inside the string, and so may end two beyond it.
        if limit > 16 {
            for _ in 0..16 {
                len += 1;
                if differs(len) {
                    return len;
                }
            }
        }
        len += 1;
        while len < limit && !differs(len) {
            len += 1;
        }
        len
    }

    #[inline]
    fn literal(&mut self, at: usize) {
        self.out.push(self.bytes[at]);
        self.literals += 1;
        if self.literals == MAX_LITERALS {
            self.stop_run();
            self.out.push(0);
            self.literals = 0;
        }
    }

    /// Writes the size of the run gathered, or takes its place back if it is empty.
    fn stop_run(&mut self) {
        match u8::try_from(self.literals) {
            Ok(count @ 1..) => {
                let at = self.out.len() - self.literals - 1;
                self.out[at] = count - 1;
            }
            _ => self.out.truncate(self.out.len() - 1),
        }
    }

    /// Writes a match, and begins a run.
    fn back_reference(&mut self, distance: usize, len: usize) {
        // Both fit: 13 bits of distance, and a length of at most 7 + 255.
        let [low, high, ..] = u32::try_from(distance).unwrap_or(0).to_le_bytes();
        match u8::try_from(len) {
            Ok(len @ ..7) => self.out.push(high | len << 5),
            _ => self.out.extend([high | 7 << 5, u8::try_from(len - 7).unwrap_or(u8::MAX)]),
        }
        self.out.extend([low, 0]);
        self.literals = 0;
    }
}

/// Unpacks `packed`, which must give exactly `len` bytes; `None` if it does not, or refers to
/// bytes before its beginning. O(len), and `len` is at most 88 times the input.
#[must_use]
pub fn decompress(packed: &[u8], len: usize) -> Option<Vec<u8>> {
    if len > packed.len().saturating_mul(MOST) {
        return None;
    }
    let mut out = Vec::with_capacity(len);
    let mut rest = packed;
    while let [control, tail @ ..] = rest {
        let control = usize::from(*control);
        if control < MAX_LITERALS {
            let (run, tail) = tail.split_at_checked(control + 1)?;
            out.extend_from_slice(run);
            rest = tail;
        } else {
            let (mut count, mut tail) = (control >> 5, tail);
            if count == 7 {
                let (more, next) = tail.split_first()?;
                count += usize::from(*more);
                tail = next;
            }
            let (low, next) = tail.split_first()?;
            rest = next;
            let distance = (control & 0x1f) << 8 | usize::from(*low);
            repeat(&mut out, distance + 1, count + 2)?;
        }
        if out.len() > len {
            return None;
        }
    }
    (out.len() == len).then_some(out)
}

/// Appends `count` bytes from `distance` bytes back, which may overlap what is appended.
fn repeat(out: &mut Vec<u8>, distance: usize, count: usize) -> Option<()> {
    let from = out.len().checked_sub(distance)?;
    let mut left = count;
    while left > 0 {
        let take = left.min(out.len() - from);
        out.extend_from_within(from..from + take);
        left -= take;
    }
    Some(())
}

#[cfg(test)]
#[path = "lzf_tests.rs"]
mod tests;
