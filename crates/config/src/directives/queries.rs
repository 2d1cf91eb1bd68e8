//! Queries: requests that read for long, beside others, values as they were when they began.

use std::path::PathBuf;
use std::time::Duration;

use base::QueryBounds;

use crate::directive::Directive as D;
use crate::settings::Settings;

pub(super) const LIST: &[D] = &[
    D::int(
        "query-threads",
        D::HALF_OF_CORES,
        1,
        128,
        "Threads for queries, which read large values for long beside the threads that serve \
         clients, at a lower priority of the system's. The default is half the number of cores, at \
         least 1.",
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
    D::int(
        "graph-timeout",
        "0",
        0,
        1 << 31,
        "Milliseconds that a query on a graph may run, unless it brings a `timeout` of its own. \
     Then it ends with an error, and a query that writes has changed nothing. 0 is no limit: a \
     query that is not wanted any more ends by `CLIENT KILL`, or when its client leaves.",
    )
    .own(),
    D::int(
        "graph-timeout-max",
        "0",
        0,
        1 << 31,
        "Milliseconds that a query on a graph may ask for by a `timeout` of its own, and run in \
     any case: one that asks for more is refused, and `TIMEOUT 0` is this. 0 is no limit.",
    )
    .own(),
    D::int(
        "graph-resultset-size",
        "-1",
        -1,
        1 << 40,
        "Rows that a query on a graph answers at most, for programs that rely on it: those beyond \
     it are left out. -1 is all: no row is dropped unless this says so.",
    )
    .own(),
    D::memory(
        "graph-query-memory",
        "1gb",
        64 << 10,
        1 << 62,
        "Memory that a query on a graph may keep: rows that it sorts, groups or answers, and what \
     it has made. One that wants more ends with an error.",
    )
    .own(),
    D::int(
        "search-timeout",
        "0",
        0,
        1 << 31,
        "Milliseconds that a query of secondary indexes may run, unless it brings a `TIMEOUT` of \
     its own. Then it ends with an error, never with a part of the answer. 0 is no limit.",
    )
    .own(),
    D::int(
        "search-default-dialect",
        "1",
        1,
        4,
        "The dialect of queries of secondary indexes that name none.",
    )
    .own(),
    D::text(
        "graph-import-folder",
        "",
        "Folder with the files that `LOAD CSV` may read, by paths that do not lead out of it. \
     All users that may query a graph may read them. Empty: none is read.",
    )
    .at_start()
    .own(),
];

/// What queries may take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuerySettings {
    /// How many run at a time.
    pub threads: usize,
    /// Bytes of what is changed behind them that they may keep, together; 0: as many as it takes.
    pub kept_memory: usize,
    /// How long a query on a graph may run.
    pub graph_timeout: Option<Duration>,
    /// How long a query on a graph may ask to run.
    pub graph_timeout_max: Option<Duration>,
    /// How many rows a query on a graph answers; `None`: all.
    pub graph_rows: Option<usize>,
    /// Bytes that a query on a graph may keep.
    pub graph_memory: usize,
    /// Milliseconds that a query of indexes may run; 0: as long as it takes.
    pub search_timeout: u64,
    /// The dialect of queries of indexes that name none.
    pub search_dialect: u8,
    /// Where files are that a query on a graph may read.
    pub graph_import_folder: Option<PathBuf>,
}

impl QuerySettings {
    pub(crate) fn of(settings: &Settings) -> Self {
        let kept = settings.bytes("query-kept-memory");
        let time = |name| {
            let millis = settings.int::<u64>(name);
            (millis > 0).then(|| Duration::from_millis(millis))
        };
        let memory = settings.bytes("graph-query-memory");
        Self {
            threads: settings.int("query-threads"),
            kept_memory: usize::try_from(kept).unwrap_or(usize::MAX),
            graph_timeout: time("graph-timeout"),
            graph_timeout_max: time("graph-timeout-max"),
            graph_rows: usize::try_from(settings.int::<i64>("graph-resultset-size")).ok(),
            graph_memory: usize::try_from(memory).unwrap_or(usize::MAX),
            search_timeout: settings.int("search-timeout"),
            search_dialect: settings.int("search-default-dialect"),
            graph_import_folder: settings.path("graph-import-folder").map(PathBuf::from),
        }
    }

    /// What a statement may take.
    #[must_use]
    pub fn bounds(&self) -> QueryBounds {
        let most_time = self.graph_timeout_max;
        let time = match (self.graph_timeout, most_time) {
            (Some(time), Some(most)) => Some(time.min(most)),
            (time, most) => time.or(most),
        };
        let rows = self.graph_rows.unwrap_or(usize::MAX);
        QueryBounds { time, most_time, memory: self.graph_memory, rows }
    }
}
