//! Strings: bytes under a key.

mod expiry;
mod get;
mod set;

use base::{Row, rows};

use self::get::Get;
use self::set::Set;
use crate::Host;

/// The rows of this family.
#[must_use]
pub fn rows<H: Host>() -> Vec<Row<H>> {
    rows![H; Get, Set]
}
