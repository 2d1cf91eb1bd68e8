//! Reading the dataset while clients are told to wait, with progress shown on a terminal.
//!
//! It is read on a thread of its own, because it can take long and wait for the disk: a server that
//! is told to stop meanwhile does so at once, and leaves on the disk what a crash would leave.

use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread::Builder;
use std::time::Duration;

use engine::Engine;
use engine::persistence::Recovered;

/// How often progress is shown.
const SHOWN: Duration = Duration::from_millis(200);
/// How often it is looked whether the server is to stop.
const LOOK: Duration = Duration::from_millis(50);
/// The stack of the thread that reads, as large as that of a program's first thread is.
const STACK: usize = 8 << 20;

/// How reading the dataset has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loaded {
    /// All of it is there.
    Whole,
    /// The server was told to stop before. Something may still be reading.
    Abandoned,
}

/// Reads the dataset, showing on a terminal how far it has come, until the server is to stop.
///
/// # Errors
/// What is damaged, where, and what can be done.
pub fn load(engine: &Arc<Engine>) -> Result<Loaded, String> {
    if !engine.durability.is_loading() {
        return Ok(Loaded::Whole);
    }
    let Some(recovered) = recover(engine)? else {
        tracing::warn!("Told to stop while the dataset is read, exiting now.");
        return Ok(Loaded::Abandoned);
    };
    let recovered = recovered.inspect_err(|error| tracing::error!("{error}"))?;
    if recovered.bytes > 0 || recovered.imported.is_some() {
        tracing::info!("Recovered {recovered}");
    }
    engine.durability.set_loading(false);
    Ok(Loaded::Whole)
}

/// What was found; nothing if the server is to stop before that is known.
fn recover(engine: &Arc<Engine>) -> Result<Option<Result<Recovered, String>>, String> {
    let (sender, done) = channel();
    let reader = Arc::clone(engine);
    let thread = Builder::new().name("loader".to_owned()).stack_size(STACK);
    let started = thread.spawn(move || {
        let _ = sender.send(with_progress(&reader, "Loading", || reader.recover()));
    });
    started.map_err(|error| format!("threads: {error}"))?;
    loop {
        let stopping = || engine.run.stopping.load(Ordering::Acquire);
        match done.recv_timeout(LOOK) {
            // It is interrupted at the next record by what stops the server, or had failed before.
            Ok(Err(error)) if stopping() => {
                tracing::warn!("{error}");
                return Ok(None);
            }
            Ok(recovered) => return Ok(Some(recovered)),
            Err(RecvTimeoutError::Timeout) if stopping() => return Ok(None),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                return Err("reading the dataset ended unexpectedly; see the log".to_owned());
            }
        }
    }
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
        let progress = &engine.durability.progress;
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
