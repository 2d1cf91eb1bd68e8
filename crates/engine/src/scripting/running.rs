//! Scripts that take long: where they are listed, and how they are ended.
//!
//! The clock is not read for a script until it has run for a hundred thousand instructions. From
//! then on it is in this register; past `busy-reply-threshold` it counts as busy.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use base::{CmdError, error};
use parking_lot::Mutex;
use store::Failed;

use crate::engine::Engine;

/// A script that runs.
pub(crate) struct Running {
    /// A function, not a script.
    pub function: bool,
    /// The function's name, or the script's digest.
    pub name: String,
    /// The request that called it.
    pub command: Vec<Vec<u8>>,
    /// Since when.
    pub since: Instant,
    /// It has called a command that writes.
    pub wrote: AtomicBool,
    /// It has taken longer than it should.
    pub overdue: AtomicBool,
    /// A client wants it to end.
    pub killed: AtomicBool,
}

/// Those that run long enough to be seen.
#[derive(Default)]
pub(crate) struct Runs {
    all: Mutex<Vec<Arc<Running>>>,
    /// How many of them are overdue.
    overdue: AtomicUsize,
    /// The engine ends: none goes on, whatever it has done.
    ending: AtomicBool,
}

/// So many may be overdue at a time: each has a thread. No further script is begun then.
const MOST_OVERDUE: usize = 64;

/// How long a script that has written is waited for at most when the engine ends.
const PATIENCE: Duration = Duration::from_secs(5);
/// How often it is looked whether it has ended.
const LOOK: Duration = Duration::from_millis(10);

/// A script's place in the register, for as long as it runs, however it ends.
pub(crate) struct Registered<'e> {
    runs: &'e Runs,
    running: Arc<Running>,
}

impl Deref for Registered<'_> {
    type Target = Running;

    fn deref(&self) -> &Running {
        &self.running
    }
}

impl Registered<'_> {
    /// It has run for longer than it should. Whether this is the first time.
    pub fn is_overdue_now(&self) -> bool {
        let is_first = !self.running.overdue.swap(true, Ordering::Relaxed);
        self.runs.overdue.fetch_add(usize::from(is_first), Ordering::Relaxed);
        is_first
    }
}

impl Drop for Registered<'_> {
    fn drop(&mut self) {
        self.runs.all.lock().retain(|other| !Arc::ptr_eq(other, &self.running));
        let overdue = self.running.overdue.load(Ordering::Relaxed);
        self.runs.overdue.fetch_sub(usize::from(overdue), Ordering::Relaxed);
    }
}

/// What `SCRIPT KILL` or `FUNCTION KILL` came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kill {
    /// What was running and had written nothing will end.
    Done,
    /// What is running has written.
    Unkillable,
    /// Only the other kind is running.
    Other,
    /// Nothing is running.
    Nothing,
}

impl Runs {
    /// Makes a script visible.
    pub fn add(&self, running: Running) -> Registered<'_> {
        let running = Arc::new(running);
        self.all.lock().push(Arc::clone(&running));
        Registered { runs: self, running }
    }

    /// Whether so many are overdue that none may be begun.
    #[inline]
    pub fn are_too_many(&self) -> bool {
        self.overdue.load(Ordering::Relaxed) >= MOST_OVERDUE
    }

    /// Whether none goes on, though it has written.
    pub fn are_ending(&self) -> bool {
        self.ending.load(Ordering::Acquire)
    }

    /// All of them.
    pub fn all(&self) -> Vec<Arc<Running>> {
        self.all.lock().clone()
    }

    /// The one that has been busy for the longest time.
    pub fn busy(&self) -> Option<Arc<Running>> {
        let runs = self.all.lock();
        let busy = runs.iter().filter(|running| running.overdue.load(Ordering::Relaxed));
        busy.min_by_key(|running| running.since).map(Arc::clone)
    }

    /// A script is about to write for the first time: false if it is to end instead.
    pub fn may_write(&self, running: &Running) -> bool {
        // Under the lock, so that no client is told that a script ends which then writes.
        let _runs = self.all.lock();
        let may = !running.killed.load(Ordering::Acquire);
        running.wrote.fetch_or(may, Ordering::Release);
        may
    }

    /// Ends scripts, or functions, that have written nothing.
    pub fn kill(&self, functions: bool) -> Kill {
        let runs = self.all.lock();
        let wrote = |running: &&Arc<Running>| running.wrote.load(Ordering::Acquire);
        let mut result = match runs.first() {
            None => Kill::Nothing,
            Some(_) if runs.iter().any(|running| wrote(&running)) => Kill::Unkillable,
            Some(_) => Kill::Other,
        };
        for running in runs.iter().filter(|running| running.function == functions) {
            if !wrote(&running) {
                running.killed.store(true, Ordering::Release);
                result = Kill::Done;
            }
        }
        result
    }
}

impl Engine {
    /// Whether a script runs that can be neither waited for nor ended: it takes too long and has
    /// written. What it changed so far must not be saved.
    pub fn is_held_up(&self) -> bool {
        self.runs.all().iter().any(|running| {
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
        self.runs.ending.store(true, Ordering::Release);
    }

    /// Whether a script is running that has written, in whichever thread.
    #[must_use]
    pub fn has_written_scripts(&self) -> bool {
        self.runs.all().iter().any(|running| running.wrote.load(Ordering::Acquire))
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
        self.runs.busy().map_or(BUSY_SCRIPT, |running| running.busy_reply())
    }
}

/// What is answered to a transaction with a script that was broken off.
pub(crate) const BROKEN_OFF: CmdError =
    CmdError::new("ERR the server has shut down in the middle of a script");

const BUSY_SCRIPT: CmdError = CmdError::new(
    "BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.",
);
const BUSY_FUNCTION: CmdError = CmdError::new(
    "BUSY Redis is busy running a script. You can only call FUNCTION KILL or SHUTDOWN NOSAVE.",
);

impl Running {
    /// The error for clients that cannot be served meanwhile.
    pub fn busy_reply(&self) -> CmdError {
        if self.function { BUSY_FUNCTION } else { BUSY_SCRIPT }
    }
}
