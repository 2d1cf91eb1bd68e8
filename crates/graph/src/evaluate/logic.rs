//! `AND`, `OR`, `XOR`, `NOT`.

use super::evaluate;
use crate::cypher::ast::LogicalOperator;
use crate::execute::{Batch, Column, Run, row_number};
use crate::plan::Expression;
use crate::query::Error;
use crate::value::logic::{self, Truth};

/// `NOT`.
pub fn not(column: &Column, len: usize) -> Result<Column, Error> {
    let truths = (0..len).map(|row| Ok(logic::not(column.truth(row)?)));
    Ok(Column::truths(truths.collect::<Result<_, Error>>()?))
}

/// The values of an expression in some rows of a batch, of which there may be all: the same as for
/// all rows, where these have values.
pub fn in_rows(
    expression: &Expression,
    batch: &Batch,
    rows: &[u32],
    run: &mut Run<'_>,
) -> Result<Column, Error> {
    if rows.len() == batch.len() {
        return evaluate(expression, batch, run);
    }
    if rows.len() * 2 >= batch.len()
        && let Ok(column) = evaluate(expression, batch, run)
    {
        return Ok(column.gather(rows));
    }
    evaluate(expression, &batch.gather(rows), run)
}

/// Operands between which the same operator stands.
pub fn logical(
    operator: LogicalOperator,
    operands: &[Expression],
    batch: &Batch,
    run: &mut Run<'_>,
) -> Result<Column, Error> {
    let (both, decided): (fn(Truth, Truth) -> Truth, Option<Truth>) = match operator {
        LogicalOperator::And => (logic::and, Some(Some(false))),
        LogicalOperator::Or => (logic::or, Some(Some(true))),
        LogicalOperator::Xor => (logic::xor, None),
    };
    let mut truths: Vec<Truth> = Vec::new();
    for operand in operands {
        if truths.is_empty() {
            let column = evaluate(operand, batch, run)?;
            for row in 0..batch.len() {
                truths.push(column.truth(row)?);
            }
            continue;
        }
        let open = (0..batch.len()).filter(|&row| Some(truths[row]) != decided);
        let rows: Vec<u32> = open.map(row_number).collect();
        let column = in_rows(operand, batch, &rows, run)?;
        for (place, &row) in rows.iter().enumerate() {
            let truth = &mut truths[row as usize];
            *truth = both(*truth, column.truth(place)?);
        }
    }
    Ok(Column::truths(truths))
}
