//! Handshakes that fail, in the log: the first of a minute are told one by one, of the others how
//! many they were. Failed handshakes must not fill the disk, nor hide other messages.

use std::fmt::Display;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// How many are told.
const TOLD: u64 = 10;
/// In how long.
const WINDOW: Duration = Duration::from_secs(60);

/// Failures of one window.
struct Failures {
    began: Option<Instant>,
    count: u64,
}

static FAILURES: Mutex<Failures> = Mutex::new(Failures { began: None, count: 0 });

impl Failures {
    /// Counts one more. How many of the window before were not told, if this one begins another;
    /// and whether it is told.
    fn one_more(&mut self, now: Instant) -> (u64, bool) {
        let mut untold = 0;
        if self.began.is_none_or(|began| now.saturating_duration_since(began) >= WINDOW) {
            untold = self.count.saturating_sub(TOLD);
            *self = Failures { began: Some(now), count: 0 };
        }
        self.count += 1;
        (untold, self.count <= TOLD)
    }
}

/// Tells that a handshake with `addr` failed.
pub fn tell(addr: &dyn Display, error: &dyn Display) {
    let (untold, told) = FAILURES.lock().one_more(Instant::now());
    if untold > 0 {
        tracing::warn!("{untold} more handshakes had failed in the minute before");
    }
    if told {
        tracing::warn!(%addr, "Error accepting a client connection: {error}");
    } else {
        tracing::debug!(%addr, "Error accepting a client connection: {error}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_are_told_and_the_others_are_counted() {
        let mut failures = Failures { began: None, count: 0 };
        let now = Instant::now();
        let told = (0..1000).filter(|_| failures.one_more(now).1).count();
        assert_eq!(told as u64, TOLD);
        assert_eq!(failures.one_more(now + WINDOW), (1000 - TOLD, true));
        assert_eq!(failures.one_more(now + 3 * WINDOW), (0, true));
    }
}
