//! How deep a list or a map is nested, and how many values are in it, each as often as it is met.
//!
//! What goes through a value calls itself for each level and looks at each value that it meets.
//! Values are shared, so that without limits a few letters of a query could end the program, or
//! hold a thread for ever: `reduce(a = [], i IN range(1, 1000000) | [a])`, `reduce(a = [], i IN
//! range(1, 99) | [a, a])`.
//!
//! ```text
//! bit 31          25 24                        0
//!     depth          values inside
//! ```

use super::Value;

/// The depth and the number of values of a list or a map. Both stop at what they can count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Nesting(u32);

const BITS: u32 = 25;
const MOST: u32 = (1 << BITS) - 1;

/// The deepest that the language makes.
pub const DEEPEST: u32 = 100;
/// The most values within one that the language makes.
pub const LARGEST: u32 = MOST - 1;

impl Nesting {
    /// That of what holds these.
    pub(super) fn around<'a>(values: impl Iterator<Item = &'a Value>) -> Nesting {
        let (mut depth, mut size) = (0, 0_u32);
        for value in values {
            let inside = value.nesting();
            depth = depth.max(inside.depth());
            size = size.saturating_add(1).saturating_add(inside.size());
        }
        Nesting(((depth + 1).min(127) << BITS) | size.min(MOST))
    }

    /// How many lists and maps lie within each other.
    pub fn depth(self) -> u32 {
        self.0 >> BITS
    }

    /// How many values are inside.
    pub fn size(self) -> u32 {
        self.0 & MOST
    }
}
