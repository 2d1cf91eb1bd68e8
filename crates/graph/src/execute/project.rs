//! Columns that are computed, and columns that are forgotten.

use super::{Batch, Boxed, Operator, Run};
use crate::evaluate::evaluate;
use crate::plan::{Expression, Slot};
use crate::query::{Error, Explained};

/// Computes columns and adds them.
pub struct Project<'p> {
    pub input: Boxed<'p>,
    pub columns: &'p [(Slot, Expression)],
}

/// Forgets all columns but some.
pub struct Keep<'p> {
    pub input: Boxed<'p>,
    pub slots: &'p [Slot],
}

/// Makes a path of its parts.
pub struct Paths<'p> {
    pub input: Boxed<'p>,
    pub slot: Slot,
    pub path: &'p Expression,
}

impl Operator for Project<'_> {
    fn next(&mut self, run: &mut Run<'_>) -> Result<Option<Batch>, Error> {
        let Some(mut batch) = self.input.next(run)? else { return Ok(None) };
        for (slot, value) in self.columns {
            let column = evaluate(value, &batch, run)?;
            batch.set(*slot, column);
        }
        Ok(Some(batch))
    }

    fn explain(&self) -> Explained {
        Explained::new("Project", "", vec![self.input.explain()])
    }
}

impl Operator for Keep<'_> {
    fn next(&mut self, run: &mut Run<'_>) -> Result<Option<Batch>, Error> {
        Ok(self.input.next(run)?.map(|batch| batch.keep(self.slots)))
    }

    fn explain(&self) -> Explained {
        // It costs nothing, and is not shown.
        self.input.explain()
    }
}

impl Operator for Paths<'_> {
    fn next(&mut self, run: &mut Run<'_>) -> Result<Option<Batch>, Error> {
        let Some(mut batch) = self.input.next(run)? else { return Ok(None) };
        let column = evaluate(self.path, &batch, run)?;
        batch.set(self.slot, column);
        Ok(Some(batch))
    }

    fn explain(&self) -> Explained {
        Explained::new("Project", "", vec![self.input.explain()])
    }
}
