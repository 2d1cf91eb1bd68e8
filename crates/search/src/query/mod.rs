//! The query language: what a query asks, independent of how it is answered.
//!
//! ```text
//!   text ─► parse (scan, words, attributes, vectors) ─► tree ─► explain ─► FT.EXPLAIN
//! ```

mod attributes;
mod explain;
mod parse;
mod scan;
mod tree;
mod vectors;
mod words;

use crate::text;

pub(crate) use attributes::check_place;
pub use attributes::meters;
pub use parse::{Parameters, ParseOptions};
pub use tree::{Bound, Knn, Node, NodeOptions, Query, TagValue, VectorRange};

/// A word in lower case: letters of all scripts where it is UTF-8; other bytes stay.
pub fn lower(word: &[u8]) -> Vec<u8> {
    text::lower(word).into_owned()
}
