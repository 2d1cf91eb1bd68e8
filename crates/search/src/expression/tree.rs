//! An expression as a tree. Properties are places in a row.

use super::function::Function;
use super::value::Value;

/// An expression that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    pub(super) root: Node,
}

impl Expression {
    /// Whether it asks which words of the query matched.
    pub fn needs_matched_terms(&self) -> bool {
        self.root.needs_matched_terms()
    }
}

impl Node {
    fn needs_matched_terms(&self) -> bool {
        match self {
            Self::Constant(_) | Self::Property(_) => false,
            Self::Chain(first, others) => {
                first.needs_matched_terms()
                    || others.iter().any(|(_, node)| node.needs_matched_terms())
            }
            Self::Not(node) | Self::Negate(node) => node.needs_matched_terms(),
            Self::Call(function, arguments) => {
                *function == Function::MatchedTerms
                    || arguments.iter().any(Self::needs_matched_terms)
            }
        }
    }
}

/// What an expression is evaluated for.
pub trait Row {
    /// The value of the property at this place; `Null` if it has none.
    fn value(&self, place: usize) -> &Value;

    /// The words of the query that the document matched, at most so many.
    fn matched_terms(&self, _most: usize) -> Vec<Vec<u8>> {
        Vec::new()
    }
}

impl Row for [Value] {
    fn value(&self, place: usize) -> &Value {
        self.get(place).unwrap_or(&Value::Null)
    }
}

impl Row for Vec<Value> {
    fn value(&self, place: usize) -> &Value {
        self.as_slice().value(place)
    }
}

/// A part of an expression.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Node {
    Constant(Value),
    Property(usize),
    /// Operators of one rank, from the left.
    Chain(Box<Node>, Vec<(Operator, Node)>),
    Not(Box<Node>),
    Negate(Box<Node>),
    Call(Function, Vec<Node>),
}

/// What is between two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Or,
    And,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Power,
}
