//! How deep a list or a map is nested, and how much is in it, each value as often as it is met.
//!
//! What goes through a value calls itself for each level and looks at each value that it meets.
//! Values are shared, so that without limits a few letters of a query could end the program, or
//! hold a thread for ever: `reduce(a = [], i IN range(1, 1000000) | [a])`, `reduce(a = [], i IN
//! range(1, 99) | [a, a])`.
//!
//! ```text
//! bit 31          25 24                        0
//!     depth          units inside
//! ```
//!
//! A value is a unit, and a text is one more for each 16 bytes, its head included: a list of many
//! times the same long text is as much as it looks. So the units tell how long it takes to go
//! through a value, and 24 bytes for each how much memory, about; neither goes through it.

use super::Value;
use crate::storage::text_units;

/// The depth and the units of a list or a map. Both stop at what they can count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Nesting(u32);

const BITS: u32 = 25;
const MOST: u32 = (1 << BITS) - 1;

/// The deepest that the language makes.
pub const DEEPEST: u32 = 100;
/// The most units within one that the language makes.
pub const LARGEST: u32 = MOST - 1;

impl Nesting {
    /// That of what holds these.
    pub(super) fn around<'a>(values: impl Iterator<Item = &'a Value>) -> Nesting {
        let (mut depth, mut size) = (0, 0_u32);
        for value in values {
            depth = depth.max(value.nesting().depth());
            size = size.saturating_add(value.units());
        }
        Nesting(((depth + 1).min(127) << BITS) | size.min(MOST))
    }

    /// The same with texts beside the values, as a map has its keys.
    pub(super) fn with_texts<'a>(self, texts: impl Iterator<Item = &'a str>) -> Nesting {
        let size = texts.fold(self.size(), |size, text| size.saturating_add(text_units(text)));
        Nesting((self.depth() << BITS) | size.min(MOST))
    }

    /// How many lists and maps lie within each other.
    pub fn depth(self) -> u32 {
        self.0 >> BITS
    }

    /// The units of what is inside.
    pub fn size(self) -> u32 {
        self.0 & MOST
    }
}
