//! JSON documents: a compact tree, its parser and writer, editing in place, exact accounting.
//!
//! ```text
//!   text ──parse──► Value ──write──► text          Document: text, Value, or both
//!                     │ one buffer of cells and blocks
//!                     └ a list of what it shares: shapes of objects, pages of strings
//!   Registry          makes and finds what is shared; one per shard
//! ```
//!
//! | file | what it knows |
//! | --- | --- |
//! | `tree` | how a document is looked at, whatever it is made of |
//! | `cell`, `arena`, `layout`, `packed` | a value as 32 bits, the buffer, the blocks in it |
//! | `shape`, `registry`, `seen` | what documents share |
//! | `lex`, `parse`, `build`, `members`, `diagnose` | from text to blocks, and what is wrong with it |
//! | `value`, `node`, `write`, `number` | looking and writing |
//!
//! This crate must not know of keys, clients, time or threads.

#![forbid(unsafe_code)]

mod arena;
mod build;
mod canonical;
mod cell;
mod diagnose;
mod hash;
mod layout;
mod lex;
mod members;
mod node;
mod number;
mod packed;
mod parse;
mod registry;
mod seen;
mod shape;
pub mod tree;
mod value;
mod write;

pub use canonical::canonical;
pub use diagnose::ParseError;
pub use hash::seed_names;
pub use lex::MAX_DEPTH;
pub use node::Node;
pub use number::write_num;
pub use packed::Floats;
pub use registry::Registry;
pub use tree::{Kind, Num, Text, Tree};
pub use value::Value;
pub use write::{Style, write_string};
