//! What the copies of hashes, sets and sorted sets have in common, whatever order they go in: the
//! part that was read last, with the notes of changes that came with it, and how much is settled.

use base::{Changed, DataType, NOTES};

use crate::pre_image::Noted;

/// See the [module](self).
pub struct Copied {
    /// Elements there were, and how many are settled.
    count: usize,
    settled: usize,
    /// How many bytes of notes there may be.
    limit: usize,
    /// What was read last, and of how many elements.
    pub read: Vec<u8>,
    pub found: usize,
    /// The notes that came with it.
    fresh: Noted,
}

impl Copied {
    /// Nothing yet of a value.
    pub fn none_of(value: &impl DataType) -> Self {
        Copied {
            count: value.elements(),
            settled: 0,
            limit: value.memory().saturating_add(NOTES),
            read: Vec::new(),
            found: 0,
            fresh: Noted::default(),
        }
    }

    /// The elements there were.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Room for twice so many bytes: the last element may reach beyond them.
    pub fn make_room(&mut self, bytes: usize) {
        self.read.reserve(2 * bytes);
    }

    /// Another part is read; these are the notes since the last one.
    ///
    /// # Errors
    /// The value keeps none any more: it is another.
    pub fn begin_part(&mut self, noted: Option<Noted>) -> Result<(), Changed> {
        self.read.clear();
        self.found = 0;
        self.fresh = noted.ok_or(Changed)?;
        Ok(())
    }

    /// The notes that came with the part.
    pub fn take_notes(&mut self) -> Noted {
        std::mem::take(&mut self.fresh)
    }

    /// So many elements of the part are settled; so many bytes of notes are left for later ones.
    ///
    /// # Errors
    /// The notes are too many.
    pub fn settle(&mut self, elements: usize, notes: usize) -> Result<(), Changed> {
        self.settled += elements;
        if notes > self.limit { Err(Changed) } else { Ok(()) }
    }

    /// The last part is settled.
    ///
    /// # Errors
    /// These are not the elements there were.
    pub fn finish(self) -> Result<(), Changed> {
        debug_assert_eq!(self.settled, self.count, "a change without a note");
        if self.settled == self.count { Ok(()) } else { Err(Changed) }
    }
}
