//! Expressions of `FILTER` and `APPLY`: read once, evaluated for each row.
//!
//! ```text
//!   text ─► parse ─► Expression ─► evaluate(row) ─► Value
//!                       └ function, time, places
//! ```
//!
//! What is read: `||` and `&&` (equal, from the left), `!`, comparisons, `+ -`, `* / %`, `^` (from
//! the left), numbers, texts in either quotation marks, `@property`, `$parameter`, `NULL`,
//! functions. This is how RediSearch 1.2 groups them. Chains of operators are flat, so that a tree
//! is never deeper than its parentheses. Must not know where the values of a row come from.

mod evaluate;
mod function;
mod parse;
mod places;
mod time;
mod tree;
mod value;

pub use tree::{Expression, Row};
pub use value::Value;

#[cfg(test)]
#[path = "expression_tests.rs"]
mod tests;
