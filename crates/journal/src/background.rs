//! Work in the background, at a lower priority.

/// By how much less a thread in the background is preferred for which no client waits. Measured
/// with a snapshot beside writers on one core: at 0 a writer waits for whole slices of the
/// scheduler's time, at 19 a busy core hardly gets a snapshot done.
pub const NOBODY_WAITS: i32 = 10;

/// The same where a client waits. With 10 more than others, a query on a machine with eight busy
/// processes got no answer in five seconds.
pub const A_CLIENT_WAITS: i32 = 4;

/// Lets threads with the priority that this one has had go first on a core that it shares with
/// them: a thread that serves clients is woken up at once, and not when this thread has used its
/// time up. Where the system refuses, nothing changes.
pub fn let_others_go_first(by: i32) {
    let thread = rustix::thread::gettid();
    let own = rustix::process::getpriority_process(Some(thread)).unwrap_or(0);
    if let Err(error) = rustix::process::setpriority_process(Some(thread), own + by) {
        tracing::debug!(%error, "a thread in the background keeps its priority");
    }
}
