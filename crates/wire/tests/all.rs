//! The tests of this crate from outside, as one program: each program costs a link of all that it
//! tests. `make test` runs each file in a process of its own, named by the file.
//!
//! ```text
//! cargo test -p kvist-wire --test all FILE::
//! ```

// What they share.
mod connection;
mod mutation;

// The tests.
mod against_redis;
mod fuzz;
mod hostile;
mod properties;
