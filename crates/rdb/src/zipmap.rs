//! Zipmaps: the small hashes of Redis before 2.6.
//!
//! ```text
//!   | fields, u8 | length | field | length | free, u8 | value | free bytes | ... | ff |
//!
//!   length    n, below fe; or fe and four bytes, low one first. 254 fields mean: too many to say
//! ```

use crate::entry::{Bad, take, take_slice};

/// A field with its value.
type Pair = (Vec<u8>, Vec<u8>);

/// The fields with their values.
pub fn pairs(blob: &[u8]) -> Result<Vec<Pair>, Bad> {
    let mut rest = blob;
    let Some([count]) = take(&mut rest) else { return Err("an empty zipmap") };
    let mut pairs = Vec::new();
    while rest.first().is_some_and(|&byte| byte != 0xff) {
        pairs.push(pair(&mut rest).ok_or("a broken field in a zipmap")?);
    }
    if rest != [0xff] {
        return Err("a zipmap without its end");
    }
    if count != 0xfe && usize::from(count) != pairs.len() {
        return Err("a zipmap with another number of fields than it says");
    }
    Ok(pairs)
}

fn pair(rest: &mut &[u8]) -> Option<Pair> {
    let len = length(rest)?;
    let field = take_slice(rest, len)?;
    let len = length(rest)?;
    let [free] = take(rest)?;
    let value = take_slice(rest, len)?;
    take_slice(rest, free.into())?;
    Some((field.to_vec(), value.to_vec()))
}

fn length(rest: &mut &[u8]) -> Option<usize> {
    let [first] = take(rest)?;
    match first {
        0xff => None,
        0xfe => usize::try_from(u32::from_le_bytes(take(rest)?)).ok(),
        len => Some(len.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_with_room_behind_them() {
        let blob = b"\x02\x03foo\x03\x00bar\x05hello\xfe\x05\x00\x00\x00\x02world..\xff";
        let expected = [("foo", "bar"), ("hello", "world")];
        let expected = expected.map(|(field, value)| (field.into(), value.into()));
        assert_eq!(pairs(blob).unwrap(), expected);
        for end in 0..blob.len() {
            assert!(pairs(&blob[..end]).is_err());
        }
    }
}
