//! Expressions.

use std::sync::Arc;

use super::Binder;
use crate::cypher::Name;
use crate::cypher::ast::{
    self, Access, Expr, ExprKind, LabelExpr, Literal, MapSelector, Step, UnaryOperator,
};
use crate::plan::{Case, Expression, LabelTest, Selector, Test};
use crate::query::Error;
use crate::value::Value;

impl Binder<'_> {
    /// Binds an expression.
    pub fn expression(&mut self, value: &Expr) -> Result<Expression, Error> {
        if !self.progress.step() {
            return Err(Error::limit("Ended", ""));
        }
        if (self.aggregates.is_some() || !self.known.is_empty())
            && let Some(slot) = self.known(value)?
        {
            return Ok(Expression::Slot(slot));
        }
        Ok(match &value.kind {
            ExprKind::Literal(literal) => Expression::Constant(of_literal(literal)),
            ExprKind::Parameter(name) => Expression::Parameter(Arc::clone(&name.text)),
            ExprKind::Variable(name) => Expression::Slot(self.lookup(&name.text)?),
            ExprKind::List(items) => Expression::List(self.expressions(items)?),
            ExprKind::Map(entries) => Expression::Map(self.entries(entries)?),
            ExprKind::Unary(operator, operand) => {
                let operand = Box::new(self.expression(operand)?);
                match operator {
                    UnaryOperator::Not => Expression::Not(operand),
                    UnaryOperator::Negate => Expression::Negate(operand),
                    UnaryOperator::Plus => Expression::Plus(operand),
                }
            }
            ExprKind::Logical(operator, operands) => {
                Expression::Logical(*operator, self.expressions(operands)?)
            }
            ExprKind::Comparison(chain) => {
                let (first, rest) = self.chain(chain)?;
                Expression::Comparison(first, rest)
            }
            ExprKind::Arithmetic(chain) => {
                let (first, rest) = self.chain(chain)?;
                Expression::Arithmetic(first, rest)
            }
            ExprKind::Tests(tests) => self.tests(tests)?,
            ExprKind::Access(access) => self.access(access)?,
            ExprKind::Labels(value, labels) => {
                Expression::Labels(Box::new(self.expression(value)?), label_test(labels))
            }
            ExprKind::Function(call) => self.call(call)?,
            ExprKind::CountStar => return Err(Error::unsupported("count(*) here")),
            ExprKind::Case(case) => self.case(case)?,
            ExprKind::MapProjection(projection) => self.map_projection(projection)?,
            _ => self.scoped(value)?,
        })
    }

    /// Binds several expressions.
    pub fn expressions(&mut self, values: &[Expr]) -> Result<Vec<Expression>, Error> {
        values.iter().map(|value| self.expression(value)).collect()
    }

    /// The entries of a map.
    pub fn entries(
        &mut self,
        entries: &[(crate::cypher::Name, Expr)],
    ) -> Result<Vec<(Arc<str>, Expression)>, Error> {
        let entry = |(key, value): &(crate::cypher::Name, Expr)| {
            Ok((Arc::clone(&key.text), self.expression(value)?))
        };
        entries.iter().map(entry).collect()
    }

    #[allow(clippy::type_complexity)] // a chain is its first operand and pairs
    fn chain<O: Copy>(
        &mut self,
        chain: &ast::Chain<O>,
    ) -> Result<(Box<Expression>, Vec<(O, Expression)>), Error> {
        let first = Box::new(self.expression(&chain.first)?);
        let next = |(operator, value): &(O, Expr)| Ok((*operator, self.expression(value)?));
        let rest: Result<Vec<_>, Error> = chain.rest.iter().map(next).collect();
        Ok((first, rest?))
    }

    fn tests(&mut self, tests: &ast::Tests) -> Result<Expression, Error> {
        check_chain(tests.tests.len())?;
        let mut value = self.expression(&tests.value)?;
        for test in &tests.tests {
            let kind = match test {
                ast::Test::StartsWith(_) => Test::StartsWith,
                ast::Test::EndsWith(_) => Test::EndsWith,
                ast::Test::Contains(_) => Test::Contains,
                ast::Test::Matches(_) => Test::Matches,
                ast::Test::In(_) => Test::In,
                ast::Test::IsNull => {
                    value = Expression::IsNull(Box::new(value), false);
                    continue;
                }
                ast::Test::IsNotNull => {
                    value = Expression::IsNull(Box::new(value), true);
                    continue;
                }
            };
            if let Some(argument) = test.argument() {
                let argument = self.expression(argument)?;
                value = Expression::Test(kind, Box::new(value), Box::new(argument));
            }
        }
        Ok(value)
    }

    fn access(&mut self, access: &Access) -> Result<Expression, Error> {
        check_chain(access.steps.len())?;
        // A part of what is named may be known already: `n.x` of `n.x.y`.
        let mut value = self.expression(&access.base)?;
        for (place, step) in access.steps.iter().enumerate() {
            let base = Box::new(value);
            value = match step {
                Step::Property(key) => {
                    let so_far = self.known.find_prefix(access, place + 1);
                    match so_far {
                        Some(slot) => {
                            self.touched.push(slot);
                            Expression::Slot(slot)
                        }
                        None => Expression::Property(base, Arc::clone(&key.text)),
                    }
                }
                Step::Index(index) => Expression::Index(base, Box::new(self.expression(index)?)),
                Step::Slice(from, to) => {
                    let mut bound = |bound: &Option<Expr>| {
                        bound.as_ref().map(|bound| self.expression(bound).map(Box::new)).transpose()
                    };
                    let (from, to) = (bound(from)?, bound(to)?);
                    Expression::Slice(base, from, to)
                }
            };
        }
        Ok(value)
    }

    fn case(&mut self, case: &ast::Case) -> Result<Expression, Error> {
        let subject = case.subject.as_ref().map(|subject| self.expression(subject)).transpose()?;
        let mut branches = Vec::new();
        for (condition, value) in &case.branches {
            branches.push((self.expression(condition)?, self.expression(value)?));
        }
        let otherwise = match &case.otherwise {
            Some(otherwise) => self.expression(otherwise)?,
            None => Expression::Constant(Value::Null),
        };
        Ok(Expression::Case(Box::new(Case { subject, branches, otherwise })))
    }

    fn map_projection(&mut self, projection: &ast::MapProjection) -> Result<Expression, Error> {
        let entity = Expression::Slot(self.lookup(&projection.entity.text)?);
        let mut selectors = Vec::new();
        for selector in &projection.selectors {
            selectors.push(match selector {
                MapSelector::All => Selector::All,
                MapSelector::Property(key) => {
                    let key = Arc::clone(&key.text);
                    let value = Expression::Property(Box::new(entity.clone()), Arc::clone(&key));
                    Selector::Entry(key, value)
                }
                MapSelector::Variable(name) => {
                    let value = Expression::Slot(self.lookup(&name.text)?);
                    Selector::Entry(Arc::clone(&name.text), value)
                }
                MapSelector::Entry(key, value) => {
                    Selector::Entry(Arc::clone(&key.text), self.expression(value)?)
                }
            });
        }
        Ok(Expression::MapProjection(Box::new(entity), selectors))
    }
}

/// How many questions or steps may follow each other: each is asked of the one before it.
const LONGEST_CHAIN: usize = 100;

fn check_chain(length: usize) -> Result<(), Error> {
    if length <= LONGEST_CHAIN {
        return Ok(());
    }
    let message = format!("An expression has more than {LONGEST_CHAIN} steps one after the other");
    Err(Error::limit("TooComplex", message))
}

/// The value of what is written out whole, as parameters mostly are: literals, in lists and maps.
/// None of anything else, and where there would be an error.
pub(super) fn written_out(value: &Expr) -> Option<Value> {
    match &value.kind {
        ExprKind::Literal(literal) => Some(of_literal(literal)),
        ExprKind::List(items) => {
            let items = items.iter().map(written_out).collect::<Option<Vec<Value>>>()?;
            Value::list(items).checked().ok()
        }
        ExprKind::Map(entries) => {
            let entry = |(key, value): &(Name, Expr)| Some((key.text.clone(), written_out(value)?));
            let entries = entries.iter().map(entry).collect::<Option<Vec<_>>>()?;
            Value::map(entries).checked().ok()
        }
        _ => None,
    }
}

fn of_literal(literal: &Literal) -> Value {
    match literal {
        Literal::Null => Value::Null,
        Literal::Boolean(is) => Value::Boolean(*is),
        Literal::Integer(number) => Value::Integer(*number),
        Literal::Float(number) => Value::Float(*number),
        Literal::String(text) => Value::String(Arc::clone(text)),
    }
}

/// What is asked of labels.
pub fn label_test(labels: &LabelExpr) -> LabelTest {
    let all = |parts: &[LabelExpr]| parts.iter().map(label_test).collect();
    match labels {
        LabelExpr::Name(name) => LabelTest::Name(Arc::clone(&name.text)),
        LabelExpr::Any => LabelTest::Any,
        LabelExpr::Not(part) => LabelTest::Not(Box::new(label_test(part))),
        LabelExpr::And(parts) => LabelTest::And(all(parts)),
        LabelExpr::Or(parts) => LabelTest::Or(all(parts)),
    }
}
