//! How long a thread has worked, for tests that ask what something costs: unlike a clock on the
//! wall it says the same whatever else the machine does.

use std::time::Duration;

/// The processor's time that this thread has taken so far.
pub fn used() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux");
    let nanoseconds = text.split(' ').next().and_then(|word| word.parse().ok());
    Duration::from_nanos(nanoseconds.expect("a number"))
}

/// What some work takes.
pub fn cost<R>(work: impl FnOnce() -> R) -> (R, Duration) {
    let before = used();
    let done = work();
    (done, used() - before)
}
