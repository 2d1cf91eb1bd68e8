//! `UNION`: the rows of several plans, one plan after the other.

use super::{Batch, Boxed, Operator, Run};
use crate::plan::Slot;
use crate::query::{Error, Explained};

/// Gives the rows of one plan after the other, with their columns in the slots of the query.
pub struct Union<'p> {
    pub parts: Vec<(Boxed<'p>, &'p [Slot])>,
    pub columns: &'p [Slot],
    pub kept: &'p [Slot],
    pub at: usize,
}

impl Operator for Union<'_> {
    fn next(&mut self, run: &mut Run<'_>) -> Result<Option<Batch>, Error> {
        while let Some((part, columns)) = self.parts.get_mut(self.at) {
            if let Some(batch) = part.next(run)? {
                let mut out = batch.keep(self.kept);
                for (&from, &to) in columns.iter().zip(self.columns) {
                    out.set(to, batch.column(from).clone());
                }
                return Ok(Some(out));
            }
            self.at += 1;
        }
        Ok(None)
    }

    fn explain(&self) -> Explained {
        let parts = self.parts.iter().map(|(part, _)| part.explain()).collect();
        Explained::new("Join", "", parts)
    }
}
