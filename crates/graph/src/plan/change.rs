//! Clauses that change what is there, calls of procedures, and files that are read.

use std::sync::Arc;

use super::{ByKey, Clause, Create, Expression, Pattern, Slot};
use crate::cypher::ProcedureBody;

/// What `SET` and `REMOVE` change.
#[derive(Clone, Debug)]
pub enum Assignment {
    /// `entity.key = value`; null takes the property away.
    Property(Expression, Arc<str>, Expression),
    /// `entity = map`.
    Replace(Expression, Expression),
    /// `entity += map`.
    Add(Expression, Expression),
    /// `entity:Label`; the flag says that they are given, not taken.
    Labels(Expression, Vec<Arc<str>>, bool),
}

/// `MERGE`: what is looked for, and made if it is not there.
#[derive(Clone, Debug)]
pub struct Merge {
    /// What is looked for. It has slots of its own.
    pub pattern: Pattern,
    /// What is made. Its slots are those that later clauses name.
    pub create: Create,
    /// From the slots of what is looked for to those of what is made.
    pub copies: Vec<(Slot, Slot)>,
    /// What else is done with what was made.
    pub on_create: Vec<Assignment>,
    /// What else is done with what was found.
    pub on_match: Vec<Assignment>,
    /// How all rows are worked on at once, where that is the same.
    pub by_key: Option<ByKey>,
}

/// `DELETE`.
#[derive(Clone, Debug)]
pub struct Delete {
    /// The relationships of nodes go with them.
    pub detach: bool,
    /// What is deleted.
    pub values: Vec<Expression>,
}

/// `FOREACH`.
#[derive(Clone, Debug)]
pub struct Foreach {
    /// The elements.
    pub list: Expression,
    /// Where an element stands.
    pub element: Slot,
    /// What is done for each.
    pub clauses: Vec<Clause>,
}

/// `CALL procedure(…)`.
#[derive(Clone, Debug)]
pub struct ProcedureCall {
    /// Its name; to be shown.
    pub name: Arc<str>,
    /// What it does.
    pub body: ProcedureBody,
    /// Its arguments.
    pub arguments: Vec<Expression>,
    /// Which of its columns are wanted, and where they go.
    pub columns: Vec<(usize, Slot)>,
    /// Whether it has no columns at all: then it leaves the rows as they are.
    pub is_void: bool,
}

/// `LOAD CSV`.
#[derive(Clone, Debug)]
pub struct LoadCsv {
    /// Whether the first line has names, and rows are maps.
    pub headers: bool,
    /// Which file.
    pub url: Expression,
    /// What stands between fields; a comma if nothing is said.
    pub separator: Option<Expression>,
    /// Where a row stands.
    pub slot: Slot,
}

impl LoadCsv {
    /// What it computes for each row before it.
    pub fn values(&self) -> impl Iterator<Item = &Expression> {
        std::iter::once(&self.url).chain(&self.separator)
    }
}
