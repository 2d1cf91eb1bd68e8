//! A server on a directory that outlives it: started, waited for, killed.
//!
//! Its process is always our own child, and a port counts as its own only when the process that
//! answers there says so. Nothing else is ever killed.

use std::fs;
use std::io;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use differential::command::Command;
use differential::connection::Connection;
use differential::server::{Program, wrapped};

use crate::settings::Fsync;

/// A running server; dropping it kills the process and leaves the directory.
#[derive(Debug)]
pub struct Server {
    child: Child,
    port: u16,
    log: PathBuf,
    started: Instant,
}

/// What a server says when it is asked for something ordinary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It does not answer yet.
    Silent,
    /// It answers that it is loading.
    Loading,
    /// It serves.
    Ready,
}

impl Server {
    /// Starts the program on `dir`, and does not wait.
    ///
    /// # Errors
    /// When the process cannot be made.
    pub fn spawn(program: &Program, dir: &Path, fsync: Fsync) -> io::Result<Self> {
        let port = TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port();
        let log_path = dir.with_extension("log");
        let log = fs::OpenOptions::new().create(true).append(true).open(&log_path)?;
        let mut process = wrapped(&program.path);
        if !program.name().ends_with("-server") {
            process.args(["serve", "--grpc-port", "0", "--http-port", "0"]);
        }
        process.args(["--port", &port.to_string(), "--bind", "127.0.0.1", "--save", ""]);
        process.args(["--appendonly", "yes", "--appendfsync", fsync.word()]);
        process.arg("--dir").arg(dir).args(&program.extra);
        process.current_dir(dir).env("LC_ALL", "C").stdin(Stdio::null());
        process.stdout(log.try_clone()?).stderr(log);
        let child = process.spawn()?;
        Ok(Self { child, port, log: log_path, started: Instant::now() })
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
        for _ in 0..3 {
            let mut server = Self::spawn(program, dir, fsync)?;
            if server.wait(patience)? {
                let took = server.started.elapsed();
                return Ok((server, took));
            }
        }
        Err(io::Error::other("other processes took three ports in a row"))
    }

    /// False if another program took the port between choosing and binding it.
    fn wait(&mut self, patience: Duration) -> io::Result<bool> {
        let deadline = Instant::now() + patience;
        loop {
            if let Some(status) = self.child.try_wait()? {
                if self.log_end().contains("ddress already in use") {
                    return Ok(false);
                }
                let text =
                    format!("the server ended instead of serving ({status}): {}", self.log_end());
                return Err(io::Error::other(text));
            }
            if self.state() == State::Ready {
                return Ok(true);
            }
            if Instant::now() > deadline {
                let text = format!("the server does not serve: {}", self.log_end());
                return Err(io::Error::other(text));
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// What it says now.
    #[must_use]
    pub fn state(&self) -> State {
        let asked = Connection::open(self.port, Duration::from_secs(1)).and_then(|mut c| {
            Ok((c.ask(&Command::words(&["INFO", "server"]))?, c.ask(&Command::words(&["DBSIZE"]))?))
        });
        let Ok((info, size)) = asked else { return State::Silent };
        let mine = format!("process_id:{}\r\n", self.child.id());
        if !String::from_utf8_lossy(&info.raw).contains(&mine) {
            return State::Silent;
        }
        match size.value.error() {
            Some(text) if text.starts_with(b"LOADING") => State::Loading,
            Some(_) => State::Silent,
            None => State::Ready,
        }
    }

    /// Whether the process is still there.
    pub fn is_alive(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// The port it listens on.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// `kill -9`; returns when the process is gone.
    pub fn kill(&mut self) {
        // Neither fails in a way that matters: the child is ours and may already be gone.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Waits for a process that was asked to end; false if it does not.
    pub fn ends_within(&mut self, patience: Duration) -> bool {
        let deadline = Instant::now() + patience;
        while self.is_alive() {
            if Instant::now() > deadline {
                return false;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        true
    }

    /// The last lines the server has written.
    #[must_use]
    pub fn log_end(&self) -> String {
        let log = fs::read(&self.log).unwrap_or_default();
        let text = String::from_utf8_lossy(&log[log.len().saturating_sub(4000)..]).into_owned();
        let lines: Vec<&str> = text.lines().rev().take(12).collect();
        lines.into_iter().rev().collect::<Vec<_>>().join("\n             ")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}
