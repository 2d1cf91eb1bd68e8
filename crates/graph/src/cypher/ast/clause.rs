//! Clauses.

use super::{Expr, PathPattern, Query};
use crate::cypher::name::{Name, Span};

/// A clause.
#[derive(Clone, Debug, PartialEq)]
pub struct Clause {
    /// Which, and all that it says.
    pub kind: ClauseKind,
    /// Where it stood.
    pub span: Span,
}

/// The clauses.
#[derive(Clone, Debug, PartialEq)]
pub enum ClauseKind {
    /// `[OPTIONAL] MATCH`.
    Match(Match),
    /// `UNWIND list AS variable`.
    Unwind(Expr, Name),
    /// `WITH`, and its `WHERE`.
    With(Projection, Option<Expr>),
    /// `RETURN`.
    Return(Projection),
    /// `CREATE`.
    Create(Vec<PathPattern>),
    /// `MERGE`.
    Merge(Merge),
    /// `SET`.
    Set(Vec<SetItem>),
    /// `REMOVE`.
    Remove(Vec<RemoveItem>),
    /// `DELETE`; the flag says `DETACH`.
    Delete(bool, Vec<Expr>),
    /// `CALL procedure`.
    Call(Call),
    /// `CALL { … }`.
    Subquery(SubqueryCall),
    /// `FOREACH (variable IN list | …)`.
    Foreach(Foreach),
    /// `LOAD CSV`.
    LoadCsv(LoadCsv),
}

/// `[OPTIONAL] MATCH paths [WHERE filter]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Match {
    /// Rows without a match are kept.
    pub optional: bool,
    /// What is looked for.
    pub paths: Vec<PathPattern>,
    /// What must be true of it.
    pub filter: Option<Expr>,
}

/// What `WITH` and `RETURN` have in common.
#[derive(Clone, Debug, PartialEq)]
pub struct Projection {
    /// Each row once.
    pub distinct: bool,
    /// `*`: all variables, before the items.
    pub star: bool,
    /// The columns.
    pub items: Vec<ProjectionItem>,
    /// What rows are ordered by.
    pub order: Vec<SortItem>,
    /// How many rows are left out.
    pub skip: Option<Expr>,
    /// How many rows there are at most.
    pub limit: Option<Expr>,
}

/// A column.
#[derive(Clone, Debug)]
pub struct ProjectionItem {
    /// Its value.
    pub value: Expr,
    /// Its name: what follows `AS`, or the text of the expression as it was written.
    pub column: Name,
    /// Whether `AS` was written.
    pub named: bool,
}

/// Columns are the same if their names and values are; printing names those that had none.
impl PartialEq for ProjectionItem {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value && self.column == other.column
    }
}

/// What rows are ordered by.
#[derive(Clone, Debug, PartialEq)]
pub struct SortItem {
    /// The value.
    pub value: Expr,
    /// The largest first.
    pub descending: bool,
}

/// `MERGE path`, with what is done if it was made or found.
#[derive(Clone, Debug, PartialEq)]
pub struct Merge {
    /// What is looked for, and made if it is not there.
    pub path: PathPattern,
    /// What else is done.
    pub actions: Vec<MergeAction>,
}

/// `ON CREATE SET` or `ON MATCH SET`.
#[derive(Clone, Debug, PartialEq)]
pub struct MergeAction {
    /// `ON CREATE`; else `ON MATCH`.
    pub on_create: bool,
    /// What is set.
    pub items: Vec<SetItem>,
}

/// What `SET` changes.
#[derive(Clone, Debug, PartialEq)]
pub enum SetItem {
    /// `entity.key = value`: the first expression is an access that ends with a property.
    Property(Expr, Expr),
    /// `entity = map`.
    Replace(Expr, Expr),
    /// `entity += map`.
    Add(Expr, Expr),
    /// `entity:Label:Label`.
    Labels(Expr, Vec<Name>),
}

/// What `REMOVE` takes away.
#[derive(Clone, Debug, PartialEq)]
pub enum RemoveItem {
    /// `entity.key`.
    Property(Expr),
    /// `entity:Label:Label`.
    Labels(Expr, Vec<Name>),
}

/// `CALL procedure(…) YIELD …`.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// What is called.
    pub procedure: Procedure,
    /// The columns that are wanted: each with its new name. `None` without `YIELD`.
    pub columns: Option<Vec<(Name, Option<Name>)>>,
    /// `YIELD *`.
    pub star: bool,
    /// What must be true of its rows.
    pub filter: Option<Expr>,
}

/// A procedure and its arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct Procedure {
    /// Its name, with dots.
    pub name: Name,
    /// Its arguments. `None` without brackets: they are parameters of the statement.
    pub arguments: Option<Vec<Expr>>,
}

/// `CALL { … }`.
#[derive(Clone, Debug, PartialEq)]
pub struct SubqueryCall {
    /// Which variables it sees.
    pub imports: SubqueryImports,
    /// What runs for each row.
    pub query: Query,
}

/// Which variables a `CALL { … }` sees.
#[derive(Clone, Debug, PartialEq)]
pub enum SubqueryImports {
    /// Those that a `WITH` at its start names.
    Leading,
    /// `CALL (*)`: all.
    All,
    /// `CALL (a, b)`: these.
    Names(Vec<Name>),
}

/// `FOREACH (variable IN list | clauses)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Foreach {
    /// What stands for an element.
    pub variable: Name,
    /// The elements.
    pub list: Expr,
    /// What is done for each.
    pub clauses: Vec<Clause>,
}

/// `LOAD CSV [WITH HEADERS] FROM url AS variable [FIELDTERMINATOR separator]`.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadCsv {
    /// Rows are maps by the names of the first line.
    pub headers: bool,
    /// Where the file is.
    pub url: Expr,
    /// What stands for a row.
    pub variable: Name,
    /// What separates fields.
    pub separator: Option<Expr>,
}
