//! Expressions whose names are bound: variables are slots of a batch.

use std::sync::Arc;

use super::{Query, Slot};
use crate::aggregate::Aggregation;
use crate::cypher::ast::{
    ArithmeticOperator, ComparisonOperator, LogicalOperator, QuantifierKind, SubqueryKind,
};
use crate::function::Function;
use crate::value::Value;

/// An expression over the rows of a batch.
#[derive(Clone, Debug)]
pub enum Expression {
    /// The same in every row.
    Constant(Value),
    /// `$name`.
    Parameter(Arc<str>),
    /// A variable.
    Slot(Slot),
    /// `[a, b]`.
    List(Vec<Expression>),
    /// `{key: value}`.
    Map(Vec<(Arc<str>, Expression)>),
    /// `NOT a`.
    Not(Box<Expression>),
    /// `-a`.
    Negate(Box<Expression>),
    /// `+a`: a number, as it is.
    Plus(Box<Expression>),
    /// `a AND b`.
    Logical(LogicalOperator, Vec<Expression>),
    /// `a < b <= c`.
    Comparison(Box<Expression>, Vec<(ComparisonOperator, Expression)>),
    /// `a + b - c`.
    Arithmetic(Box<Expression>, Vec<(ArithmeticOperator, Expression)>),
    /// `a IN b`, `a CONTAINS b`.
    Test(Test, Box<Expression>, Box<Expression>),
    /// `a IS NULL`; `a IS NOT NULL` if the flag says so.
    IsNull(Box<Expression>, bool),
    /// `a.key`.
    Property(Box<Expression>, Arc<str>),
    /// `a[index]`.
    Index(Box<Expression>, Box<Expression>),
    /// `a[from..to]`.
    Slice(Box<Expression>, Option<Box<Expression>>, Option<Box<Expression>>),
    /// `a:Label`.
    Labels(Box<Expression>, LabelTest),
    /// A function of values.
    Function(&'static Function, Vec<Expression>),
    /// A function that asks the graph.
    OfGraph(GraphFunction, Vec<Expression>),
    /// `CASE`.
    Case(Box<Case>),
    /// `[x IN list WHERE filter | value]`.
    Comprehension(Box<Comprehension>),
    /// `all(x IN list WHERE filter)`.
    Quantifier(QuantifierKind, Box<Comprehension>),
    /// `reduce(…)`.
    Reduce(Box<Reduce>),
    /// `entity {.key, .*, other: value}`.
    MapProjection(Box<Expression>, Vec<Selector>),
    /// A query for each row.
    Subquery(Box<Subquery>),
    /// A path out of its parts.
    Path(Box<PathParts>),
    /// `prev(value)`: what it was in the row before, which a run keeps under this number.
    Previous(Box<Expression>, usize),
}

impl Expression {
    /// Whether it asks nothing of the graph but properties of what is in a row.
    #[must_use]
    pub fn is_simple(&self) -> bool {
        match self {
            Expression::Constant(_) | Expression::Parameter(_) | Expression::Slot(_) => true,
            Expression::Property(value, _)
            | Expression::Not(value)
            | Expression::Negate(value)
            | Expression::Plus(value)
            | Expression::IsNull(value, _) => value.is_simple(),
            Expression::List(values) | Expression::Function(_, values) => {
                values.iter().all(Expression::is_simple)
            }
            Expression::Map(entries) => entries.iter().all(|(_, value)| value.is_simple()),
            Expression::Arithmetic(first, rest) => {
                first.is_simple() && rest.iter().all(|(_, value)| value.is_simple())
            }
            _ => false,
        }
    }
}

impl std::fmt::Debug for Function {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// What is asked of two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Test {
    /// `STARTS WITH`.
    StartsWith,
    /// `ENDS WITH`.
    EndsWith,
    /// `CONTAINS`.
    Contains,
    /// `=~`.
    Matches,
    /// `IN`.
    In,
}

/// Functions whose values the graph knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GraphFunction {
    /// `id(entity)`.
    Id,
    /// `labels(node)`.
    Labels,
    /// `type(relationship)`.
    Type,
    /// `properties(entity)`.
    Properties,
    /// `keys(entity)`.
    Keys,
    /// `startNode(relationship)`.
    StartNode,
    /// `endNode(relationship)`.
    EndNode,
    /// `indegree(node, types)`.
    InDegree,
    /// `outdegree(node, types)`.
    OutDegree,
    /// `hasLabels(node, labels)`.
    HasLabels,
    /// `toJSON(value)`.
    ToJson,
}

/// Which labels a node has, or which type a relationship.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LabelTest {
    /// This one.
    Name(Arc<str>),
    /// Any.
    Any,
    /// Not these.
    Not(Box<LabelTest>),
    /// All of these.
    And(Vec<LabelTest>),
    /// One of these.
    Or(Vec<LabelTest>),
}

/// `CASE subject WHEN … THEN … ELSE … END`.
#[derive(Clone, Debug)]
pub struct Case {
    /// What is compared; without one, each condition is one.
    pub subject: Option<Expression>,
    /// Each condition with its value.
    pub branches: Vec<(Expression, Expression)>,
    /// The value if there is no other.
    pub otherwise: Expression,
}

/// What runs for each element of a list.
#[derive(Clone, Debug)]
pub struct Comprehension {
    /// Where an element stands.
    pub element: Slot,
    /// The elements.
    pub list: Expression,
    /// Which of them are taken, or of which something is asked.
    pub filter: Option<Expression>,
    /// What is made of each.
    pub value: Option<Expression>,
    /// The slots of the row that filter and value may name.
    pub outer: Vec<Slot>,
}

/// `reduce(accumulator = start, element IN list | step)`.
#[derive(Clone, Debug)]
pub struct Reduce {
    /// Where the result so far stands.
    pub accumulator: Slot,
    /// What it is at first.
    pub start: Expression,
    /// Where an element stands.
    pub element: Slot,
    /// The elements.
    pub list: Expression,
    /// The next result.
    pub step: Expression,
    /// The slots of the row that the step may name.
    pub outer: Vec<Slot>,
}

/// What a map projection has.
#[derive(Clone, Debug)]
pub enum Selector {
    /// `.*`
    All,
    /// `key: value`.
    Entry(Arc<str>, Expression),
}

/// A query that runs for each row, and what is made of its rows.
#[derive(Clone, Debug)]
pub struct Subquery {
    /// What is made of its rows.
    pub kind: SubqueryKind,
    /// The query.
    pub query: Query,
    /// Where the number of its row stands, if it may run for many rows at once.
    pub origin: Slot,
    /// What `COLLECT` takes of each row.
    pub value: Expression,
    /// The slots of the row that it may name.
    pub outer: Vec<Slot>,
}

/// The parts of a path.
#[derive(Clone, Debug)]
pub struct PathParts {
    /// Its first node.
    pub start: Slot,
    /// Its relationships, or lists of them.
    pub steps: Vec<Slot>,
}

/// An aggregation of the rows of a group.
#[derive(Clone, Debug)]
pub struct Aggregate {
    /// Which.
    pub aggregation: Aggregation,
    /// Each value once.
    pub distinct: bool,
    /// What is aggregated; `count(*)` has none.
    pub argument: Option<Expression>,
    /// The second argument of a percentile.
    pub percentile: Option<Expression>,
    /// Where its value goes.
    pub slot: Slot,
}
