//! When to try again, and how long to wait before.
//!
//! The wait grows with every failure and is drawn at random below that bound, so that a thousand
//! clients of a server that comes back do not come back all at once.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::Duration;

/// How often to try again after a failure, and how long to wait.
///
/// ```
/// use kvist_client::Retry;
/// use std::time::Duration;
///
/// let retry = Retry { retries: 3, base: Duration::from_millis(10), cap: Duration::from_secs(1) };
/// assert_eq!(retry.bound(1), Duration::from_millis(20));
/// assert_eq!(retry.bound(30), Duration::from_secs(1));
/// assert!(retry.wait(2) <= Duration::from_millis(40));
/// assert_eq!(Retry::never().retries, 0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retry {
    /// How often to try again: 0 is never.
    pub retries: u32,
    /// The wait before the first retry is below twice this, before the second below four times…
    pub base: Duration,
    /// No wait is longer.
    pub cap: Duration,
}

impl Default for Retry {
    /// Ten times, which takes up to about five seconds.
    fn default() -> Self {
        Retry { retries: 10, base: Duration::from_millis(10), cap: Duration::from_secs(1) }
    }
}

impl Retry {
    /// A failure is final.
    #[must_use]
    pub fn never() -> Self {
        Retry { retries: 0, ..Self::default() }
    }

    /// The longest wait after this many failures in a row.
    #[must_use]
    pub fn bound(&self, failures: u32) -> Duration {
        let factor = 1_u32.checked_shl(failures).unwrap_or(u32::MAX);
        self.base.checked_mul(factor).map_or(self.cap, |wait| wait.min(self.cap))
    }

    /// How long to wait after this many failures in a row: anything below [`bound`](Self::bound).
    #[must_use]
    pub fn wait(&self, failures: u32) -> Duration {
        // The hasher's keys are random, and other ones each time: that is random enough here.
        let random = RandomState::new().build_hasher().finish() >> 32;
        let share = u32::try_from(random).unwrap_or(u32::MAX);
        self.bound(failures).mul_f64(f64::from(share) / f64::from(u32::MAX))
    }
}

#[cfg(test)]
mod tests {
    //! Waits grow, are bounded, and are not all the same.

    use super::Retry;
    use std::collections::HashSet;

    #[test]
    fn waits() {
        let retry = Retry::default();
        for failures in 0..100 {
            let waits: HashSet<_> = (0..20).map(|_| retry.wait(failures)).collect();
            assert!(waits.len() > 10, "{waits:?}");
            assert!(waits.iter().all(|wait| *wait <= retry.bound(failures) && *wait <= retry.cap));
            assert!(retry.bound(failures) <= retry.bound(failures + 1));
        }
    }
}
