//! Reading the dataset while clients are told to wait, with somebody at a terminal watching.

use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use engine::Engine;

/// How often progress is shown.
const SHOWN: Duration = Duration::from_millis(200);

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
