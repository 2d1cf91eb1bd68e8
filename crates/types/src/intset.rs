//! A sorted array of distinct integers, all as wide as the widest needs: the form of sets that
//! hold only integers.
//!
//! ```text
//!   i16:  | -3 | 7 | 12 |          2 bytes each, until a member needs more;
//!   i32:  | -3 | 7 | 12 | 70000 |  then all are widened, and never narrowed again
//! ```
//!
//! Members are found by binary search. Adding and removing move what lies behind: O(n), but by
//! `memmove` of at most some kilobytes, as `set-max-intset-entries` bounds n. The cells lie in a
//! [`Block`], little end first, at any alignment; its first word is their width, so that the value
//! itself is one pointer.

use std::cmp::Ordering;

use table::Block;

/// See the [module](self).
#[derive(Clone, Debug, Default)]
pub struct IntSet {
    cells: Block,
}

/// Bytes of the narrowest cells.
const NARROW: usize = 2;
/// Bytes of those of middle width.
const MIDDLE: usize = 4;
/// Bytes of the widest.
const WIDE: usize = 8;

/// The narrowest cell for `value`.
#[inline]
fn width_of(value: i64) -> usize {
    if i16::try_from(value).is_ok() {
        NARROW
    } else if i32::try_from(value).is_ok() {
        MIDDLE
    } else {
        WIDE
    }
}

/// The cells of this width.
#[inline]
fn cells<const W: usize>(block: &Block) -> &[[u8; W]] {
    block.as_chunks().0
}

#[inline]
fn read<const W: usize>(cell: [u8; W]) -> i64 {
    let mut bytes = [0; WIDE];
    bytes[WIDE - W..].copy_from_slice(&cell);
    // The cell is the upper end of the word: the shift down carries its sign along.
    i64::from_le_bytes(bytes) >> (8 * (WIDE - W))
}

#[inline]
fn write<const W: usize>(value: i64) -> [u8; W] {
    let bytes = value.to_le_bytes();
    std::array::from_fn(|i| bytes[i])
}

/// Where `value` is, or where it would have to be inserted.
fn search<const W: usize>(block: &Block, value: i64) -> Result<usize, usize> {
    let cells = cells::<W>(block);
    // Ascending loads are common; they need no search.
    match cells.last().map(|last| read(*last).cmp(&value)) {
        None | Some(Ordering::Less) => Err(cells.len()),
        Some(Ordering::Equal) => Ok(cells.len() - 1),
        Some(Ordering::Greater) => cells.binary_search_by_key(&value, |cell| read(*cell)),
    }
}

/// A copy in wider cells, with room for one more.
fn widened<const A: usize, const B: usize>(block: &Block) -> Block {
    let cells = cells::<A>(block);
    let mut wide = Block::with_capacity((cells.len() + 1) * B);
    for cell in cells {
        wide.extend_from_slice(&write::<B>(read(*cell)));
    }
    wide
}

impl IntSet {
    /// Bytes of a member.
    #[inline]
    fn width(&self) -> usize {
        // An empty block has not been told yet.
        (self.cells.start() as usize).max(NARROW)
    }

    #[inline]
    fn search(&self, value: i64) -> Result<usize, usize> {
        match self.width() {
            NARROW => search::<NARROW>(&self.cells, value),
            MIDDLE => search::<MIDDLE>(&self.cells, value),
            _ => search::<WIDE>(&self.cells, value),
        }
    }

    /// How many members there are. O(1).
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        // The width is a power of two.
        self.cells.len() >> self.width().trailing_zeros()
    }

    /// Whether there are none. O(1).
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// Bytes allocated. O(1).
    #[inline]
    #[must_use]
    pub fn memory(&self) -> usize {
        self.cells.memory()
    }

    /// Whether `value` is a member. O(log n).
    #[inline]
    #[must_use]
    pub fn contains(&self, value: i64) -> bool {
        self.search(value).is_ok()
    }

    /// Adds `value`; whether it was not a member before. O(n).
    pub fn insert(&mut self, value: i64) -> bool {
        if width_of(value) > self.width() {
            self.widen(width_of(value));
        }
        let Err(index) = self.search(value) else { return false };
        let width = self.width();
        let at = index * width;
        self.cells.open(at, width);
        self.cells[at..at + width].copy_from_slice(&value.to_le_bytes()[..width]);
        true
    }

    /// Gives the members wider cells, and says so in a block that has room at last.
    #[cold]
    fn widen(&mut self, width: usize) {
        let wide = match (self.width(), width) {
            (NARROW, MIDDLE) => widened::<NARROW, MIDDLE>(&self.cells),
            (NARROW, _) => widened::<NARROW, WIDE>(&self.cells),
            _ => widened::<MIDDLE, WIDE>(&self.cells),
        };
        self.cells = wide;
        self.cells.set_start(u32::try_from(width).unwrap_or_default());
    }

    /// Removes `value`; whether it was a member. O(n).
    pub fn remove(&mut self, value: i64) -> bool {
        let Ok(index) = self.search(value) else { return false };
        let width = self.width();
        let at = index * width;
        self.cells.copy_within(at + width.., at);
        self.cells.truncate(self.cells.len() - width);
        self.cells.shrink();
        true
    }

    /// The member number `index` in ascending order. O(1).
    #[inline]
    #[must_use]
    pub fn get(&self, index: usize) -> Option<i64> {
        match self.width() {
            NARROW => cells::<NARROW>(&self.cells).get(index).map(|cell| read(*cell)),
            MIDDLE => cells::<MIDDLE>(&self.cells).get(index).map(|cell| read(*cell)),
            _ => cells::<WIDE>(&self.cells).get(index).map(|cell| read(*cell)),
        }
    }
}

#[cfg(test)]
#[path = "intset_tests.rs"]
mod tests;
