//! Figures about keys dropped for memory.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Figures for INFO.
#[derive(Debug, Default)]
pub struct Evictions {
    /// When the dataset was first found above the limit, in microseconds of the engine's clock;
    /// 0 while it is not.
    since: AtomicU64,
    /// Microseconds it was above the limit, up to the last time that it no longer was.
    total: AtomicU64,
}

impl Evictions {
    /// Milliseconds for which the dataset has been above its limit, in all and now.
    pub fn exceeded_millis(&self, now: Duration) -> (u64, u64) {
        let current = match self.since.load(Ordering::Relaxed) {
            0 => 0,
            since => micros(now).saturating_sub(since),
        };
        ((self.total.load(Ordering::Relaxed) + current) / 1000, current / 1000)
    }

    /// Begins to count anew; the limit may be exceeded now.
    pub fn reset(&self, now: Duration) {
        self.total.store(0, Ordering::Relaxed);
        let anew = |since| (since != 0).then(|| micros(now).max(1));
        // The thread that has just ended or begun it is right.
        let _ = self.since.fetch_update(Ordering::Relaxed, Ordering::Relaxed, anew);
    }

    /// Whether the limit is exceeded now.
    pub(crate) fn note(&self, exceeded: bool, now: Duration) {
        let since = self.since.load(Ordering::Relaxed);
        if exceeded {
            if since == 0 {
                self.since.store(micros(now).max(1), Ordering::Relaxed);
            }
        } else if since != 0 && self.since.swap(0, Ordering::Relaxed) == since {
            self.total.fetch_add(micros(now).saturating_sub(since), Ordering::Relaxed);
        }
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}
