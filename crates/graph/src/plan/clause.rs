//! Clauses whose names are bound.

use std::sync::Arc;

use super::{
    Aggregate, Assignment, Delete, Expression, Foreach, LoadCsv, Merge, Pattern, ProcedureCall,
    Slot,
};

/// A query: parts whose rows are put together.
#[derive(Clone, Debug)]
pub struct Query {
    /// Its parts; one without `UNION`.
    pub parts: Vec<Part>,
    /// Whether each row comes once.
    pub distinct: bool,
    /// Where the columns of the query go. Of a single part they are its own.
    pub columns: Vec<Slot>,
    /// Slots that unions carry on beside the columns.
    pub kept: Vec<Slot>,
    /// Whether it may run for the rows of a batch together: nothing in it is about all rows.
    pub by_row: bool,
}

/// A part of a union.
#[derive(Clone, Debug)]
pub struct Part {
    /// What is done, in this order.
    pub clauses: Vec<Clause>,
    /// Where its columns are, in the order of the query's.
    pub columns: Vec<Slot>,
}

/// A clause: takes rows, makes rows.
#[derive(Clone, Debug)]
pub enum Clause {
    /// `MATCH`.
    Match(Pattern),
    /// `OPTIONAL MATCH`.
    Optional(Pattern),
    /// `UNWIND`.
    Unwind(Expression, Slot),
    /// Columns are computed and added.
    Project(Vec<(Slot, Expression)>),
    /// Rows are put together in groups.
    Aggregate(Grouping),
    /// Each combination of these slots once.
    Distinct(Vec<Slot>),
    /// `ORDER BY`; the flag says that the largest comes first.
    Sort(Vec<(Expression, bool)>),
    /// `SKIP`.
    Skip(Expression),
    /// `LIMIT`.
    Limit(Expression),
    /// `WHERE`.
    Filter(Expression),
    /// What is in other slots is forgotten.
    Keep(Vec<Slot>),
    /// `CALL { … }`.
    Subquery(SubqueryClause),
    /// `CREATE`, and what `MERGE` makes.
    Create(Create),
    /// `MERGE`.
    Merge(Merge),
    /// `SET` and `REMOVE`.
    Assign(Vec<Assignment>),
    /// `DELETE`.
    Delete(Delete),
    /// `FOREACH`.
    Foreach(Foreach),
    /// `CALL procedure(…)`.
    Call(ProcedureCall),
    /// `LOAD CSV`.
    LoadCsv(LoadCsv),
}

impl Clause {
    /// Whether it does nothing but to make rows, or new nodes and relationships: it looks at
    /// nothing that another clause may change.
    #[must_use]
    pub fn is_blind(&self) -> bool {
        let is_simple = |value: &Option<Expression>| value.iter().all(Expression::is_simple);
        match self {
            Clause::Unwind(list, _) => list.is_simple(),
            Clause::LoadCsv(load) => load.values().all(Expression::is_simple),
            Clause::Project(columns) => columns.iter().all(|(_, value)| value.is_simple()),
            Clause::Create(create) => {
                create.nodes.iter().all(|node| is_simple(&node.properties))
                    && create.edges.iter().all(|edge| is_simple(&edge.properties))
            }
            Clause::Keep(_) => true,
            _ => false,
        }
    }

    /// Whether it may change the graph.
    #[must_use]
    pub fn writes(&self) -> bool {
        match self {
            Clause::Create(_)
            | Clause::Merge(_)
            | Clause::Assign(_)
            | Clause::Delete(_)
            | Clause::Foreach(_) => true,
            Clause::Subquery(call) => {
                call.query.parts.iter().any(|part| part.clauses.iter().any(Clause::writes))
            }
            _ => false,
        }
    }
}

/// What rows are grouped by, and what is made of each group.
#[derive(Clone, Debug)]
pub struct Grouping {
    /// The keys, with the slots they go to.
    pub keys: Vec<(Slot, Expression)>,
    /// What is aggregated.
    pub aggregates: Vec<Aggregate>,
}

/// `CALL { … }`.
#[derive(Clone, Debug)]
pub struct SubqueryClause {
    /// The query.
    pub query: Query,
    /// The slots of the row that it may name.
    pub outer: Vec<Slot>,
    /// Where the number of its row stands, if it may run for many rows at once.
    pub origin: Slot,
    /// Whether it returns rows; else it leaves the row as it is.
    pub returns: bool,
}

/// What is made of a pattern.
#[derive(Clone, Debug, Default)]
pub struct Create {
    /// The nodes that are new.
    pub nodes: Vec<NewNode>,
    /// The relationships.
    pub edges: Vec<NewEdge>,
    /// Paths that are named.
    pub paths: Vec<(Slot, Expression)>,
}

/// A node to be made.
#[derive(Clone, Debug)]
pub struct NewNode {
    /// Where it goes.
    pub slot: Slot,
    /// Its labels.
    pub labels: Vec<Arc<str>>,
    /// Its properties: a map.
    pub properties: Option<Expression>,
}

/// A relationship to be made.
#[derive(Clone, Debug)]
pub struct NewEdge {
    /// Where it goes.
    pub slot: Slot,
    /// Its type.
    pub kind: Arc<str>,
    /// Where it begins.
    pub from: Slot,
    /// Where it ends.
    pub to: Slot,
    /// Its properties: a map.
    pub properties: Option<Expression>,
}

impl Grouping {
    /// Whether nothing is asked of the rows of a group but how many there are.
    #[must_use]
    pub fn counts_rows(&self) -> bool {
        self.aggregates.iter().all(|one| one.argument.is_none())
    }
}

impl Create {
    /// Whether the properties of what this makes may be those of what another has made before.
    #[must_use]
    pub fn looks_at(&self, before: &Create) -> bool {
        let nodes = before.nodes.first().map(|node| node.slot);
        let edges = before.edges.first().map(|edge| edge.slot);
        let Some(first) = nodes.into_iter().chain(edges).min() else { return true };
        let of_nodes = self.nodes.iter().filter_map(|node| node.properties.as_ref());
        let of_edges = self.edges.iter().filter_map(|edge| edge.properties.as_ref());
        let mut looks = false;
        for properties in of_nodes.chain(of_edges) {
            properties.for_each_slot(&mut |slot| looks = looks || slot >= first);
        }
        looks
    }
}
