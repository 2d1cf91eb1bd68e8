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

pub(crate) use attributes::check_place;
pub use attributes::meters;
pub use parse::{Parameters, ParseOptions};
pub use tree::{Bound, Knn, Node, NodeOptions, Query, TagValue, VectorRange};

/// A word in lower case: letters of all scripts where it is UTF-8; other bytes stay.
pub fn lower(word: &[u8]) -> Vec<u8> {
    if word.is_ascii() {
        return word.to_ascii_lowercase();
    }
    let mut lower = Vec::with_capacity(word.len());
    for chunk in word.utf8_chunks() {
        lower.extend_from_slice(chunk.valid().to_lowercase().as_bytes());
        lower.extend_from_slice(chunk.invalid());
    }
    lower
}
