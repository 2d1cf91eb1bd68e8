//! Expressions over batches: each operator takes columns and makes one.
//!
//! What is the same in all rows is computed once. Comparisons of numbers, and of properties with
//! texts, run over typed vectors; everything else goes value by value through the functions of
//! `value` and `function`.
//!
//! `AND`, `OR` and `CASE` compute a part for the rows that it decides. Where that would be most of
//! them it is computed for all first, and for these alone if that fails.

mod access;
mod case;
mod compare;
mod each;
mod graph_function;
mod labels;
mod logic;
mod membership;
mod numbers;
mod path;
mod plain;

use std::sync::Arc;

use crate::cypher::ast::{ArithmeticOperator, SubqueryKind};
use crate::execute::{self, Batch, Column, Run};
use crate::function::Function;
use crate::function::pattern::Pattern;
use crate::function::string;
use crate::plan::{Expression, Selector, Test};
use crate::query::{Class, Error};
use crate::storage::PropertyRef;
use crate::value::stored::from_property;
use crate::value::{Value, access as parts, arithmetic, equality};

pub use labels::holds;

/// The column of an expression's values in the rows of a batch.
///
/// # Errors
/// It has no value in one of them.
pub fn evaluate(
    expression: &Expression,
    batch: &Batch,
    run: &mut Run<'_>,
) -> Result<Column, Error> {
    if batch.is_empty() {
        return Ok(Column::Constant(Value::Null));
    }
    match expression {
        Expression::Constant(value) => Ok(Column::Constant(value.clone())),
        Expression::Parameter(name) => parameter(name, run).map(Column::Constant),
        Expression::Slot(slot) => Ok(batch.column(*slot).clone()),
        Expression::List(items) => {
            let columns = all(items, batch, run)?;
            by_row(
                &columns,
                batch,
                run,
                |values| Ok(Value::list(values.iter().cloned()).checked()?),
            )
        }
        Expression::Map(entries) => map(entries, batch, run),
        Expression::Not(operand) => logic::not(&evaluate(operand, batch, run)?, batch.len()),
        Expression::Negate(operand) => {
            let column = evaluate(operand, batch, run)?;
            by_row(&[column], batch, run, |values| Ok(arithmetic::negate(&values[0])?))
        }
        Expression::Plus(operand) => evaluate(operand, batch, run),
        Expression::Logical(operator, operands) => logic::logical(*operator, operands, batch, run),
        Expression::Comparison(first, rest) => compare::chain(first, rest, batch, run),
        Expression::Arithmetic(first, rest) => {
            let mut left = evaluate(first, batch, run)?;
            for (operator, right) in rest {
                let right = evaluate(right, batch, run)?;
                left = calculate(*operator, left, right, batch, run)?;
            }
            Ok(left)
        }
        Expression::Test(test, left, right) => asked(*test, left, right, batch, run),
        Expression::IsNull(operand, not) => {
            Ok(is_null(&evaluate(operand, batch, run)?, *not, batch.len()))
        }
        Expression::Property(entity, key) => {
            let column = evaluate(entity, batch, run)?;
            access::property(&column, key, batch.len(), run)
        }
        Expression::Index(container, index) => {
            let columns = [evaluate(container, batch, run)?, evaluate(index, batch, run)?];
            let run = &*run;
            by_row(&columns, batch, run, |values| access::element(&values[0], &values[1], run))
        }
        Expression::Slice(list, from, to) => slice((list, from, to), batch, run),
        Expression::Labels(entity, test) => {
            let column = evaluate(entity, batch, run)?;
            labels::labels(&column, test, batch.len(), run)
        }
        Expression::Function(function, arguments) => call(function, arguments, batch, run),
        Expression::OfGraph(function, arguments) => {
            let columns = all(arguments, batch, run)?;
            graph_function::call(*function, &columns, batch, run)
        }
        _ => compound(expression, batch, run),
    }
}

/// Whether the values of a column are null; or whether they are not, if the flag says so.
fn is_null(column: &Column, not: bool, len: usize) -> Column {
    if let Column::Constant(value) = column {
        return Column::Constant(Value::Boolean(value.is_null() != not));
    }
    Column::truths((0..len).map(|row| Some(column.is_null(row) != not)).collect())
}

/// Expressions of several parts that are not all computed for all rows.
fn compound(expression: &Expression, batch: &Batch, run: &mut Run<'_>) -> Result<Column, Error> {
    match expression {
        Expression::Case(case) => case::case(case, batch, run),
        Expression::Comprehension(it) => each::comprehension(it, batch, run),
        Expression::Quantifier(kind, it) => each::quantifier(*kind, it, batch, run),
        Expression::Reduce(reduce) => each::reduce(reduce, batch, run),
        Expression::MapProjection(entity, selectors) => {
            map_projection(entity, selectors, batch, run)
        }
        Expression::Subquery(subquery) => match subquery.kind {
            SubqueryKind::Exists => execute::exists(subquery, batch, run),
            SubqueryKind::Count => execute::count(subquery, batch, run),
            SubqueryKind::Collect => execute::collect(subquery, batch, run),
        },
        Expression::Path(path) => path::path(path, batch, run),
        Expression::Previous(value, number) => previous(value, *number, batch, run),
        _ => Err(Error::unsupported("This expression")),
    }
}

/// What a value was in the row before; null in the first.
fn previous(
    value: &Expression,
    number: usize,
    batch: &Batch,
    run: &mut Run<'_>,
) -> Result<Column, Error> {
    let column = evaluate(value, batch, run)?;
    let last = column.value(batch.len() - 1);
    let first = run.previous.insert(number, last).unwrap_or_default();
    let rest = (0..batch.len() - 1).map(|row| column.value(row));
    Ok(Column::of(std::iter::once(first).chain(rest).collect()))
}

/// What a function gives for the arguments of each row.
fn call(
    function: &Function,
    arguments: &[Expression],
    batch: &Batch,
    run: &mut Run<'_>,
) -> Result<Column, Error> {
    let columns = all(arguments, batch, run)?;
    let (run, context) = (&*run, run.context());
    let call = |values: &[Value]| {
        let called = function.call(context, values);
        called.map_err(|error| run.ended().unwrap_or_else(|| error.into()))
    };
    match function.is_pure {
        true => by_row(&columns, batch, run, call),
        false => drawn(&columns, batch.len(), run, call),
    }
}

/// The columns of several expressions.
fn all(expressions: &[Expression], batch: &Batch, run: &mut Run<'_>) -> Result<Vec<Column>, Error> {
    expressions.iter().map(|expression| evaluate(expression, batch, run)).collect()
}

/// What is made of the values of each row; once if these are the same in all.
fn by_row(
    columns: &[Column],
    batch: &Batch,
    run: &Run<'_>,
    make: impl Fn(&[Value]) -> Result<Value, Error>,
) -> Result<Column, Error> {
    let constants = columns.iter().map(|column| match column {
        Column::Constant(value) => Some(value.clone()),
        _ => None,
    });
    if let Some(values) = constants.collect::<Option<Vec<Value>>>() {
        return Ok(Column::Constant(make(&values)?));
    }
    drawn(columns, batch.len(), run, make)
}

/// What is made of the values of each row, row by row.
fn drawn(
    columns: &[Column],
    rows: usize,
    run: &Run<'_>,
    make: impl Fn(&[Value]) -> Result<Value, Error>,
) -> Result<Column, Error> {
    let mut made = Made::default();
    let mut values = vec![Value::Null; columns.len()];
    let mut out = Vec::with_capacity(rows);
    for row in 0..rows {
        for (value, column) in values.iter_mut().zip(columns) {
            *value = column.value(row);
            run.work(value.units())?;
        }
        let value = make(&values)?;
        made.add(&value, run)?;
        out.push(value);
    }
    Ok(Column::of(out))
}

/// Bytes of the values that an expression makes of the rows of a batch, which are kept together
/// until the batch is passed on.
#[derive(Default)]
pub(crate) struct Made {
    bytes: usize,
    asked: usize,
}

impl Made {
    /// The statement is asked whether it goes on after so many.
    const STEP: usize = 1 << 20;

    /// Adds a value that was made.
    ///
    /// # Errors
    /// They are too many, or the statement is to end.
    pub fn add(&mut self, value: &Value, run: &Run<'_>) -> Result<(), Error> {
        self.add_bytes(value.memory(), run)
    }

    /// The value of a property, which may be large: the work is noted, and whether there is room is
    /// asked, before it is copied.
    ///
    /// # Errors
    /// There is none, or the statement is to end.
    pub fn copy(&mut self, stored: PropertyRef<'_>, run: &Run<'_>) -> Result<Value, Error> {
        run.work(stored.units())?;
        let bytes = match stored {
            PropertyRef::Text(text) => text.len(),
            PropertyRef::Encoded(bytes) => bytes.len(),
            _ => 0,
        };
        if bytes >= Made::STEP.min(run.settings().memory) {
            run.check_made(self.bytes + bytes)?;
        }
        let value = from_property(stored);
        self.add(&value, run)?;
        Ok(value)
    }

    fn add_bytes(&mut self, bytes: usize, run: &Run<'_>) -> Result<(), Error> {
        self.bytes += bytes;
        if self.bytes - self.asked < Made::STEP {
            return Ok(());
        }
        self.asked = self.bytes;
        run.check_made(self.bytes)
    }
}

fn parameter(name: &str, run: &Run<'_>) -> Result<Value, Error> {
    let value = run.settings().parameters.get(name).cloned();
    value.ok_or_else(|| {
        Error::new(Class::ParameterMissing, "MissingParameter", "Missing parameters")
    })
}

fn map(
    entries: &[(Arc<str>, Expression)],
    batch: &Batch,
    run: &mut Run<'_>,
) -> Result<Column, Error> {
    let mut columns = Vec::with_capacity(entries.len());
    for (_, value) in entries {
        columns.push(evaluate(value, batch, run)?);
    }
    by_row(&columns, batch, run, |values| {
        let entries = entries.iter().zip(values);
        let entries = entries.map(|((key, _), value)| (Arc::clone(key), value.clone()));
        Ok(Value::map(entries).checked()?)
    })
}

fn map_projection(
    entity: &Expression,
    selectors: &[Selector],
    batch: &Batch,
    run: &mut Run<'_>,
) -> Result<Column, Error> {
    let mut columns = vec![evaluate(entity, batch, run)?];
    for selector in selectors {
        if let Selector::Entry(_, value) = selector {
            columns.push(evaluate(value, batch, run)?);
        }
    }
    let run = &*run;
    by_row(&columns, batch, run, |values| {
        if values[0].is_null() {
            return Ok(Value::Null);
        }
        let mut entries: Vec<(Arc<str>, Value)> = Vec::new();
        let mut next = 1;
        for selector in selectors {
            match selector {
                Selector::Entry(key, _) => {
                    entries.push((Arc::clone(key), values[next].clone()));
                    next += 1;
                }
                Selector::All => {
                    if let Value::Map(map) = graph_function::properties(&values[0], run)? {
                        let of_map = map.iter().map(|(key, value)| (key.clone(), value.clone()));
                        entries.extend(of_map);
                    }
                }
            }
        }
        Ok(Value::map(entries).checked()?)
    })
}

type Bound = Option<Box<Expression>>;

fn slice(
    (list, from, to): (&Expression, &Bound, &Bound),
    batch: &Batch,
    run: &mut Run<'_>,
) -> Result<Column, Error> {
    let mut columns = vec![evaluate(list, batch, run)?];
    for bound in [from, to].into_iter().flatten() {
        columns.push(evaluate(bound, batch, run)?);
    }
    by_row(&columns, batch, run, |values| {
        let end = if from.is_some() { values.get(2) } else { values.get(1) };
        let start = from.as_ref().and_then(|_| values.get(1));
        Ok(parts::slice(&values[0], start, end.filter(|_| to.is_some()))?)
    })
}

fn calculate(
    operator: ArithmeticOperator,
    left: Column,
    right: Column,
    batch: &Batch,
    run: &Run<'_>,
) -> Result<Column, Error> {
    if let Some(column) = numbers::calculate(operator, &left, &right, batch.len()) {
        return Ok(column);
    }
    let calculate = match operator {
        ArithmeticOperator::Add => arithmetic::add,
        ArithmeticOperator::Subtract => arithmetic::subtract,
        ArithmeticOperator::Multiply => arithmetic::multiply,
        ArithmeticOperator::Divide => arithmetic::divide,
        ArithmeticOperator::Modulo => arithmetic::remainder,
        ArithmeticOperator::Power => arithmetic::power,
    };
    by_row(&[left, right], batch, run, |values| Ok(calculate(&values[0], &values[1])?.checked()?))
}

/// A question about two values.
fn asked(
    test: Test,
    left: &Expression,
    right: &Expression,
    batch: &Batch,
    run: &mut Run<'_>,
) -> Result<Column, Error> {
    let columns = [evaluate(left, batch, run)?, evaluate(right, batch, run)?];
    if test == Test::Matches {
        return matches(&columns, batch, run);
    }
    if test == Test::In
        && let Some(column) = membership::in_one_list(&columns, batch.len(), run)?
    {
        return Ok(column);
    }
    by_row(&columns, batch, run, |values| {
        let (left, right) = (&values[0], &values[1]);
        Ok(Value::from(match test {
            Test::StartsWith => string::starts_with(left, right),
            Test::EndsWith => string::ends_with(left, right),
            Test::Contains => string::contains(left, right),
            Test::In => equality::is_in(left, right)?,
            Test::Matches => None,
        }))
    })
}

/// `=~`: a pattern that is the same in all rows is compiled once.
fn matches(columns: &[Column; 2], batch: &Batch, run: &Run<'_>) -> Result<Column, Error> {
    let mut compiled: Option<(Value, Pattern)> = None;
    let mut truths = Vec::with_capacity(batch.len());
    for row in 0..batch.len() {
        let (text, pattern) = (columns[0].value(row), columns[1].value(row));
        let (Value::String(text), Value::String(letters)) = (&text, &pattern) else {
            truths.push(None);
            continue;
        };
        if compiled.as_ref().is_none_or(|(known, _)| *known != pattern) {
            compiled = Some((pattern.clone(), Pattern::whole(letters)?));
        }
        let Some((_, machine)) = &mut compiled else { continue };
        run.work(machine.units(text)?)?;
        truths.push(Some(machine.is_match(text)));
    }
    Ok(Column::truths(truths))
}
