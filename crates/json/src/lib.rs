//! JSON documents: what a path finds in them.
//!
//! [`path`] compiles and runs the paths of `JSON.GET` and its family over anything that can be
//! looked at as a [`Tree`]. Nothing here knows keys, locks, sockets or clocks.
#![forbid(unsafe_code)]

pub mod path;
mod tree;

pub use tree::{Kind, Num, Text, Tree};
