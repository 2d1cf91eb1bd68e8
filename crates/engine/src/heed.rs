//! What a request must heed besides itself: that somebody monitors, that clients are paused.
//!
//! Both are rare and both concern every request, so they share a byte: on the common path a
//! request loads it once, finds zero, and goes on. Who monitors is known to `monitor.rs`, until
//! when clients are paused to `pause.rs`; they alone set and clear the bits.

use std::sync::atomic::{AtomicU8, Ordering};

/// Somebody monitors.
const MONITORED: u8 = 1;
/// Requests that may change something wait.
const WRITES_WAIT: u8 = 2;
/// All requests wait.
const ALL_WAIT: u8 = 4;

/// The byte.
#[derive(Default)]
pub struct Heed(AtomicU8);

/// What the byte said.
#[derive(Clone, Copy)]
pub(crate) struct Heeded(u8);

impl Heed {
    /// What to heed now. A request on data asks while it holds its shards: the locks order this
    /// load behind whatever was said before they were last released.
    #[inline]
    pub(crate) fn now(&self) -> Heeded {
        Heeded(self.0.load(Ordering::Relaxed))
    }

    /// Says whether somebody monitors.
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

impl Heeded {
    /// Whether somebody monitors.
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
    use super::Heed;

    #[test]
    fn one_reason_leaves_the_other_alone() {
        let heed = Heed::default();
        heed.set_waiting(true, false);
        heed.set_monitored(true);
        assert!(heed.now().monitored() && heed.now().paused() && !heed.now().all_wait());
        heed.set_waiting(true, true);
        heed.set_monitored(false);
        assert!(!heed.now().monitored() && heed.now().all_wait());
        heed.set_waiting(false, false);
        assert!(!heed.now().paused());
    }
}
