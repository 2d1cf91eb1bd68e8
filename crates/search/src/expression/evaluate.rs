//! Evaluates an expression for a row. No value makes it panic; `Null` goes through what cannot use
//! it.

use std::borrow::Cow;
use std::cmp::Ordering;

use super::tree::{Expression, Node, Operator, Row};
use super::value::Value;
use crate::error::Result;

impl Expression {
    /// The value for a row.
    ///
    /// # Errors
    /// A text that would be too long.
    pub fn evaluate(&self, row: &dyn Row) -> Result<Value> {
        self.root.evaluate(row)
    }

    /// Whether a row satisfies it.
    ///
    /// # Errors
    /// As [`Expression::evaluate`].
    pub fn is_true(&self, row: &dyn Row) -> Result<bool> {
        Ok(self.root.operand(row)?.is_true())
    }
}

impl Node {
    pub(super) fn evaluate(&self, row: &dyn Row) -> Result<Value> {
        Ok(match self {
            Self::Constant(value) => value.clone(),
            Self::Property(place) => row.value(*place).clone(),
            Self::Not(node) => Value::truth(!node.operand(row)?.is_true()),
            Self::Negate(node) => match node.operand(row)?.as_number() {
                Some(number) => Value::Number(-number),
                None => Value::Null,
            },
            Self::Chain(first, others) => chain(first, others, row)?,
            Self::Call(function, arguments) => function.call(arguments, row)?,
        })
    }

    /// The value without a copy of what the row or the expression has.
    fn operand<'a>(&'a self, row: &'a dyn Row) -> Result<Cow<'a, Value>> {
        Ok(match self {
            Self::Constant(value) => Cow::Borrowed(value),
            Self::Property(place) => Cow::Borrowed(row.value(*place)),
            _ => Cow::Owned(self.evaluate(row)?),
        })
    }
}

fn chain(first: &Node, others: &[(Operator, Node)], row: &dyn Row) -> Result<Value> {
    let mut value = first.operand(row)?;
    for (operator, node) in others {
        value = Cow::Owned(match operator {
            // The other side is not evaluated if this one decides.
            Operator::Or => Value::truth(value.is_true() || node.operand(row)?.is_true()),
            Operator::And => Value::truth(value.is_true() && node.operand(row)?.is_true()),
            _ => apply(*operator, &value, node.operand(row)?.as_ref()),
        });
    }
    Ok(value.into_owned())
}

fn apply(operator: Operator, left: &Value, right: &Value) -> Value {
    use Operator::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual, NotEqual};
    let order = match operator {
        Equal | NotEqual | Less | LessOrEqual | Greater | GreaterOrEqual => left.compare(right),
        _ => return arithmetic(operator, left, right),
    };
    Value::truth(match operator {
        Equal => order == Some(Ordering::Equal),
        NotEqual => order != Some(Ordering::Equal),
        Less => order == Some(Ordering::Less),
        LessOrEqual => matches!(order, Some(Ordering::Less | Ordering::Equal)),
        Greater => order == Some(Ordering::Greater),
        _ => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
    })
}

fn arithmetic(operator: Operator, left: &Value, right: &Value) -> Value {
    let (Some(a), Some(b)) = (left.as_number(), right.as_number()) else { return Value::Null };
    Value::Number(match operator {
        Operator::Add => a + b,
        Operator::Subtract => a - b,
        Operator::Multiply => a * b,
        Operator::Divide => a / b,
        Operator::Power => a.powf(b),
        _ => remainder(a, b),
    })
}

/// Of whole numbers, as in RediSearch: `7.5 % 2` is 1. By zero it is NaN, where RediSearch ends.
fn remainder(a: f64, b: f64) -> f64 {
    let (a, b) = (a.trunc(), b.trunc());
    a % b
}
