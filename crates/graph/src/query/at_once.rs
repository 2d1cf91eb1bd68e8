//! What a statement may take that is answered at once: where it is asked, while others wait for
//! what it holds. It is to take some tenths of a millisecond at most.

use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering};

use super::{Ended, Interrupt};

/// Most nodes that one pattern looks up at once.
pub(crate) const FEW_NODES: usize = 128;
/// Most units of values that are answered at once, 64 KiB of text or so: see
/// [`Value::units`](crate::value::Value::units).
pub const SHORT_ANSWER: u32 = 4096;

/// Ends a statement that is answered at once when it turns out to take longer than a moment.
#[derive(Debug)]
pub struct AtOnceBudget {
    /// Bytes that it may keep, and add to a fork.
    memory: usize,
    /// How often it may ask whether it goes on.
    checks: Cell<usize>,
    /// Relationships that it may look at.
    relationships: Cell<usize>,
    /// Bytes of stored values that it may copy because they lie next to one that it sets.
    copied: Cell<usize>,
    /// Units of work on values: see [`Value::units`](crate::value::Value::units).
    units: Cell<usize>,
}

impl AtOnceBudget {
    /// That of a statement which only reads.
    #[must_use]
    pub fn of_reading() -> Self {
        AtOnceBudget {
            memory: 64 << 10,
            checks: Cell::new(24),
            relationships: Cell::new(512),
            copied: Cell::new(0),
            units: Cell::new(1 << 15),
        }
    }

    /// That of a statement which changes a graph. Each pattern that it makes asks twice, and its
    /// memory is that of the blocks it copies as well.
    #[must_use]
    pub fn of_changing() -> Self {
        AtOnceBudget {
            memory: 512 << 10,
            checks: Cell::new(64),
            copied: Cell::new(512 << 10),
            ..AtOnceBudget::of_reading()
        }
    }

    /// Bytes that the statement may keep, and add to a fork.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.memory
    }
}

/// Takes some of what is left.
fn spend(left: &Cell<usize>, some: usize) -> Result<(), Ended> {
    left.set(left.get().saturating_sub(some));
    if left.get() == 0 { Err(Ended::TimeIsUp) } else { Ok(()) }
}

impl Interrupt for AtOnceBudget {
    fn check(&self, _: usize) -> Result<(), Ended> {
        spend(&self.checks, 1)
    }

    fn counts(&self) -> bool {
        true
    }

    fn follow(&self, relationships: usize) -> Result<(), Ended> {
        spend(&self.relationships, relationships)
    }

    fn copy(&self, bytes: usize) -> Result<(), Ended> {
        spend(&self.copied, bytes)
    }

    fn work(&self, units: usize) -> Result<(), Ended> {
        spend(&self.units, units)
    }
}

/// How a statement has fared that was tried at once. What ends there begins anew on another thread,
/// so what always ends is not tried each time.
#[derive(Debug, Default)]
pub(super) struct Tries {
    /// How often it has ended, or was not tried, since it was last answered.
    missed: AtomicU32,
}

impl Tries {
    /// After so many that ended in a row it is tried less often.
    const IN_VAIN: u32 = 4;
    /// Then one of so many is tried: parameters differ, and so do graphs.
    const ONE_OF: u32 = 64;

    /// Whether to try once more.
    pub fn is_worth(&self) -> bool {
        let missed = self.missed.load(Ordering::Relaxed);
        if missed < Tries::IN_VAIN {
            return true;
        }
        self.missed.store(missed.wrapping_add(1), Ordering::Relaxed);
        missed.is_multiple_of(Tries::ONE_OF)
    }

    /// It was answered, or has ended.
    pub fn note(&self, answered: bool) {
        let missed = self.missed.load(Ordering::Relaxed);
        let now = if answered { 0 } else { missed.saturating_add(1) };
        if now != missed {
            self.missed.store(now, Ordering::Relaxed);
        }
    }
}

impl Clone for Tries {
    fn clone(&self) -> Self {
        Tries::default()
    }
}

#[cfg(test)]
#[path = "at_once_tests.rs"]
mod tests;
