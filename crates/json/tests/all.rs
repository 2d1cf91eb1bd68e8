//! The tests of this crate from outside, as one program: each program costs a link of all that it
//! tests. `make test` runs each file in a process of its own, named by the file.
//!
//! ```text
//! cargo test -p kvist-json --test all FILE::
//! ```

// What they share.
mod counting;
mod samples;
mod value;

// The tests.
mod agree;
mod cache;
mod compliance;
mod dialect;
mod documents;
mod edits;
mod fuzz;
mod hostile;
mod text;
