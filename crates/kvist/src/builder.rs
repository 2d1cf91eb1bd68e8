//! Settings, and how an engine begins.

use std::path::{Path, PathBuf};

use config::Settings;
use engine::persistence::OpenError;
use engine::{Allocator, BeginError, Beginning, Cron, Engine};

use crate::error::Error;
use crate::handle::Kvist;
use crate::shared::Shared;

/// A directory that cannot be made: what keeps nothing has none.
const NOWHERE: &str = "/dev/null/nowhere";

/// How an engine is opened: the directives of `kvist.conf`, by their names.
///
/// Directives about sockets and processes (`port`, `tls-port`, `logfile`, `daemonize` …) have no
/// effect here; all others mean what they mean to a server.
///
/// ```
/// let dir = std::env::temp_dir().join(format!("kvist-doc-builder-{}", std::process::id()));
/// let db = kvist::Kvist::builder()
///     .set("appendfsync", "always")
///     .set("maxmemory", "64mb")
///     .open(&dir)?;
/// db.set("k", "v")?;
/// db.close()?;
/// # std::fs::remove_dir_all(&dir).unwrap();
/// # Ok::<(), kvist::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Builder {
    file: Option<PathBuf>,
    pairs: Vec<(String, String)>,
}

impl Builder {
    /// Every directive at its default.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads a configuration file before anything that is set here.
    #[must_use]
    pub fn config_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.file = Some(path.into());
        self
    }

    /// Gives a directive a value, written as in the file: `"yes"`, `"64mb"`, `"3600 1 300 100"`. A
    /// directive that may be given more than once may be set more than once.
    #[must_use]
    pub fn set(mut self, directive: impl Into<String>, value: impl Into<String>) -> Self {
        self.pairs.push((directive.into(), value.into()));
        self
    }

    /// Opens the dataset in a directory, which is made if missing, and reads what is there. Takes
    /// as long as that takes.
    ///
    /// # Errors
    /// [`Error::InUse`] if it is open already; [`Error::Setting`]; [`Error::Open`] if what is there
    /// is damaged, with what can be done.
    pub fn open(self, dir: impl AsRef<Path>) -> Result<Kvist, Error> {
        let dir = dir.as_ref().to_str();
        let dir = dir.ok_or_else(|| Error::Setting("the directory is not UTF-8".to_owned()))?;
        let dir =
            std::path::absolute(dir).map_err(|error| Error::Open(format!("{dir}: {error}")))?;
        let settings = self.settings(&[("dir", &dir.to_string_lossy())])?;
        begin(settings, self.file.as_deref())
    }

    /// Opens a dataset that is kept in memory only.
    ///
    /// # Errors
    /// [`Error::Setting`], or the system has no more threads or randomness.
    pub fn in_memory(self) -> Result<Kvist, Error> {
        let settings = self.settings(&[("dir", NOWHERE), ("appendonly", "no"), ("save", "")])?;
        begin(settings, self.file.as_deref())
    }

    fn settings(&self, last: &[(&str, &str)]) -> Result<Settings, Error> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let mut settings = Settings::new(cores);
        if let Some(file) = &self.file {
            settings.apply_file(file).map_err(|error| Error::Setting(error.to_string()))?;
        }
        let given = self.pairs.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        for (name, value) in given.chain(last.iter().copied()) {
            let is_name = |c: char| c.is_ascii_alphanumeric() || c == '-';
            if name.is_empty() || !name.chars().all(is_name) {
                return Err(Error::Setting(format!("{name:?} is not the name of a directive")));
            }
            apply(&mut settings, name, value)?;
        }
        Ok(settings)
    }
}

impl Kvist {
    /// Opens the dataset in a directory, with every setting at its default: changes are journalled
    /// and made durable every second.
    ///
    /// # Errors
    /// As [`Builder::open`].
    pub fn open(dir: impl AsRef<Path>) -> Result<Self, Error> {
        Builder::new().open(dir)
    }

    /// Opens a dataset that is kept in memory only.
    ///
    /// # Errors
    /// As [`Builder::in_memory`].
    pub fn in_memory() -> Result<Self, Error> {
        Builder::new().in_memory()
    }

    /// Settings first.
    #[must_use]
    pub fn builder() -> Builder {
        Builder::new()
    }
}

/// What is wrong, without the frame that is meant for a command line.
fn reason(error: &config::LoadError) -> String {
    match error {
        config::LoadError::Rejected { text, reason, .. } => format!("{text}: {reason}"),
        other => other.to_string(),
    }
}

/// Sets one directive: the value as it stands if it can be one, else as several words.
fn apply(settings: &mut Settings, name: &str, value: &str) -> Result<(), Error> {
    let option = format!("--{name}");
    let whole = settings.apply_args(&[option.clone(), value.to_owned()]);
    let Err(error) = whole else { return Ok(()) };
    let words: Vec<String> = value.split_whitespace().map(str::to_owned).collect();
    if words.len() < 2 {
        return Err(Error::Setting(reason(&error)));
    }
    let args = [vec![option], words].concat();
    settings.apply_args(&args).map_err(|error| Error::Setting(reason(&error)))
}

fn begin(settings: Settings, file: Option<&Path>) -> Result<Kvist, Error> {
    let table = engine::command_table_as_called(&settings).map_err(Error::Setting)?;
    let seed = engine::entropy().map_err(|error| Error::Open(format!("no randomness: {error}")))?;
    let absolute = file.and_then(|file| std::path::absolute(file).ok());
    let beginning = Beginning {
        settings,
        table,
        config_file: absolute.map(|path| path.display().to_string()).unwrap_or_default(),
        executable: std::env::current_exe().map(|p| p.display().to_string()).unwrap_or_default(),
        seed,
    };
    let engine = Engine::begin(beginning).map_err(|error| match error {
        BeginError::Directory(OpenError::Taken(dir)) => Error::InUse(dir),
        other => Error::Open(other.to_string()),
    })?;
    let recovered = if engine.durability.is_loading() {
        engine.recover().map_err(Error::Open)?
    } else {
        engine::persistence::Recovered::default()
    };
    engine.durability.set_loading(false);
    let cron = Cron::start(&engine, Allocator::unknown())
        .map_err(|error| Error::Open(format!("no thread could be started: {error}")))?;
    Ok(Kvist::new(Shared::new(engine, cron, recovered, seed[1])))
}
