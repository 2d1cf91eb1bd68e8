//! What all clients take together, and what looks after that.

use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Weak};

use base::Millis;
use parking_lot::Mutex;

use super::unauthenticated::Unauthenticated;

/// What clients take, and who looks after that.
#[derive(Default)]
pub struct ClientMemoryTotals {
    /// Bytes that clients take: their buffers, what they keep, themselves. Kept by the doors.
    pub buffers: Arc<AtomicUsize>,
    /// The connections whose callers are not authenticated: see [`crate::unauthenticated`].
    pub(crate) unauthenticated: Unauthenticated,
    /// The search for clients that take too much. Locked by the thread that looks.
    pub(crate) eviction_search: Mutex<EvictionSearch>,
    /// How often something big was freed in the background: a reason for each thread to gather
    /// its part of it.
    pub cleanups: AtomicUsize,
}

/// Where the search for clients to close stands.
#[derive(Default)]
pub(crate) struct EvictionSearch {
    /// Until when there is no use in looking.
    pub(crate) rest_until: Millis,
    /// The sums of connections that are to be closed. The session that was told so may have gone
    /// before the others of its connection, and before what that takes.
    pub(crate) ending: Vec<Weak<AtomicUsize>>,
}
