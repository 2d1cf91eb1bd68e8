//! A data directory without a server: opened for this process alone, with an engine that has no
//! clients.

use std::path::Path;
use std::sync::Arc;

use config::{Config, LogLevel, Settings};
use engine::persistence::DataDir;
use engine::{Engine, Start};
use journal::{Manifest, wall_clock};

use crate::logging;

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
    let kept = manifest.cloned();
    Engine::new(Start { kept, ..Start::new(settings, seed, wall_clock()) })
}

/// Opens the data directory of a configuration for this process alone.
///
/// # Errors
/// It is in use, or cannot be used.
pub fn open(config: &Config) -> Result<DataDir, String> {
    DataDir::open(Path::new(&config.process.dir)).map_err(|error| error.to_string())
}
