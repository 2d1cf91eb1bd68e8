//! Functions of lists.

use std::collections::HashSet;

use super::argument::{boolean, integer, list, optional};
use super::{Context, Function, INTEGERS};
use crate::value::equivalence::{Key, equivalent};
use crate::value::{Error, Type, Value, order};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("head", 1, 1, Type::ANY, |_, a| {
        Ok(list(&a[0])?.first().cloned().unwrap_or_default())
    })
    .takes(Type::LIST),
    Function::new("last", 1, 1, Type::ANY, |_, a| {
        Ok(list(&a[0])?.last().cloned().unwrap_or_default())
    })
    .takes(Type::LIST),
    Function::new("tail", 1, 1, Type::LIST, |_, a| {
        Ok(Value::list(list(&a[0])?.iter().skip(1).cloned()))
    })
    .takes(Type::LIST),
    Function::new("range", 2, 3, INTEGERS, range).sees_null(),
    Function::new("list.remove", 2, 3, Type::LIST, |_, a| remove(a)),
    Function::new("list.sort", 1, 2, Type::LIST, |_, a| sort(a)),
    Function::new("list.insert", 3, 4, Type::LIST, |_, a| insert(a)).sees_null(),
    Function::new("list.insertListElements", 3, 4, Type::LIST, |_, a| insert_elements(a))
        .sees_null(),
    Function::new("list.dedup", 1, 1, Type::LIST, |_, a| dedup(&a[0])),
];

fn range(context: &Context<'_>, a: &[Value]) -> Result<Value, Error> {
    let whole = |value: &Value| match value {
        Value::Integer(number) => Ok(i128::from(*number)),
        other => {
            let was = other.type_name();
            Err(Error::argument(format!("Type mismatch: expected Integer but was {was}")))
        }
    };
    let (start, end) = (whole(&a[0])?, whole(&a[1])?);
    let step = optional(a, 2).map_or(Ok(1), whole)?;
    if step == 0 {
        return Err(Error::out_of_range("ArgumentError: step argument to range() can't be 0"));
    }
    let steps = (end - start) / step;
    let empty = (end - start).signum() * step.signum() < 0;
    if empty {
        return Ok(Value::list([]));
    }
    let elements = usize::try_from(steps).unwrap_or(usize::MAX).saturating_add(1);
    context.check_room(elements.saturating_mul(size_of::<Value>()))?;
    let element = |place: i128| {
        i64::try_from(start + place * step).map(Value::Integer).map_err(|_| Error::overflow())
    };
    Ok(Value::from((0..=steps).map(element).collect::<Result<Vec<Value>, Error>>()?))
}

/// A place in a list, which below zero counts from `last`, the place behind which there is none.
fn place(index: i64, last: usize) -> Option<usize> {
    let size = i64::try_from(last).ok()?;
    let place = if index < 0 { index.checked_add(size)?.checked_add(1)? } else { index };
    usize::try_from(place).ok().filter(|&place| place <= last)
}

fn remove(a: &[Value]) -> Result<Value, Error> {
    let values = list(&a[0])?;
    let count = usize::try_from(optional(a, 2).map_or(Ok(1), integer)?).unwrap_or_default();
    let index = integer(&a[1])?;
    let last = values.len().checked_sub(1);
    let Some(at) = last.and_then(|last| place(index, last)) else {
        return Ok(a[0].clone());
    };
    let end = at.saturating_add(count).min(values.len());
    Ok(Value::list(values[..at].iter().chain(&values[end..]).cloned()))
}

fn sort(a: &[Value]) -> Result<Value, Error> {
    let mut values = list(&a[0])?.to_vec();
    values.sort_by(order::compare);
    if !optional(a, 1).map_or(Ok(true), boolean)? {
        values.reverse();
    }
    Ok(values.into())
}

/// Whether elements may be in a list twice.
fn repeats(a: &[Value]) -> Result<bool, Error> {
    optional(a, 3).map_or(Ok(true), boolean)
}

fn insert(a: &[Value]) -> Result<Value, Error> {
    if a[0].is_null() || a[1].is_null() {
        return Ok(Value::Null);
    }
    let (values, given) = (list(&a[0])?, &a[2]);
    let at = place(integer(&a[1])?, values.len());
    let there = !repeats(a)? && values.iter().any(|value| equivalent(value, given));
    match at {
        Some(at) if !given.is_null() && !there => {
            Ok(Value::list(values[..at].iter().chain([given]).chain(&values[at..]).cloned()))
        }
        _ => Ok(a[0].clone()),
    }
}

fn insert_elements(a: &[Value]) -> Result<Value, Error> {
    if a[0].is_null() || a[2].is_null() {
        return Ok(Value::Null);
    }
    let values = list(&a[0])?;
    let at = place(integer(&a[2])?, values.len());
    let (false, Some(at)) = (a[1].is_null(), at) else {
        return Ok(a[0].clone());
    };
    let mut given = list(&a[1])?.to_vec();
    if !repeats(a)? {
        let mut seen: HashSet<Key> = values.iter().cloned().map(Key).collect();
        given.retain(|value| seen.insert(Key(value.clone())));
    }
    Ok(Value::list(values[..at].iter().chain(&given).chain(&values[at..]).cloned()))
}

fn dedup(value: &Value) -> Result<Value, Error> {
    let mut seen = HashSet::new();
    let first = |value: &&Value| seen.insert(Key((*value).clone()));
    Ok(Value::from(list(value)?.iter().filter(first).cloned().collect::<Vec<_>>()))
}
