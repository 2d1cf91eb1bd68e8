//! `SKIP` and `LIMIT`.

use super::{Batch, Boxed, Operator, Run, row_number};
use crate::evaluate::evaluate;
use crate::plan::Expression;
use crate::query::{Class, Error, Explained};
use crate::value::Value;

/// Leaves out the first rows.
pub struct Skip<'p> {
    pub input: Boxed<'p>,
    pub count: &'p Expression,
    /// How many are still left out.
    pub left: Option<u64>,
}

/// Ends after so many rows.
pub struct Limit<'p> {
    pub input: Boxed<'p>,
    pub count: &'p Expression,
    /// How many may still pass.
    pub left: Option<u64>,
    /// Whether all rows are asked for even so: they change the graph.
    pub drains: bool,
}

/// A number of rows.
pub fn rows(count: &Expression, clause: &str, run: &mut Run<'_>) -> Result<u64, Error> {
    let value = evaluate(count, &Batch::new(1), run)?.value(0);
    let detail = match value {
        Value::Integer(number) => match u64::try_from(number) {
            Ok(rows) => return Ok(rows),
            Err(_) => "NegativeIntegerArgument",
        },
        _ => "InvalidArgumentType",
    };
    let message = format!("{clause} specified value of invalid type, must be a positive integer");
    Err(Error::new(Class::SyntaxError, detail, message))
}

/// A number of rows, as far as a batch has so many.
fn within(count: u64, batch: &Batch) -> u32 {
    row_number(usize::try_from(count).unwrap_or(usize::MAX).min(batch.len()))
}

impl Operator for Skip<'_> {
    fn next(&mut self, run: &mut Run<'_>) -> Result<Option<Batch>, Error> {
        let mut left = match self.left {
            Some(left) => left,
            None => rows(self.count, "SKIP", run)?,
        };
        while let Some(batch) = self.input.next(run)? {
            let skipped = within(left, &batch);
            left -= u64::from(skipped);
            self.left = Some(left);
            if skipped == 0 {
                return Ok(Some(batch));
            }
            let kept: Vec<u32> = (skipped..row_number(batch.len())).collect();
            if !kept.is_empty() {
                return Ok(Some(batch.gather(&kept)));
            }
        }
        self.left = Some(left);
        Ok(None)
    }

    fn explain(&self) -> Explained {
        Explained::new("Skip", "", vec![self.input.explain()])
    }
}

impl Operator for Limit<'_> {
    fn next(&mut self, run: &mut Run<'_>) -> Result<Option<Batch>, Error> {
        let left = match self.left {
            Some(left) => left,
            None => rows(self.count, "LIMIT", run)?,
        };
        self.left = Some(left);
        if left == 0 {
            while self.drains && self.input.next(run)?.is_some() {}
            return Ok(None);
        }
        let Some(batch) = self.input.next(run)? else { return Ok(None) };
        let passing = within(left, &batch);
        self.left = Some(left - u64::from(passing));
        if passing == row_number(batch.len()) {
            return Ok(Some(batch));
        }
        Ok(Some(batch.gather(&(0..passing).collect::<Vec<u32>>())))
    }

    fn explain(&self) -> Explained {
        Explained::new("Limit", "", vec![self.input.explain()])
    }
}
