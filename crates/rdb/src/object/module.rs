//! Values of modules, which can be read without the module.
//!
//! ```text
//!   | id | item | item | ... | 00 |
//!
//!   01 number, with sign      02 number       03 four bytes, a float     04 eight bytes, a double
//!   05 string
//! ```

use std::io::{self, Read, Write};

use crate::lzf::Compressor;
use crate::{Error, Input, Module, ModulePart, length, text};

const END: u64 = 0;
const SIGNED: u64 = 1;
const UNSIGNED: u64 = 2;
const FLOAT: u64 = 3;
const DOUBLE: u64 = 4;
const STRING: u64 = 5;

/// Reads a value.
pub fn load<R: Read>(input: &mut Input<R>) -> Result<Module, Error> {
    Ok(Module { id: length::read_plain(input)?, parts: read_parts(input)? })
}

/// Reads the items up to the end of the value.
pub(crate) fn read_parts<R: Read>(input: &mut Input<R>) -> Result<Vec<ModulePart>, Error> {
    let mut parts = Vec::new();
    loop {
        parts.push(match length::read_plain(input)? {
            END => return Ok(parts),
            SIGNED => ModulePart::Signed(length::read_plain(input)?.cast_signed()),
            UNSIGNED => ModulePart::Unsigned(length::read_plain(input)?),
            FLOAT => ModulePart::Float(f32::from_le_bytes(input.array()?)),
            DOUBLE => ModulePart::Double(f64::from_le_bytes(input.array()?)),
            STRING => ModulePart::String(text::read(input)?),
            _ => return Err(input.corrupt("an unknown item in the value of a module")),
        });
    }
}

/// Writes the items and the end of the value.
pub(crate) fn write_parts<W: Write>(
    out: &mut W,
    parts: &[ModulePart],
    mut compressor: Option<&mut Compressor>,
) -> io::Result<()> {
    for part in parts {
        match part {
            ModulePart::Signed(number) => {
                length::write(out, SIGNED)?;
                length::write(out, number.cast_unsigned())?;
            }
            ModulePart::Unsigned(number) => {
                length::write(out, UNSIGNED)?;
                length::write(out, *number)?;
            }
            ModulePart::Float(number) => {
                length::write(out, FLOAT)?;
                out.write_all(&number.to_le_bytes())?;
            }
            ModulePart::Double(number) => {
                length::write(out, DOUBLE)?;
                out.write_all(&number.to_le_bytes())?;
            }
            ModulePart::String(bytes) => {
                length::write(out, STRING)?;
                text::write(out, bytes, compressor.as_deref_mut())?;
            }
        }
    }
    length::write(out, END)
}
