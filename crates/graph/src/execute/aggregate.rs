//! Groups: rows with the same keys, and what is aggregated of each.
//!
//! The group of a row is looked up by the key's type where there is one key: an integer, an id, or
//! a text. Behind that stands one table by values, in which 1 and 1.0
//! are one key. Rows are only counted where nothing else is asked of them, and a row may stand for
//! many: the last relationships of a match are then counted and not followed.

use super::groups::Groups;
use super::{Batch, Boxed, Column, Operator, ROWS, Run};
use crate::evaluate::evaluate;
use crate::plan::{Expression, Grouping, Slot};
use crate::query::{Error, Explained};
use crate::value::Value;

/// Makes a row of each group.
pub struct Aggregate<'p> {
    input: Boxed<'p>,
    grouping: &'p Grouping,
    /// Where it stands for how many rows one is counted, if not for one.
    weight: Option<Slot>,
    groups: Option<(Groups<'p>, usize)>,
}

impl<'p> Aggregate<'p> {
    pub fn new(input: Boxed<'p>, grouping: &'p Grouping, weight: Option<Slot>) -> Aggregate<'p> {
        Aggregate { input, grouping, weight, groups: None }
    }

    fn run(&mut self, run: &mut Run<'_>) -> Result<Groups<'p>, Error> {
        let aggregates = &self.grouping.aggregates;
        let mut groups = Groups::new(aggregates);
        let keys = &self.grouping.keys;
        if keys.is_empty() {
            groups.whole(run)?;
        }
        while let Some(batch) = self.input.next(run)? {
            run.check()?;
            let places = match &keys[..] {
                [] => vec![0; batch.len()],
                [(_, key)] => groups.places_of_one(key, &batch, run)?,
                keys => {
                    let keys = keys.iter().map(|(_, key)| evaluate(key, &batch, run));
                    let keys = keys.collect::<Result<Vec<Column>, Error>>()?;
                    groups.places(&keys, batch.len(), run)?
                }
            };
            groups.count(&places, self.weight.map(|slot| batch.column(slot)));
            for (place, one) in aggregates.iter().enumerate() {
                let Some(argument) = &one.argument else { continue };
                let values = evaluate(argument, &batch, run)?;
                let second = |value: &Expression| evaluate(value, &batch, run);
                let second = one.percentile.as_ref().map(second).transpose()?;
                groups.take((place, &places), &values, second.as_ref(), run)?;
            }
        }
        Ok(groups)
    }
}

impl Operator for Aggregate<'_> {
    fn next(&mut self, run: &mut Run<'_>) -> Result<Option<Batch>, Error> {
        if self.groups.is_none() {
            self.groups = Some((self.run(run)?, 0));
        }
        let Some((groups, through)) = &mut self.groups else { return Ok(None) };
        let end = groups.len().min(*through + ROWS);
        if *through == end {
            return Ok(None);
        }
        let mut out = Batch::new(end - *through);
        for (place, (slot, _)) in self.grouping.keys.iter().enumerate() {
            let keys = (*through..end).map(|group| groups.key(group, place));
            out.set(*slot, Column::of(keys.collect()));
        }
        for (place, one) in self.grouping.aggregates.iter().enumerate() {
            let values = (*through..end).map(|group| groups.finish(group, place));
            let values: Vec<Value> = values.collect::<Result<_, _>>()?;
            out.set(one.slot, Column::of(values));
        }
        *through = end;
        Ok(Some(out))
    }

    fn explain(&self) -> Explained {
        Explained::new("Aggregate", "", vec![self.input.explain()])
    }
}
