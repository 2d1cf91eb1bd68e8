//! Signals: SIGTERM and SIGINT stop the server in order, a second SIGINT at once; SIGHUP does
//! nothing. (SIGPIPE is ignored by the runtime before `main`.) A file that may not grow any more is
//! an error of the write, as a disk without room is, not the end of the server: SIGXFSZ.

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use engine::Engine;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::Signals;

use crate::workers::WorkerPool;

/// Listens for signals from now on, on a thread of its own.
///
/// # Errors
/// The handlers cannot be installed.
pub fn listen(engine: &Arc<Engine>, pool: &Arc<WorkerPool>) -> io::Result<()> {
    let mut signals = Signals::new([SIGTERM, SIGINT, SIGHUP, SIGXFSZ])?;
    let (engine, pool) = (Arc::clone(engine), Arc::clone(pool));
    std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
        let mut interrupted = false;
        for signal in signals.forever() {
            match signal {
                SIGINT if interrupted => {
                    tracing::warn!("You insist... exiting now.");
                    crate::logging::flush();
                    std::process::exit(1);
                }
                SIGINT => {
                    interrupted = true;
                    tracing::warn!("Received SIGINT scheduling shutdown...");
                }
                SIGTERM => tracing::warn!("Received SIGTERM scheduling shutdown..."),
                // The failed write reports it itself.
                SIGXFSZ => continue,
                _ => {
                    tracing::debug!("Received SIGHUP, which means nothing here");
                    continue;
                }
            }
            engine.run.stopping.store(true, Ordering::Release);
            pool.wake_all();
        }
    })?;
    Ok(())
}
