//! A statement: its parameters, and a query or a command about indexes.

use super::{Clause, Expr, IndexCommand};
use crate::cypher::name::{Name, Span};

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// What stood after `CYPHER`: parameters, each with its value.
    pub parameters: Vec<Parameter>,
    /// What is to be done.
    pub body: Body,
}

/// A parameter of the header: `name = value`.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its name.
    pub name: Name,
    /// Its value, which names no variables.
    pub value: Expr,
}

/// What a statement does.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// Read, write, or both.
    Query(Query),
    /// Create or drop an index.
    Index(IndexCommand),
}

/// Queries whose rows are put together.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    /// The first.
    pub first: SingleQuery,
    /// All others, each with what it is joined by.
    pub rest: Vec<(Union, SingleQuery)>,
}

/// How the rows of two queries are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Union {
    /// `UNION`: each row once.
    Distinct,
    /// `UNION ALL`.
    All,
}

/// Clauses, each of which works on the rows of the one before.
#[derive(Clone, Debug, PartialEq)]
pub struct SingleQuery {
    /// The clauses.
    pub clauses: Vec<Clause>,
    /// Where it stood.
    pub span: Span,
}

impl Query {
    /// All its parts.
    pub fn parts(&self) -> impl Iterator<Item = &SingleQuery> {
        std::iter::once(&self.first).chain(self.rest.iter().map(|(_, part)| part))
    }
}
