//! One value, or a list of values, for each row of an attribute.

use hashbrown::HashMap;

/// A value with two spare states: none, and one of a list.
pub trait Cell: Copy + PartialEq {
    /// No value.
    const ABSENT: Self;
    /// Several values, which are kept apart.
    const LIST: Self;
}

impl Cell for u32 {
    const ABSENT: Self = u32::MAX;
    const LIST: Self = u32::MAX - 1;
}

/// No number's `rank_bits_of_f64` is one of these, as NaN is refused; no geographic cell either.
impl Cell for u64 {
    const ABSENT: Self = u64::MAX;
    const LIST: Self = u64::MAX - 1;
}

/// Values by row.
#[derive(Default)]
pub struct Column<C> {
    cells: Vec<C>,
    lists: HashMap<u32, Box<[C]>, foldhash::fast::RandomState>,
    /// Values in lists.
    listed: usize,
}

impl<C: Cell> Column<C> {
    /// Sets the values of a row that has none.
    pub fn set(&mut self, row: u32, values: &[C]) {
        let cell = match values {
            [] => return,
            [only] => *only,
            several => {
                self.listed += several.len();
                self.lists.insert(row, several.into());
                C::LIST
            }
        };
        if row as usize >= self.cells.len() {
            self.cells.resize(row as usize + 1, C::ABSENT);
        }
        self.cells[row as usize] = cell;
    }

    /// Removes and returns the values of a row.
    pub fn take(&mut self, row: u32) -> Vec<C> {
        let values = self.get(row).to_vec();
        if let Some(cell) = self.cells.get_mut(row as usize) {
            if *cell == C::LIST {
                self.listed -= values.len();
                self.lists.remove(&row);
            }
            *cell = C::ABSENT;
        }
        values
    }

    /// The values of a row.
    #[inline]
    pub fn get(&self, row: u32) -> &[C] {
        match self.cells.get(row as usize) {
            Some(cell) if *cell == C::ABSENT => &[],
            Some(cell) if *cell == C::LIST => self.lists.get(&row).map_or(&[], |list| list),
            Some(cell) => std::slice::from_ref(cell),
            None => &[],
        }
    }

    /// Bytes allocated. O(1).
    pub fn memory(&self) -> usize {
        (self.cells.capacity() + self.listed) * size_of::<C>() + self.lists.allocation_size()
    }
}

/// Texts by row, for sorting.
#[derive(Default)]
pub struct Texts {
    cells: Vec<Option<Box<[u8]>>>,
    bytes: usize,
}

impl Texts {
    /// Sets the text of a row that has none.
    pub fn set(&mut self, row: u32, text: &[u8]) {
        if row as usize >= self.cells.len() {
            self.cells.resize(row as usize + 1, None);
        }
        self.bytes += text.len();
        self.cells[row as usize] = Some(text.into());
    }

    /// Removes the text of a row.
    pub fn remove(&mut self, row: u32) {
        let text = self.cells.get_mut(row as usize).and_then(Option::take);
        self.bytes -= text.map_or(0, |text| text.len());
    }

    /// The text of a row.
    pub fn get(&self, row: u32) -> Option<&[u8]> {
        self.cells.get(row as usize)?.as_deref()
    }

    /// Bytes allocated. O(1).
    pub fn memory(&self) -> usize {
        self.bytes + self.cells.capacity() * size_of::<Option<Box<[u8]>>>()
    }
}
