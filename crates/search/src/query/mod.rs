//! The query language: what a query asks, independent of how it is answered.

mod tree;

pub use tree::{Bound, Knn, Node, NodeOptions, Query, TagValue, VectorRange};
