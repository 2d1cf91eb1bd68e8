//! The tests of this crate from outside, as one program: each program costs a link of all that it
//! tests. `make test` runs each file in a process of its own, named by the file.
//!
//! ```text
//! cargo test -p kvist-differential --test all FILE::
//! ```

// The tests.
mod families;
mod harness;
mod module;
