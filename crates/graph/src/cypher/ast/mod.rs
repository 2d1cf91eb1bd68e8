//! What a statement is made of.
//!
//! A chain of operators of one rank (`a + b - c`, `a AND b AND c`, `a.b[0].c`) is one node with all
//! its operands: the depth of a tree is bounded by the nesting of its text, and a walk over it may
//! call itself.

mod children;
mod clause;
mod expression;
mod pattern;
mod query;
mod schema;

pub use clause::{
    Call, Clause, ClauseKind, Foreach, LoadCsv, Match, Merge, MergeAction, Procedure, Projection,
    ProjectionItem, RemoveItem, SetItem, SortItem, SubqueryCall, SubqueryImports,
};
pub use expression::{
    Access, ArithmeticOperator, Case, Chain, ComparisonOperator, Expr, ExprKind, FunctionCall,
    ListComprehension, Literal, LogicalOperator, MapProjection, MapSelector, PatternComprehension,
    Quantifier, QuantifierKind, Reduce, Step, Subquery, SubqueryKind, Test, Tests, UnaryOperator,
};
pub use pattern::{
    Direction, LabelExpr, Length, NodePattern, PathKind, PathPattern, Properties,
    RelationshipPattern,
};
pub use query::{Body, Parameter, Query, SingleQuery, Statement, Union};
pub use schema::{IndexCommand, IndexKind, IndexTarget};
