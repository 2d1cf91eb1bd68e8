//! What is counted and remembered for the operator.

pub(crate) mod evictions;
pub(crate) mod latency;
pub(crate) mod latency_monitor;
pub(crate) mod slowlog;
pub(crate) mod sparkline;
pub(crate) mod stats;

use self::evictions::Evictions;
use self::latency_monitor::LatencyMonitor;
use self::slowlog::Slowlog;
use self::stats::Stats;

/// All of it.
#[derive(Default)]
pub struct Metrics {
    /// Counters.
    pub stats: Stats,
    /// Slow requests.
    pub slowlog: Slowlog,
    /// Pauses that were long.
    pub latency_monitor: LatencyMonitor,
    /// Figures about keys dropped for memory.
    pub evictions: Evictions,
}

/// Bytes of words that are kept for later, about.
pub(crate) fn words_memory<W: AsRef<[u8]>>(words: &[W]) -> usize {
    words.iter().map(|word| size_of::<Vec<u8>>() + word.as_ref().len()).sum()
}

/// Bytes of a name that are remembered.
pub(crate) const NAME_MAX: usize = 4096;

/// Cuts what is shown of a client, whose name may be long.
pub(crate) fn cut(text: &mut String) {
    if text.len() > NAME_MAX {
        let mut end = NAME_MAX;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.truncate(end);
    }
    text.shrink_to_fit();
}
