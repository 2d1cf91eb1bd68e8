//! A sorted array of distinct integers, all as wide as the widest needs: the form of sets that
//! hold only integers.
//!
//! ```text
//!   i16:  | -3 | 7 | 12 |          2 bytes each, until a member needs more;
//!   i32:  | -3 | 7 | 12 | 70000 |  then all are widened, and never narrowed again
//! ```
//!
//! Members are found by binary search. Adding and removing move what lies behind: O(n), but by
//! `memmove` of at most some kilobytes, as `set-max-intset-entries` bounds n.

use crate::room;

/// The members, in ascending order.
#[derive(Clone, Debug)]
enum Cells {
    Narrow(Vec<i16>),
    Middle(Vec<i32>),
    Wide(Vec<i64>),
}

/// See the [module](self).
#[derive(Debug)]
pub struct IntSet {
    cells: Cells,
}

impl Default for IntSet {
    fn default() -> Self {
        IntSet { cells: Cells::Narrow(Vec::new()) }
    }
}

/// Runs `$body` with `$cells` bound to the vector, whatever its width.
macro_rules! each {
    ($set:expr, $cells:ident => $body:expr) => {
        match $set {
            Cells::Narrow($cells) => $body,
            Cells::Middle($cells) => $body,
            Cells::Wide($cells) => $body,
        }
    };
}

fn insert<T: Ord>(cells: &mut Vec<T>, value: T) -> bool {
    // Ascending loads are common; they need no search.
    let at = match cells.last() {
        Some(last) if *last >= value => match cells.binary_search(&value) {
            Ok(_) => return false,
            Err(at) => at,
        },
        _ => cells.len(),
    };
    room::reserve(cells, 1);
    cells.insert(at, value);
    true
}

fn remove<T: Ord>(cells: &mut Vec<T>, value: &T) -> bool {
    let Ok(at) = cells.binary_search(value) else { return false };
    cells.remove(at);
    room::shrink(cells);
    true
}

/// A copy whose buffer is a size class, of wider cells perhaps.
fn widened<A: Copy + Into<B>, B>(cells: &[A]) -> Vec<B> {
    let mut wide = Vec::new();
    room::reserve(&mut wide, cells.len());
    wide.extend(cells.iter().map(|&cell| cell.into()));
    wide
}

impl IntSet {
    /// How many members there are. O(1).
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        each!(&self.cells, cells => cells.len())
    }

    /// Whether there are none. O(1).
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes allocated. O(1).
    #[inline]
    #[must_use]
    pub fn memory(&self) -> usize {
        each!(&self.cells, cells => room::of_vec(cells))
    }

    /// Whether `value` is a member. O(log n).
    #[inline]
    #[must_use]
    pub fn contains(&self, value: i64) -> bool {
        match &self.cells {
            Cells::Narrow(cells) => {
                i16::try_from(value).is_ok_and(|value| cells.binary_search(&value).is_ok())
            }
            Cells::Middle(cells) => {
                i32::try_from(value).is_ok_and(|value| cells.binary_search(&value).is_ok())
            }
            Cells::Wide(cells) => cells.binary_search(&value).is_ok(),
        }
    }

    /// Adds `value`; whether it was not a member before. O(n).
    pub fn insert(&mut self, value: i64) -> bool {
        if let Cells::Narrow(cells) = &mut self.cells {
            if let Ok(value) = i16::try_from(value) {
                return insert(cells, value);
            }
            self.cells = match i32::try_from(value) {
                Ok(_) => Cells::Middle(widened(cells)),
                Err(_) => Cells::Wide(widened(cells)),
            };
        }
        if let Cells::Middle(cells) = &mut self.cells {
            if let Ok(value) = i32::try_from(value) {
                return insert(cells, value);
            }
            self.cells = Cells::Wide(widened(cells));
        }
        match &mut self.cells {
            Cells::Wide(cells) => insert(cells, value),
            Cells::Narrow(_) | Cells::Middle(_) => false, // never: both were widened above
        }
    }

    /// Removes `value`; whether it was a member. O(n).
    pub fn remove(&mut self, value: i64) -> bool {
        match &mut self.cells {
            Cells::Narrow(cells) => i16::try_from(value).is_ok_and(|value| remove(cells, &value)),
            Cells::Middle(cells) => i32::try_from(value).is_ok_and(|value| remove(cells, &value)),
            Cells::Wide(cells) => remove(cells, &value),
        }
    }

    /// The member number `index` in ascending order. O(1).
    #[inline]
    #[must_use]
    pub fn get(&self, index: usize) -> Option<i64> {
        match &self.cells {
            Cells::Narrow(cells) => cells.get(index).map(|&cell| cell.into()),
            Cells::Middle(cells) => cells.get(index).map(|&cell| cell.into()),
            Cells::Wide(cells) => cells.get(index).copied(),
        }
    }
}

impl Clone for IntSet {
    fn clone(&self) -> Self {
        let cells = match &self.cells {
            Cells::Narrow(cells) => Cells::Narrow(widened(cells)),
            Cells::Middle(cells) => Cells::Middle(widened(cells)),
            Cells::Wide(cells) => Cells::Wide(widened(cells)),
        };
        IntSet { cells }
    }
}

#[cfg(test)]
#[path = "intset_tests.rs"]
mod tests;
