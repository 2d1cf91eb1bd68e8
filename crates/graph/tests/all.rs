//! The tests of this crate from outside, as one program: each program costs a link of all that it
//! tests. `make test` runs each file in a process of its own, named by the file.
//!
//! ```text
//! cargo test -p kvist-graph --test all FILE::
//! ```

// What they share.
mod tck;

// The tests.
mod dialect;
mod hostile;
mod meaning;
mod syntax;
