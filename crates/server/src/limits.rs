//! When a client takes too much: the buffer limits of the configuration, applied to one client.

use base::Millis;
use config::BufferLimit;

use crate::connection::Desk;

/// What the limits say about a client's waiting replies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overflow {
    /// Nothing.
    None,
    /// Over the soft limit since this time.
    Soft(Millis),
    /// It must be closed.
    Close,
}

/// What waits to be sent to a client.
#[derive(Clone, Copy, Debug)]
pub struct Waiting {
    /// Its bytes.
    pub kept: usize,
    /// How many of them it has not asked for.
    pub pushed: usize,
    /// It listens to channels.
    pub subscriber: bool,
}

/// Judges what waits to be sent to a client. `since` is when it passed the soft limit, if it has.
/// What is pushed to a client is limited as for those who listen to channels, even if it does not:
/// else many that do not read their notices of stale copies would take all memory.
#[must_use]
pub fn output(waiting: Waiting, since: Option<Millis>, desk: &Desk) -> Overflow {
    if waiting.kept == 0 {
        return Overflow::None;
    }
    let limits = &desk.worker.seat.config.client_output_buffer_limit;
    if waiting.subscriber {
        return judge(&limits.pubsub, waiting.kept, since, desk.now);
    }
    match judge(&limits.normal, waiting.kept, since, desk.now) {
        Overflow::None => judge(&limits.pubsub, waiting.pushed, since, desk.now),
        over => over,
    }
}

fn judge(limit: &BufferLimit, kept: usize, since: Option<Millis>, now: Millis) -> Overflow {
    let kept = kept as u64;
    if limit.hard != 0 && kept >= limit.hard {
        return Overflow::Close;
    }
    if limit.soft == 0 || kept < limit.soft {
        return Overflow::None;
    }
    match since {
        Some(since) if now.saturating_sub(since) / 1000 > limit.soft_seconds => Overflow::Close,
        Some(since) => Overflow::Soft(since),
        None => Overflow::Soft(now),
    }
}

/// Whether an unfinished request is longer than clients may send; counts it.
#[must_use]
pub fn input_too_long(kept: usize, desk: &Desk) -> bool {
    if kept as u64 <= desk.worker.seat.config.client_query_buffer_limit {
        return false;
    }
    desk.worker.seat.counters.input_overflows.add(1);
    tracing::warn!(bytes = kept, "closing client that reached max query buffer length");
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_hard_at_once_and_soft_after_a_while() {
        let limit = BufferLimit { hard: 100, soft: 50, soft_seconds: 1 };
        assert_eq!(judge(&limit, 49, Some(0), 9000), Overflow::None);
        assert_eq!(judge(&limit, 50, None, 9000), Overflow::Soft(9000));
        assert_eq!(judge(&limit, 99, Some(9000), 10_999), Overflow::Soft(9000));
        assert_eq!(judge(&limit, 99, Some(9000), 11_000), Overflow::Close);
        assert_eq!(judge(&limit, 100, None, 0), Overflow::Close);
        let none = BufferLimit { hard: 0, soft: 0, soft_seconds: 0 };
        assert_eq!(judge(&none, usize::MAX, None, 0), Overflow::None);
    }
}
