//! What runs for each element of a list: the elements of all rows are put one below the other, as a
//! batch of their own, and what is made of them is taken apart again.

use super::{Made, evaluate};
use crate::cypher::ast::QuantifierKind;
use crate::execute::{Batch, Column, ROWS, Run, row_number};
use crate::plan::{Comprehension, Expression, Reduce};
use crate::query::Error;
use crate::value::logic::{self, Truth};
use crate::value::{self, Value};

/// The elements of a row's list; none where there is null.
fn elements(lists: &Column, row: usize) -> Result<Option<std::sync::Arc<[Value]>>, Error> {
    match lists.value(row) {
        Value::Null => Ok(None),
        Value::List(list, _) => Ok(Some(list)),
        other => Err(value::Error::mismatch("List or Null", other.type_name()).into()),
    }
}

/// Takes a batch of elements, the rows that they are of, and the elements.
type Each<'e> = dyn FnMut(&Batch, &[u32], &[Value], &mut Run<'_>) -> Result<(), Error> + 'e;

/// Runs over the elements of the lists of all rows, batch by batch: gets each batch of them, the
/// rows that they are of, and the elements.
fn for_elements(
    it: &Comprehension,
    batch: &Batch,
    run: &mut Run<'_>,
    each: &mut Each<'_>,
) -> Result<Vec<bool>, Error> {
    let lists = evaluate(&it.list, batch, run)?;
    let (mut rows, mut values) = (Vec::new(), Vec::new());
    let mut is_null = Vec::with_capacity(batch.len());
    let mut flush = |rows: &mut Vec<u32>, values: &mut Vec<Value>, run: &mut Run<'_>| {
        if rows.is_empty() {
            return Ok(());
        }
        run.check()?;
        let mut inner = batch.gather_slots(rows, &it.outer);
        inner.set(it.element, Column::of(values.clone()));
        each(&inner, rows, values, run)?;
        rows.clear();
        values.clear();
        Ok::<(), Error>(())
    };
    for row in 0..batch.len() {
        let list = elements(&lists, row)?;
        is_null.push(list.is_none());
        for element in list.iter().flat_map(|list| list.iter()) {
            rows.push(row_number(row));
            values.push(element.clone());
            if rows.len() >= ROWS {
                flush(&mut rows, &mut values, run)?;
            }
        }
    }
    flush(&mut rows, &mut values, run)?;
    Ok(is_null)
}

/// `[x IN list WHERE filter | value]`.
pub fn comprehension(
    it: &Comprehension,
    batch: &Batch,
    run: &mut Run<'_>,
) -> Result<Column, Error> {
    let mut lists: Vec<Vec<Value>> = vec![Vec::new(); batch.len()];
    let mut bytes = 0;
    let is_null = for_elements(it, batch, run, &mut |inner, rows, values, run| {
        let passing: Vec<u32> = match &it.filter {
            None => (0..row_number(rows.len())).collect(),
            Some(filter) => {
                let truths = evaluate(filter, inner, run)?;
                let mut passing = Vec::new();
                for row in 0..rows.len() {
                    if truths.truth(row)? == Some(true) {
                        passing.push(row_number(row));
                    }
                }
                passing
            }
        };
        let made = match &it.value {
            None => None,
            Some(value) => Some(super::logic::in_rows(value, inner, &passing, run)?),
        };
        for (place, &row) in passing.iter().enumerate() {
            let value = match &made {
                Some(made) => made.value(place),
                None => values[row as usize].clone(),
            };
            bytes += size_of::<Value>() + value.memory();
            lists[rows[row as usize] as usize].push(value);
        }
        run.check_made(bytes)
    })?;
    let lists = lists.into_iter().zip(is_null).map(|(list, is_null)| match is_null {
        true => Ok(Value::Null),
        false => Value::list(list).checked(),
    });
    Ok(Column::of(lists.collect::<Result<_, _>>()?))
}

/// How many elements something is true of, and how many it is unknown of.
#[derive(Clone, Copy, Default)]
struct Tally {
    yes: usize,
    no: usize,
    unknown: usize,
}

impl Tally {
    fn truth(self, kind: QuantifierKind) -> Truth {
        let unless = |known: Option<bool>| {
            known.or(if self.unknown > 0 { None } else { Some(kind == QuantifierKind::All) })
        };
        match kind {
            QuantifierKind::All => unless((self.no > 0).then_some(false)),
            QuantifierKind::Any => unless((self.yes > 0).then_some(true)),
            QuantifierKind::None => logic::not(self.truth(QuantifierKind::Any)),
            QuantifierKind::Single if self.yes > 1 => Some(false),
            QuantifierKind::Single if self.unknown > 0 => None,
            QuantifierKind::Single => Some(self.yes == 1),
        }
    }
}

/// `all(x IN list WHERE filter)` and its sisters.
pub fn quantifier(
    kind: QuantifierKind,
    it: &Comprehension,
    batch: &Batch,
    run: &mut Run<'_>,
) -> Result<Column, Error> {
    let mut tallies = vec![Tally::default(); batch.len()];
    let is_null = for_elements(it, batch, run, &mut |inner, rows, _, run| {
        let element = Expression::Slot(it.element);
        let truths = evaluate(it.filter.as_ref().unwrap_or(&element), inner, run)?;
        for (place, &row) in rows.iter().enumerate() {
            let tally = &mut tallies[row as usize];
            match truths.truth(place)? {
                Some(true) => tally.yes += 1,
                Some(false) => tally.no += 1,
                None => tally.unknown += 1,
            }
        }
        Ok(())
    })?;
    let truths = tallies.into_iter().zip(is_null).map(|(tally, is_null)| match is_null {
        true => None,
        false => tally.truth(kind),
    });
    Ok(Column::truths(truths.collect()))
}

/// `reduce(…)`: step by step, for all rows together.
pub fn reduce(reduce: &Reduce, batch: &Batch, run: &mut Run<'_>) -> Result<Column, Error> {
    let lists = evaluate(&reduce.list, batch, run)?;
    let start = evaluate(&reduce.start, batch, run)?;
    let mut results: Vec<Value> = (0..batch.len()).map(|row| start.value(row)).collect();
    let mut open = Vec::new();
    for (row, result) in results.iter_mut().enumerate() {
        match elements(&lists, row)? {
            Some(list) => open.push((row, list)),
            None => *result = Value::Null,
        }
    }
    let mut step = 0;
    loop {
        open.retain(|(_, list)| step < list.len());
        if open.is_empty() {
            break;
        }
        if step % ROWS == 0 {
            run.check()?;
        }
        let rows: Vec<u32> = open.iter().map(|(row, _)| row_number(*row)).collect();
        let mut inner = batch.gather_slots(&rows, &reduce.outer);
        let so_far = open.iter().map(|(row, _)| results[*row].clone()).collect();
        let elements = open.iter().map(|(_, list)| list[step].clone()).collect();
        inner.set(reduce.accumulator, Column::of(so_far));
        inner.set(reduce.element, Column::of(elements));
        let made = evaluate(&reduce.step, &inner, run)?;
        let mut bytes = Made::default();
        for (place, (row, _)) in open.iter().enumerate() {
            let value = made.value(place);
            bytes.add(&value, run)?;
            results[*row] = value;
        }
        step += 1;
    }
    Ok(Column::of(results))
}
