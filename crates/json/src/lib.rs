//! JSON documents: a compact tree, its parser and writer, editing in place, exact accounting.
//!
//! ```text
//!   text ──parse──► Value ──write──► text          Document: text, Value, or both
//!                     │ one buffer of cells and blocks
//!                     └ a list of what it shares: shapes of objects, pages of strings
//!   Registry          makes and finds what is shared; one per transaction
//! ```
//!
//! | file | what it knows |
//! | --- | --- |
//! | `tree` | how a document is looked at, whatever it is made of |
//! | `cell`, `arena`, `layout`, `packed` | a value as 32 bits, the buffer, the blocks in it |
//! | `shape`, `shared`, `registry`, `seen` | what documents share, and how it is found |
//! | `lex`, `parse`, `build`, `members` | from text to blocks |
//! | `diagnose` | what is wrong with a text |
//! | `canonical`, `names`, `scratch` | from text to text as we write it; buffers kept for that |
//! | `value`, `node`, `write`, `escape`, `number` | looking and writing |
//! | `document` | what is stored: text, tree or both |
//! | `binary`, `redisjson` | the form on disk; that of RedisJSON |
//! | `path/` | what a path finds: compiling and running it |
//! | `edit`, `edit_array`, `edit_object`, `arithmetic`, `graft` | changing |
//!
//! This crate must not know of keys, clients, time or threads.

#![forbid(unsafe_code)]

mod arena;
mod arithmetic;
mod binary;
mod build;
mod canonical;
mod cell;
mod diagnose;
mod document;
mod edit;
mod edit_array;
mod edit_object;
mod escape;
mod graft;
mod hash;
mod layout;
mod lex;
mod members;
mod names;
mod node;
mod number;
mod packed;
mod parse;
pub mod path;
mod redisjson;
mod registry;
mod scalar;
mod scratch;
mod seen;
mod shape;
mod shared;
pub mod tree;
mod value;
mod write;

pub use arithmetic::Operation;
pub use binary::Corrupt;
pub use canonical::canonical;
pub use diagnose::ParseError;
pub use document::Document;
pub use edit::EditError;
pub use escape::write_string;
pub use hash::{names_have_a_seed, seed_names};
pub use lex::MAX_DEPTH;
pub use node::Node;
pub use number::write_num;
pub use packed::Floats;
pub use registry::Registry;
pub use scalar::Scalar;
pub use tree::{Kind, Num, Text, Tree};
pub use value::Value;
pub use write::Style;
