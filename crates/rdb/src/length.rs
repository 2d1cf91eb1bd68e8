//! Lengths, the numbers of RDB files.
//!
//! ```text
//!   00nnnnnn                            n, below 64
//!   01nnnnnn nnnnnnnn                   n, below 2^14
//!   10000000 n n n n                    32 bits, the high ones first
//!   10000001 n n n n n n n n            64 bits, the high ones first
//!   11eeeeee                            no length: a string in encoding e follows
//! ```

use std::io::{self, Read, Write};

use crate::{Error, Input};

/// What stands where a length can stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// A number.
    Plain(u64),
    /// The encoding of a string.
    Encoding(u8),
}

/// Reads a length or the announcement of an encoding.
pub fn read<R: Read>(input: &mut Input<R>) -> Result<Length, Error> {
    let first = input.byte()?;
    let low = first & 0x3f;
    Ok(match first >> 6 {
        0 => Length::Plain(low.into()),
        1 => Length::Plain(u64::from(low) << 8 | u64::from(input.byte()?)),
        2 if first == 0x80 => Length::Plain(u32::from_be_bytes(input.array()?).into()),
        2 if first == 0x81 => Length::Plain(u64::from_be_bytes(input.array()?)),
        2 => return Err(input.corrupt("an unknown kind of length")),
        _ => Length::Encoding(low),
    })
}

/// Reads a length.
pub fn read_plain<R: Read>(input: &mut Input<R>) -> Result<u64, Error> {
    match read(input)? {
        Length::Plain(n) => Ok(n),
        Length::Encoding(_) => Err(input.corrupt("an encoded string where a number should be")),
    }
}

/// Writes a length in the shortest form.
pub fn write<W: Write>(out: &mut W, n: u64) -> io::Result<()> {
    match (u8::try_from(n), u16::try_from(n), u32::try_from(n)) {
        (Ok(n @ ..0x40), ..) => out.write_all(&[n]),
        (_, Ok(n @ ..0x4000), _) => out.write_all(&(n | 0x4000).to_be_bytes()),
        (.., Ok(n)) => {
            out.write_all(&[0x80])?;
            out.write_all(&n.to_be_bytes())
        }
        _ => {
            out.write_all(&[0x81])?;
            out.write_all(&n.to_be_bytes())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_width_reads_back() {
        let edges = [0, 63, 64, 16383, 16384, u32::MAX.into(), 1 << 32, u64::MAX];
        let sizes = [1, 1, 2, 2, 5, 5, 9, 9];
        for (n, size) in edges.into_iter().zip(sizes) {
            let mut out = Vec::new();
            write(&mut out, n).unwrap();
            assert_eq!(out.len(), size);
            assert_eq!(read(&mut Input::new(&out[..])).unwrap(), Length::Plain(n));
        }
        assert!(read(&mut Input::new(&[0x82, 0, 0, 0, 0][..])).is_err());
        assert_eq!(read(&mut Input::new(&[0xc3][..])).unwrap(), Length::Encoding(3));
    }
}
