//! One worker's progress, as the other workers see it: its rounds, and its sockets that have
//! something to read (`precedence.rs` says what for).

use std::io;
use std::os::fd::OwnedFd;

use base::Millis;
use rustix::event::epoll;

use super::rounds::Rounds;

/// One worker's progress.
pub struct Progress {
    pub(super) rounds: Rounds,
    /// Its sockets that have something to read.
    pub(super) arrivals: OwnedFd,
}

impl Progress {
    /// Of a worker that has not begun.
    ///
    /// # Errors
    /// There are no more descriptors.
    pub fn new() -> io::Result<Self> {
        Ok(Progress {
            rounds: Rounds::new(),
            arrivals: epoll::create(epoll::CreateFlags::CLOEXEC)?,
        })
    }

    /// The worker serves what it has seen.
    pub fn begin(&self, now: Millis) {
        self.rounds.begin(now);
    }

    /// It has served all of it, though not what came since.
    pub fn end(&self) {
        self.rounds.end();
    }
}
