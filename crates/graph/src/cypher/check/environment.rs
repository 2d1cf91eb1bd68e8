//! What a check asks of what is outside of the query, and what it tells.

use std::fmt;
use std::sync::Arc;

use crate::algorithm;
use crate::storage::View;
use crate::value::{self, Type, Value};

/// What there is besides the query.
pub trait Environment {
    /// What is known of a procedure.
    fn procedure(&self, name: &str) -> Option<Procedure>;

    /// Why there is no procedure of this name, if there is more to say.
    fn why_not(&self, _name: &str) -> Option<&'static str> {
        None
    }

    /// Whether there is a function of this name besides those of openCypher.
    fn has_function(&self, _name: &str) -> bool {
        false
    }

    /// Whether the request has a parameter of this name.
    fn has_parameter(&self, _name: &str) -> bool {
        true
    }
}

/// Without procedures and functions of users, and with every parameter.
pub struct NoProcedures;

impl Environment for NoProcedures {
    fn procedure(&self, _: &str) -> Option<Procedure> {
        None
    }
}

/// What a procedure computes of a graph and its arguments: rows of its columns.
type Compute = dyn Fn(&View, &[Value]) -> Result<Vec<Vec<Value>>, value::Error> + Send + Sync;

/// What a procedure does.
#[derive(Clone)]
pub enum ProcedureBody {
    /// It computes few rows at once.
    Table(Arc<Compute>),
    /// It is an algorithm, which takes its time and keeps what it needs.
    Algorithm(&'static algorithm::Procedure),
}

impl ProcedureBody {
    /// It computes this.
    pub fn new(
        compute: impl Fn(&View, &[Value]) -> Result<Vec<Vec<Value>>, value::Error>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        Self::Table(Arc::new(compute))
    }
}

/// Two are the same if they are one.
impl PartialEq for ProcedureBody {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Table(one), Self::Table(other)) => Arc::ptr_eq(one, other),
            (Self::Algorithm(one), Self::Algorithm(other)) => one.name == other.name,
            _ => false,
        }
    }
}

impl Eq for ProcedureBody {}

impl fmt::Debug for ProcedureBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ProcedureBody")
    }
}

/// What is known of a procedure before it runs, and what it does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Procedure {
    /// Its arguments, each with what it may be.
    pub arguments: Vec<(Arc<str>, Type)>,
    /// The columns it yields, each with what it may be.
    pub columns: Vec<(Arc<str>, Type)>,
    /// Whether it changes the graph.
    pub writes: bool,
    /// What it does.
    pub body: ProcedureBody,
}

impl Procedure {
    /// Whether it may be called without any arguments, although it takes some.
    #[must_use]
    pub fn is_optional(&self) -> bool {
        matches!(self.body, ProcedureBody::Algorithm(algorithm) if algorithm.is_optional)
    }

    /// Whether a call without brackets takes its arguments from the request's parameters.
    #[must_use]
    pub fn takes_parameters(&self) -> bool {
        matches!(self.body, ProcedureBody::Table(_))
    }
}

/// What is known of a statement that makes sense.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    /// Its columns; none if it returns nothing.
    pub columns: Vec<Arc<str>>,
    /// Whether it may change the graph.
    pub writes: bool,
    /// The procedures that it calls, by the names that it calls them.
    pub procedures: Vec<(Arc<str>, Procedure)>,
}
