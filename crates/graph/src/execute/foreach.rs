//! `FOREACH`: clauses for each element of a list.

use super::batch::ROWS;
use super::build::clauses;
use super::given::Given;
use super::{Batch, Column, Run, row_number};
use crate::evaluate::evaluate;
use crate::plan::{Foreach, Live};
use crate::query::{Class, Error};
use crate::value::Value;

/// Does for each element of each row what is to be done.
pub fn repeat(foreach: &Foreach, batch: &Batch, run: &mut Run<'_>) -> Result<(), Error> {
    let lists = evaluate(&foreach.list, batch, run)?;
    let (mut rows, mut elements) = (Vec::new(), Vec::new());
    for row in 0..batch.len() {
        match lists.value(row) {
            Value::Null => {}
            Value::List(list, _) => {
                for element in list.iter() {
                    rows.push(row_number(row));
                    elements.push(element.clone());
                    if rows.len() >= ROWS {
                        flush(foreach, batch, (&mut rows, &mut elements), run)?;
                    }
                }
            }
            other => {
                let found = other.type_name();
                let message = format!("Type mismatch: expected List but was {found}");
                return Err(Error::new(Class::TypeError, "InvalidArgumentType", message));
            }
        }
    }
    flush(foreach, batch, (&mut rows, &mut elements), run)
}

/// Does what is to be done for some elements, each with the row that it is of.
fn flush(
    foreach: &Foreach,
    batch: &Batch,
    (rows, elements): (&mut Vec<u32>, &mut Vec<Value>),
    run: &mut Run<'_>,
) -> Result<(), Error> {
    let mut all = batch.gather(rows);
    rows.clear();
    all.set(foreach.element, Column::of(std::mem::take(elements)));
    let kept = all.memory();
    run.keep(kept)?;
    // A single clause does one row after the other anyway.
    let step = if foreach.clauses.len() == 1 { ROWS } else { 1 };
    for first in (0..all.len()).step_by(step) {
        run.check()?;
        let piece: Vec<u32> = (first..all.len().min(first + step)).map(row_number).collect();
        drain(foreach, all.gather(&piece), run)?;
    }
    run.release(kept);
    Ok(())
}

fn drain(foreach: &Foreach, rows: Batch, run: &mut Run<'_>) -> Result<(), Error> {
    let mut inner = clauses(&foreach.clauses, Box::new(Given(Some(rows))), &Live::All, run);
    while inner.next(run)?.is_some() {}
    Ok(())
}
