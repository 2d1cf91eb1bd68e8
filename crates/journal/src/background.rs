//! Work in the background, at a lower priority.

/// By how much less a thread in the background is preferred. Measured with a snapshot beside
/// writers on one core: at 0 a writer waits for whole slices of the scheduler's time, at 19 a busy
/// core hardly gets a snapshot done.
const NICE: i32 = 10;

/// Lets other threads go first on a core that this thread shares with them: a thread that serves
/// clients is woken up at once, and not when this thread has used its time up. Where the system
/// refuses, nothing changes.
pub fn let_others_go_first() {
    let thread = rustix::thread::gettid();
    if let Err(error) = rustix::process::setpriority_process(Some(thread), NICE) {
        tracing::debug!(%error, "a thread in the background keeps its priority");
    }
}
