//! Does a statement make sense? All rules that need neither schema nor data: scopes of variables,
//! types as far as the text tells them, where aggregates may stand, which clauses may follow which.
//!
//! An error has the class that openCypher's technology compatibility kit gives it, and FalkorDB's
//! words where that has a message for it.

mod aggregation;
mod call;
mod clause;
mod comprehension;
mod environment;
mod expression;
mod function;
mod operators;
mod order;
mod pattern;
mod projection;
mod query;
mod scope;
mod write_pattern;

pub use environment::{Environment, Facts, NoProcedures, Procedure, ProcedureBody};

use std::sync::Arc;

use super::ast::{Body, Statement};
use super::error::{Class, Error};
use super::name::Name;
use super::progress::Progress;
use crate::value::Type;
use scope::Scope;

/// Checks a statement, and tells what is known of it then.
pub fn check(statement: &Statement, environment: &dyn Environment) -> Result<Facts, Error> {
    check_along(statement, environment, &Progress::within(usize::MAX))
}

/// The same, which asks whether to go on.
pub fn check_along(
    statement: &Statement,
    environment: &dyn Environment,
    progress: &Progress<'_>,
) -> Result<Facts, Error> {
    let mut checker = Checker {
        environment,
        progress,
        scope: Scope::new(),
        writes: false,
        starred: 0,
        procedures: Vec::new(),
    };
    match &statement.body {
        Body::Query(query) => {
            let columns = checker.query(query, Within::Nothing)?;
            let (writes, procedures) = (checker.writes, checker.procedures);
            Ok(Facts { columns, writes, procedures })
        }
        Body::Index(_) => Ok(Facts { columns: Vec::new(), writes: true, procedures: Vec::new() }),
    }
}

/// What is known while a statement is checked.
struct Checker<'e> {
    environment: &'e dyn Environment,
    progress: &'e Progress<'e>,
    scope: Scope,
    writes: bool,
    /// How many columns `*` has stood for.
    starred: usize,
    /// The procedures that are called.
    procedures: Vec<(Arc<str>, Procedure)>,
}

/// For how many columns `*` may stand in a statement: in each of many clauses it may stand for one
/// more than in the one before.
const MAX_STARRED: usize = 100_000;

/// What a query is a part of, which decides how it may end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Within {
    /// It is the statement.
    Nothing,
    /// `CALL { … }`.
    Call,
    /// `CALL (…) { … }`, which sees what stands in the brackets.
    ScopedCall,
    /// `EXISTS { … }`, `COUNT { … }`.
    Exists,
    /// `COLLECT { … }`.
    Collect,
}

/// What may stand where an expression stands.
#[derive(Clone, Copy, Debug)]
struct At {
    aggregates: Aggregates,
    /// Whether a pattern may stand for whether there is one.
    patterns: bool,
}

/// Whether an aggregate may stand somewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Aggregates {
    Allowed,
    Refused,
    /// Not within another.
    Nested,
}

impl At {
    /// Where rows have no groups.
    const ROW: Self = Self { aggregates: Aggregates::Refused, patterns: false };
    /// In a projection.
    const COLUMN: Self = Self { aggregates: Aggregates::Allowed, patterns: false };

    /// Where a truth value is meant.
    fn predicate(self) -> Self {
        Self { patterns: true, ..self }
    }

    /// Where it is no longer certain that a truth value is meant.
    fn value(self) -> Self {
        Self { patterns: false, ..self }
    }

    /// Within what runs once for each element.
    fn element(self) -> Self {
        Self { aggregates: Aggregates::Refused, patterns: false }
    }
}

/// A variable that nothing has bound.
fn undefined(name: &Name) -> Error {
    Error::new(Class::UndefinedVariable, name.span.start, format!("'{name}' not defined"))
}

/// A value of a type that it cannot have.
fn mismatch(expected: &str, found: Type, offset: u32) -> Error {
    let message = format!("Type mismatch: expected {expected} but was {}", found.name());
    Error::new(Class::InvalidArgumentType, offset, message)
}
