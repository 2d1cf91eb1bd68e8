//! The wall clock in milliseconds: the unit in which Redis states deadlines.
//!
//! Server and harness run on one machine, so both read the same clock; everything that compares
//! the two still allows [`SLOP`].

use std::time::{SystemTime, UNIX_EPOCH};

/// Milliseconds by which a server's idea of now may differ from ours (it may take the time once
/// per batch of requests).
pub const SLOP: i64 = 20;

/// Milliseconds since 1970.
#[must_use]
pub fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
