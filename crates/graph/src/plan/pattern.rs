//! What a `MATCH` looks for: nodes, relationships between them, and conditions.

use std::sync::Arc;

use super::{Expression, LabelTest, Slot};
use crate::cypher::ast::{Direction, PathKind};

/// What a `MATCH` looks for.
#[derive(Clone, Debug, Default)]
pub struct Pattern {
    /// Its nodes, each once, named or not.
    pub nodes: Vec<PatternNode>,
    /// Its relationships.
    pub edges: Vec<PatternEdge>,
    /// Slots that the clauses before have bound.
    pub bound: Vec<Slot>,
    /// Paths that are named: made when all else is found.
    pub paths: Vec<(Slot, Expression)>,
    /// What must be true, each with the slots that it names.
    pub filters: Vec<Condition>,
    /// Where the number of its row stands, while it is found out which rows have no match.
    pub origin: Slot,
}

/// What must be true of a match.
#[derive(Clone, Debug)]
pub struct Condition {
    /// What must be true.
    pub test: Expression,
    /// The slots of the pattern that it names.
    pub needs: Vec<Slot>,
}

/// A node that is looked for.
#[derive(Clone, Debug)]
pub struct PatternNode {
    /// Where it goes, or is.
    pub slot: Slot,
    /// The labels that it has for certain: by these it is found.
    pub labels: Vec<Arc<str>>,
    /// How it is named in the text; to be shown.
    pub name: Arc<str>,
}

/// A relationship that is looked for, or a row of them.
#[derive(Clone, Debug)]
pub struct PatternEdge {
    /// Where it goes, or is: a relationship, or a list of them.
    pub slot: Slot,
    /// The node on its left.
    pub from: Slot,
    /// The node on its right.
    pub to: Slot,
    /// Which way it leads.
    pub direction: Direction,
    /// Which types it may have; any without one.
    pub types: Option<LabelTest>,
    /// How many there are in a row, if that varies.
    pub length: Option<(u64, u64)>,
    /// What the properties of each of a row are equal to.
    pub properties: Vec<(Arc<str>, Expression)>,
    /// What must be true of each of a row, which then stands in this slot.
    pub each: Option<(Slot, Expression)>,
    /// Whether all paths are meant, or the shortest.
    pub kind: PathKind,
    /// How it is named in the text; to be shown.
    pub name: Arc<str>,
}
