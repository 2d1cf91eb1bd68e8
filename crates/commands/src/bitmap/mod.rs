//! Bitmaps: strings seen as rows of bits, the most significant bit of a byte first.
//!
//! What needs speed works on words of 64 bits in plain loops that the compiler vectorises:
//! `popcount`, `find`, `combine`. `field` has the arithmetic of BITFIELD.

mod bitcount;
mod bitfield;
mod bitop;
mod bitpos;
mod combine;
mod field;
mod find;
mod getbit;
mod offset;
mod popcount;
mod setbit;
mod span;

use base::{Row, Strings, rows};

use self::bitcount::BitCount;
use self::bitfield::{BitField, BitFieldRo};
use self::bitop::BitOp;
use self::bitpos::BitPos;
use self::getbit::GetBit;
use self::setbit::SetBit;

/// The rows of this family.
#[must_use]
pub fn rows<H: Strings>() -> Vec<Row<H>> {
    rows![H; BitCount, BitField, BitFieldRo, BitOp, BitPos, GetBit, SetBit]
}
