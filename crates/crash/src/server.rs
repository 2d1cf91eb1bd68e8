//! A server on a directory that outlives it: started, waited for, killed.

use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use testkit::port::free_port;
pub use testkit::server::State;
use testkit::server::{Log, Process, Program};

use crate::settings::Fsync;

/// A running server; dropping it kills the process and leaves the directory.
#[derive(Debug)]
pub struct Server(Process);

impl Server {
    /// Starts the program on `dir`, and does not wait.
    ///
    /// # Errors
    /// When the process cannot be made.
    pub fn spawn(program: &Program, dir: &Path, fsync: Fsync) -> io::Result<Self> {
        process(program, dir, fsync, free_port()).map(Self)
    }

    /// Starts the program on `dir` and waits until it serves; says how long that took.
    ///
    /// # Errors
    /// When it ends early or does not serve within `patience`; the text holds the end of its log.
    pub fn start(
        program: &Program,
        dir: &Path,
        fsync: Fsync,
        patience: Duration,
    ) -> io::Result<(Self, Duration)> {
        let mut started = Instant::now();
        let start = |port| {
            started = Instant::now();
            process(program, dir, fsync, port)
        };
        let process = Process::start_until(start, |it| it.state() == State::Ready, patience);
        let process = process.map_err(|error| io::Error::other(format!("the server {error}")))?;
        Ok((Self(process), started.elapsed()))
    }

    /// What it says now.
    #[must_use]
    pub fn state(&self) -> State {
        self.0.state()
    }

    /// Whether the process is still there.
    pub fn is_alive(&mut self) -> bool {
        self.0.is_alive()
    }

    /// The port it listens on.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.0.port()
    }

    /// `kill -9`; returns when the process is gone.
    pub fn kill(&mut self) {
        self.0.kill();
    }

    /// Waits for a process that was asked to end; false if it does not.
    pub fn ends_within(&mut self, patience: Duration) -> bool {
        self.0.ends_within(patience)
    }

    /// The last lines the server has written.
    #[must_use]
    pub fn log_end(&self) -> String {
        self.0.log_end()
    }
}

fn process(program: &Program, dir: &Path, fsync: Fsync, port: u16) -> io::Result<Process> {
    let mut command = program.on(port, dir);
    command.args(["--save", "", "--appendonly", "yes", "--appendfsync", fsync.word()]);
    command.args(&program.extra);
    Process::start(command, port, Log::File(dir.with_extension("log")))
}
