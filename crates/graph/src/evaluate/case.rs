//! `CASE`: each row takes the value of its first branch.

use super::evaluate;
use super::logic::in_rows;
use crate::execute::{Batch, Column, Run, row_number};
use crate::plan::{Case, Expression};
use crate::query::Error;
use crate::value::{Value, equality};

/// `CASE`.
pub fn case(case: &Case, batch: &Batch, run: &mut Run<'_>) -> Result<Column, Error> {
    let subject = case.subject.as_ref().map(|subject| evaluate(subject, batch, run)).transpose()?;
    let mut values = vec![Value::Null; batch.len()];
    let mut open: Vec<u32> = (0..row_number(batch.len())).collect();
    for (condition, value) in &case.branches {
        if open.is_empty() {
            break;
        }
        let conditions = in_rows(condition, batch, &open, run)?;
        let (mut taken, mut left) = (Vec::new(), Vec::new());
        for (place, &row) in open.iter().enumerate() {
            let holds = match &subject {
                Some(subject) => {
                    let (subject, other) = (subject.value(row as usize), conditions.value(place));
                    equality::equal(&subject, &other)
                        .or_else(|| Some(subject.is_null() && other.is_null()))
                }
                None => conditions.truth(place)?,
            };
            if holds == Some(true) { taken.push(row) } else { left.push(row) }
        }
        take(value, &taken, batch, run, &mut values)?;
        open = left;
    }
    take(&case.otherwise, &open, batch, run, &mut values)?;
    Ok(Column::of(values))
}

fn take(
    value: &Expression,
    rows: &[u32],
    batch: &Batch,
    run: &mut Run<'_>,
    values: &mut [Value],
) -> Result<(), Error> {
    if rows.is_empty() {
        return Ok(());
    }
    let column = in_rows(value, batch, rows, run)?;
    for (place, &row) in rows.iter().enumerate() {
        values[row as usize] = column.value(place);
    }
    Ok(())
}
