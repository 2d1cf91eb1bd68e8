//! What an algorithm may spend.

use super::Error;

/// After so many steps it is asked whether to go on: a fraction of a millisecond.
const STEPS: usize = 4096;

/// What an algorithm may spend: bytes, and time until it is told to end.
pub struct Budget<'a> {
    /// Told how many bytes are taken.
    go_on: &'a dyn Fn(usize) -> bool,
    /// Bytes that may still be taken.
    left: usize,
    taken: usize,
    steps: usize,
}

impl<'a> Budget<'a> {
    /// It may keep so many bytes, and goes on for as long as it may, which it asks with the bytes
    /// that it has taken.
    pub fn new(memory: usize, go_on: &'a dyn Fn(usize) -> bool) -> Self {
        Budget { go_on, left: memory, taken: 0, steps: 0 }
    }

    /// Counts steps: a node or an edge looked at is one.
    #[inline]
    pub(super) fn step(&mut self, steps: usize) -> Result<(), Error> {
        self.steps += steps;
        if self.steps < STEPS {
            return Ok(());
        }
        self.steps = 0;
        if (self.go_on)(self.taken) { Ok(()) } else { Err(Error::Ended) }
    }

    /// Takes bytes.
    #[inline]
    pub(super) fn charge(&mut self, bytes: usize) -> Result<(), Error> {
        self.left = self.left.checked_sub(bytes).ok_or(Error::Memory)?;
        self.taken += bytes;
        Ok(())
    }

    /// Gives bytes back.
    pub(super) fn release(&mut self, bytes: usize) {
        self.left = self.left.saturating_add(bytes);
        self.taken = self.taken.saturating_sub(bytes);
    }

    /// An array of one value, charged.
    pub(super) fn array<T: Clone>(&mut self, len: usize, value: T) -> Result<Vec<T>, Error> {
        self.charge(len.saturating_mul(size_of::<T>()))?;
        Ok(vec![value; len])
    }

    /// An empty array with room, charged.
    pub(super) fn room<T>(&mut self, len: usize) -> Result<Vec<T>, Error> {
        self.charge(len.saturating_mul(size_of::<T>()))?;
        Ok(Vec::with_capacity(len))
    }
}
