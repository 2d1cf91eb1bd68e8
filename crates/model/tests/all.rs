//! The tests of this crate from outside, as one program: each program costs a link of all that it
//! tests. `make test` runs each file in a process of its own, named by the file.
//!
//! ```text
//! cargo test -p kvist-model --test all FILE::
//! ```

// What they share.
mod pair;
mod stage;

// The tests.
mod bits;
mod hash;
mod json;
mod json_edit;
mod json_edit_random;
mod json_read;
mod json_read_pair;
mod json_read_random;
mod model;
mod range;
mod recorded;
mod restore;
mod set;
mod stream;
mod zset;
