//! Rings, the type to copy from (`types::example`), and the commands on them: what a family looks
//! like, and a query among them, which reads a version beside others.
//!
//! They are there in builds with debug assertions only, and a server knows them if its directive
//! `example-commands` says so: tests take them through every door.

mod gate;
mod push;
mod scan;
mod wait;
mod words;

use base::{Row, Shares, rows};
use types::example::Ring;

use self::gate::Gate;
use self::push::Push;
use self::scan::Scan;
use self::wait::WaitForRing;
use self::words::Words;

/// The rows of this family.
#[must_use]
pub fn rows<H: Shares<Ring>>() -> Vec<Row<H>> {
    rows![H; Gate, Push, Scan, WaitForRing, Words]
}
