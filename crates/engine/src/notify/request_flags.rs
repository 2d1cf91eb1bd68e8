//! Flags that every request reads: a client runs MONITOR; clients are paused.
//!
//! Both are rare and both concern every request, so they share a byte: on the common path a request
//! loads it once, finds zero, and goes on. `monitor.rs` knows which clients monitor,
//! `client/pauses.rs` until when clients are paused; they alone set and clear the bits.

use std::sync::atomic::{AtomicU8, Ordering};

/// A client monitors.
const MONITORED: u8 = 1;
/// Requests that may change something wait.
const WRITES_WAIT: u8 = 2;
/// All requests wait.
const ALL_WAIT: u8 = 4;

/// The byte. It has a cache line of its own: nothing that is written lies beside it.
#[derive(Default)]
#[repr(align(64))]
pub struct RequestFlags(AtomicU8);

/// What the byte said.
#[derive(Clone, Copy)]
pub(crate) struct RaisedFlags(u8);

impl RequestFlags {
    /// The flags that are set now. A request on data asks while it holds its shards: the locks
    /// order this load behind whatever was said before they were last released.
    #[inline]
    pub(crate) fn now(&self) -> RaisedFlags {
        RaisedFlags(self.0.load(Ordering::Relaxed))
    }

    /// Says whether a client monitors.
    pub(crate) fn set_monitored(&self, monitored: bool) {
        self.set(MONITORED, if monitored { MONITORED } else { 0 });
    }

    /// Says which requests wait.
    pub(crate) fn set_waiting(&self, writes: bool, all: bool) {
        let bits = if writes { WRITES_WAIT } else { 0 } | if all { ALL_WAIT } else { 0 };
        self.set(WRITES_WAIT | ALL_WAIT, bits);
    }

    fn set(&self, mask: u8, bits: u8) {
        let change = |old: u8| Some((old & !mask) | bits);
        // It never refuses, so there is no error to look at.
        let _ = self.0.fetch_update(Ordering::SeqCst, Ordering::SeqCst, change);
    }
}

impl RaisedFlags {
    /// Whether a client monitors.
    #[inline]
    pub(crate) fn monitored(self) -> bool {
        self.0 & MONITORED != 0
    }

    /// Whether any request may have to wait.
    #[inline]
    pub(crate) fn paused(self) -> bool {
        self.0 & (WRITES_WAIT | ALL_WAIT) != 0
    }

    /// Whether every request waits, not only one that may change something.
    pub(crate) fn all_wait(self) -> bool {
        self.0 & ALL_WAIT != 0
    }
}

#[cfg(test)]
mod tests {
    use super::RequestFlags;

    #[test]
    fn one_reason_leaves_the_other_alone() {
        let request_flags = RequestFlags::default();
        request_flags.set_waiting(true, false);
        request_flags.set_monitored(true);
        assert!(
            request_flags.now().monitored()
                && request_flags.now().paused()
                && !request_flags.now().all_wait()
        );
        request_flags.set_waiting(true, true);
        request_flags.set_monitored(false);
        assert!(!request_flags.now().monitored() && request_flags.now().all_wait());
        request_flags.set_waiting(false, false);
        assert!(!request_flags.now().paused());
    }
}
