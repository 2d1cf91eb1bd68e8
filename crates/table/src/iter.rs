//! Walks over a whole table, and picking entries at random.
//!
//! An iterator borrows the table, so unlike a scan it need not survive changes and hashes nothing.

use crate::directory::Segments;
use crate::place;
use crate::segment::{Segment, Slots};
use crate::slot::Slot;
use crate::table::{KeyHash, Table};
use crate::view::EntryRef;

/// Segments that [`Table::random`] draws before it takes the next that is not empty.
const DRAWS: u32 = 16;
/// Slots of a segment that it draws before it counts.
const TRIES: u32 = 8;

/// All entries of a table, in no order that means anything. See [`Table::iter`].
pub struct Iter<'a, O> {
    segments: Segments<'a>,
    slots: Option<Slots>,
    left: usize,
    objects: core::marker::PhantomData<&'a O>,
}

impl<'a, O> Iterator for Iter<'a, O> {
    type Item = EntryRef<'a, O>;

    #[inline]
    fn next(&mut self) -> Option<EntryRef<'a, O>> {
        loop {
            if let Some(slot) = self.slots.as_mut().and_then(Iterator::next) {
                self.left -= 1;
                // SAFETY: the slot is used; its entry lives while the table is borrowed.
                return Some(unsafe { EntryRef::new(slot.entry()) });
            }
            let (link, _) = self.segments.next()?;
            self.slots = Some(link.segment().slots());
        }
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<O> ExactSizeIterator for Iter<'_, O> {}
impl<O> core::iter::FusedIterator for Iter<'_, O> {}

impl<'a, O, H: KeyHash> IntoIterator for &'a Table<O, H> {
    type Item = EntryRef<'a, O>;
    type IntoIter = Iter<'a, O>;

    fn into_iter(self) -> Iter<'a, O> {
        self.iter()
    }
}

impl<O, H: KeyHash> Table<O, H> {
    /// All entries, each once. O(segments + entries) in all.
    #[must_use]
    pub fn iter(&self) -> Iter<'_, O> {
        Iter {
            segments: self.directory.segments_from(0),
            slots: None,
            left: self.len(),
            objects: core::marker::PhantomData,
        }
    }

    /// An entry drawn with the help of random numbers from `next`; `None` only for an empty table.
    ///
    /// Every entry of a segment is equally likely. Segments are drawn by the share of positions
    /// they hold, which for well-spread hashes is their share of entries, give or take a few
    /// percent. O(1) expected; bounded in any case.
    #[must_use]
    pub fn random(&self, next: &mut dyn FnMut() -> u64) -> Option<EntryRef<'_, O>> {
        if self.is_empty() {
            return None;
        }
        let slot = self.random_slot(next)?;
        // SAFETY: the slot is used; its entry lives while the table is borrowed.
        Some(unsafe { EntryRef::new(slot.entry()) })
    }

    fn random_slot(&self, next: &mut dyn FnMut() -> u64) -> Option<Slot> {
        for _ in 0..DRAWS {
            let segment = self.directory.link(place::aligned(next()))?.segment();
            if segment.entries() > 0 {
                return random_slot(segment, next);
            }
        }
        // Nearly all segments are empty: the next one that isn't, from a random place on.
        let start = place::aligned(next());
        let from = self.directory.segments_from(start).chain(self.directory.segments_from(0));
        let segment = from.map(|(link, _)| link.segment()).find(|found| found.entries() > 0)?;
        random_slot(segment, next)
    }
}

/// A number below `bound` from a random one.
fn below(random: u64, bound: u64) -> u64 {
    // Below `bound`, so it fits.
    ((u128::from(random) * u128::from(bound)) >> 64) as u64
}

fn random_slot(segment: Segment, next: &mut dyn FnMut() -> u64) -> Option<Slot> {
    const SLOTS: u64 = crate::bucket::SLOTS as u64;
    for _ in 0..TRIES {
        let drawn = below(next(), u64::from(segment.buckets()) * SLOTS);
        // SAFETY: the quotient is below the bucket count, which is a u32.
        let bucket = unsafe { segment.bucket((drawn / SLOTS) as u32) };
        let slot = bucket.slot((drawn % SLOTS) as usize);
        if !slot.is_empty() {
            return Some(slot);
        }
    }
    let nth = below(next(), segment.entries() as u64);
    // SAFETY: every segment has a bucket 0. The number is below the count of entries, a usize.
    unsafe { segment.nth_from(0, nth as usize) }
}

#[cfg(test)]
#[path = "iter_tests.rs"]
mod tests;
