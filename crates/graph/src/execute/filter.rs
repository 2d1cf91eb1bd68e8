//! `WHERE`: rows of which something is true.

use super::{Batch, Boxed, Operator, Run, row_number};
use crate::evaluate::evaluate;
use crate::plan::Expression;
use crate::query::{Error, Explained};

/// Lets rows pass of which something is true.
pub struct Filter<'p> {
    pub input: Boxed<'p>,
    pub test: &'p Expression,
}

/// The rows of a batch of which something is true.
pub fn passing(batch: Batch, test: &Expression, run: &mut Run<'_>) -> Result<Batch, Error> {
    let truths = evaluate(test, &batch, run)?;
    let mut rows = Vec::new();
    for row in 0..batch.len() {
        if truths.truth(row)? == Some(true) {
            rows.push(row_number(row));
        }
    }
    Ok(if rows.len() == batch.len() { batch } else { batch.gather(&rows) })
}

impl Operator for Filter<'_> {
    fn next(&mut self, run: &mut Run<'_>) -> Result<Option<Batch>, Error> {
        while let Some(batch) = self.input.next(run)? {
            let batch = passing(batch, self.test, run)?;
            if !batch.is_empty() {
                return Ok(Some(batch));
            }
        }
        Ok(None)
    }

    fn explain(&self) -> Explained {
        Explained::new("Filter", "", vec![self.input.explain()])
    }
}
