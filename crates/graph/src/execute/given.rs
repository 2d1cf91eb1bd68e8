//! Rows that are given: a single empty one for a statement, those outside for a subquery.

use super::{Batch, Operator, Run};
use crate::query::{Error, Explained};

/// Gives a batch.
pub struct Given(pub Option<Batch>);

impl Operator for Given {
    fn next(&mut self, _: &mut Run<'_>) -> Result<Option<Batch>, Error> {
        Ok(self.0.take())
    }

    fn explain(&self) -> Explained {
        Explained::new("Argument", "", Vec::new())
    }
}
