//! What the threads of one life of the server share.

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};

use crate::partition::Partition;
use crate::workload::Work;

/// See the module.
#[derive(Debug)]
pub struct Shared {
    /// Where the server listens.
    pub port: u16,
    /// What to do.
    pub work: Work,
    /// The partitions; each is used by one thread, and by all for global units.
    pub partitions: Vec<Mutex<Partition>>,
    /// Held for reading during a batch; for writing by a thread that needs all others idle.
    pub gate: RwLock<()>,
    /// Set when the work is to end.
    pub stop: AtomicBool,
    /// Set just before the server is killed: from then on lost connections are expected.
    pub doomed: AtomicBool,
    /// The largest value of the shared counter that was read.
    pub counter_seen: AtomicI64,
    /// What went wrong while the server was up.
    pub violations: Mutex<Vec<String>>,
}

impl Shared {
    /// Begins a life of the server with these partitions.
    #[must_use]
    pub fn new(port: u16, work: Work, partitions: Vec<Partition>) -> Self {
        Self {
            port,
            work,
            partitions: partitions.into_iter().map(Mutex::new).collect(),
            gate: RwLock::new(()),
            stop: AtomicBool::new(false),
            doomed: AtomicBool::new(false),
            counter_seen: AtomicI64::new(0),
            violations: Mutex::new(Vec::new()),
        }
    }

    /// Whether threads should return.
    #[must_use]
    pub fn stopping(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }

    /// Notes a violation, with a limit: one cause may show a thousand times.
    pub fn complain(&self, text: String) {
        const MOST: usize = 20;
        let mut violations = lock(&self.violations);
        if violations.len() < MOST {
            violations.push(text);
        }
    }

    /// A connection was lost: a violation unless the server is being killed.
    pub fn lost(&self, who: &str, error: &std::io::Error) {
        // The flag is set before the server is killed; a moment is given for the flag to be seen.
        std::thread::sleep(std::time::Duration::from_millis(20));
        if !self.doomed.load(Ordering::SeqCst) {
            self.complain(format!("{who}: the connection failed while the server was up: {error}"));
        }
    }
}

/// Takes a lock, also one that a panicking thread held: its panic is reported anyway.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
