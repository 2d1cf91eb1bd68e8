//! openCypher: from the text of a query to a tree.
//!
//! ```text
//!   text ──lexer──► tokens ──parse──► ast ──print──► text, in one form
//! ```
//!
//! | folder | what it knows |
//! | --- | --- |
//! | `lexer` | words, numbers, strings, brackets and their partners |
//! | `ast` | what a statement is made of |
//! | `parse` | from tokens to the tree, one file per group of clauses or expressions |
//! | `print` | from the tree to text that parses to the same tree |
//!
//! A text takes time in proportion to its length: the parser never goes back, but decides by a
//! token's neighbours and by the partner of a bracket. Nesting is bounded, chains of operators are
//! one node, so that no text makes a walk over the tree run out of stack.

pub mod ast;
mod error;
mod lexer;
mod name;
mod parse;
mod print;
mod types;

pub use error::{Category, Class, Error, Place};
pub use name::{Name, Span};
pub use parse::{Header, MAX_NESTING, header, parse, statement};
pub use types::Type;
