//! This run of the engine: what it is called, and what it has been told to do.

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use base::{Hashing, Millis};

use crate::notify::request_flags::RequestFlags;

/// This run of the engine.
pub struct Run {
    /// When the server started.
    pub started: Millis,
    /// When the server started, for durations.
    pub clock: Instant,
    /// 40 hex digits that name it.
    pub id: String,
    /// Number of worker threads.
    pub workers: usize,
    /// The executable.
    pub executable: String,
    /// Names the dataset on disk.
    pub(crate) dataset_id: [u8; 16],
    /// Random seed of this run, for the secrets of the journal's files.
    pub(crate) journal_seed: u64,
    /// How keys are hashed.
    pub(crate) hashing: Hashing,
    /// Overdue keys are deleted though no request asks for them: `DEBUG SET-ACTIVE-EXPIRE`.
    pub active_expire: AtomicBool,
    /// The background thread does nothing: `DEBUG PAUSE-CRON`.
    pub at_rest: AtomicBool,
    /// The server is stopping.
    pub stopping: AtomicBool,
    /// Flags that every request reads.
    pub(crate) request_flags: RequestFlags,
}
