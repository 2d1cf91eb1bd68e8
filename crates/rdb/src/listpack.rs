//! Listpacks: Redis's compact sequence of strings and integers since 5.0.
//!
//! ```text
//!   | bytes, u32 | elements, u16 | element | element | ... | ff |
//!
//!   element   | encoding | bytes | size of both, to be read from the right |
//!
//!   0nnnnnnn                      a number from 0 to 127
//!   10llllll                      bytes, up to 63
//!   110nnnnn nnnnnnnn             a number of 13 bits
//!   1110llll llllllll             bytes, up to 4095
//!   f0 l l l l                    bytes, the low byte of their number first
//!   f1, f2, f3, f4                a number of 16, 24, 32, 64 bits, low byte first
//! ```
//!
//! The size behind an element is in groups of seven bits, high ones first; all bytes but the first
//! have their high bit set. 65535 elements mean: too many to say.

use base::num::parse_i64;

use crate::entry::{Bad, Entry, int24, take, take_slice};

const HEADER: usize = 6;
/// Bytes of a listpack without elements.
pub const EMPTY: usize = HEADER + 1;
const UNKNOWN: u16 = u16::MAX;

/// Visits every element, after it was checked; an error if the whole does not add up.
pub fn walk<'a>(
    blob: &'a [u8],
    visit: &mut dyn FnMut(Entry<'a>) -> Result<(), Bad>,
) -> Result<(), Bad> {
    let mut rest = blob;
    let (Some(bytes), Some(count)) = (take(&mut rest), take(&mut rest)) else {
        return Err("a listpack shorter than its header");
    };
    if u32::from_le_bytes(bytes) as usize != blob.len() {
        return Err("a listpack whose length lies");
    }
    let (count, mut found) = (u16::from_le_bytes(count), 0_usize);
    while rest.first().is_some_and(|&byte| byte != 0xff) {
        visit(element(&mut rest).ok_or("a broken element in a listpack")?)?;
        found += 1;
    }
    if rest != [0xff] {
        return Err("a listpack without its end");
    }
    if count != UNKNOWN && usize::from(count) != found {
        return Err("a listpack with another number of elements than it says");
    }
    Ok(())
}

/// All elements.
pub fn entries(blob: &[u8]) -> Result<Vec<Entry<'_>>, Bad> {
    let mut entries = Vec::new();
    walk(blob, &mut |entry| {
        entries.push(entry);
        Ok(())
    })?;
    Ok(entries)
}

fn element<'a>(rest: &mut &'a [u8]) -> Option<Entry<'a>> {
    let before = rest.len();
    let [first] = take(rest)?;
    let low = usize::from(first & 0x3f);
    let entry = match first {
        0..0x80 => Entry::Int(first.into()),
        0x80..0xc0 => Entry::Bytes(take_slice(rest, low)?),
        0xc0..0xe0 => {
            let [second] = take(rest)?;
            let number = i64::from(first & 0x1f) << 8 | i64::from(second);
            Entry::Int(if number >= 1 << 12 { number - (1 << 13) } else { number })
        }
        0xe0..0xf0 => {
            let [second] = take(rest)?;
            Entry::Bytes(take_slice(rest, (low & 0x0f) << 8 | usize::from(second))?)
        }
        0xf0 => {
            let len = u32::from_le_bytes(take(rest)?);
            Entry::Bytes(take_slice(rest, usize::try_from(len).ok()?)?)
        }
        0xf1 => Entry::Int(i16::from_le_bytes(take(rest)?).into()),
        0xf2 => Entry::Int(int24(take(rest)?)),
        0xf3 => Entry::Int(i32::from_le_bytes(take(rest)?).into()),
        0xf4 => Entry::Int(i64::from_le_bytes(take(rest)?)),
        0xf5.. => return None,
    };
    let (back, len) = back(before - rest.len())?;
    (take_slice(rest, len)? == &back[..len]).then_some(entry)
}

/// The bytes that tell the size of an element from behind, and how many they are. `None` for more
/// than 32 bits.
fn back(size: usize) -> Option<([u8; 5], usize)> {
    let size = u32::try_from(size).ok()?;
    // As Redis has it: the last size of each width takes a byte more than it needs.
    let len = match size {
        0..=127 => 1,
        128..16_383 => 2,
        16_383..2_097_151 => 3,
        2_097_151..268_435_455 => 4,
        _ => 5,
    };
    let mut bytes = [0; 5];
    for (at, byte) in bytes.iter_mut().take(len).enumerate() {
        let [group, ..] = (size >> (7 * (len - 1 - at))).to_le_bytes();
        *byte = group & 0x7f | if at == 0 { 0 } else { 0x80 };
    }
    Some((bytes, len))
}

/// Builds a listpack.
pub struct Builder {
    blob: Vec<u8>,
    count: usize,
}

impl Default for Builder {
    fn default() -> Self {
        Builder { blob: vec![0; HEADER], count: 0 }
    }
}

impl Builder {
    /// Bytes the whole would take if it were finished now.
    pub fn size(&self) -> usize {
        self.blob.len() + 1
    }

    /// How many elements there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Appends a string, as an integer if it is the text of one.
    pub fn push(&mut self, bytes: &[u8]) {
        match parse_i64(bytes) {
            Some(number) => self.push_int(number),
            None => self.push_bytes(bytes),
        }
    }

    fn push_bytes(&mut self, bytes: &[u8]) {
        let start = self.blob.len();
        match (u8::try_from(bytes.len()), u16::try_from(bytes.len())) {
            (Ok(len @ ..0x40), _) => self.blob.push(0x80 | len),
            (_, Ok(len @ ..0x1000)) => self.blob.extend((0xe000 | len).to_be_bytes()),
            _ => {
                self.blob.push(0xf0);
                // A string of 4 GiB does not fit a listpack; no caller packs one.
                let len = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
                self.blob.extend(len.to_le_bytes());
            }
        }
        self.blob.extend_from_slice(bytes);
        self.close(start);
    }

    /// Appends an integer.
    pub fn push_int(&mut self, number: i64) {
        let start = self.blob.len();
        let [a, b, c, ..] = number.to_le_bytes();
        match number {
            0..128 => self.blob.push(a),
            -0x1000..0x1000 => self.blob.extend([0xc0 | b & 0x1f, a]),
            -0x8000..0x8000 => self.blob.extend([0xf1, a, b]),
            -0x80_0000..0x80_0000 => self.blob.extend([0xf2, a, b, c]),
            _ => match i32::try_from(number) {
                Ok(number) => {
                    self.blob.push(0xf3);
                    self.blob.extend(number.to_le_bytes());
                }
                Err(_) => {
                    self.blob.push(0xf4);
                    self.blob.extend(number.to_le_bytes());
                }
            },
        }
        self.close(start);
    }

    fn close(&mut self, start: usize) {
        if let Some((bytes, len)) = back(self.blob.len() - start) {
            self.blob.extend_from_slice(&bytes[..len]);
        }
        self.count += 1;
    }

    /// The bytes.
    pub fn finish(mut self) -> Vec<u8> {
        self.blob.push(0xff);
        let bytes = u32::try_from(self.blob.len()).unwrap_or(u32::MAX);
        let count = u16::try_from(self.count).unwrap_or(UNKNOWN);
        self.blob[..4].copy_from_slice(&bytes.to_le_bytes());
        self.blob[4..HEADER].copy_from_slice(&count.to_le_bytes());
        self.blob
    }
}

/// Bytes an integer takes in a listpack.
pub fn int_size(number: i64) -> usize {
    let content = match number {
        0..128 => 1,
        -0x1000..0x1000 => 2,
        -0x8000..0x8000 => 3,
        -0x80_0000..0x80_0000 => 4,
        _ if i32::try_from(number).is_ok() => 5,
        _ => 9,
    };
    content + 1
}

/// Bytes a string takes in a listpack.
pub fn element_size(bytes: &[u8]) -> usize {
    if let Some(number) = parse_i64(bytes) {
        return int_size(number);
    }
    let head = match bytes.len() {
        ..0x40 => 1,
        0x40..0x1000 => 2,
        _ => 5,
    };
    let content = head + bytes.len();
    content + back(content).map_or(5, |(_, len)| len)
}

#[cfg(test)]
#[path = "listpack_tests.rs"]
mod tests;
