//! Scripts that run for long, as the rest of the engine sees them.
//!
//! Once a script is overdue (`busy-reply-threshold`) its shards are marked
//! (`store/src/store/locks.rs`) and requests that need them are answered `BUSY`. At most 64 can be
//! overdue at a time: then no further script is started. As many threads as there are workers may
//! have handed over their event loops at a time; beyond that a script keeps the clients of its
//! thread waiting until it is overdue.
//!
//! When the engine ends, scripts that have written nothing end at once, others after some time:
//! what the undo log has is rolled back, and a script that holds every shard, which has no undo
//! log, is broken off (`store/src/txn/locking.rs`).

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use base::{CmdError, error};
use store::Failed;

use crate::engine::Engine;
use crate::scripts::BUSY_SCRIPT;

/// How long a script that has written is waited for at most when the engine ends.
const PATIENCE: Duration = Duration::from_secs(5);
/// How often it is looked whether it has ended.
const LOOK: Duration = Duration::from_millis(10);

impl Engine {
    /// Whether a script runs that can be neither waited for nor ended: it takes too long and has
    /// written. What it changed so far must not be saved.
    pub fn is_held_up(&self) -> bool {
        self.scripts.runs.all().iter().any(|running| {
            running.overdue.load(Ordering::Relaxed) && running.wrote.load(Ordering::Acquire)
        })
    }

    /// How long scripts that have written are waited for when the engine ends: as long as clients
    /// wait for one, but not for ever.
    #[must_use]
    pub fn patience_with_scripts(&self) -> Duration {
        self.config().scripts.busy_after.map_or(PATIENCE, |limit| limit.min(PATIENCE))
    }

    /// Has every script end within moments, also those that have written: what they did is undone
    /// where that was remembered, else broken off as by a crash (`store::Txn::break_off`): the
    /// journal has nothing of it, and what it held is withheld. To be called when the engine stops.
    pub fn end_scripts(&self) {
        self.scripts.runs.ending.store(true, Ordering::Release);
    }

    /// Whether a script is running that has written, in whichever thread.
    #[must_use]
    pub fn has_written_scripts(&self) -> bool {
        self.scripts.runs.all().iter().any(|running| running.wrote.load(Ordering::Acquire))
    }

    /// Waits for scripts that have written, while the server stops: until they have ended or are
    /// overdue. Whether one is still there; what it changed so far must not be saved.
    pub(crate) fn outlasts_scripts(&self) -> bool {
        let limit = self.patience_with_scripts();
        let begun = Instant::now();
        loop {
            let left = self.has_written_scripts();
            if !left || self.is_held_up() || begun.elapsed() > limit {
                return left;
            }
            std::thread::sleep(LOOK);
        }
    }

    /// What is answered to a request that did not run to its end.
    pub(crate) fn instead(&self, failed: &Failed) -> CmdError {
        match failed {
            Failed::Busy => self.busy(),
            Failed::Panicked(_) => error::INTERNAL,
        }
    }

    /// The error for clients whose keys are held by a script that takes too long.
    pub(crate) fn busy(&self) -> CmdError {
        self.scripts.runs.busy().map_or(BUSY_SCRIPT, |running| running.busy_reply())
    }
}
