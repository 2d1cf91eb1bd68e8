//! Scripts that take long: where they are listed, and how they are ended.
//!
//! The clock is not read for a script until it has run for a hundred thousand instructions. From
//! then on it is in this register; past `busy-reply-threshold` it counts as busy.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use base::CmdError;
use parking_lot::Mutex;

/// What runs long may hold shards for as long as it likes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RunKind {
    /// A script.
    Script,
    /// A function.
    Function,
    /// A query inside a transaction, or of a request that is served. To those that would end it, it
    /// is a script.
    Query,
}

/// After so long what runs does not keep its thread's other clients waiting any more.
pub(crate) const LONG: Duration = Duration::from_millis(20);

/// A script that runs, or what is as one.
pub(crate) struct Running {
    /// Tells it from others.
    pub number: u64,
    /// What it is.
    pub kind: RunKind,
    /// The function's name, the script's digest, or the query's command.
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
    pub(crate) ending: AtomicBool,
}

/// So many may be overdue at a time: each has a thread. No further script is begun then.
const MOST_OVERDUE: usize = 64;

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

    /// It has ended, and is not found from now on. Whether it was killed before.
    pub fn leave(self) -> bool {
        // Under the lock, so that no client is told that it ends which then takes effect.
        let mut runs = self.runs.all.lock();
        runs.retain(|other| !Arc::ptr_eq(other, &self.running));
        let killed = self.running.killed.load(Ordering::Acquire);
        drop(runs);
        killed
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

    /// Ends the query with this number; whether it was there.
    pub fn kill_query(&self, number: u64) -> bool {
        let runs = self.all.lock();
        let is_it = |run: &&Arc<Running>| run.kind == RunKind::Query && run.number == number;
        runs.iter().find(is_it).is_some_and(|run| !run.killed.swap(true, Ordering::AcqRel))
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
        for running in runs.iter().filter(|running| running.is_function() == functions) {
            if !wrote(&running) {
                running.killed.store(true, Ordering::Release);
                result = Kill::Done;
            }
        }
        result
    }
}

/// What is answered to a transaction with a script that was broken off.
pub(crate) const BROKEN_OFF: CmdError =
    CmdError::new("ERR the server has shut down in the middle of a script");

/// What is answered while a script takes too long.
pub(crate) const BUSY_SCRIPT: CmdError = CmdError::new(
    "BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.",
);
const BUSY_FUNCTION: CmdError = CmdError::new(
    "BUSY Redis is busy running a script. You can only call FUNCTION KILL or SHUTDOWN NOSAVE.",
);

const BUSY_QUERY: CmdError = CmdError::new(
    "BUSY Redis is busy running a query inside a transaction. You can only call SCRIPT KILL, \
     CLIENT KILL or SHUTDOWN NOSAVE.",
);

impl Running {
    /// Whether `FUNCTION KILL` ends it, and not `SCRIPT KILL`.
    pub fn is_function(&self) -> bool {
        self.kind == RunKind::Function
    }

    /// The error for clients that cannot be served meanwhile.
    pub fn busy_reply(&self) -> CmdError {
        match self.kind {
            RunKind::Script => BUSY_SCRIPT,
            RunKind::Function => BUSY_FUNCTION,
            RunKind::Query => BUSY_QUERY,
        }
    }
}
