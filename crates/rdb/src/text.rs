//! Strings of RDB files.
//!
//! ```text
//!   length | bytes
//!   c0 | i8        c1 | i16        c2 | i32           an integer, low byte first
//!   c3 | length packed | length unpacked | bytes      compressed by LZF
//! ```

use std::io::{self, Read, Write};

use base::num::parse_i64;

use crate::length::{self, Length};
use crate::lzf::{self, Compressor};
use crate::{Error, Input};

/// Longest text of an integer that is worth looking for: `-2147483648`.
const INT_TEXT: usize = 11;
/// Strings up to this length are not worth compressing.
const SHORT: usize = 20;

/// Reads a string.
pub fn read<R: Read>(input: &mut Input<R>) -> Result<Vec<u8>, Error> {
    let offset = input.offset();
    let number = match length::read(input)? {
        Length::Plain(len) => return input.bytes(len),
        Length::Encoding(0) => i32::from(i8::from_le_bytes(input.array()?)),
        Length::Encoding(1) => i32::from(i16::from_le_bytes(input.array()?)),
        Length::Encoding(2) => i32::from_le_bytes(input.array()?),
        Length::Encoding(3) => return read_packed(input, offset),
        Length::Encoding(other) => {
            return Err(Error::corrupt(offset, format!("unknown encoding {other} of a string")));
        }
    };
    Ok(itoa::Buffer::new().format(number).into())
}

fn read_packed<R: Read>(input: &mut Input<R>, offset: u64) -> Result<Vec<u8>, Error> {
    let packed = length::read_plain(input)?;
    let len = length::read_plain(input)?;
    let bytes = input.bytes(packed)?;
    let text = usize::try_from(len).ok().and_then(|len| lzf::decompress(&bytes, len));
    text.ok_or_else(|| Error::corrupt(offset, "a compressed string does not unpack"))
}

/// Writes a string in the form Redis chooses for it.
pub fn write<W: Write>(
    out: &mut W,
    bytes: &[u8],
    compressor: Option<&mut Compressor>,
) -> io::Result<()> {
    if bytes.len() <= INT_TEXT
        && let Some(number) = parse_i64(bytes)
    {
        if let Ok(number) = i8::try_from(number) {
            return out.write_all(&[&[0xc0], &number.to_le_bytes()[..]].concat());
        }
        if let Ok(number) = i16::try_from(number) {
            return out.write_all(&[&[0xc1], &number.to_le_bytes()[..]].concat());
        }
        if let Ok(number) = i32::try_from(number) {
            return out.write_all(&[&[0xc2], &number.to_le_bytes()[..]].concat());
        }
    }
    if bytes.len() > SHORT
        && let Some(compressor) = compressor
        && let Some(packed) = compressor.compress(bytes, bytes.len() - 4)
    {
        out.write_all(&[0xc3])?;
        length::write(out, packed.len() as u64)?;
        length::write(out, bytes.len() as u64)?;
        return out.write_all(&packed);
    }
    length::write(out, bytes.len() as u64)?;
    out.write_all(bytes)
}
