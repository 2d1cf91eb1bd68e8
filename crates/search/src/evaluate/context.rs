//! What one evaluation carries along: the caller's interrupt, and what went wrong.

use crate::error::{Error, Result};

/// Rows between two calls of the interrupt.
const STEP: usize = 1000;

/// See the head of this file. A walk over rows ends once the evaluation is stopped, so that cursors
/// need not return errors.
pub struct Context<'i> {
    interrupt: &'i mut dyn FnMut(usize) -> Result<()>,
    work: usize,
    /// Work before the last call.
    counted: usize,
    /// The interrupt was called since that was asked.
    called: bool,
    error: Option<Error>,
    /// A pattern stood for more words than are looked up.
    pub overflow: bool,
}

impl<'i> Context<'i> {
    pub fn new(interrupt: &'i mut dyn FnMut(usize) -> Result<()>) -> Self {
        Self { interrupt, work: 0, counted: 0, called: false, error: None, overflow: false }
    }

    /// Counts work; whether to stop.
    #[inline]
    pub fn tick(&mut self, work: usize) -> bool {
        self.work += work;
        self.work >= STEP && self.call()
    }

    #[cold]
    fn call(&mut self) -> bool {
        self.called = true;
        if self.error.is_none() {
            self.counted += self.work;
            self.error = (self.interrupt)(self.work).err();
        }
        // Once stopped, each tick says so.
        self.work = if self.error.is_some() { STEP } else { 0 };
        self.error.is_some()
    }

    /// The work so far.
    pub fn done(&self) -> usize {
        self.counted + self.work
    }

    /// Whether the interrupt was called since this was asked.
    pub fn was_called(&mut self) -> bool {
        std::mem::take(&mut self.called)
    }

    /// Stops the evaluation.
    pub fn fail(&mut self, error: Error) {
        self.error.get_or_insert(error);
        self.work = STEP;
    }

    /// # Errors
    /// The evaluation was stopped.
    pub fn check(&mut self) -> Result<()> {
        self.error.take().map_or(Ok(()), Err)
    }
}
