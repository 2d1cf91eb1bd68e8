//! The tests of this crate from outside, as one program: each program costs a link of all that it
//! tests.
//!
//! ```text
//! cargo test -p kvist-folio --test all FILE::
//! ```

#![allow(clippy::unwrap_used)] // a test says why by failing

// So that the naive evaluator is the very one of the crate `haystack`.
extern crate haystack as kvist_haystack;

// What they share.
mod model;
#[path = "../../haystack/tests/naive.rs"]
mod naive;
mod sample;

// The tests.
mod contract;
mod display;
mod history;
mod hostile;
mod images;
mod random;
mod reads;
mod watches;
