//! Ziplists: the compact sequence of Redis before 7.0.
//!
//! ```text
//!   | bytes, u32 | offset of the last entry, u32 | entries, u16 | entry | entry | ... | ff |
//!
//!   entry     | size of the entry before | encoding | bytes |
//!
//!   size      n, below fe; or fe and four bytes, low one first
//!   00llllll                      bytes, up to 63
//!   01llllll llllllll             bytes, up to 16383
//!   80 l l l l                    bytes, the high byte of their number first
//!   fe, c0, f0, d0, e0            a number of 8, 16, 24, 32, 64 bits, low byte first
//!   f1 to fd                      a number from 0 to 12
//! ```

use crate::entry::{Bad, Entry, int24, take, take_slice};

const HEADER: usize = 10;
const UNKNOWN: u16 = u16::MAX;

/// Visits every entry, after it was checked; an error if the whole does not add up.
pub fn walk<'a>(
    blob: &'a [u8],
    visit: &mut dyn FnMut(Entry<'a>) -> Result<(), Bad>,
) -> Result<(), Bad> {
    let mut rest = blob;
    let head = (take(&mut rest), take(&mut rest), take(&mut rest));
    let (Some(bytes), Some(tail), Some(count)) = head else {
        return Err("a ziplist shorter than its header");
    };
    if u32::from_le_bytes(bytes) as usize != blob.len() {
        return Err("a ziplist whose length lies");
    }
    let (mut found, mut before, mut last) = (0_usize, 0, HEADER);
    while rest.first().is_some_and(|&byte| byte != 0xff) {
        last = blob.len() - rest.len();
        let (entry, told) = element(&mut rest).ok_or("a broken entry in a ziplist")?;
        if told != before {
            return Err("an entry in a ziplist that misjudges the one before");
        }
        before = blob.len() - rest.len() - last;
        visit(entry)?;
        found += 1;
    }
    if rest != [0xff] {
        return Err("a ziplist without its end");
    }
    if u32::from_le_bytes(tail) as usize != last {
        return Err("a ziplist that misjudges its last entry");
    }
    let count = u16::from_le_bytes(count);
    if count != UNKNOWN && usize::from(count) != found {
        return Err("a ziplist with another number of entries than it says");
    }
    Ok(())
}

/// An entry, and what it says the size of the one before is.
fn element<'a>(rest: &mut &'a [u8]) -> Option<(Entry<'a>, usize)> {
    let [told] = take(rest)?;
    let told = match told {
        0xfe => usize::try_from(u32::from_le_bytes(take(rest)?)).ok()?,
        told => told.into(),
    };
    let [first] = take(rest)?;
    let low = usize::from(first & 0x3f);
    let entry = match first {
        0..0x40 => Entry::Bytes(take_slice(rest, low)?),
        0x40..0x80 => {
            let [second] = take(rest)?;
            Entry::Bytes(take_slice(rest, low << 8 | usize::from(second))?)
        }
        0x80 => {
            let len = u32::from_be_bytes(take(rest)?);
            Entry::Bytes(take_slice(rest, usize::try_from(len).ok()?)?)
        }
        0xc0 => Entry::Int(i16::from_le_bytes(take(rest)?).into()),
        0xd0 => Entry::Int(i32::from_le_bytes(take(rest)?).into()),
        0xe0 => Entry::Int(i64::from_le_bytes(take(rest)?)),
        0xf0 => Entry::Int(int24(take(rest)?)),
        0xfe => Entry::Int(i8::from_le_bytes(take(rest)?).into()),
        0xf1..=0xfd => Entry::Int(i64::from(first & 0x0f) - 1),
        _ => return None,
    };
    Some((entry, told))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A ziplist of entries given as encoding and content.
    fn build(entries: &[&[u8]]) -> Vec<u8> {
        let (mut blob, mut before, mut last) = (vec![0; HEADER], 0_usize, HEADER);
        for entry in entries {
            last = blob.len();
            match u8::try_from(before) {
                Ok(before @ ..0xfe) => blob.push(before),
                _ => {
                    blob.push(0xfe);
                    blob.extend(u32::try_from(before).unwrap().to_le_bytes());
                }
            }
            blob.extend_from_slice(entry);
            before = blob.len() - last;
        }
        blob.push(0xff);
        let bytes = u32::try_from(blob.len()).unwrap();
        blob[..4].copy_from_slice(&bytes.to_le_bytes());
        blob[4..8].copy_from_slice(&u32::try_from(last).unwrap().to_le_bytes());
        blob[8..10].copy_from_slice(&u16::try_from(entries.len()).unwrap().to_le_bytes());
        blob
    }

    fn read(blob: &[u8]) -> Result<Vec<Vec<u8>>, Bad> {
        let mut found = Vec::new();
        walk(blob, &mut |entry| {
            found.push(entry.to_vec());
            Ok(())
        })?;
        Ok(found)
    }

    #[test]
    fn every_encoding_is_known() {
        let long = [&[0x41, 0x2c][..], &[b'y'; 300]].concat();
        let longer = [&[0x80, 0, 0, 0x40, 0][..], &[b'z'; 0x4000]].concat();
        let blob = build(&[
            b"\x03abc",
            &long,
            b"\xc0\xff\x7f",
            b"\xf0\xff\xff\xff",
            &longer,
            b"\xd0\x00\x00\x00\x80",
            b"\xe0\x00\x00\x00\x00\x00\x00\x00\x80",
            b"\xfe\x80",
            b"\xf1",
            b"\xfd",
        ]);
        let texts = read(&blob).unwrap();
        let numbers = ["32767", "-1", "-2147483648", "-9223372036854775808", "-128", "0", "12"];
        assert_eq!(texts[0], b"abc");
        assert_eq!((texts[1].len(), texts[4].len()), (300, 0x4000));
        let rest: Vec<_> = [2, 3, 5, 6, 7, 8, 9].map(|at: usize| texts[at].clone()).into();
        assert_eq!(rest, numbers.map(|text| text.as_bytes().to_vec()));
        for end in (0..blob.len()).step_by(7) {
            assert!(read(&blob[..end]).is_err());
        }
    }

    #[test]
    fn what_does_not_add_up_is_refused() {
        let blob = build(&[b"\x01a", b"\xf3", b"\x02bc"]);
        for at in 0..blob.len() {
            let harmless = [12, 14, 17, 18].contains(&at);
            let mut broken = blob.clone();
            broken[at] ^= 0x01;
            assert_eq!(read(&broken).is_ok(), harmless, "byte {at}");
        }
    }
}
