//! `IN` where many rows ask about one list: it is gone through once, not for each of them.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;

use super::Made;
use crate::execute::{Column, Run};
use crate::query::Error;
use crate::value::logic::Truth;
use crate::value::{Value, equality, equivalence};

/// Fewer rows, or elements of the list, are asked one by one.
const FEW: usize = 8;

/// Whether the value of each row is in the list of its row, where that is the same list for all of
/// them. `None` where it is not, or they are few.
///
/// # Errors
/// The statement is to end.
pub(super) fn in_one_list(
    [values, lists]: &[Column; 2],
    rows: usize,
    run: &Run<'_>,
) -> Result<Option<Column>, Error> {
    let Some(list) = one_list(lists, rows) else { return Ok(None) };
    let Value::List(elements, _) = &list else { return Ok(None) };
    let is_asked_once = matches!((values, lists), (Column::Constant(_), Column::Constant(_)));
    if is_asked_once || rows < FEW || elements.len() < FEW {
        return Ok(None);
    }
    let (mut searched, mut kept) = (Searched::default(), Made::default());
    for row in 0..rows {
        let value = values.value(row);
        run.work(value.units())?;
        let truth = match &value {
            // The list is not empty.
            Value::Null => None,
            value if is_found_by_hash(value) => {
                kept.add(value, run)?;
                searched.add(row, value);
                Some(false)
            }
            value => {
                run.work(list.units())?;
                equality::is_in(value, &list)?
            }
        };
        searched.truths.push(truth);
    }
    searched.find(elements, run)?;
    Ok(Some(Column::truths(searched.truths)))
}

/// The list of all rows, if it is one.
fn one_list(column: &Column, rows: usize) -> Option<Value> {
    match column {
        Column::Constant(value) => Some(value.clone()),
        Column::Values(values) => {
            let (first, others) = values.get(..rows)?.split_first()?;
            let Value::List(elements, _) = first else { return None };
            let is_it =
                |other: &Value| matches!(other, Value::List(all, _) if Arc::ptr_eq(all, elements));
            others.iter().all(is_it).then(|| first.clone())
        }
        _ => None,
    }
}

/// The values that are looked for, by their hashes.
#[derive(Default)]
struct Searched {
    hashes: RandomState,
    /// In which rows they are: those that have not been found.
    open: HashMap<u64, Vec<(usize, Value)>>,
    /// What is known of each row.
    truths: Vec<Truth>,
}

impl Searched {
    fn hash(&self, value: &Value) -> u64 {
        let mut hasher = self.hashes.build_hasher();
        equivalence::hash(value, &mut hasher);
        hasher.finish()
    }

    fn add(&mut self, row: usize, value: &Value) {
        let hash = self.hash(value);
        self.open.entry(hash).or_default().push((row, value.clone()));
    }

    /// Looks for them in a list.
    fn find(&mut self, elements: &[Value], run: &Run<'_>) -> Result<(), Error> {
        let mut has_null = false;
        for element in elements {
            if self.open.is_empty() {
                break;
            }
            run.work(element.units())?;
            has_null |= element.is_null();
            if is_found_by_hash(element) && !is_nan(element) {
                self.found(element);
            }
        }
        // What was not found may be what is not known.
        if has_null {
            let left = self.open.values().flatten();
            left.for_each(|(row, _)| self.truths[*row] = None);
        }
        Ok(())
    }

    fn found(&mut self, element: &Value) {
        let hash = self.hash(element);
        let Some(rows) = self.open.get_mut(&hash) else { return };
        let truths = &mut self.truths;
        rows.retain(|(row, value)| {
            let is_it = equality::equal(value, element) == Some(true);
            if is_it {
                truths[*row] = Some(true);
            }
            !is_it
        });
        if rows.is_empty() {
            self.open.remove(&hash);
        }
    }
}

/// Whether all values that equal this one have its hash, and null alone is neither equal to it nor
/// not.
fn is_found_by_hash(value: &Value) -> bool {
    matches!(
        value,
        Value::Boolean(_)
            | Value::Integer(_)
            | Value::Float(_)
            | Value::String(_)
            | Value::Node(_)
            | Value::Relationship(_)
    )
}

/// Nothing equals it, so it need not be looked for.
fn is_nan(value: &Value) -> bool {
    matches!(value, Value::Float(number) if number.is_nan())
}
