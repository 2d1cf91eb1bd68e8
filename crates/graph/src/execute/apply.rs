//! A plan that runs for each row: `OPTIONAL MATCH`, `CALL { … }`, and the subqueries of
//! expressions.
//!
//! Where nothing in the plan is about all rows (no grouping, no sorting, no limit), it runs for a
//! batch of rows at once, and the number of its row stands in a slot beside each row. Else it runs
//! for one row after the other.

use std::sync::Arc;

use super::build::{build, start};
use super::given::Given;
use super::{Batch, Boxed, Column, Operator, ROWS, Run, row_number};
use crate::evaluate::evaluate;
use crate::plan::{Live, Pattern, Query, Slot, Subquery, SubqueryClause};
use crate::query::{Error, Explained};
use crate::value::Value;

/// The numbers of rows, as a column.
pub fn numbered(len: usize) -> Column {
    Column::Integers(Arc::new((0..i64::from(row_number(len))).collect()))
}

/// The number of its row that stands beside a row.
pub fn number(column: &Column, row: usize) -> usize {
    match column.value(row) {
        Value::Integer(number) => usize::try_from(number).unwrap_or_default(),
        _ => 0,
    }
}

/// Takes the numbers of rows and what was made for them, and says whether it wants more. What it
/// keeps for itself stays counted.
type Each<'e> = dyn FnMut(&[u32], Batch, &mut Run<'_>) -> Result<bool, Error> + 'e;

/// Runs a query for each row of a batch, and hands over what it makes: the rows that it is for, by
/// number, in order; and the rows. Ends when the other side wants no more.
fn for_each(
    (query, origin, outer): (&Query, Slot, &[Slot]),
    batch: &Batch,
    run: &mut Run<'_>,
    each: &mut Each<'_>,
) -> Result<(), Error> {
    let mut argument = batch.keep(outer);
    if query.by_row {
        argument.set(origin, numbered(batch.len()));
        let mut kept = run.kept();
        let mut inner = build(query, argument, run);
        while let Some(rows) = inner.next(run)? {
            let origins = rows.column(origin).clone();
            let numbers: Vec<u32> =
                (0..rows.len()).map(|row| row_number(number(&origins, row))).collect();
            let before = run.kept();
            let more = each(&numbers, rows, run)?;
            kept += run.kept().saturating_sub(before);
            if !more {
                break;
            }
        }
        run.release(run.kept().saturating_sub(kept));
        return Ok(());
    }
    for row in 0..batch.len() {
        let mut kept = run.kept();
        let mut inner = build(query, argument.row(row), run);
        while let Some(rows) = inner.next(run)? {
            let before = run.kept();
            let more = each(&vec![row_number(row); rows.len()], rows, run)?;
            kept += run.kept().saturating_sub(before);
            if !more {
                break;
            }
        }
        run.release(run.kept().saturating_sub(kept));
    }
    Ok(())
}

/// `EXISTS { … }` of each row.
pub fn exists(subquery: &Subquery, batch: &Batch, run: &mut Run<'_>) -> Result<Column, Error> {
    let mut found = vec![Some(false); batch.len()];
    let mut missing = batch.len();
    let of = (&subquery.query, subquery.origin, &subquery.outer[..]);
    for_each(of, batch, run, &mut |numbers, _, _| {
        for &number in numbers {
            missing -= usize::from(found[number as usize] == Some(false));
            found[number as usize] = Some(true);
        }
        // One row is enough, and of a row after the other the next begins anew.
        Ok(missing > 0 && subquery.query.by_row)
    })?;
    Ok(Column::truths(found))
}

/// `COUNT { … }` of each row.
pub fn count(subquery: &Subquery, batch: &Batch, run: &mut Run<'_>) -> Result<Column, Error> {
    let mut counts = vec![0_i64; batch.len()];
    let of = (&subquery.query, subquery.origin, &subquery.outer[..]);
    for_each(of, batch, run, &mut |numbers, _, _| {
        numbers.iter().for_each(|&number| counts[number as usize] += 1);
        Ok(true)
    })?;
    Ok(Column::Integers(Arc::new(counts)))
}

/// `COLLECT { … }` of each row.
pub fn collect(subquery: &Subquery, batch: &Batch, run: &mut Run<'_>) -> Result<Column, Error> {
    let mut lists: Vec<Vec<Value>> = vec![Vec::new(); batch.len()];
    let of = (&subquery.query, subquery.origin, &subquery.outer[..]);
    let mut bytes = 0;
    for_each(of, batch, run, &mut |numbers, rows, run| {
        let values = evaluate(&subquery.value, &rows, run)?;
        for (row, &number) in numbers.iter().enumerate() {
            let value = values.value(row);
            bytes += size_of::<Value>() + value.memory();
            lists[number as usize].push(value);
        }
        run.keep(bytes)?;
        run.release(bytes);
        Ok(true)
    })?;
    let lists = lists.into_iter().map(|list| Value::list(list).checked());
    Ok(Column::Values(Arc::new(lists.collect::<Result<_, _>>()?)))
}

/// `OPTIONAL MATCH`: rows without a match stay, with null.
pub struct Optional<'p> {
    input: Boxed<'p>,
    pattern: &'p Pattern,
    origin: Slot,
    live: Live,
    /// The rows at work, what is found for them, and the row that is next.
    at_work: Option<(Batch, Boxed<'p>, usize)>,
}

impl<'p> Optional<'p> {
    pub fn new(input: Boxed<'p>, pattern: &'p Pattern, mut live: Live) -> Optional<'p> {
        let origin = pattern.origin;
        live.add(&[origin]);
        Optional { input, pattern, origin, live, at_work: None }
    }
}

impl Operator for Optional<'_> {
    fn next(&mut self, run: &mut Run<'_>) -> Result<Option<Batch>, Error> {
        loop {
            let Some((batch, inner, next)) = &mut self.at_work else {
                let Some(mut batch) = self.input.next(run)? else { return Ok(None) };
                batch.set(self.origin, numbered(batch.len()));
                let given = Box::new(Given(Some(batch.clone())));
                let inner = super::build::matching(self.pattern, given, &self.live, run);
                self.at_work = Some((batch, inner, 0));
                continue;
            };
            let found = inner.next(run)?;
            // The rows of the match, and between them those that have none.
            let mut order = Vec::new();
            let mut missing = Vec::new();
            let count = found.as_ref().map_or(0, Batch::len);
            for row in 0..count {
                let found =
                    found.as_ref().map_or(0, |found| number(found.column(self.origin), row));
                while *next < found {
                    order.push(row_number(count + missing.len()));
                    missing.push(row_number(*next));
                    *next += 1;
                }
                *next = (*next).max(found + 1);
                order.push(row_number(row));
            }
            let Some(found) = found else {
                let rest: Vec<u32> = (*next..batch.len()).map(row_number).collect();
                let out = batch.gather(&rest);
                self.at_work = None;
                if out.is_empty() {
                    continue;
                }
                return Ok(Some(out));
            };
            if missing.is_empty() {
                return Ok(Some(found));
            }
            let all = Batch::concat(&[found, batch.gather(&missing)]);
            return Ok(Some(all.gather(&order)));
        }
    }

    fn explain(&self) -> Explained {
        Explained::new("Apply", "OPTIONAL MATCH", vec![self.input.explain()])
    }
}

/// `CALL { … }`.
pub struct Call<'p> {
    pub input: Boxed<'p>,
    pub call: &'p SubqueryClause,
    /// Rows that are made and not passed on yet.
    pub made: Vec<Batch>,
    /// Bytes that are counted for them.
    pub kept: usize,
}

impl Call<'_> {
    fn run(&mut self, batch: &Batch, run: &mut Run<'_>) -> Result<(), Error> {
        let call = self.call;
        let (made, kept) = (&mut self.made, &mut self.kept);
        for_each((&call.query, call.origin, &call.outer), batch, run, &mut |numbers, rows, run| {
            if call.returns {
                let mut out = batch.gather(numbers);
                for &slot in &call.query.columns {
                    out.set(slot, rows.column(slot).clone());
                }
                let bytes = out.memory();
                run.keep(bytes)?;
                *kept += bytes;
                made.push(out);
            }
            Ok(true)
        })
    }
}

impl Operator for Call<'_> {
    fn next(&mut self, run: &mut Run<'_>) -> Result<Option<Batch>, Error> {
        loop {
            if let Some(out) = self.made.pop() {
                return Ok(Some(out));
            }
            run.release(std::mem::take(&mut self.kept));
            let Some(batch) = self.input.next(run)? else { return Ok(None) };
            run.check()?;
            self.run(&batch, run)?;
            if !self.call.returns {
                return Ok(Some(batch));
            }
            // In order of the rows, in batches that are not small.
            let mut made = std::mem::take(&mut self.made);
            if made.iter().map(Batch::len).sum::<usize>() <= ROWS && !made.is_empty() {
                made = vec![Batch::concat(&made)];
            }
            made.reverse();
            self.made = made;
        }
    }

    fn explain(&self) -> Explained {
        let inner = start(&self.call.query);
        Explained::new("Apply", "CALL {}", vec![self.input.explain(), inner])
    }
}
