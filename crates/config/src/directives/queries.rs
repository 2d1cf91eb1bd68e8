//! Queries: requests that read for long, beside others, values as they were when they began.

use crate::directive::Directive as D;
use crate::settings::Settings;

pub(super) const LIST: &[D] = &[
    D::int(
        "query-threads",
        D::HALF_OF_CORES,
        1,
        128,
        "Threads for queries, which read large values for long beside the threads that serve \
         clients. The default is half the number of cores, at least 1.",
    )
    .at_start()
    .own(),
    D::memory(
        "query-kept-memory",
        "256mb",
        0,
        1 << 62,
        "Memory that queries may keep of what is changed behind them, together: a query reads \
     values as they were when it began. It counts as used memory. Where it is more, the oldest \
     query of the value of which most is kept ends with an error, and none begins. 0 is no limit.",
    )
    .own(),
];

/// What queries may take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuerySettings {
    /// How many run at a time.
    pub threads: usize,
    /// Bytes of what is changed behind them that they may keep, together; 0: as many as it takes.
    pub kept_memory: usize,
}

impl QuerySettings {
    pub(crate) fn of(settings: &Settings) -> Self {
        let kept = settings.bytes("query-kept-memory");
        Self {
            threads: settings.int("query-threads"),
            kept_memory: usize::try_from(kept).unwrap_or(usize::MAX),
        }
    }
}
