//! A value as 32 bits: scalars that fit lie in the cell, all others in a block it points to.
//!
//! ```text
//!   bit 31                             4 3     0
//!   | payload, 28 bits                  | tag |
//!   LITERAL   null, false, true, [] or {}; or a hole that a deleted member has left
//!   INT       a signed number of 28 bits
//!   DECIMAL   | mantissa, 25 bits signed | e, 3 bits |: mantissa / 10^e, a float
//!   SHORT     | three bytes of text | 0 | clean | length, 2 bits |
//!   PAGED     | number in the page, 9 bits | page, 19 bits: a place in the document's list |
//!   others    where the block begins, in units of four bytes
//! ```
//!
//! Four bytes and not eight: containers are mostly cells, and most of what documents hold fits in
//! three bytes or must lie elsewhere even with seven. A float is kept as the decimal it was
//! written as if that is short: most are (prices, ratings, percentages), its text is then at hand,
//! and dividing two integers below 2^53 gives exactly the double that parsing the text gives.
//!
//! This file must not know what the blocks look like; see `value.rs`.

use crate::tree::Num;

/// See the [module](self).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Cell(pub u32);

/// What a cell is; the low four bits.
pub(crate) mod tag {
    pub const LITERAL: u32 = 0;
    pub const INT: u32 = 1;
    pub const DECIMAL: u32 = 2;
    pub const SHORT: u32 = 3;
    /// A string in a block of its own.
    pub const STRING: u32 = 4;
    /// A string of a page that documents share.
    pub const PAGED: u32 = 5;
    pub const F64: u32 = 6;
    pub const I64: u32 = 7;
    pub const U64: u32 = 8;
    /// An array of cells, with no room.
    pub const ARRAY: u32 = 9;
    /// An array of cells, with room.
    pub const ROOMY: u32 = 10;
    /// An array of numbers of one kind, with no room.
    pub const PACKED: u32 = 11;
    /// An array of numbers of one kind, with room.
    pub const ROOMY_PACKED: u32 = 12;
    /// An object of a shape that documents share.
    pub const SHAPED: u32 = 13;
    /// A small object with names of its own.
    pub const PAIRS: u32 = 14;
    /// A large object with names of its own and an index.
    pub const TABLE: u32 = 15;
}

/// Mantissas of decimals are below this.
pub(crate) const MANTISSA_LIMIT: u64 = 1 << 24;
/// Powers of ten, for decimals.
pub(crate) const TENS: [f64; 8] = [1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7];
/// Strings up to this length lie in the cell.
pub(crate) const SHORT: usize = 3;
/// How many strings a page can number.
pub(crate) const PAGE_STRINGS: usize = 1 << 9;
/// How many pages a document can number.
pub(crate) const PAGES: u32 = 1 << 19;

impl Cell {
    pub const NULL: Cell = Cell(tag::LITERAL);
    pub const FALSE: Cell = Cell(tag::LITERAL | 1 << 4);
    pub const TRUE: Cell = Cell(tag::LITERAL | 2 << 4);
    pub const EMPTY_ARRAY: Cell = Cell(tag::LITERAL | 3 << 4);
    pub const EMPTY_OBJECT: Cell = Cell(tag::LITERAL | 4 << 4);
    pub const HOLE: Cell = Cell(tag::LITERAL | 5 << 4);

    #[inline]
    pub fn tag(self) -> u32 {
        self.0 & 15
    }

    /// Whether the value, without what is inside, is in a block.
    #[inline]
    pub fn has_block(self) -> bool {
        self.tag() == tag::STRING || self.tag() >= tag::F64
    }

    /// A cell that points to the block at `at`, a multiple of four below 2^30.
    #[inline]
    pub fn block(tag: u32, at: usize) -> Cell {
        debug_assert!(at.is_multiple_of(4) && at < 1 << 30);
        Cell((at as u32) << 2 | tag)
    }

    /// Where the block begins.
    #[inline]
    pub fn offset(self) -> usize {
        ((self.0 >> 4) << 2) as usize
    }

    #[inline]
    pub fn int(value: i64) -> Option<Cell> {
        let small = value as i32;
        (i64::from(small << 4 >> 4) == value).then_some(Cell((small << 4) as u32 | tag::INT))
    }

    #[inline]
    pub fn as_int(self) -> i64 {
        i64::from(self.0 as i32 >> 4)
    }

    /// A decimal whose mantissa does not end in zero unless `places` is 0, if it fits and is
    /// written without an exponent.
    #[inline]
    pub fn decimal(negative: bool, mantissa: u64, places: u32) -> Option<Cell> {
        let least = match places {
            0..=5 => 0,
            6 => 10, // what is below 1e-5 is written with an exponent
            7 => 100,
            _ => return None,
        };
        if mantissa >= MANTISSA_LIMIT || mantissa < least || (mantissa == 0 && negative) {
            return None;
        }
        let signed = if negative { -(mantissa as i32) } else { mantissa as i32 };
        Some(Cell((signed << 7) as u32 | places << 4 | tag::DECIMAL))
    }

    /// Mantissa and digits after the point.
    #[inline]
    pub fn as_decimal(self) -> (i32, usize) {
        (self.0 as i32 >> 7, (self.0 >> 4 & 7) as usize)
    }

    /// A double as a decimal, if one is exactly it.
    pub fn from_f64(value: f64) -> Option<Cell> {
        if value.abs() >= MANTISSA_LIMIT as f64 {
            return None;
        }
        for (places, tens) in TENS.iter().enumerate() {
            let mantissa = (value.abs() * tens).round();
            if mantissa >= MANTISSA_LIMIT as f64 {
                return None;
            }
            if mantissa / tens == value.abs() {
                let mantissa = mantissa as u64;
                return Cell::decimal(value.is_sign_negative(), mantissa, places as u32);
            }
        }
        None
    }

    #[inline]
    pub fn short(text: &[u8], clean: bool) -> Cell {
        debug_assert!(text.len() <= SHORT);
        let mut bytes = [0; 4];
        bytes[1..=text.len()].copy_from_slice(text);
        bytes[0] = tag::SHORT as u8 | (text.len() as u8) << 4 | u8::from(clean) << 6;
        Cell(u32::from_le_bytes(bytes))
    }

    /// Length, and whether the text is written as it is.
    #[inline]
    pub fn as_short(self) -> (usize, bool) {
        ((self.0 >> 4 & 3) as usize, self.0 & 1 << 6 != 0)
    }

    #[inline]
    pub fn paged(page: u32, number: usize) -> Cell {
        debug_assert!(page < PAGES && number < PAGE_STRINGS);
        Cell((number as u32) << 23 | page << 4 | tag::PAGED)
    }

    /// The page's place in the list of the document, and the string's number in the page.
    #[inline]
    pub fn as_paged(self) -> (usize, usize) {
        ((self.0 >> 4 & (PAGES - 1)) as usize, (self.0 >> 23) as usize)
    }

    /// The number, if it lies in the cell.
    #[inline]
    pub fn as_num(self) -> Option<Num> {
        match self.tag() {
            tag::INT => Some(Num::I64(self.as_int())),
            tag::DECIMAL => {
                let (mantissa, places) = self.as_decimal();
                Some(Num::F64(f64::from(mantissa) / TENS[places]))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
#[path = "cell_tests.rs"]
mod tests;
