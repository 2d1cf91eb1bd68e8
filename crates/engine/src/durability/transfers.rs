//! Copies for Redis that are under way: callers that asked before one was begun share it.

use std::sync::Weak;
use std::sync::atomic::AtomicU64;

use parking_lot::Mutex;

use crate::client::transfer::Rdb;

/// How many callers have asked, and what the last of them got.
#[derive(Debug, Default)]
pub(crate) struct Transfers {
    pub(crate) asked: AtomicU64,
    pub(crate) last: Mutex<Last>,
}

/// The last of them.
#[derive(Debug, Default)]
pub(crate) struct Last {
    /// So many had asked when it was begun.
    pub(crate) covers: u64,
    pub(crate) rdb: Weak<Rdb>,
}
