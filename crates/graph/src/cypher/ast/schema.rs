//! Commands about indexes.

use super::Expr;
use crate::cypher::name::Name;

/// `CREATE INDEX …`, `DROP INDEX …`.
#[derive(Clone, Debug, PartialEq)]
pub struct IndexCommand {
    /// `DROP`; else `CREATE`.
    pub drop: bool,
    /// What kind of index.
    pub kind: IndexKind,
    /// What is indexed.
    pub target: IndexTarget,
    /// Its label or type.
    pub label: Name,
    /// Its properties.
    pub properties: Vec<Name>,
    /// `OPTIONS {…}`.
    pub options: Option<Vec<(Name, Expr)>>,
}

/// The kinds of indexes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexKind {
    /// By value.
    Range,
    /// By word.
    Fulltext,
    /// By distance.
    Vector,
}

/// What an index is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexTarget {
    /// Nodes.
    Node,
    /// Relationships.
    Relationship,
}
