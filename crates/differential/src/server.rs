//! One of the two servers, in an empty folder that goes with it.

use std::io;
use std::time::Duration;

use testkit::folder::Folder;
use testkit::server::{Log, Process, Program, State};

/// How long a server may take to serve.
const PATIENCE: Duration = Duration::from_secs(30);

/// A running server; dropping it ends the process and removes its folder.
#[derive(Debug)]
pub struct Server {
    program: Program,
    // Ended before its folder is removed.
    process: Process,
    _folder: Folder,
}

impl Server {
    /// Starts the program and waits until it answers.
    ///
    /// # Errors
    /// When it cannot be started, ends early or does not answer; the text holds the end of its log.
    pub fn start(program: &Program) -> io::Result<Self> {
        let folder = Folder::new("differential");
        let start = |port: u16| {
            let mut command = program.on(port, folder.path());
            command.args(["--appendonly", "no", "--save", ""]).args(&program.extra);
            Process::start(command, port, Log::File(folder.join("log")))
        };
        let process = Process::start_until(start, |it| it.state() == State::Ready, PATIENCE);
        let named = |error| io::Error::other(format!("{} {error}", program.name()));
        Ok(Self { process: process.map_err(named)?, program: program.clone(), _folder: folder })
    }

    /// The port it listens on.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.process.port()
    }

    /// The program's file name.
    #[must_use]
    pub fn name(&self) -> String {
        self.program.name()
    }

    /// Whether the process is still there.
    pub fn is_alive(&mut self) -> bool {
        self.process.is_alive()
    }

    /// The last lines the server has written.
    #[must_use]
    pub fn log_end(&self) -> String {
        self.process.log_end()
    }

    /// Ends the process, starts it anew (empty, on another port).
    ///
    /// # Errors
    /// As [`Server::start`].
    pub fn restart(&mut self) -> io::Result<()> {
        *self = Self::start(&self.program.clone())?;
        Ok(())
    }
}
