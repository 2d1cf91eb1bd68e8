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
//! | `split` | a text of several statements, and words with backticks |
//! | `check` | scopes, types and all other rules that need neither schema nor data |
//! | `functions` | the functions there are besides those over values alone |
//!
//! A text takes time in proportion to its length: the parser never goes back, but decides by a
//! token's neighbours and by the partner of a bracket. Nesting is bounded, chains of operators are
//! one node, so that no text makes a walk over the tree run out of stack.

pub mod ast;
mod check;
mod error;
mod functions;
pub(crate) mod lexer;
mod name;
mod parse;
mod print;
mod progress;
mod rank;
mod split;

pub use check::{Environment, Facts, NoProcedures, Procedure, ProcedureBody, check, check_along};
pub use error::{Category, Class, Error, Location};
pub use functions::{Signature, all_functions, function};
pub use name::{Name, Span};
pub use parse::{Header, MAX_NESTING, header, parse, statement};
pub use progress::Progress;
pub use split::{Statements, split_labels, split_words};

pub use crate::value::Type;

/// Whether a word means something in the language, in letters of any case: as a name it needs
/// backticks in some dialect or place.
#[must_use]
pub fn is_keyword(word: &str) -> bool {
    lexer::Keyword::of(word) != lexer::Keyword::Other
}
