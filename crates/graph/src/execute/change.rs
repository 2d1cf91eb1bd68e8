//! Operators that change the graph. What one changes, neither the clauses before it may see nor
//! those behind it in part: it takes all of its rows first, then does all, then passes them on.

use std::collections::VecDeque;

use super::{Batch, Boxed, Operator, Run, assign, create, delete, foreach, merge, merge_by_key};
use crate::plan;
use crate::query::{Error, Explained};

/// What is done for each row.
#[derive(Clone, Copy)]
pub enum Effect<'p> {
    /// `CREATE`.
    Create(&'p plan::Create),
    /// `MERGE`.
    Merge(&'p plan::Merge),
    /// `SET` and `REMOVE`.
    Assign(&'p [plan::Assignment]),
    /// `DELETE`; the flag says that there are clauses behind it.
    Delete(&'p plan::Delete, bool),
    /// `FOREACH`.
    Foreach(&'p plan::Foreach),
    /// Nothing: all rows come before the first goes on.
    Nothing,
}

/// Changes the graph for each row.
pub struct Change<'p> {
    input: Boxed<'p>,
    effect: Effect<'p>,
    /// Whether rows may be worked on as they come: nothing looks at what is changed.
    streams: bool,
    /// The rows that are not passed on yet, once all have come.
    rows: Option<VecDeque<Batch>>,
}

impl<'p> Change<'p> {
    pub fn new(input: Boxed<'p>, effect: Effect<'p>, streams: bool) -> Change<'p> {
        Change { input, effect, streams, rows: None }
    }

    /// Does to the rows of a batch what is to be done.
    fn apply(&self, mut batch: Batch, run: &mut Run<'_>) -> Result<Batch, Error> {
        run.check()?;
        match self.effect {
            Effect::Create(created) => create::make(created, &mut batch, run)?,
            Effect::Merge(merged) => batch = merge::merge(merged, &batch, run)?,
            Effect::Assign(items) => assign::assign(items, &batch, run)?,
            Effect::Foreach(repeated) => foreach::repeat(repeated, &batch, run)?,
            Effect::Delete(..) | Effect::Nothing => {}
        }
        Ok(batch)
    }

    /// All rows, changed.
    fn drain(&mut self, run: &mut Run<'_>) -> Result<VecDeque<Batch>, Error> {
        let mut rows = Vec::new();
        while let Some(batch) = self.input.next(run)? {
            run.check()?;
            run.keep(batch.memory())?;
            rows.push(batch);
        }
        if let Effect::Delete(deleted, is_followed) = self.effect {
            return Ok(delete::delete(deleted, rows, is_followed, run)?.into());
        }
        if let Effect::Merge(merged) = self.effect
            && let Some(by) = &merged.by_key
        {
            let before = rows.iter().map(Batch::memory).sum();
            let all = Batch::concat(&rows);
            run.keep(all.memory())?;
            run.release(before);
            drop(rows);
            let changed = merge_by_key::merge(merged, by, &all, run)?;
            run.release(all.memory());
            run.keep(changed.iter().map(Batch::memory).sum())?;
            return Ok(changed.into());
        }
        let mut changed = VecDeque::with_capacity(rows.len());
        for batch in rows {
            let before = batch.memory();
            let batch = self.apply(batch, run)?;
            run.release(before);
            run.keep(batch.memory())?;
            changed.push_back(batch);
        }
        Ok(changed)
    }
}

impl Operator for Change<'_> {
    fn next(&mut self, run: &mut Run<'_>) -> Result<Option<Batch>, Error> {
        if self.streams {
            let Some(batch) = self.input.next(run)? else { return Ok(None) };
            return self.apply(batch, run).map(Some);
        }
        if self.rows.is_none() {
            self.rows = Some(self.drain(run)?);
        }
        let batch = self.rows.as_mut().and_then(VecDeque::pop_front);
        if let Some(batch) = &batch {
            run.release(batch.memory());
        }
        Ok(batch)
    }

    fn explain(&self) -> Explained {
        let name = match self.effect {
            Effect::Create(_) => "Create",
            Effect::Merge(_) => "Merge",
            Effect::Assign(_) => "Update",
            Effect::Delete(..) => "Delete",
            Effect::Foreach(_) => "Foreach",
            Effect::Nothing => "Eager",
        };
        Explained::new(name, "", vec![self.input.explain()])
    }
}
