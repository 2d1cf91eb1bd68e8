//! What the requests of a batch have looked up: found, or missed.

use std::cell::Cell;

/// What was found; counted through `&self`, hence the cells.
#[derive(Default)]
pub struct Lookups {
    counting: Cell<bool>,
    telling: Cell<bool>,
    hits: Cell<u64>,
    misses: Cell<u64>,
}

impl Lookups {
    /// Whether the next request's look-ups count as hits and misses: those of reads do. And whether
    /// misses are told as events.
    #[inline]
    pub fn count(&mut self, counting: bool, telling: bool) {
        self.counting.set(counting);
        self.telling.set(telling);
    }

    /// Hits and misses since this was last asked.
    pub fn take(&mut self) -> (u64, u64) {
        (self.hits.take(), self.misses.take())
    }

    #[inline]
    pub(crate) fn is_telling(&self) -> bool {
        self.telling.get()
    }

    #[inline]
    pub(crate) fn note(&self, hit: bool) {
        if self.counting.get() {
            let cell = if hit { &self.hits } else { &self.misses };
            cell.set(cell.get() + 1);
        }
    }
}
