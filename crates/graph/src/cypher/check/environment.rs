//! What a check asks of what is outside of the query, and what it tells.

use std::sync::Arc;

use crate::cypher::types::Type;

/// What there is besides the query.
pub trait Environment {
    /// What is known of a procedure.
    fn procedure(&self, name: &str) -> Option<Procedure>;

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

/// What is known of a procedure before it runs.
#[derive(Clone, Debug)]
pub struct Procedure {
    /// Its arguments, each with what it may be.
    pub arguments: Vec<(Arc<str>, Type)>,
    /// The columns it yields, each with what it may be.
    pub columns: Vec<(Arc<str>, Type)>,
    /// Whether it changes the graph.
    pub writes: bool,
}

/// What is known of a statement that makes sense.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    /// Its columns; none if it returns nothing.
    pub columns: Vec<Arc<str>>,
    /// Whether it may change the graph.
    pub writes: bool,
}
