//! The tests of this crate from outside, as one program: each program costs a link of all that it
//! tests.
//!
//! ```text
//! cargo test -p kvist-haystack --test all FILE::
//! ```

#![allow(clippy::unwrap_used)] // a test says why by failing

#[global_allocator]
static SCALE: testkit::scale::Scale = testkit::scale::Scale;

// What they share.
mod naive;
mod sample;

// The tests.
mod hostile;
mod peers;
mod random;
mod round_trips;
mod rules;
