//! `DISTINCT`: each combination of some columns once. Of a single column numbers, ids and texts
//! that were there are known before values are made of them.

use std::collections::HashSet;

use super::groups::ByNumber;
use super::{Batch, Boxed, Column, Operator, Run, row_number};
use crate::plan::Slot;
use crate::query::{Error, Explained};
use crate::value::equivalence::Key;

/// Lets rows pass whose columns were not there before.
pub struct Distinct<'p> {
    input: Boxed<'p>,
    slots: &'p [Slot],
    seen: HashSet<Box<[Key]>>,
    known: Known,
}

/// What was there for certain, by type; what is new here may be there as another type.
#[derive(Default)]
struct Known {
    integers: ByNumber,
    nodes: ByNumber,
    edges: ByNumber,
    texts: HashSet<Box<str>>,
}

impl Known {
    /// Whether the value in a row was there; it is from now on.
    fn has(&mut self, column: &Column, row: usize) -> bool {
        let (numbers, number) = match column {
            Column::Integers(numbers) => (&mut self.integers, numbers[row]),
            Column::Nodes(ids) => (&mut self.nodes, ids[row].into()),
            Column::Edges(ids) => (&mut self.edges, ids[row].into()),
            Column::Texts(texts) => {
                let text = texts.get(row);
                return self.texts.contains(text) || !self.texts.insert(text.into());
            }
            _ => return false,
        };
        let had = numbers.get(number).is_some();
        if !had {
            numbers.insert(number, 0);
        }
        had
    }
}

impl<'p> Distinct<'p> {
    pub fn new(input: Boxed<'p>, slots: &'p [Slot]) -> Distinct<'p> {
        Distinct { input, slots, seen: HashSet::new(), known: Known::default() }
    }
}

/// The bytes of the values of a key.
pub fn memory(key: &[Key]) -> usize {
    let values: usize = key.iter().map(|key| key.0.memory()).sum();
    size_of_val(key) + values + 16
}

impl Operator for Distinct<'_> {
    fn next(&mut self, run: &mut Run<'_>) -> Result<Option<Batch>, Error> {
        while let Some(batch) = self.input.next(run)? {
            run.check()?;
            let mut rows = Vec::new();
            for row in 0..batch.len() {
                if let [only] = self.slots
                    && self.known.has(batch.column(*only), row)
                {
                    continue;
                }
                let key = |&slot: &Slot| Key(batch.column(slot).value(row));
                let key: Box<[Key]> = self.slots.iter().map(key).collect();
                key.iter().try_for_each(|key| run.work(key.0.units()))?;
                // What is known of it beside takes no more than as much again.
                let bytes = 2 * memory(&key);
                if self.seen.insert(key) {
                    run.keep(bytes)?;
                    rows.push(row_number(row));
                }
            }
            if !rows.is_empty() {
                return Ok(Some(batch.gather(&rows)));
            }
        }
        Ok(None)
    }

    fn explain(&self) -> Explained {
        Explained::new("Distinct", "", vec![self.input.explain()])
    }
}
