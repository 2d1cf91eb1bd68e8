//! `ORDER BY`, and with a `LIMIT` behind it the first rows alone.

use std::cmp::Ordering;

use super::limit::rows;
use super::{Batch, Boxed, Column, Operator, ROWS, Run, row_number};
use crate::evaluate::evaluate;
use crate::plan::Expression;
use crate::query::{Error, Explained};
use crate::value::Value;
use crate::value::order::compare;

/// Sorts rows.
pub struct Sort<'p> {
    input: Boxed<'p>,
    by: &'p [(Expression, bool)],
    /// What says how many rows are wanted, if not all: those to skip and those behind them.
    most: Option<(Option<&'p Expression>, &'p Expression)>,
    sorted: Option<(Batch, Vec<u32>, usize)>,
}

impl<'p> Sort<'p> {
    pub fn new(
        input: Boxed<'p>,
        by: &'p [(Expression, bool)],
        most: Option<(Option<&'p Expression>, &'p Expression)>,
    ) -> Sort<'p> {
        Sort { input, by, most, sorted: None }
    }

    fn sort(&mut self, run: &mut Run<'_>) -> Result<(), Error> {
        let most = match self.most {
            Some((skip, limit)) => {
                let skip = skip.map_or(Ok(0), |skip| rows(skip, "SKIP", run))?;
                let limit = rows(limit, "LIMIT", run)?;
                usize::try_from(skip.saturating_add(limit)).unwrap_or(usize::MAX)
            }
            None => usize::MAX,
        };
        let (mut batches, mut keys) = (Vec::new(), Vec::new());
        let (mut count, mut bytes) = (0, 0);
        // The first key of the last row that is wanted so far, once there are enough.
        let mut bound = None;
        while let Some(mut batch) = self.input.next(run)? {
            run.check()?;
            let mut row_keys = Batch::new(batch.len());
            for (place, (value, _)) in self.by.iter().enumerate() {
                row_keys.set(place, evaluate(value, &batch, run)?);
            }
            if let Some(bound) = &bound {
                let rows = self.not_behind(row_keys.column(0), bound, batch.len());
                if rows.is_empty() {
                    continue;
                }
                if rows.len() < batch.len() {
                    (batch, row_keys) = (batch.gather(&rows), row_keys.gather(&rows));
                }
            }
            let more = batch.memory() + row_keys.memory();
            run.keep(more)?;
            bytes += more;
            count += batch.len();
            batches.push(batch);
            keys.push(row_keys);
            // The first rows of many are kept, and the others dropped now and then.
            if count > most.saturating_mul(2).saturating_add(16 * ROWS) {
                let (rows, order) = self.order(&batches, &keys, most, run)?;
                keys = vec![Batch::concat(&keys).gather(&order)];
                batches = vec![rows.gather(&order)];
                bound = order.len().checked_sub(1).map(|last| keys[0].column(0).value(last));
                run.release(bytes);
                bytes = batches[0].memory() + keys[0].memory();
                run.keep(bytes)?;
                count = order.len();
            }
        }
        let (rows, order) = self.order(&batches, &keys, most, run)?;
        self.sorted = Some((rows, order, 0));
        Ok(())
    }

    /// The rows whose first key says that they may be among those that are wanted.
    fn not_behind(&self, keys: &Column, bound: &Value, len: usize) -> Vec<u32> {
        let Some((_, descending)) = self.by.first() else { return Vec::new() };
        // Of rows that are equal the earlier one comes first.
        let ties = self.by.len() > 1;
        let passes = |order: Ordering| match order {
            Ordering::Equal => ties,
            order => order.is_lt() != *descending,
        };
        let rows = 0..row_number(len);
        match (keys, bound) {
            (Column::Integers(numbers), Value::Integer(bound)) => {
                rows.filter(|&row| passes(numbers[row as usize].cmp(bound))).collect()
            }
            (Column::Texts(texts), Value::String(bound)) => {
                rows.filter(|&row| passes(texts.get(row as usize).cmp(bound))).collect()
            }
            _ => rows.filter(|&row| passes(compare(&keys.value(row as usize), bound))).collect(),
        }
    }

    /// All rows, and their order as far as they are wanted.
    fn order(
        &self,
        batches: &[Batch],
        keys: &[Batch],
        most: usize,
        run: &Run<'_>,
    ) -> Result<(Batch, Vec<u32>), Error> {
        let (rows, keys) = (Batch::concat(batches), Batch::concat(keys));
        let mut order: Vec<u32> = (0..row_number(rows.len())).collect();
        let columns: Vec<(&Column, bool)> = self
            .by
            .iter()
            .enumerate()
            .map(|(place, (_, descending))| (keys.column(place), *descending))
            .collect();
        let by = |one: &u32, other: &u32| {
            let (one, other) = (*one as usize, *other as usize);
            let orders = columns.iter().map(|(column, descending)| {
                let order = compare_rows(column, one, other);
                if *descending { order.reverse() } else { order }
            });
            orders.fold(Ordering::Equal, Ordering::then)
        };
        // Rows that are equal stay in their order.
        if columns.iter().any(|(column, _)| column.is_heavy(rows.len())) {
            let units = |row: u32| -> u32 {
                let of = |(column, _): &(&Column, bool)| column.value(row as usize).units();
                columns.iter().map(of).fold(0, u32::saturating_add)
            };
            let mut order = merge_sort(order, |one, other| {
                run.work(units(*one).min(units(*other)))?;
                Ok::<_, Error>(by(one, other))
            })?;
            order.truncate(most);
            return Ok((rows, order));
        }
        if most < order.len() {
            if most > 0 {
                let stable = |one: &u32, other: &u32| by(one, other).then(one.cmp(other));
                order.select_nth_unstable_by(most - 1, stable);
            }
            order.truncate(most);
            order.sort_unstable();
        }
        order.sort_by(by);
        Ok((rows, order))
    }
}

/// Sorts by an order that may end the sort: the library's sorts go through to their end. Bottom up:
/// runs of one, two, four rows, … are merged in pairs. What is equal stays in its order.
fn merge_sort<T: Copy, E>(
    mut from: Vec<T>,
    order: impl Fn(&T, &T) -> Result<Ordering, E>,
) -> Result<Vec<T>, E> {
    let mut to = Vec::with_capacity(from.len());
    let mut run = 1;
    while run < from.len() {
        for pair in from.chunks(2 * run) {
            let (mut left, mut right) = pair.split_at(run.min(pair.len()));
            while let ([one, ..], [other, ..]) = (left, right) {
                if order(one, other)?.is_le() {
                    to.push(*one);
                    left = &left[1..];
                } else {
                    to.push(*other);
                    right = &right[1..];
                }
            }
            to.extend_from_slice(left);
            to.extend_from_slice(right);
        }
        std::mem::swap(&mut from, &mut to);
        to.clear();
        run *= 2;
    }
    Ok(from)
}

fn compare_rows(column: &Column, one: usize, other: usize) -> Ordering {
    match column {
        Column::Integers(numbers) => numbers[one].cmp(&numbers[other]),
        Column::Nodes(ids) | Column::Edges(ids) => ids[one].cmp(&ids[other]),
        Column::Texts(texts) => texts.get(one).cmp(texts.get(other)),
        Column::Values(values) => compare(&values[one], &values[other]),
        Column::Constant(_) => Ordering::Equal,
        _ => compare(&column.value(one), &column.value(other)),
    }
}

impl Operator for Sort<'_> {
    fn next(&mut self, run: &mut Run<'_>) -> Result<Option<Batch>, Error> {
        if self.sorted.is_none() {
            self.sort(run)?;
        }
        let Some((rows, order, through)) = &mut self.sorted else { return Ok(None) };
        if *through >= order.len() {
            return Ok(None);
        }
        let end = order.len().min(*through + ROWS);
        let out = rows.gather(&order[*through..end]);
        *through = end;
        Ok(Some(out))
    }

    fn explain(&self) -> Explained {
        Explained::new("Sort", "", vec![self.input.explain()])
    }
}

#[cfg(test)]
#[path = "sort_tests.rs"]
mod tests;
