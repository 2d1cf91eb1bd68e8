//! Durability: the dataset's life on disk.
//!
//! ```text
//!   start:   open ──► recover (snapshot, then journal) ──► begin journalling
//!   running: workers append to the log; the flusher writes; `snapshot` scans the store
//!   ending:  the flusher writes and syncs what is left
//! ```
//!
//! `durability/data_dir.rs` is the directory with its lock and manifest, `recover.rs` and
//! `replay.rs` read it, `snapshot.rs` makes a new state current, `maintenance.rs` decides when.
//! `dataset_copy.rs` copies the dataset into a folder of its own and changes nothing that is
//! current; `backup.rs` keeps such a copy, `transfer.rs` makes a file for Redis of it. This file is
//! what the rest of the engine asks.
//!
//! The order that must hold: files first, then the manifest that names them, then the removal of
//! what it no longer names.

mod backup;
mod check;
mod dataset_copy;
mod flush;
mod journalling;
mod linked_records;
mod maintenance;
mod record_order;
mod recover;
pub mod redis_files;
mod repair;
mod replay;
mod replay_beside_keys;
mod snapshot;
mod snapshot_coverage;
mod transfer;
mod value_chunks;

use std::sync::atomic::Ordering;

use base::CmdError;
use config::Config;

use crate::durability::LOADING;
pub use crate::durability::{
    Attempts, Claim, DataDir, Durability, OpenError, Progress, Rdb, Reason, Recovered,
};
use crate::engine::Engine;
pub(crate) use backup::is_name as is_backup_name;
pub use check::{Checked, Part, Problem, UnknownCommand, check, check_for};
pub use dataset_copy::sweep;
pub use repair::{keep_files, repair};
pub use replay::Failing;
pub(crate) use replay::Replayer;
pub use snapshot::Saved;
pub(crate) use snapshot_coverage::SnapshotCoverage;

const NOT_BEGUN: CmdError = CmdError::new(
    "MISCONF Errors writing to the AOF file: it could not be begun, the log says why. If the disk \
     is full, make some room: it is tried again in some minutes at most, by BGREWRITEAOF at once.",
);
const SAVE_FAILED: CmdError = CmdError::new(
    "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to \
     disk. Commands that may modify the data set are disabled, because this instance is configured \
     to report errors during writes if RDB snapshotting fails (stop-writes-on-bgsave-error \
     option). Please check the Redis logs for details about the RDB error.",
);

impl Engine {
    /// What keeps all writes from running, if anything does.
    pub(crate) fn trouble(&self, config: &Config, troubled: bool) -> Option<CmdError> {
        // Trouble that ends in the middle of a batch counts for the whole of it: its replies do not
        // wait for the disk.
        let durability = &self.durability;
        let trouble = if durability.is_journaling() { self.store.log().trouble() } else { None };
        if troubled || trouble.is_some() {
            let text = trouble.map_or_else(|| "try again".to_owned(), |trouble| trouble.text);
            let text = format!("MISCONF Errors writing to the AOF file: {text}");
            return Some(CmdError::owned(text));
        }
        if config.persistence.appendonly && durability.not_begun.load(Ordering::Relaxed) {
            return Some(NOT_BEGUN);
        }
        let failed = !durability.saved.saves.ok.load(Ordering::Relaxed);
        let matters =
            config.persistence.stop_writes_on_bgsave_error && !config.persistence.save.is_empty();
        // Where no save point comes again, nothing would end it.
        (failed && matters && self.follows_save_points()).then_some(SAVE_FAILED)
    }

    /// Why requests, or all that write, are refused at the moment, if they are: the data is being
    /// read, or the disk is in trouble.
    #[must_use]
    pub fn hindrance(&self) -> Option<String> {
        if self.durability.is_loading() {
            return Some(String::from_utf8_lossy(LOADING.bytes()).into_owned());
        }
        let trouble = self.trouble(&self.config(), false)?;
        Some(String::from_utf8_lossy(trouble.bytes()).into_owned())
    }
}
