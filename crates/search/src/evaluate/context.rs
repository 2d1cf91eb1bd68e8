//! What one evaluation carries along: the caller's interrupt, and what went wrong.

use crate::error::{Error, Result};

/// Rows between two calls of the interrupt.
const STEP: usize = 1000;

/// See the head of this file. A walk over rows ends once the evaluation is stopped, so that cursors
/// need not return errors.
pub struct Context<'i> {
    interrupt: &'i mut dyn FnMut(usize) -> Result<()>,
    work: usize,
    error: Option<Error>,
    /// A pattern stood for more words than are looked up.
    pub overflow: bool,
}

impl<'i> Context<'i> {
    pub fn new(interrupt: &'i mut dyn FnMut(usize) -> Result<()>) -> Self {
        Self { interrupt, work: 0, error: None, overflow: false }
    }

    /// Counts work; whether to stop.
    #[inline]
    pub fn tick(&mut self, work: usize) -> bool {
        self.work += work;
        self.work >= STEP && self.call()
    }

    #[cold]
    fn call(&mut self) -> bool {
        if self.error.is_none() {
            self.error = (self.interrupt)(self.work).err();
        }
        // Once stopped, each tick says so.
        self.work = if self.error.is_some() { STEP } else { 0 };
        self.error.is_some()
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
