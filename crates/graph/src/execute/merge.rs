//! `MERGE`: finds what a pattern wants, and makes it where there is none. Row by row: a row finds
//! what those before it have made.

use super::build::matching;
use super::given::Given;
use super::{Batch, Run, assign, create};
use crate::plan;
use crate::query::{Class, Error};
use crate::value::Value;

/// The rows of a batch, each as often as what it wants is found, or once if it is made.
pub fn merge(merge: &plan::Merge, batch: &Batch, run: &mut Run<'_>) -> Result<Batch, Error> {
    let mut rows = Vec::with_capacity(batch.len());
    let kept = run.kept();
    for row in 0..batch.len() {
        run.check()?;
        let row = batch.row(row);
        let before = rows.len();
        find(merge, &row, &mut rows, run)?;
        if rows.len() == before {
            rows.push(make(merge, row, run)?);
        }
    }
    run.release(run.kept().saturating_sub(kept));
    Ok(Batch::concat(&rows))
}

fn find(
    merge: &plan::Merge,
    row: &Batch,
    rows: &mut Vec<Batch>,
    run: &mut Run<'_>,
) -> Result<(), Error> {
    let (mut found, mut found_bytes) = (Vec::new(), 0);
    let kept = run.kept();
    let mut inner =
        matching(&merge.pattern, Box::new(Given(Some(row.clone()))), &plan::Live::All, run);
    while let Some(mut batch) = inner.next(run)? {
        for (from, to) in &merge.copies {
            let column = batch.column(*from).clone();
            batch.set(*to, column);
        }
        run.check_made(found_bytes)?;
        found_bytes += batch.memory();
        found.push(batch);
    }
    drop(inner);
    run.release(run.kept().saturating_sub(kept));
    run.keep(found_bytes)?;
    for batch in found {
        assign::assign(&merge.on_match, &batch, run)?;
        rows.push(batch);
    }
    Ok(())
}

fn make(merge: &plan::Merge, mut row: Batch, run: &mut Run<'_>) -> Result<Batch, Error> {
    create::make_merged(&merge.create, &mut row, run)?;
    assign::assign(&merge.on_create, &row, run)?;
    Ok(row)
}

/// What is null is never found: it would be made each time anew.
pub fn refuse_null(properties: &Value) -> Result<(), Error> {
    let Value::Map(map) = properties else { return Ok(()) };
    match map.iter().find(|(_, value)| value.is_null()) {
        Some((key, _)) => Err(null(key)),
        None => Ok(()),
    }
}

/// A property that is to be merged is null.
pub fn null(key: &str) -> Error {
    let message = format!("Cannot merge node or relationship using null property value for {key}");
    Error::new(Class::SemanticError, "MergeReadOwnWrites", message)
}
