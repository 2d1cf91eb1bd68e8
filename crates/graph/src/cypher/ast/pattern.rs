//! Patterns: what nodes and relationships are to look like.

use super::Expr;
use crate::cypher::name::{Name, Span};

/// Nodes with relationships between them.
#[derive(Clone, Debug, PartialEq)]
pub struct PathPattern {
    /// What stands for the path.
    pub variable: Option<Name>,
    /// Whether all paths are meant, or the shortest.
    pub kind: PathKind,
    /// The first node.
    pub start: NodePattern,
    /// Each relationship with the node it leads to.
    pub steps: Vec<(RelationshipPattern, NodePattern)>,
    /// Where it stood.
    pub span: Span,
}

/// Which paths are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathKind {
    /// All.
    All,
    /// `shortestPath(…)`.
    Shortest,
    /// `allShortestPaths(…)`.
    AllShortest,
}

/// `(variable:labels {properties} WHERE filter)`.
#[derive(Clone, Debug, PartialEq)]
pub struct NodePattern {
    /// What stands for the node.
    pub variable: Option<Name>,
    /// Which labels it has.
    pub labels: Option<LabelExpr>,
    /// Its properties.
    pub properties: Option<Properties>,
    /// What must be true of it.
    pub filter: Option<Box<Expr>>,
    /// Where it stood.
    pub span: Span,
}

/// `-[variable:types*length {properties} WHERE filter]->`.
#[derive(Clone, Debug, PartialEq)]
pub struct RelationshipPattern {
    /// Which way it leads.
    pub direction: Direction,
    /// What stands for the relationship, or for a list of them.
    pub variable: Option<Name>,
    /// Which types it may have.
    pub types: Option<LabelExpr>,
    /// How many there are in a row, if that varies.
    pub length: Option<Length>,
    /// Its properties.
    pub properties: Option<Properties>,
    /// What must be true of it.
    pub filter: Option<Box<Expr>>,
    /// Where it stood.
    pub span: Span,
}

/// Which way a relationship leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// `-->`.
    Right,
    /// `<--`.
    Left,
    /// `--`, or `<-->`: either way.
    Either,
}

/// `*min..max`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Length {
    /// At least so many; 1 if nothing is said.
    pub min: Option<u64>,
    /// At most so many.
    pub max: Option<u64>,
}

/// The properties of a pattern.
#[derive(Clone, Debug, PartialEq)]
pub enum Properties {
    /// `{key: value}`.
    Map(Vec<(Name, Expr)>),
    /// `$parameter`.
    Parameter(Name),
}

/// Which labels a node has, or which type a relationship.
#[derive(Clone, Debug, PartialEq)]
pub enum LabelExpr {
    /// One.
    Name(Name),
    /// `%`: any.
    Any,
    /// `!a`.
    Not(Box<LabelExpr>),
    /// `a:b`, `a&b`.
    And(Vec<LabelExpr>),
    /// `a|b`.
    Or(Vec<LabelExpr>),
}

impl LabelExpr {
    /// The labels, if all of them are asked for and nothing else is.
    pub fn conjunction(&self) -> Option<Vec<&Name>> {
        match self {
            Self::Name(name) => Some(vec![name]),
            Self::And(parts) => parts
                .iter()
                .map(|part| match part {
                    Self::Name(name) => Some(name),
                    _ => None,
                })
                .collect(),
            _ => None,
        }
    }
}

impl PathPattern {
    /// All its nodes, from the first on.
    pub fn nodes(&self) -> impl Iterator<Item = &NodePattern> {
        std::iter::once(&self.start).chain(self.steps.iter().map(|(_, node)| node))
    }

    /// All variables that it names.
    pub fn variables(&self) -> impl Iterator<Item = &Name> {
        let nodes = self.nodes().filter_map(|node| node.variable.as_ref());
        let relationships = self.relationships().filter_map(|one| one.variable.as_ref());
        self.variable.iter().chain(nodes).chain(relationships)
    }

    /// All its relationships.
    pub fn relationships(&self) -> impl Iterator<Item = &RelationshipPattern> {
        self.steps.iter().map(|(relationship, _)| relationship)
    }
}
