//! The data directory in the life of the server: opened before the engine, read while clients are
//! told to wait, closed after the last of them has gone.

use std::io::{IsTerminal, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use config::Config;
use engine::Engine;
use engine::durable::{Home, sweep};
use engine::foreign::Foreign;

/// How often progress is shown.
const SHOWN: Duration = Duration::from_millis(200);

/// Opens the directory if there is, or will be, something in it. A pure cache makes none.
///
/// # Errors
/// It cannot be used.
pub fn open(config: &Config) -> Result<Option<Home>, String> {
    let dir = Path::new(&config.dir);
    let saved = dir.join(journal::manifest::NAME).exists();
    if !config.appendonly && !saved && Foreign::in_directory(dir, config)?.is_none() {
        return Ok(None);
    }
    let home = Home::open(dir).map_err(|error| error.to_string())?;
    // What copies have left that were never finished only costs room.
    if let Err(error) = sweep(dir) {
        tracing::warn!(%error, "what an unfinished copy has left could not be removed");
    }
    Ok(Some(home))
}

/// Reads the dataset, showing on a terminal how far it has come.
///
/// # Errors
/// What is damaged, where, and what can be done.
pub fn load(engine: &Arc<Engine>) -> Result<(), String> {
    if !engine.durable.is_loading() {
        return Ok(());
    }
    let recovered = with_progress(engine, "Loading", || engine.recover());
    let recovered = recovered.inspect_err(|error| tracing::error!("{error}"))?;
    if recovered.bytes > 0 || recovered.imported.is_some() {
        tracing::info!("Recovered {recovered}");
    }
    engine.durable.set_loading(false);
    Ok(())
}

/// Does `work`, showing on a terminal how far loading has come meanwhile.
pub fn with_progress<R>(engine: &Engine, what: &str, work: impl FnOnce() -> R) -> R {
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        if std::io::stderr().is_terminal() {
            scope.spawn(|| show_progress(engine, what, &done));
        }
        let result = work();
        done.store(true, Ordering::Release);
        result
    })
}

fn show_progress(engine: &Engine, what: &str, done: &AtomicBool) {
    let mut shown = false;
    while !done.load(Ordering::Acquire) {
        std::thread::sleep(SHOWN);
        let progress = &engine.durable.progress;
        let (total, read) =
            (progress.total.load(Ordering::Relaxed), progress.done.load(Ordering::Relaxed));
        let percent = read.saturating_mul(100) / total.max(1);
        shown = true;
        eprint!("\r{what}: {:>3} % of {} MB ", percent, total >> 20);
        let _ = std::io::stderr().flush();
    }
    if shown {
        eprintln!("\r{what}: done                ");
    }
}

/// Leaves the directory in good order: what is not in the journal is saved if the configuration
/// asks for that.
pub fn close(engine: &Arc<Engine>) {
    let config = engine.config();
    let saves = !config.save.is_empty() && !engine.durable.is_journaling();
    let wanted = match engine.durable.last_will() {
        Some(wanted) => wanted,
        None => saves && !config.shutdown_on_sigterm.nosave,
    };
    if engine.is_held_up() {
        tracing::warn!("not saving the dataset: a script has changed part of what it will");
    } else if wanted && engine.unsaved_changes() > 0 {
        tracing::info!("Saving the dataset before exiting");
        if let Err(error) = engine.save_finally(engine.durable.is_journaling()) {
            tracing::error!(%error, "the dataset could not be saved before exiting");
        }
    }
    engine.move_out();
}
