//! Comparisons.

use std::cmp::Ordering;

use super::access::check;
use super::evaluate;
use crate::cypher::ast::ComparisonOperator as Operator;
use crate::execute::{Batch, Column, Run};
use crate::plan::Expression;
use crate::query::Error;
use crate::storage::{Entity, Values, Vector};
use crate::value::logic::{self, Truth};
use crate::value::{Value, comparison, equality};

/// `a < b <= c`: each is compared with the next.
pub fn chain(
    first: &Expression,
    rest: &[(Operator, Expression)],
    batch: &Batch,
    run: &mut Run<'_>,
) -> Result<Column, Error> {
    if let [(operator, right)] = rest
        && let Some(column) = texts(first, *operator, right, batch, run)?
    {
        return Ok(column);
    }
    let mut left = evaluate(first, batch, run)?;
    let mut holds: Option<Vec<Truth>> = None;
    for (operator, right) in rest {
        let right = evaluate(right, batch, run)?;
        let truths = compare(&left, *operator, &right, (batch.len(), run))?;
        holds = Some(match holds {
            Some(so_far) => {
                so_far.into_iter().zip(truths).map(|(one, two)| logic::and(one, two)).collect()
            }
            None => truths,
        });
        left = right;
    }
    Ok(Column::truths(holds.unwrap_or_default()))
}

/// Whether an order is the one that an operator asks for.
fn wanted(operator: Operator) -> fn(Ordering) -> bool {
    match operator {
        Operator::Equal => Ordering::is_eq,
        Operator::NotEqual => Ordering::is_ne,
        Operator::Less => Ordering::is_lt,
        Operator::LessEqual => Ordering::is_le,
        Operator::Greater => Ordering::is_gt,
        Operator::GreaterEqual => Ordering::is_ge,
    }
}

/// A comparison of two values.
fn values(left: &Value, operator: Operator, right: &Value) -> Truth {
    match operator {
        Operator::Equal => equality::equal(left, right),
        Operator::NotEqual => logic::not(equality::equal(left, right)),
        Operator::Less => comparison::less(left, right),
        Operator::LessEqual => comparison::less_or_equal(left, right),
        Operator::Greater => comparison::greater(left, right),
        Operator::GreaterEqual => comparison::greater_or_equal(left, right),
    }
}

/// A comparison of two columns.
fn compare(
    left: &Column,
    operator: Operator,
    right: &Column,
    (len, run): (usize, &Run<'_>),
) -> Result<Vec<Truth>, Error> {
    let holds = wanted(operator);
    Ok(match (left, right) {
        (Column::Constant(left), Column::Constant(right)) => {
            vec![values(left, operator, right); len]
        }
        (Column::Integers(left), Column::Constant(Value::Integer(right))) => {
            left.iter().map(|left| Some(holds(left.cmp(right)))).collect()
        }
        (Column::Integers(left), Column::Integers(right)) => left
            .iter()
            .zip(right.iter())
            .map(|(left, right)| Some(holds(left.cmp(right))))
            .collect(),
        (Column::Floats(left), Column::Constant(Value::Float(right))) if !right.is_nan() => {
            let one = |left: &f64| match left.partial_cmp(right) {
                Some(order) => Some(holds(order)),
                None => Some(operator == Operator::NotEqual),
            };
            left.iter().map(one).collect()
        }
        _ => {
            let one = |row| {
                let (left, right) = (left.value(row), right.value(row));
                run.work(left.units().min(right.units()))?;
                Ok(values(&left, operator, &right))
            };
            return (0..len).map(one).collect();
        }
    })
}

/// A comparison of a property that is a text with a text that is the same in all rows: nothing is
/// copied.
fn texts(
    left: &Expression,
    operator: Operator,
    right: &Expression,
    batch: &Batch,
    run: &mut Run<'_>,
) -> Result<Option<Column>, Error> {
    let Expression::Property(entity, key) = left else { return Ok(None) };
    let Expression::Slot(slot) = **entity else { return Ok(None) };
    let right = match right {
        Expression::Constant(Value::String(text)) => text.clone(),
        Expression::Parameter(name) => match run.settings().parameters.get(name) {
            Some(Value::String(text)) => text.clone(),
            _ => return Ok(None),
        },
        _ => return Ok(None),
    };
    let view = run.view();
    let Some(key) = view.key(key) else { return Ok(None) };
    let mut vector = Vector::default();
    match batch.column(slot) {
        Column::Nodes(ids) => {
            check(ids, Entity::Node, view)?;
            view.fetch_of_nodes(key, ids, &mut vector);
        }
        Column::Edges(ids) => {
            check(ids, Entity::Edge, view)?;
            view.fetch_of_edges(key, ids, &mut vector);
        }
        _ => return Ok(None),
    }
    let Values::Texts(all) = vector.values() else { return Ok(None) };
    let holds = wanted(operator);
    let one = |(at, left): (usize, &&str)| match vector.is_null(at) {
        true => None,
        false => Some(holds((*left).cmp(&right))),
    };
    Ok(Some(Column::truths(all.iter().enumerate().map(one).collect())))
}
