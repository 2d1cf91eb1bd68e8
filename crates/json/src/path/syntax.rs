//! What a path means once it is read: queries, selectors, conditions, expressions.
//!
//! The parser makes these, the evaluator walks them, nothing changes them. Chains of one operator
//! are lists, not nested pairs, so that neither running nor dropping a long condition recurses with
//! its length; what does nest is bounded by the parser.

use super::literal::Literal;
use super::pattern::Pattern;

/// `$…` or `@…`.
#[derive(Debug)]
pub(super) struct Query {
    pub from: Origin,
    pub segments: Vec<Segment>,
    /// Finds one value at most: names and indices only.
    pub singular: bool,
    /// What it costs to follow it to its end, if it is singular.
    pub price: usize,
}

/// What it costs to look for a member of this name: it is hashed and compared.
pub(super) fn price_of(name: &str) -> usize {
    1 + name.len() / 32
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    Root,
    Current,
}

/// One step down, or any number of them.
#[derive(Debug)]
pub(super) enum Segment {
    /// A name alone, the usual case.
    Name(Box<str>),
    /// An index alone.
    Index(i64),
    /// Any other `[…]` or `.*`: what is selected among the children.
    Child(Box<[Selector]>),
    /// The same, among the children of the value and of all below it.
    Descendant(Box<[Selector]>),
}

#[derive(Debug)]
pub(super) enum Selector {
    Name(Box<str>),
    Index(i64),
    Wildcard,
    Slice(Slice),
    Filter(Box<Logic>),
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Slice {
    pub start: Option<i64>,
    pub end: Option<i64>,
    pub step: i64,
}

/// A condition.
#[derive(Debug)]
pub(super) enum Logic {
    Any(Vec<Logic>),
    All(Vec<Logic>),
    Not(Box<Logic>),
    Compare(Box<Comparison>),
    /// Left text, right pattern, and the pattern made ready if it stands in the path.
    Matches(Box<(Expr, Expr, Option<Pattern>)>),
    /// A path that must exist, or a function whose answer decides.
    Test(Expr),
}

#[derive(Debug)]
pub(super) struct Comparison {
    pub left: Expr,
    pub relation: Relation,
    pub right: Expr,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    In,
    NotIn,
    SubsetOf,
    AnyOf,
    NoneOf,
    Size,
    Empty,
}

/// Something with a value.
#[derive(Debug)]
pub(super) enum Expr {
    Literal(Literal),
    Query(Query),
    /// `query~`: the names of the members.
    Keys(Query),
    Call(Box<Call>),
    /// Operands with `+`, `-`, or with `*`, `/`, `%`, from left to right.
    Chain(Box<(Expr, Vec<(Arithmetic, Expr)>)>),
    Negate(Box<Expr>),
    /// Unary plus: the operand if it is a number.
    Number(Box<Expr>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arithmetic {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

#[derive(Debug)]
pub(super) struct Call {
    /// None: there is none of that name, and it gives nothing.
    pub function: Option<Function>,
    pub arguments: Vec<Expr>,
    /// The pattern of `match` or `search`, if it stands in the path.
    pub pattern: Option<Pattern>,
}

macro_rules! functions {
    ($($name:ident = $text:literal, $min:literal ..= $max:expr;)*) => {
        /// The functions there are.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Function { $($name),* }

        impl Function {
            /// The function of a name.
            pub fn named(name: &str) -> Option<Function> {
                match name {
                    $($text => Some(Function::$name),)*
                    _ => None,
                }
            }

            /// Whether it takes so many arguments; with any others it gives nothing.
            pub fn takes(self, arguments: usize) -> bool {
                match self {
                    $(Function::$name => ($min..=$max).contains(&arguments),)*
                }
            }
        }
    };
}

functions! {
    Abs = "abs", 1..=1;
    Append = "append", 2..=usize::MAX;
    Avg = "avg", 1..=1;
    Ceiling = "ceiling", 1..=1;
    Concat = "concat", 1..=usize::MAX;
    Count = "count", 1..=1;
    First = "first", 1..=1;
    Floor = "floor", 1..=1;
    Index = "index", 2..=2;
    Keys = "keys", 1..=1;
    Last = "last", 1..=1;
    Length = "length", 1..=1;
    Match = "match", 2..=2;
    Max = "max", 1..=1;
    Min = "min", 1..=1;
    Search = "search", 2..=2;
    Stddev = "stddev", 1..=1;
    Sum = "sum", 1..=1;
    Value = "value", 1..=1;
}
