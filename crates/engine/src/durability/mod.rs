//! What is known of the dataset's life on disk: its directory, what loading found, what is being
//! saved and who waits for that. What is done there is in `persistence`.

mod data_dir;
mod flushes;
mod imported;
mod loss;
mod recovered;
mod transfers;

use std::io;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU8, AtomicU64, AtomicUsize, Ordering};

use base::CmdError;
use journal::Log;
use parking_lot::{Condvar, Mutex};

pub(crate) use self::data_dir::{BLOCK, named_once};
pub use self::data_dir::{Claim, DataDir, OpenError};
pub(crate) use self::flushes::{FlushThread, Flushes};
pub use self::imported::Imported;
pub use self::loss::Loss;
pub(crate) use self::recovered::Counts;
pub use self::recovered::Recovered;
pub(crate) use self::transfers::{Last, Transfers};
pub use crate::client::transfer::Rdb;

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
pub struct Durability {
    /// The directory, once it is open.
    pub(crate) data_dir: Mutex<Option<DataDir>>,
    /// It has been closed for good. Changed under the lock of the directory.
    pub(crate) closed: AtomicBool,
    pub(crate) loading: AtomicBool,
    pub(crate) journaling: AtomicBool,
    /// The journal is on, and could not begin: there was no room for the snapshot that it begins
    /// with, or, at the start, to say where it goes on.
    pub(crate) not_begun: AtomicBool,
    /// The snapshot in progress, and those that wait for it.
    pub(crate) saving: Saving,
    /// The server ends: copies in the making are given up.
    pub(crate) ending: AtomicBool,
    /// Clients that wait for the journal to be durable.
    pub(crate) flushes: Flushes,
    /// Copies for Redis.
    pub(crate) transfers: Transfers,
    /// What has been saved, and how that went.
    pub(crate) saved: SavedState,
    /// The number of shards when the files were written.
    pub(crate) old_shards: AtomicUsize,
    /// How far loading has come.
    pub progress: Progress,
    /// What loading found.
    pub(crate) recovered: OnceLock<Recovered>,
    /// What `SHUTDOWN` said about saving: 0 nothing, 1 save, 2 do not.
    pub(crate) shutdown_saves: AtomicU8,
    /// Tells the doors that something has become durable.
    pub(crate) on_durable: OnceLock<Box<dyn Fn() + Send + Sync>>,
}

/// The snapshot in progress, and those that wait for it.
#[derive(Default)]
pub(crate) struct Saving {
    /// A snapshot is being made; since when.
    pub(crate) busy: AtomicBool,
    pub(crate) busy_since: AtomicU64,
    /// Told when `busy` ends; `busy` falls under the lock.
    pub(crate) turns: Mutex<()>,
    pub(crate) turn_over: Condvar,
    /// Why the snapshot in progress, or the one that waits for it, was asked for.
    pub(crate) busy_with: AtomicU8,
    pub(crate) scheduled: AtomicU8,
    /// Keys the snapshot in progress has read, and how many there were.
    pub(crate) read: AtomicU64,
    pub(crate) to_read: AtomicU64,
}

/// What has been saved, and how that went.
#[derive(Default)]
pub(crate) struct SavedState {
    /// When the dataset was last saved, in milliseconds since the Unix epoch.
    pub(crate) last_save: AtomicU64,
    /// Changes as counted when the last save began.
    pub(crate) changes_saved: AtomicU64,
    /// When a snapshot last failed, in milliseconds since the Unix epoch.
    pub(crate) last_failure: AtomicU64,
    /// Until this epoch of the journal is durable, what was acknowledged while the journal began
    /// may be in memory alone. 0 once nothing is.
    pub(crate) journal_began_in: AtomicU64,
    /// Bytes of the current snapshot: what the journal's growth is measured against.
    pub(crate) base_size: AtomicU64,
    pub(crate) saves: Attempts,
    pub(crate) rewrites: Attempts,
}

/// What is answered while the dataset is being read.
pub(crate) const LOADING: CmdError =
    CmdError::new("LOADING Redis is loading the dataset in memory");

impl Durability {
    /// Whether requests may have to be refused: asked once per batch.
    #[inline]
    pub(crate) fn hinders(&self, log: &Log) -> bool {
        self.is_loading()
            || (self.is_journaling() && log.is_troubled())
            || !self.saved.saves.ok.load(Ordering::Relaxed)
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
    pub(crate) fn all_read(&self) -> io::Result<()> {
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
        // In this order: what is there before it is on belongs to the journal before.
        self.is_journaling() && self.saved.journal_began_in.load(Ordering::Acquire) <= log.durable()
    }

    /// The snapshot that the journal begins with is current. What was acknowledged before is made
    /// durable before this is told of.
    pub(crate) fn begin_journal(&self, log: &Log) {
        // Replies do not wait yet, and what they have told of may be in a write buffer.
        self.saved.journal_began_in.store(u64::MAX, Ordering::Release);
        self.set_journaling(true);
        // Where that fails the log is in trouble, and says so: then it is told once that is over.
        let complete_in = if log.sync().is_ok() { 0 } else { log.epoch() };
        self.saved.journal_began_in.store(complete_in, Ordering::Release);
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
    pub fn shutdown_saves(&self) -> Option<bool> {
        match self.shutdown_saves.load(Ordering::Relaxed) {
            0 => None,
            asked => Some(asked == 1),
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
        self.saving.busy.load(Ordering::Acquire)
            && self.saving.busy_with.load(Ordering::Relaxed) == reason as u8
    }

    /// Sets what is called when something has become durable. Only the first call has an effect.
    pub fn tell_durable(&self, tell: Box<dyn Fn() + Send + Sync>) {
        let _ = self.on_durable.set(tell);
    }
}
