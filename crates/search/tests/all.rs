//! The tests of this crate from outside, as one program.

#![allow(clippy::unwrap_used)] // a test says why by failing

/// So that what a partition reports is compared with what was allocated.
#[global_allocator]
static SCALE: testkit::scale::Scale = testkit::scale::Scale;

mod accounting;
mod naive;
mod random;
mod sample;
