//! How often, in which attributes and where a term stands in one document: the payload of postings.
//!
//! ```text
//!   head       low 4 bits: frequency, 15: a varint follows
//!              high 4 bits: the only text attribute, 15: a varint of the set of them follows
//!   [count]    varint, where the frequency is not the number of positions
//!   positions  varints: the distance from the previous position, where offsets are kept
//! ```
//!
//! A word that stands once in one attribute takes 2 or 3 bytes.

use super::varint;

/// A set of text attributes: bit n for the nth attribute that is text.
pub type TextSet = u128;

/// What the payload of postings is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Nothing: rows alone.
    Rows,
    /// A [`Record`].
    Words {
        /// Positions are kept.
        offsets: bool,
        /// The number of positions is kept, as it is not the frequency.
        counted: bool,
    },
}

/// How a term stands in one document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// How often, multiplied by the attributes' weights.
    pub frequency: u32,
    /// In which attributes.
    pub attributes: TextSet,
    /// Where, ascending.
    pub positions: Vec<u32>,
}

const LONG: u8 = 15;

impl Shape {
    /// The bytes of the payload at a place.
    #[inline]
    pub fn size(self, bytes: &[u8], at: usize) -> usize {
        let Shape::Words { offsets, counted } = self else { return 0 };
        let mut end = at;
        let (frequency, _) = head(bytes, &mut end);
        if offsets {
            let count = if counted { varint::read(bytes, &mut end) } else { frequency };
            varint::skip(bytes, &mut end, count);
        }
        end - at
    }

    /// Appends a record.
    pub fn write(self, bytes: &mut Vec<u8>, record: &Record) {
        let Shape::Words { offsets, counted } = self else { return };
        let only = record.attributes.trailing_zeros().min(LONG.into()) as u8;
        let is_short = record.attributes == 1 << only && only < LONG;
        let field = if is_short { only } else { LONG };
        let low = record.frequency.min(LONG.into()) as u8;
        bytes.push(field << 4 | low);
        if low == LONG {
            varint::write(bytes, record.frequency.into());
        }
        if field == LONG {
            varint::write(bytes, record.attributes);
        }
        if !offsets {
            return;
        }
        if counted {
            varint::write(bytes, record.positions.len() as u128);
        }
        let mut previous = 0;
        for position in &record.positions {
            varint::write(bytes, (position - previous).into());
            previous = *position;
        }
    }

    /// The frequency and the attributes of a payload.
    #[inline]
    pub fn summary(self, payload: &[u8]) -> (u32, TextSet) {
        match self {
            Shape::Rows => (1, TextSet::MAX),
            Shape::Words { .. } => head(payload, &mut 0),
        }
    }

    /// Appends the positions of a payload.
    pub fn positions(self, payload: &[u8], positions: &mut Vec<u32>) {
        let Shape::Words { offsets: true, counted } = self else { return };
        let mut at = 0;
        let (frequency, _) = head(payload, &mut at);
        let count = if counted { varint::read(payload, &mut at) } else { frequency };
        let mut position = 0;
        for _ in 0..count {
            position += varint::read(payload, &mut at);
            positions.push(position);
        }
    }
}

#[inline]
fn head(bytes: &[u8], at: &mut usize) -> (u32, TextSet) {
    let byte = bytes.get(*at).copied().unwrap_or(0);
    *at += 1;
    let frequency = match byte & LONG {
        LONG => varint::read(bytes, at),
        few => u32::from(few),
    };
    let attributes = match byte >> 4 {
        LONG => varint::read_wide(bytes, at),
        only => 1 << only,
    };
    (frequency, attributes)
}
