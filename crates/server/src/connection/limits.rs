//! When a client takes too much: the buffer limits of the configuration, applied to one client.

use base::Millis;
use config::Overflow;

use super::thread_state::ThreadState;

/// What waits to be sent to a client.
#[derive(Clone, Copy, Debug)]
pub struct PendingOutput {
    /// Its bytes.
    pub kept: usize,
    /// How many of them it has not asked for.
    pub pushed: usize,
    /// It listens to channels.
    pub subscriber: bool,
}

/// Checks the output of a client against its limits. `since` is when it passed the soft limit, if
/// it has. Pushed messages are limited as for subscribers, even if the client has subscribed to
/// nothing: else many that do not read their notices of stale copies would take all memory.
#[must_use]
pub fn output(waiting: PendingOutput, since: Option<Millis>, thread: &ThreadState) -> Overflow {
    if waiting.kept == 0 {
        return Overflow::None;
    }
    let limits = &thread.worker.context.config.clients.client_output_buffer_limit;
    if waiting.subscriber {
        return limits.pubsub.check(waiting.kept, since, thread.now);
    }
    match limits.normal.check(waiting.kept, since, thread.now) {
        Overflow::None => limits.pubsub.check(waiting.pushed, since, thread.now),
        over => over,
    }
}

/// Whether an unfinished request is longer than clients may send; counts it.
#[must_use]
pub fn input_too_long(kept: usize, thread: &ThreadState) -> bool {
    if kept as u64 <= thread.worker.context.config.clients.client_query_buffer_limit {
        return false;
    }
    thread.worker.context.counters.input_overflows.add(1);
    tracing::warn!(bytes = kept, "closing client that reached max query buffer length");
    true
}
