//! Arithmetic on columns of numbers, without a value for each: as that of `value::arithmetic`, and
//! left to it where a row has no result.

use std::sync::Arc;

use crate::cypher::ast::ArithmeticOperator;
use crate::execute::Column;
use crate::value::Value;
use crate::value::number::float;

/// Numbers of all rows, or one for all.
enum Numbers<'a> {
    Integers(&'a [i64]),
    Integer(i64),
    Floats(&'a [f64]),
    Float(f64),
}

impl<'a> Numbers<'a> {
    fn of(column: &'a Column) -> Option<Numbers<'a>> {
        Some(match column {
            Column::Integers(all) => Numbers::Integers(all),
            Column::Floats(all) => Numbers::Floats(all),
            Column::Constant(Value::Integer(one)) => Numbers::Integer(*one),
            Column::Constant(Value::Float(one)) => Numbers::Float(*one),
            _ => return None,
        })
    }

    /// The integer of a row, if all are integers.
    #[inline]
    fn integer(&self, row: usize) -> i64 {
        match self {
            Numbers::Integers(all) => all[row],
            Numbers::Integer(one) => *one,
            _ => 0,
        }
    }

    #[inline]
    fn float(&self, row: usize) -> f64 {
        match self {
            Numbers::Integers(all) => float(all[row]),
            Numbers::Integer(one) => float(*one),
            Numbers::Floats(all) => all[row],
            Numbers::Float(one) => *one,
        }
    }

    fn is_whole(&self) -> bool {
        matches!(self, Numbers::Integers(_) | Numbers::Integer(_))
    }

    fn is_one(&self) -> bool {
        matches!(self, Numbers::Integer(_) | Numbers::Float(_))
    }
}

/// The results of all rows; none where they are not only numbers, are the same in all rows, or
/// where one is an error.
pub fn calculate(
    operator: ArithmeticOperator,
    left: &Column,
    right: &Column,
    len: usize,
) -> Option<Column> {
    let (left, right) = (Numbers::of(left)?, Numbers::of(right)?);
    if left.is_one() && right.is_one() {
        return None;
    }
    let rows = 0..len;
    if left.is_whole() && right.is_whole() {
        let of: fn(i64, i64) -> Option<i64> = match operator {
            ArithmeticOperator::Add => i64::checked_add,
            ArithmeticOperator::Subtract => i64::checked_sub,
            ArithmeticOperator::Multiply => i64::checked_mul,
            ArithmeticOperator::Divide => i64::checked_div,
            ArithmeticOperator::Modulo => i64::checked_rem,
            ArithmeticOperator::Power => return None,
        };
        let all = rows.map(|row| of(left.integer(row), right.integer(row)));
        return Some(Column::Integers(Arc::new(all.collect::<Option<Vec<i64>>>()?)));
    }
    let of: fn(f64, f64) -> f64 = match operator {
        ArithmeticOperator::Add => |a, b| a + b,
        ArithmeticOperator::Subtract => |a, b| a - b,
        ArithmeticOperator::Multiply => |a, b| a * b,
        ArithmeticOperator::Divide => |a, b| a / b,
        ArithmeticOperator::Modulo | ArithmeticOperator::Power => return None,
    };
    let all = rows.map(|row| of(left.float(row), right.float(row)));
    Some(Column::Floats(Arc::new(all.collect())))
}
