//! The tests of this crate from outside, as one program: each program costs a link of all that it
//! tests. `make test` runs each file in a process of its own, named by the file.
//!
//! ```text
//! cargo test -p kvist-journal --test all FILE::
//! ```

extern crate kvist_journal as journal;

// What they share.
mod disk;
mod logbook;

// The tests.
mod copies;
mod crash;
mod formats;
