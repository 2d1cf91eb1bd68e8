//! Durability: the dataset's life on disk.
//!
//! ```text
//!   start:   open ──► recover (snapshot, then journal) ──► begin journalling
//!   running: workers append to the log; the flusher writes; `snapshot` scans the store
//!   ending:  the flusher writes and syncs what is left
//! ```
//!
//! `data_dir.rs` is the directory with its lock and manifest, `recover.rs` and `replay.rs` read it,
//! `snapshot.rs` makes a new state current, `maintenance.rs` decides when. `dataset_copy.rs` copies
//! the dataset into a folder of its own and changes nothing that is current; `backup.rs` keeps such
//! a copy, `transfer.rs` makes a file for Redis of it. This file is what the rest of the engine
//! asks.
//!
//! The order that must hold: files first, then the manifest that names them, then the removal of
//! what it no longer names.

mod backup;
mod check;
mod data_dir;
mod dataset_copy;
mod flush;
mod linked_records;
mod maintenance;
mod record_order;
mod recover;
mod repair;
mod replay;
mod snapshot;
mod snapshot_coverage;
mod transfer;
mod value_chunks;

use std::io;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU8, AtomicU64, AtomicUsize, Ordering};

use base::CmdError;
use config::Config;
use journal::Log;
use parking_lot::{Condvar, Mutex};

pub(crate) use backup::is_name as is_backup_name;
pub use check::{Checked, Part, Problem, check};
pub use data_dir::{Claim, DataDir, OpenError};
pub use dataset_copy::sweep;
pub use recover::Recovered;
pub use repair::{keep_files, repair};
pub use replay::Failing;
pub(crate) use replay::Replayer;
pub use snapshot::Saved;
pub(crate) use snapshot_coverage::SnapshotCoverage;
pub use transfer::Rdb;

/// Why a background snapshot is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// `SAVE`, `BGSAVE`, save points.
    Save,
    /// `BGREWRITEAOF`, or the journal has grown.
    Rewrite,
    /// A copy of the dataset beside it: `BACKUP`, `SYNC`. What is current stays so.
    Copy,
}

/// How the last attempt at something went, and how often it was tried.
#[derive(Debug)]
pub struct Attempts {
    /// It worked, or there was none.
    pub ok: AtomicBool,
    /// Attempts that worked.
    pub done: AtomicU64,
    /// Failures since one last worked.
    pub failures: AtomicU64,
    /// Milliseconds the last one took; -1 before there was one.
    pub took: AtomicI64,
}

impl Default for Attempts {
    fn default() -> Self {
        Attempts {
            ok: AtomicBool::new(true),
            done: AtomicU64::new(0),
            failures: AtomicU64::new(0),
            took: AtomicI64::new(-1),
        }
    }
}

/// How far loading has come.
#[derive(Debug, Default)]
pub struct Progress {
    /// Bytes there are.
    pub total: AtomicU64,
    /// Bytes read.
    pub done: AtomicU64,
    /// When it began, in milliseconds since the Unix epoch.
    pub since: AtomicU64,
}

/// The engine's side of durability.
#[derive(Default)]
pub struct Persistence {
    /// The directory, once it is open.
    pub(crate) data_dir: Mutex<Option<DataDir>>,
    /// It has been closed for good. Changed under the lock of the directory.
    closed: AtomicBool,
    loading: AtomicBool,
    journaling: AtomicBool,
    /// The epoch of the journal when replies began to wait for it: until it is durable, what was
    /// acknowledged while the journal began may be in memory alone.
    began_in: AtomicU64,
    /// The journal is on, and could not begin: there was no room for the snapshot that it begins
    /// with, or, at the start, to say where it goes on.
    not_begun: AtomicBool,
    /// A snapshot is being made; since when.
    pub(crate) busy: AtomicBool,
    pub(crate) busy_since: AtomicU64,
    /// Told when `busy` ends; `busy` falls under the lock.
    turns: Mutex<()>,
    turn_over: Condvar,
    /// The server ends: copies in the making are given up.
    ending: AtomicBool,
    /// Clients that wait for the journal to be durable.
    pub(crate) flushes: flush::Flushes,
    /// Copies for Redis.
    pub(crate) transfers: transfer::Transfers,
    /// Why the snapshot in progress, or the one that waits for it, was asked for.
    pub(crate) busy_with: AtomicU8,
    pub(crate) scheduled: AtomicU8,
    /// Keys the snapshot in progress has read, and how many there were.
    pub(crate) read: AtomicU64,
    pub(crate) to_read: AtomicU64,
    /// When the dataset was last saved, in milliseconds since the Unix epoch.
    pub(crate) last_save: AtomicU64,
    /// Changes as counted when the last save began.
    pub(crate) changes_saved: AtomicU64,
    /// When a snapshot last failed, in milliseconds since the Unix epoch.
    pub(crate) last_failure: AtomicU64,
    /// Bytes of the current snapshot: what the journal's growth is measured against.
    pub(crate) base_size: AtomicU64,
    pub(crate) saves: Attempts,
    pub(crate) rewrites: Attempts,
    /// The number of shards when the files were written.
    pub(crate) old_shards: AtomicUsize,
    /// How far loading has come.
    pub progress: Progress,
    /// What loading found.
    pub(crate) recovered: OnceLock<Recovered>,
    /// What `SHUTDOWN` said about saving: 0 nothing, 1 save, 2 do not.
    pub(crate) will: AtomicU8,
    /// Tells the doors that something has become durable.
    pub(crate) on_durable: OnceLock<Box<dyn Fn() + Send + Sync>>,
}

const LOADING: CmdError = CmdError::new("LOADING Redis is loading the dataset in memory");
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

impl Persistence {
    /// Whether requests may have to be refused: asked once per batch.
    #[inline]
    pub(crate) fn hinders(&self, log: &Log) -> bool {
        self.is_loading()
            || (self.is_journaling() && log.is_troubled())
            || !self.saves.ok.load(Ordering::Relaxed)
            || self.not_begun.load(Ordering::Relaxed)
    }

    /// Refuses what needs the dataset while it is being read.
    ///
    /// # Errors
    /// It is.
    pub(crate) fn loaded(&self) -> Result<(), CmdError> {
        if self.is_loading() { Err(LOADING) } else { Ok(()) }
    }

    /// Refuses to save what has been read in part only: it would stand in the place of everything.
    fn all_read(&self) -> io::Result<()> {
        if self.is_loading() { Err(io::Error::other("the dataset is being read")) } else { Ok(()) }
    }

    /// Whether the dataset is being read from disk.
    #[inline]
    #[must_use]
    pub fn is_loading(&self) -> bool {
        self.loading.load(Ordering::Acquire)
    }

    /// Begins or ends the time in which requests are refused because the dataset is being read.
    pub fn set_loading(&self, loading: bool) {
        self.loading.store(loading, Ordering::Release);
    }

    /// Whether changes are kept in the journal: `appendonly yes`.
    #[inline]
    #[must_use]
    pub fn is_journaling(&self) -> bool {
        self.journaling.load(Ordering::Acquire)
    }

    /// Whether the journal holds all that was acknowledged, by its own policy: not before it began,
    /// and not while what was acknowledged until then is on its way to the disk.
    #[must_use]
    pub fn is_journal_complete(&self, log: &Log) -> bool {
        self.is_journaling() && log.durable() >= self.began_in.load(Ordering::Acquire)
    }

    /// The snapshot that the journal begins with is current. What was acknowledged before is made
    /// durable before this is told of.
    pub(super) fn begin_journal(&self, log: &Log) {
        // Replies do not wait yet, and what they have told of may be in a write buffer.
        self.began_in.store(u64::MAX, Ordering::Release);
        self.set_journaling(true);
        self.began_in.store(log.epoch(), Ordering::Release);
        // Where that fails the log is in trouble, and says so.
        let _ = log.sync();
    }

    pub(crate) fn set_journaling(&self, on: bool) {
        self.journaling.store(on, Ordering::Release);
        if !on {
            self.tell();
        }
    }

    /// Tells the doors that replies which wait for the disk may have nothing to wait for any more.
    pub(crate) fn tell(&self) {
        if let Some(tell) = self.on_durable.get() {
            tell();
        }
    }

    /// Whether `SHUTDOWN` asked for the dataset to be saved, if it said.
    #[must_use]
    pub fn last_will(&self) -> Option<bool> {
        match self.will.load(Ordering::Relaxed) {
            0 => None,
            wish => Some(wish == 1),
        }
    }

    /// Says how many shards there were when the files were written.
    pub(crate) fn set_old_shards(&self, shards: usize) {
        self.old_shards.store(shards, Ordering::Relaxed);
    }

    pub(crate) fn old_shards(&self) -> usize {
        self.old_shards.load(Ordering::Relaxed)
    }

    /// Whether a snapshot is being made for this reason.
    #[must_use]
    pub fn is_busy_with(&self, reason: Reason) -> bool {
        self.busy.load(Ordering::Acquire) && self.busy_with.load(Ordering::Relaxed) == reason as u8
    }

    /// Sets what is called when something has become durable. Only the first call has an effect.
    pub fn tell_durable(&self, tell: Box<dyn Fn() + Send + Sync>) {
        let _ = self.on_durable.set(tell);
    }
}

impl crate::Engine {
    /// What keeps all writes from running, if anything does.
    pub(crate) fn trouble(&self, config: &Config, troubled: bool) -> Option<CmdError> {
        // Trouble that ends in the middle of a batch counts for the whole of it: its replies do not
        // wait for the disk.
        let persistence = &self.persistence;
        let trouble = if persistence.is_journaling() { self.store.log().trouble() } else { None };
        if troubled || trouble.is_some() {
            let text = trouble.map_or_else(|| "try again".to_owned(), |trouble| trouble.text);
            let text = format!("MISCONF Errors writing to the AOF file: {text}");
            return Some(CmdError::owned(text));
        }
        if config.appendonly && persistence.not_begun.load(Ordering::Relaxed) {
            return Some(NOT_BEGUN);
        }
        let failed = !persistence.saves.ok.load(Ordering::Relaxed);
        let matters = config.durability.stop_writes_on_bgsave_error && !config.save.is_empty();
        // Where no save point comes again, nothing would end it.
        (failed && matters && self.follows_save_points()).then_some(SAVE_FAILED)
    }

    /// Why requests, or all that write, are refused at the moment, if they are: the data is being
    /// read, or the disk is in trouble.
    #[must_use]
    pub fn hindrance(&self) -> Option<String> {
        if self.persistence.is_loading() {
            return Some(String::from_utf8_lossy(LOADING.bytes()).into_owned());
        }
        let trouble = self.trouble(&self.config(), false)?;
        Some(String::from_utf8_lossy(trouble.bytes()).into_owned())
    }
}
