//! What the verbs that work on a data directory without a server have in common: their arguments,
//! and an engine without clients.

use std::path::Path;
use std::sync::Arc;

use config::{Config, LogLevel, Settings};
use engine::persistence::DataDir;
use engine::{Engine, Start};
use journal::Manifest;

use crate::logging;
use journal::wall_clock;

/// The arguments of such a verb.
pub struct Arguments {
    /// What comes before the directives, without hyphens.
    pub plain: Vec<String>,
    /// Flags of the verb's own that were given.
    pub flags: Vec<&'static str>,
    /// Defaults, environment, directives.
    pub settings: Settings,
}

impl Arguments {
    /// Takes the arguments apart: words, flags out of `known`, directives. A configuration file may
    /// be named with `--config FILE`.
    ///
    /// # Errors
    /// A directive that is none, or whose value makes no sense.
    pub fn parse(args: &[String], known: &[&'static str]) -> Result<Self, String> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let mut settings = Settings::new(cores);
        settings.apply_env(std::env::vars()).map_err(|error| error.to_string())?;
        let (mut plain, mut flags, mut directives) = (Vec::new(), Vec::new(), Vec::new());
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            if let Some(flag) = known.iter().find(|flag| arg == *flag) {
                flags.push(*flag);
            } else if arg == "--config" {
                let file = args.next().ok_or("--config needs a file")?;
                settings.apply_file(Path::new(file)).map_err(|error| error.to_string())?;
            } else if arg.starts_with("--") || !directives.is_empty() {
                directives.push(arg.clone());
            } else {
                plain.push(arg.clone());
            }
        }
        // A directive's values end where the next begins, so words must come first; `--dir DIR`
        // alone is so common that a word may follow it.
        if plain.is_empty() && directives.len() > 2 && directives[0] == "--dir" {
            let words = directives[2..].iter().take_while(|word| !word.starts_with("--")).count();
            plain.extend(directives.drain(2..2 + words));
        }
        settings.apply_args(&directives).map_err(|error| error.to_string())?;
        Ok(Arguments { plain, flags, settings })
    }

    /// Whether a flag was given.
    pub fn has(&self, flag: &str) -> bool {
        self.flags.contains(&flag)
    }
}

/// Errors and warnings go to the standard output as the server's do, the rest nowhere.
pub fn log_warnings() -> Result<(), String> {
    logging::start(LogLevel::Warning, None).map(drop)
}

/// An engine for this dataset, or for a new one.
///
/// # Errors
/// The system has no random numbers.
pub fn engine(settings: &Settings, manifest: Option<&Manifest>) -> Result<Arc<Engine>, String> {
    let mut settings = settings.clone();
    let seed = engine::entropy().map_err(|e| format!("no random numbers from the system: {e}"))?;
    if let Some(manifest) = manifest {
        let shards = ["--shards".to_owned(), manifest.shards.to_string()];
        settings.apply_args(&shards).map_err(|error| error.to_string())?;
    }
    let workers = settings.config().process.io_threads;
    Engine::new(Start {
        settings,
        seed,
        kept: manifest.cloned(),
        now: wall_clock(),
        workers,
        config_file: String::new(),
        executable: String::new(),
    })
}

/// Opens the data directory of a configuration for this process alone.
///
/// # Errors
/// It is in use, or cannot be used.
pub fn open(config: &Config) -> Result<DataDir, String> {
    DataDir::open(Path::new(&config.process.dir)).map_err(|error| error.to_string())
}
