//! Calls of functions.

use super::{Aggregates, At, Checker, mismatch};
use crate::cypher::ast::FunctionCall;
use crate::cypher::error::{Class, Error};
use crate::cypher::functions::{Signature, function};
use crate::cypher::name::Span;
use crate::value::Type;

impl Checker<'_> {
    pub fn function(&mut self, call: &FunctionCall, at: At, span: Span) -> Result<Type, Error> {
        let name = &call.name;
        let Some(function) = function(&name.text) else {
            if !self.environment.has_function(&name.text) {
                let message = format!("Unknown function '{name}'");
                return Err(Error::new(Class::UnknownFunction, name.span.start, message));
            }
            call.arguments.iter().try_for_each(|value| self.expr(value, at).map(|_| ()))?;
            return Ok(Type::ANY);
        };
        count_arguments(&function, call.arguments.len(), span)?;
        if function.random && at.aggregates == Aggregates::Nested {
            let message = "Can't use non-deterministic functions inside of aggregate functions.";
            return Err(Error::new(Class::NonConstantExpression, span.start, message));
        }
        if function.aggregate {
            self.aggregate(&function.name.to_ascii_lowercase(), at, span)?;
        } else if call.distinct {
            let message = format!("DISTINCT has no meaning in function '{name}'");
            return Err(Error::new(Class::InvalidAggregation, span.start, message));
        }
        let within = match function {
            _ if function.aggregate => At { aggregates: Aggregates::Nested, ..at },
            _ if function.name == "exists" => at.predicate(),
            _ => at,
        };
        for (index, value) in call.arguments.iter().enumerate() {
            let may_be = self.expr(value, within)?;
            if index == 0 && !may_be.may_be(function.argument) {
                let expected = function.argument.or(Type::NULL).names();
                return Err(mismatch(&expected, may_be, value.span.start));
            }
        }
        Ok(function.result.or(Type::NULL))
    }

    /// Whether an aggregate may stand here.
    pub fn aggregate(&self, name: &str, at: At, span: Span) -> Result<Type, Error> {
        let (class, message) = match at.aggregates {
            Aggregates::Allowed => return Ok(Type::INTEGER),
            Aggregates::Refused => {
                let message = format!("Invalid use of aggregating function '{name}'");
                (Class::InvalidAggregation, message)
            }
            Aggregates::Nested => {
                let message = "Can't use aggregate functions inside of aggregate functions.";
                (Class::NestedAggregation, message.to_owned())
            }
        };
        Err(Error::new(class, span.start, message))
    }
}

fn count_arguments(function: &Signature, sent: usize, span: Span) -> Result<(), Error> {
    let expected = if sent < function.min {
        format!("at least {}", function.min)
    } else if sent > function.max {
        format!("at most {}", function.max)
    } else {
        return Ok(());
    };
    let name = function.name.to_ascii_lowercase();
    let message = format!("Received {sent} arguments to function '{name}', expected {expected}");
    Err(Error::new(Class::InvalidNumberOfArguments, span.start, message))
}
