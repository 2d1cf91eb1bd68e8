//! Counts the rows of an operator, for a profile.

use super::{Batch, Boxed, Operator, Run};
use crate::query::{Error, Explained};

/// An operator whose rows are counted.
struct Counted<'p> {
    inner: Boxed<'p>,
    rows: u64,
}

/// The operator, with its rows counted if the run wants that.
pub fn counted<'p>(inner: Boxed<'p>, run: &Run<'_>) -> Boxed<'p> {
    if run.settings().profile { Box::new(Counted { inner, rows: 0 }) } else { inner }
}

impl Operator for Counted<'_> {
    fn next(&mut self, run: &mut Run<'_>) -> Result<Option<Batch>, Error> {
        let batch = self.inner.next(run)?;
        self.rows += batch.as_ref().map_or(0, |batch| batch.len() as u64);
        Ok(batch)
    }

    fn explain(&self) -> Explained {
        Explained { rows: Some(self.rows), ..self.inner.explain() }
    }
}
