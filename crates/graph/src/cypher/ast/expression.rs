//! Expressions.

use std::sync::Arc;

use super::{LabelExpr, PathPattern, Query};
use crate::cypher::name::{Name, Span};

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stood, with its brackets.
    pub span: Span,
}

impl Expr {
    /// The variable, if it is nothing else.
    pub fn as_variable(&self) -> Option<&Name> {
        match &self.kind {
            ExprKind::Variable(name) => Some(name),
            _ => None,
        }
    }
}

/// The kinds of expressions.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// A constant.
    Literal(Literal),
    /// `$name`.
    Parameter(Name),
    /// A variable.
    Variable(Name),
    /// `[a, b]`.
    List(Vec<Expr>),
    /// `{key: value}`.
    Map(Vec<(Name, Expr)>),
    /// `NOT a`, `-a`, `+a`.
    Unary(UnaryOperator, Box<Expr>),
    /// `a AND b AND c`.
    Logical(LogicalOperator, Vec<Expr>),
    /// `a < b <= c`: each is compared with the next.
    Comparison(Box<Chain<ComparisonOperator>>),
    /// `a + b - c`: from left to right. The operators are of one rank.
    Arithmetic(Box<Chain<ArithmeticOperator>>),
    /// `a IN b`, `a STARTS WITH b`, `a IS NULL`: from left to right.
    Tests(Box<Tests>),
    /// `a.key[0][1..2]`.
    Access(Box<Access>),
    /// `a:Label`.
    Labels(Box<Expr>, LabelExpr),
    /// `f(a, b)`.
    Function(FunctionCall),
    /// `count(*)`.
    CountStar,
    /// `CASE … END`.
    Case(Box<Case>),
    /// `[x IN list WHERE filter | value]`.
    ListComprehension(Box<ListComprehension>),
    /// `[(a)-->(b) WHERE filter | value]`.
    PatternComprehension(Box<PatternComprehension>),
    /// `a {.key, .*, other: value}`.
    MapProjection(Box<MapProjection>),
    /// `all(x IN list WHERE filter)`.
    Quantifier(Box<Quantifier>),
    /// `reduce(sum = 0, x IN list | sum + x)`.
    Reduce(Box<Reduce>),
    /// `(a)-->(b)`: whether there is one. Of shortest paths: the path.
    Pattern(Box<PathPattern>),
    /// `EXISTS { … }`, `COUNT { … }`, `COLLECT { … }`.
    Subquery(Box<Subquery>),
}

/// A constant.
#[derive(Clone, Debug)]
pub enum Literal {
    /// `null`.
    Null,
    /// `true`, `false`.
    Boolean(bool),
    /// An integer, with its sign.
    Integer(i64),
    /// A float, with its sign.
    Float(f64),
    /// A string.
    String(Arc<str>),
}

/// Floats are the same if their bits are: -0.0 is not 0.0.
impl PartialEq for Literal {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Null, Self::Null) => true,
            (Self::Boolean(left), Self::Boolean(right)) => left == right,
            (Self::Integer(left), Self::Integer(right)) => left == right,
            (Self::Float(left), Self::Float(right)) => left.to_bits() == right.to_bits(),
            (Self::String(left), Self::String(right)) => left == right,
            _ => false,
        }
    }
}

/// Operators of one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOperator {
    /// `NOT`.
    Not,
    /// `-`.
    Negate,
    /// `+`.
    Plus,
}

/// Operators of truth values, loosest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogicalOperator {
    /// `OR`.
    Or,
    /// `XOR`.
    Xor,
    /// `AND`.
    And,
}

/// Operators that compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComparisonOperator {
    /// `=`.
    Equal,
    /// `<>`.
    NotEqual,
    /// `<`.
    Less,
    /// `<=`.
    LessEqual,
    /// `>`.
    Greater,
    /// `>=`.
    GreaterEqual,
}

/// Operators of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArithmeticOperator {
    /// `+`, of strings and lists as well.
    Add,
    /// `-`.
    Subtract,
    /// `*`.
    Multiply,
    /// `/`.
    Divide,
    /// `%`.
    Modulo,
    /// `^`.
    Power,
}

/// Operands with operators between them.
#[derive(Clone, Debug, PartialEq)]
pub struct Chain<O> {
    /// The first operand.
    pub first: Expr,
    /// All others, each with the operator before it. There is at least one.
    pub rest: Vec<(O, Expr)>,
}

/// An expression, and what is asked of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Tests {
    /// The expression.
    pub value: Expr,
    /// The questions; each but the first is asked of the answer to the one before.
    pub tests: Vec<Test>,
}

/// A question whose answer is a truth value.
#[derive(Clone, Debug, PartialEq)]
pub enum Test {
    /// `STARTS WITH`.
    StartsWith(Expr),
    /// `ENDS WITH`.
    EndsWith(Expr),
    /// `CONTAINS`.
    Contains(Expr),
    /// `=~`.
    Matches(Expr),
    /// `IN`.
    In(Expr),
    /// `IS NULL`.
    IsNull,
    /// `IS NOT NULL`.
    IsNotNull,
}

/// A part of a value, of that a part, and so on.
#[derive(Clone, Debug, PartialEq)]
pub struct Access {
    /// The value.
    pub base: Expr,
    /// The way into it.
    pub steps: Vec<Step>,
}

/// A step into a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// `.key`.
    Property(Name),
    /// `[index]`.
    Index(Expr),
    /// `[from..to]`.
    Slice(Option<Expr>, Option<Expr>),
}

/// A call of a function.
#[derive(Clone, Debug, PartialEq)]
pub struct FunctionCall {
    /// Its name, with dots, as it was written.
    pub name: Name,
    /// Each value once.
    pub distinct: bool,
    /// The arguments.
    pub arguments: Vec<Expr>,
}

/// `CASE subject WHEN … THEN … ELSE … END`.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// What is compared; without one, each `WHEN` is a condition.
    pub subject: Option<Expr>,
    /// Each condition with its value.
    pub branches: Vec<(Expr, Expr)>,
    /// The value if there is no other.
    pub otherwise: Option<Expr>,
}

/// `[variable IN list WHERE filter | value]`.
#[derive(Clone, Debug, PartialEq)]
pub struct ListComprehension {
    /// What stands for an element.
    pub variable: Name,
    /// The elements.
    pub list: Expr,
    /// Which of them are taken.
    pub filter: Option<Expr>,
    /// What is made of each.
    pub value: Option<Expr>,
}

/// `[path WHERE filter | value]`.
#[derive(Clone, Debug, PartialEq)]
pub struct PatternComprehension {
    /// What is looked for.
    pub path: PathPattern,
    /// What must be true of it.
    pub filter: Option<Expr>,
    /// What is made of it.
    pub value: Expr,
}

/// `entity {selectors}`.
#[derive(Clone, Debug, PartialEq)]
pub struct MapProjection {
    /// Whose properties are taken.
    pub entity: Name,
    /// What the map has.
    pub selectors: Vec<MapSelector>,
}

/// What a map projection has.
#[derive(Clone, Debug, PartialEq)]
pub enum MapSelector {
    /// `.key`.
    Property(Name),
    /// `.*`.
    All,
    /// `variable`: under its own name.
    Variable(Name),
    /// `key: value`.
    Entry(Name, Expr),
}

/// `all(variable IN list WHERE filter)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantifier {
    /// How many.
    pub kind: QuantifierKind,
    /// What stands for an element.
    pub variable: Name,
    /// The elements.
    pub list: Expr,
    /// What is asked of each; without it, whether it is true itself.
    pub filter: Option<Expr>,
}

/// Of how many elements something must be true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuantifierKind {
    /// Every.
    All,
    /// At least one.
    Any,
    /// None.
    None,
    /// Exactly one.
    Single,
}

/// `reduce(accumulator = start, variable IN list | step)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Reduce {
    /// What stands for the result so far.
    pub accumulator: Name,
    /// What it is at first.
    pub start: Expr,
    /// What stands for an element.
    pub variable: Name,
    /// The elements.
    pub list: Expr,
    /// The next result.
    pub step: Expr,
}

/// A query within an expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Subquery {
    /// What is made of its rows.
    pub kind: SubqueryKind,
    /// The query. `EXISTS { (a)-->(b) }` is one that only matches.
    pub query: Query,
}

/// What is made of the rows of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubqueryKind {
    /// Whether there are any.
    Exists,
    /// How many there are.
    Count,
    /// A list of their values.
    Collect,
}
