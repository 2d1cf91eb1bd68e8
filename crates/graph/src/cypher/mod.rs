//! openCypher: from the text of a query to a statement whose names and shapes are checked.
//!
//! ```text
//!   text ──lexer──► tokens ──parse──► ast ──check──► Facts: columns, whether it writes
//!                                      │
//!                                      └──print──► text, in one form
//! ```
//!
//! | folder | what it knows |
//! | --- | --- |
//! | `lexer` | words, numbers, strings, brackets and their partners |
//! | `ast` | what a statement is made of |
//! | `parse` | from tokens to the tree, one file per group of clauses or expressions |
//! | `print` | from the tree to text that parses to the same tree |
//! | `check` | scopes, types and all other rules that need neither schema nor data |
//! | `functions` | the functions there are: how many arguments, of which types |
//!
//! A text takes time in proportion to its length: the parser never goes back, but decides by a
//! token's neighbours and by the partner of a bracket. Nesting is bounded, chains of operators are
//! one node, so that no text makes a walk over the tree run out of stack.

pub mod ast;
mod check;
mod error;
mod functions;
mod lexer;
mod name;
mod parse;
mod print;
mod types;

pub use check::{Environment, Facts, NoProcedures, Procedure, check};
pub use error::{Category, Class, Error, Place};
pub use functions::{Function, function};
pub use name::{Name, Span};
pub use parse::{Header, MAX_NESTING, header, parse, statement};
pub use types::Type;
