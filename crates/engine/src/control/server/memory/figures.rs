//! Where the memory is: the numbers behind `MEMORY STATS`, `MEMORY DOCTOR` and `INFO memory`.
//!
//! Everything is counted where it is owned, so the parts add up to the whole exactly: tables, what
//! is in them, buffers of connections, interpreters and what they run. The program itself is not
//! counted: a server without keys and clients uses nothing.

use std::sync::atomic::Ordering;

use store::KeyCounts;

use crate::control::Control;
use crate::control::server::info::process;

/// What is known about memory, in bytes.
pub(in crate::control::server) struct Figures {
    /// In use.
    pub used: usize,
    /// The most that was ever in use, as sampled.
    pub peak: usize,
    /// Buffers of connections.
    pub clients: usize,
    /// Interpreters of scripts, of functions, scripts that are known, libraries.
    pub scripting: [usize; 4],
    /// Ordered indexes.
    pub indexes: usize,
    /// What queries keep of values that were changed behind them.
    pub kept: usize,
    /// Changes that readers of the change stream have not read yet.
    pub change_backlog: usize,
    /// Users, and what is logged of clients.
    pub records: usize,
    /// Records that wait to be written to the journal.
    pub journal: usize,
    /// What the system has given the process, if it says so.
    pub resident: Option<usize>,
    /// The databases.
    pub databases: Vec<KeyCounts>,
}

impl Figures {
    /// Takes them. O(shards × databases).
    pub fn take(control: &mut Control<'_>) -> Self {
        let databases = store::key_counts(control.txn);
        control.txn.report_memory();
        let engine = control.engine;
        let used = engine.used_memory();
        // The background thread samples too, but may have missed what is seen now.
        let sampled = engine.metrics.stats.peak_memory.fetch_max(used as u64, Ordering::Relaxed);
        Figures {
            used,
            peak: usize::try_from(sampled).unwrap_or(0).max(used),
            clients: engine.memory.buffers.load(Ordering::Relaxed),
            scripting: engine.scripting_memory(),
            indexes: engine.store.indexes.memory(),
            kept: engine.store.versions.kept(),
            change_backlog: engine.store.change_backlog(),
            records: engine.records_memory(),
            journal: usize::try_from(engine.store.log().waiting()).unwrap_or(usize::MAX),
            resident: process::resident(),
            databases,
        }
    }

    /// What the tables of keys take beside the keys and values in them.
    pub fn tables(&self) -> usize {
        self.databases.iter().map(|db| db.table).sum()
    }

    /// Everything that is not keys and values.
    pub fn overhead(&self) -> usize {
        // Interpreters are not part of what is used.
        let scripting: usize = self.scripting[2..].iter().sum();
        let kept = self.kept + self.change_backlog;
        let beside = self.clients + self.indexes + kept + self.records + scripting;
        (self.tables() + beside).min(self.used)
    }

    /// Keys and values.
    pub fn dataset(&self) -> usize {
        self.used - self.overhead()
    }

    /// Number of keys.
    pub fn keys(&self) -> usize {
        self.databases.iter().map(|db| db.keys).sum()
    }
}

/// `part / whole`, or zero of nothing.
pub(in crate::control::server) fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}
