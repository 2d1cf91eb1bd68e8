//! Rows as columns of bytes: what a client reads without making objects of all of it, and what it
//! makes arrays of without looking at each value.
//!
//! ```text
//!   "KHC1" │ rows │ dict of the whole │ columns │ name │ its dict │ length │ column │ name │ …
//!
//!   column = form │ flags │ who has a value │ who is n/a │ values, side by side
//! ```
//!
//! `length` is eight bytes, little-endian, as are numbers and instants; other numbers are LEB128,
//! texts are their length and UTF-8, dicts are tags and values as journals have them. The bitmaps
//! have a bit for each row, the lowest first, and are there where the flags 1 and 2 say so: without
//! the first every row has a value. Columns of the forms 0 and 1 always have it, so that no row
//! takes no bytes.
//!
//! | form | values |
//! | --- | --- |
//! | 0 | none at all |
//! | 1 | markers |
//! | 2 | numbers: the symbol of their unit (empty: none), a double each |
//! | 3 | instants: the full name of their zone, nanoseconds since 1970 each |
//! | 4, 5 | texts, refs: where each ends in four bytes, then all of them |
//! | 6 | refs with display names: where each id ends, where each name ends, ids, names |
//! | 7 | true and false: a byte each |
//! | 9 | refs whose display names are the texts of the column `dis`: as 5 |
//! | 8 | values of several kinds: where each ends, then all of them, each as journals have it |
//!
//! Reading takes O(columns + rows / 64) and then O(1) for each value that is looked at.

mod fill;
mod read;
mod write;

pub(crate) use fill::Filling;

pub use read::Packed;
pub use write::Writer;

/// What they begin with.
const MAGIC: &[u8; 4] = b"KHC1";
/// There is a bitmap of the rows that have a value.
const SOME: u8 = 1;
/// There is a bitmap of the rows that are n/a.
const NA: u8 = 2;

/// The forms of columns.
mod form {
    pub const NOTHING: u8 = 0;
    pub const MARKERS: u8 = 1;
    pub const NUMBERS: u8 = 2;
    pub const INSTANTS: u8 = 3;
    pub const TEXTS: u8 = 4;
    pub const REFS: u8 = 5;
    pub const NAMED_REFS: u8 = 6;
    pub const BOOLS: u8 = 7;
    pub const ANY: u8 = 8;
    pub const CALLED_REFS: u8 = 9;
}

#[cfg(test)]
#[path = "packed_tests.rs"]
mod tests;
