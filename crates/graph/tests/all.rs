//! The tests of this crate from outside, as one program: each program costs a link of all that it
//! tests. `make test` runs each file in a process of its own, named by the file.
//!
//! ```text
//! cargo test -p kvist-graph --test all FILE::
//! ```

#![allow(clippy::unwrap_used)] // a test says why by failing

#[global_allocator]
static SCALE: testkit::scale::Scale = testkit::scale::Scale;

// What they share.
mod evaluate;
mod model;
mod network;
mod tck;

// The tests.
mod algorithm_laws;
mod algorithms;
mod columns;
mod constraints;
mod dialect;
mod export;
mod expressions;
mod hostile;
mod hubs;
mod indexes;
mod kit;
mod meaning;
mod properties;
mod queries;
mod random;
mod syntax;
mod values;
mod writing;
