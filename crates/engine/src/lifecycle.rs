//! The life of an engine beside its requests: what a door does before the first of them and after
//! the last.
//!
//! ```text
//!   begin ─► (doors, threads) ─► recover ─► … requests … ─► close
//! ```
//!
//! The directory is claimed before there is an engine, because what it holds decides how the engine
//! hashes; it is read after, because a server tells its clients meanwhile how far that has come.

use std::fmt;
use std::io;
use std::path::Path;
use std::sync::Arc;

use config::{Config, Settings};
use journal::wall_clock;

use crate::engine::table::Table;
use crate::engine::{Engine, Start};
use crate::persistence::redis_files::RedisFiles;
use crate::persistence::{DataDir, OpenError, sweep};

/// Why an engine cannot begin.
#[derive(Debug)]
pub enum BeginError {
    /// The data directory cannot be used; another may be using it.
    Directory(OpenError),
    /// Anything else.
    Other(String),
}

impl fmt::Display for BeginError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BeginError::Directory(error) => error.fmt(f),
            BeginError::Other(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for BeginError {}

impl From<String> for BeginError {
    fn from(text: String) -> Self {
        BeginError::Other(text)
    }
}

/// What an engine begins with.
pub struct Beginning {
    /// The configuration, defaults applied.
    pub settings: Settings,
    /// The commands, as the configuration calls them.
    pub table: Table,
    /// Where the configuration was read from, absolute; empty if from nowhere.
    pub config_file: String,
    /// The executable, absolute.
    pub executable: String,
    /// Unpredictable bits.
    pub seed: [u64; 4],
}

/// Opens the directory if there is, or will be, something in it. A pure cache makes none.
fn open(config: &Config) -> Result<Option<DataDir>, BeginError> {
    let dir = Path::new(&config.process.dir);
    let saved = dir.join(journal::manifest::NAME).exists();
    if !config.persistence.appendonly && !saved && RedisFiles::in_directory(dir, config)?.is_none()
    {
        return Ok(None);
    }
    let data_dir = DataDir::open(dir).map_err(BeginError::Directory)?;
    // What copies have left that were never finished only costs room.
    if let Err(error) = sweep(dir) {
        tracing::warn!(%error, "what an unfinished copy has left could not be removed");
    }
    Ok(Some(data_dir))
}

const HALF_A_SCRIPT: &str = "the dataset cannot be saved, as a script had changed part of what it \
    would; what was saved before stands";

impl Engine {
    /// An engine in its data directory, which has not been read yet: until [`Engine::recover`] has
    /// done so and `set_loading(false)` is said, requests are refused.
    ///
    /// # Errors
    /// The directory cannot be used, or the users' file cannot.
    pub fn begin(beginning: Beginning) -> Result<Arc<Self>, BeginError> {
        let Beginning { mut settings, table, config_file, executable, seed } = beginning;
        // `CONFIG GET dir` answers an absolute path, as in Redis.
        if let Ok(path) = std::path::absolute(&settings.config().process.dir) {
            settings.resolve_dir(&path);
        }
        let config = settings.config();
        let data_dir = open(&config)?;
        let kept = data_dir.as_ref().and_then(|data_dir| data_dir.manifest.clone());
        let now = wall_clock();
        let workers = config.process.io_threads;
        let start = Start { settings, seed, kept, now, workers, config_file, executable };
        let engine = Engine::with_table(start, table);
        engine.load_users().inspect_err(|message| tracing::error!("{message}"))?;
        if let Some(data_dir) = data_dir {
            engine.attach_data_dir(data_dir);
            engine.durability.set_loading(true);
        }
        Ok(engine)
    }

    /// Leaves the data directory in good order: what is not in the journal is saved if the
    /// configuration asks for that, or if the journal cannot be written to its end.
    ///
    /// # Errors
    /// The dataset could not be saved, or neither could the journal be written to its end nor a
    /// snapshot take its place. It is in the log.
    pub fn close(self: &Arc<Self>) -> io::Result<()> {
        let done = self.save_at_last();
        if let Err(error) = &done {
            tracing::error!(%error, "the dataset could not be saved before exiting");
        }
        self.close_data_dir();
        self.store.end_changes();
        done
    }

    fn save_at_last(self: &Arc<Self>) -> io::Result<()> {
        // A script that ends only now may have changed something.
        let is_half_done = self.outlasts_scripts() || self.store.locks.is_broken_off();
        let config = self.config();
        let owed = self.owes_journal();
        let journaling = self.durability.is_journaling() || owed;
        let saves = !config.persistence.save.is_empty() && !journaling;
        let wanted = match self.durability.shutdown_saves() {
            Some(wanted) => wanted,
            None => saves && !config.process.shutdown_on_sigterm.nosave,
        };
        if is_half_done {
            tracing::warn!("not saving the dataset: a script has changed part of what it would");
            return self.keep_journal_only(wanted || owed);
        }
        if owed {
            tracing::info!("Saving what the journal begins with before exiting");
            self.begin_owed_journal()?;
        }
        let mut saved = Ok(());
        // SHUTDOWN may have done so already, to be able to say that it failed.
        let is_saved = self.has_saved_finally() && self.unsaved_changes() == 0;
        // What has been read in part is in no case all that there is.
        if wanted && !is_saved && !self.durability.is_loading() {
            tracing::info!("Saving the dataset before exiting");
            saved = self.save_finally(journaling).map(drop);
        }
        if !journaling {
            return saved;
        }
        // Memory has everything, and a snapshot what the journal was to keep: also where none is
        // wished for beside it.
        let kept = self.store.log().sync().or_else(|error| {
            tracing::warn!(%error, "the journal cannot be kept: saving the dataset before exiting");
            self.save_finally(true).map(drop)
        });
        saved.and(kept)
    }

    /// The end where memory holds half of a script: what is on disk stays as it is, and the journal
    /// is written to its end. It has all that was answered; without it what was not saved is lost.
    fn keep_journal_only(&self, wanted: bool) -> io::Result<()> {
        if self.durability.is_journaling() {
            return self.store.log().sync();
        }
        match wanted && self.unsaved_changes() > 0 {
            true => Err(io::Error::other(HALF_A_SCRIPT)),
            false => Ok(()),
        }
    }
}
