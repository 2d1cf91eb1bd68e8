//! Operators.

use super::{At, Checker, mismatch};
use crate::cypher::ast::{
    ArithmeticOperator, Chain, ComparisonOperator, Expr, Test, Tests, UnaryOperator,
};
use crate::cypher::error::Error;
use crate::value::Type;

/// A truth value, or null.
const TRUTH: Type = Type::BOOLEAN.or(Type::NULL);

impl Checker<'_> {
    pub fn unary(
        &mut self,
        operator: UnaryOperator,
        operand: &Expr,
        at: At,
    ) -> Result<Type, Error> {
        if operator == UnaryOperator::Not {
            self.predicate(operand, at)?;
            return Ok(TRUTH);
        }
        let may_be = self.expr(operand, at.value())?;
        Ok(if may_be.is_only(Type::NUMBER) { may_be } else { Type::ANY })
    }

    pub fn logical(&mut self, operands: &[Expr], at: At) -> Result<Type, Error> {
        operands.iter().try_for_each(|operand| self.predicate(operand, at))?;
        Ok(TRUTH)
    }

    pub fn comparison(&mut self, chain: &Chain<ComparisonOperator>, at: At) -> Result<Type, Error> {
        self.expr(&chain.first, at)?;
        for (_, operand) in &chain.rest {
            self.expr(operand, at)?;
        }
        Ok(TRUTH)
    }

    pub fn arithmetic(&mut self, chain: &Chain<ArithmeticOperator>, at: At) -> Result<Type, Error> {
        let mut result = self.expr(&chain.first, at)?;
        let mut left = &chain.first;
        for (operator, right) in &chain.rest {
            let may_be = self.expr(right, at)?;
            let (operands, expected) = operands(*operator);
            for (may_be, operand) in [(result, left), (may_be, right)] {
                if !may_be.may_be(operands) {
                    return Err(mismatch(expected, may_be, operand.span.start));
                }
            }
            result = result_of(*operator, result, may_be);
            left = right;
        }
        Ok(result)
    }

    pub fn tests(&mut self, tests: &Tests, at: At) -> Result<Type, Error> {
        self.expr(&tests.value, at)?;
        for test in &tests.tests {
            let Some(argument) = test.argument() else { continue };
            let may_be = self.expr(argument, at)?;
            if matches!(test, Test::In(_)) && !may_be.may_be(Type::LIST) {
                return Err(mismatch("List or Null", may_be, argument.span.start));
            }
        }
        Ok(TRUTH)
    }
}

/// What an operator takes, and how messages call it.
fn operands(operator: ArithmeticOperator) -> (Type, &'static str) {
    let time = Type::TEMPORAL.or(Type::DURATION);
    match operator {
        ArithmeticOperator::Add => (Type::ANY, "anything"),
        ArithmeticOperator::Subtract => {
            (Type::NUMBER.or(time), "Integer, Float, Datetime, Duration, or Null")
        }
        ArithmeticOperator::Multiply | ArithmeticOperator::Divide => {
            (Type::NUMBER.or(Type::DURATION), "Integer, Float, Duration, or Null")
        }
        ArithmeticOperator::Modulo | ArithmeticOperator::Power => {
            (Type::NUMBER, "Integer, Float, or Null")
        }
    }
}

/// What comes of two operands, where they are certainly numbers.
fn result_of(operator: ArithmeticOperator, left: Type, right: Type) -> Type {
    if !left.is_only(Type::NUMBER) || !right.is_only(Type::NUMBER) {
        return Type::ANY;
    }
    match operator {
        ArithmeticOperator::Power => Type::FLOAT,
        _ if left.is_only(Type::INTEGER) && right.is_only(Type::INTEGER) => Type::INTEGER,
        _ => Type::NUMBER,
    }
}
