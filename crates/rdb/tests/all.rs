//! The tests of this crate from outside, as one program: each program costs a link of all that it
//! tests. `make test` runs each file in a process of its own, named by the file.
//!
//! ```text
//! cargo test -p kvist-rdb --test all FILE::
//! ```

// What they share.
mod dataset;
mod seeds;

// The tests.
mod files_against_redis;
mod hostile;
mod logs_against_redis;
mod payloads_against_redis;

#[global_allocator]
static SCALE: testkit::scale::Scale = testkit::scale::Scale;
