//! Awaiting conditions: a test that sleeps instead is too short on a busy machine and too long on
//! all others.

use std::time::{Duration, Instant};

/// How long a condition may take to come true, on a machine that is busy with other tests.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// How often it is looked at.
pub(crate) const STEP: Duration = Duration::from_millis(2);

/// Waits until something is there.
///
/// # Panics
/// It is not within [`PATIENCE`].
pub fn eventually<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < deadline, "{what} did not happen");
        std::thread::sleep(STEP);
    }
}

/// Waits until something is so; how long that took.
///
/// # Panics
/// It is not within [`PATIENCE`].
pub fn until(what: &str, mut is_so: impl FnMut() -> bool) -> Duration {
    let start = Instant::now();
    eventually(what, || is_so().then_some(()));
    start.elapsed()
}
