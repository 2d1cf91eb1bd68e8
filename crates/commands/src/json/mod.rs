//! JSON documents: the commands of RedisJSON, with its replies and errors.

mod document;
mod kind;

use base::{Row, rows};

use self::kind::Type;
use crate::Host;

/// The rows of this family.
#[must_use]
pub fn rows<H: Host>() -> Vec<Row<H>> {
    rows![H; Type]
}
