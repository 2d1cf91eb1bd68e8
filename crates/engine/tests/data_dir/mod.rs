//! Engines on data directories of their own, for tests.
#![allow(dead_code)] // each test program uses a part
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::path::Path;
use std::sync::Arc;

use config::Settings;
use kvist_engine::persistence::{DataDir, Recovered};
use kvist_engine::{Engine, Start};

/// An engine that has read this directory, with these further lines of configuration.
pub fn open(dir: &Path, lines: &str) -> Result<(Arc<Engine>, Recovered), String> {
    open_with(dir, lines, Engine::new)
}

/// The same, of an engine that is made otherwise.
pub fn open_with(
    dir: &Path,
    lines: &str,
    make: impl FnOnce(Start) -> Result<Arc<Engine>, String>,
) -> Result<(Arc<Engine>, Recovered), String> {
    let mut settings = Settings::new(4);
    let text = format!("dir {}\nenable-debug-command yes\n{lines}\n", dir.display());
    settings.apply_text(text.as_bytes(), "a test").unwrap();
    let data_dir = unlocked(dir)?;
    let kept = data_dir.manifest.clone();
    let engine = make(Start { kept, ..Start::new(settings, [1, 2, 3, 4], 1_000_000) })?;
    engine.attach_data_dir(data_dir);
    engine.durability.set_loading(true);
    let recovered = engine.recover();
    engine.durability.set_loading(false);
    recovered.map(|recovered| (engine, recovered))
}

/// Opens a directory. A server that another test starts holds our lock, too, from its fork to its
/// exec.
pub fn unlocked(dir: &Path) -> Result<DataDir, String> {
    let start = std::time::Instant::now();
    loop {
        match DataDir::open(dir).map_err(|error| error.to_string()) {
            Err(text) if text.contains("in use by another") && start.elapsed().as_secs() < 20 => {
                std::thread::yield_now();
            }
            opened => return opened,
        }
    }
}
