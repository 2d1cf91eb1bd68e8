//! A redis-server to compare with, when one is installed.
//!
//! It listens on a port of its own on the loopback interface, works in a folder of its own that is
//! removed afterwards, and ends with the test. Where none is installed the tests say so and pass:
//! an absent oracle must not look like a broken Kvist.

use std::net::TcpStream;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

pub use crate::client::Client;
use crate::folder::Folder;
use crate::server::{Log, Process, Program};
use crate::skip;
use crate::wait::{PATIENCE, eventually};

/// A running redis-server.
pub struct Oracle {
    process: Process,
    folder: Folder,
}

impl Oracle {
    /// Starts redis-server with these further options; `None`, said aloud, if there is none.
    pub fn start(options: &[&str]) -> Option<Self> {
        Self::start_with(&[], options)
    }

    /// As `start`, with these files in its folder, each a path and its content, which it has read.
    pub fn start_with(files: &[(&str, &[u8])], options: &[&str]) -> Option<Self> {
        Self::start_on(None, files, options)
    }

    /// As `start_with`, with one of the files, or another, as its configuration.
    pub fn start_on(
        configuration: Option<&Path>,
        files: &[(&str, &[u8])],
        options: &[&str],
    ) -> Option<Self> {
        let oracle = Self::launch(configuration, files, options)?;
        oracle.wait_until_loaded();
        Some(oracle)
    }

    /// As `start_with`, without waiting until it has read its files.
    pub fn start_loading(files: &[(&str, &[u8])], options: &[&str]) -> Option<Self> {
        Self::launch(None, files, options)
    }

    fn launch(
        configuration: Option<&Path>,
        files: &[(&str, &[u8])],
        options: &[&str],
    ) -> Option<Self> {
        let Some(program) = Program::redis() else {
            skip::without("redis-server", "redis-server", "compare with it");
            return None;
        };
        let folder = Folder::new("oracle");
        for (path, content) in files {
            let path = folder.join(path);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            std::fs::write(path, content).expect("a file for the server");
        }
        let start = |port: u16| {
            let mut command = Command::new(&program.path);
            command.args(configuration).args(["--port", &port.to_string()]);
            command.args(["--unixsocket", "socket", "--save", "", "--daemonize", "no"]);
            command.args(options).current_dir(folder.path());
            Process::start(command, port, Log::File(folder.join("log")))
        };
        // The socket in its folder is made after the port is bound: a server that has the port has
        // both.
        let listens = |_: &Process| folder.join("socket").exists();
        let process = Process::start_until(start, listens, PATIENCE);
        Some(Oracle { process: process.expect("redis-server starts"), folder })
    }

    /// It listens before it has read its files.
    fn wait_until_loaded(&self) {
        eventually("redis-server has read its files", || {
            let reply = Client::new(self).ask(&[b"PING"]).concat();
            (!reply.starts_with(b"-LOADING")).then_some(())
        });
    }

    /// Its folder.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// A new connection.
    pub fn connect(&self) -> TcpStream {
        let stream =
            TcpStream::connect(("127.0.0.1", self.process.port())).expect("redis-server listens");
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a timeout can be set");
        stream.set_nodelay(true).expect("nodelay can be set");
        stream
    }

    /// Waits until all that was sent to it before has been done, and the replies are there to be
    /// read: it has one thread, which reads from all its clients, and writes to all, in turns.
    pub fn settle(&self) {
        let mut client = Client::new(self);
        // What it reads together with the first of them is done and answered before the second.
        client.ask(&[b"PING"]);
        client.ask(&[b"PING"]);
    }
}

impl Client {
    /// A new connection to it.
    pub fn new(oracle: &Oracle) -> Self {
        Self::on(oracle.connect())
    }
}
