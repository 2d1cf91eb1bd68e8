//! `UNWIND`: a row for each element.

use super::{Batch, Boxed, Column, Operator, ROWS, Run, row_number};
use crate::evaluate::evaluate;
use crate::plan::{Expression, Live, Slot};
use crate::query::{Error, Explained};
use crate::value::Value;

/// Makes a row of each element of a list.
pub struct Unwind<'p> {
    input: Boxed<'p>,
    list: &'p Expression,
    slot: Slot,
    live: Live,
    /// The rows at work, with their lists, the row that is next, and its next element.
    at_work: Option<(Batch, Column, usize, usize)>,
}

impl<'p> Unwind<'p> {
    pub fn new(input: Boxed<'p>, list: &'p Expression, slot: Slot, live: Live) -> Unwind<'p> {
        Unwind { input, list, slot, live, at_work: None }
    }
}

impl Operator for Unwind<'_> {
    fn next(&mut self, run: &mut Run<'_>) -> Result<Option<Batch>, Error> {
        loop {
            if self.at_work.is_none() {
                let Some(batch) = self.input.next(run)? else { return Ok(None) };
                let lists = evaluate(self.list, &batch, run)?;
                self.at_work = Some((batch, lists, 0, 0));
            }
            run.check()?;
            let Some((batch, lists, row, element)) = &mut self.at_work else { return Ok(None) };
            let (mut rows, mut values) = (Vec::new(), Vec::new());
            while *row < batch.len() && rows.len() < ROWS {
                let value = lists.value(*row);
                let more = match &value {
                    Value::List(list, _) => {
                        let end = list.len().min(*element + ROWS - rows.len());
                        values.extend_from_slice(&list[*element..end]);
                        rows.resize(rows.len() + end - *element, row_number(*row));
                        *element = end;
                        end < list.len()
                    }
                    Value::Null => false,
                    // A value that is no list is a list of itself.
                    _ => {
                        values.push(value);
                        rows.push(row_number(*row));
                        false
                    }
                };
                if !more {
                    *row += 1;
                    *element = 0;
                }
            }
            let mut out = batch.gather_live(&rows, &self.live);
            out.set(self.slot, Column::of(values));
            if *row >= batch.len() {
                self.at_work = None;
            }
            if !out.is_empty() {
                return Ok(Some(out));
            }
        }
    }

    fn explain(&self) -> Explained {
        Explained::new("Unwind", "", vec![self.input.explain()])
    }
}
