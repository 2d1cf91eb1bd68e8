//! The tests of this crate from outside, as one program: each program costs a link of all that it
//! tests. `make test` runs each file in a process of its own, named by the file.
//!
//! ```text
//! cargo test -p kvist-script --test all FILE::
//! ```

// What they share.
#[path = "../../lua/tests/alike/mod.rs"]
mod alike;
mod stage;

// The tests.

#[global_allocator]
static SCALE: testkit::scale::Scale = testkit::scale::Scale;

mod corpus_against_redis;
mod cves;
mod functions_against_redis;
mod hostile;
mod random_against_redis;
