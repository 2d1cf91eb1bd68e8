//! The clocks that what keeps data on disk, and what looks after it in the background, goes by.
//!
//! A simulation puts clocks of its own in their place, for its thread alone: then time is one of
//! the things that a seed decides, and no thread waits for it.

use std::cell::Cell;
use std::sync::OnceLock;
use std::time::{Duration, Instant, SystemTime};

thread_local! {
    /// Milliseconds since the Unix epoch, where time is made up.
    static MADE_UP: Cell<Option<u64>> = const { Cell::new(None) };
}

/// From now on this thread takes it to be this late, in milliseconds since the Unix epoch; with
/// `None` the clocks are the system's again.
pub fn simulate(millis: Option<u64>) {
    MADE_UP.set(millis);
}

/// Milliseconds since the Unix epoch.
#[must_use]
pub fn wall_clock() -> u64 {
    MADE_UP.get().unwrap_or_else(|| {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    })
}

/// A moment of the clock that never goes back.
#[must_use]
pub fn monotonic() -> Instant {
    static BEGINNING: OnceLock<Instant> = OnceLock::new();
    match MADE_UP.get() {
        None => Instant::now(),
        Some(millis) => {
            let begun = *BEGINNING.get_or_init(Instant::now);
            begun.checked_add(Duration::from_millis(millis)).unwrap_or(begun)
        }
    }
}
