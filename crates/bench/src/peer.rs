//! The servers that are measured: started here, or given by address.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use testkit::folder::Folder;
use testkit::server::{Log, Process, State, ended_with_us};

use crate::client::Client;

/// Where a server may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Processors {
    /// On processor 0: the load has another.
    First,
    /// Wherever the system likes.
    All,
}

/// A server under measurement. One that was started here is stopped when dropped.
pub(crate) struct Peer {
    /// Its name in the tables.
    pub name: String,
    /// Where it listens.
    pub addr: String,
    /// Its process.
    pub pid: u32,
    /// Its own word on its version.
    pub version: String,
    process: Option<Process>,
    _folder: Option<Folder>,
}

impl Peer {
    /// Starts Kvist.
    pub fn kvist(program: &Path, threads: usize, processors: Processors) -> io::Result<Self> {
        let threads = threads.to_string();
        let args = ["serve", "--io-threads", &threads, "--save", "", "--appendonly", "no"];
        let quiet = ["--grpc-port", "0", "--http-port", "0"];
        Self::start("kvist", program, processors, &[&args[..], &quiet[..]].concat())
    }

    /// Starts Kvist with one worker and a gRPC port.
    pub fn with_grpc(program: &Path, grpc: u16, processors: Processors) -> io::Result<Self> {
        let grpc = grpc.to_string();
        let args = ["serve", "--io-threads", "1", "--save", "", "--appendonly", "no"];
        let more = ["--grpc-port", &grpc, "--http-port", "0"];
        Self::start("kvist", program, processors, &[&args[..], &more[..]].concat())
    }

    /// Starts a server of Redis's kind.
    pub fn redis(name: &str, program: &Path, processors: Processors) -> io::Result<Self> {
        let args = ["--save", "", "--appendonly", "no", "--daemonize", "no"];
        Self::start(name, program, processors, &args)
    }

    /// A running server.
    pub fn running(name: &str, addr: &str) -> io::Result<Self> {
        let mut client = Client::connect(addr)?;
        let pid = client.info("process_id")?.and_then(|p| p.parse().ok()).unwrap_or(0);
        let version = version(&mut client)?;
        Ok(Peer {
            name: name.to_owned(),
            addr: addr.to_owned(),
            pid,
            version,
            process: None,
            _folder: None,
        })
    }

    fn start(
        name: &str,
        program: &Path,
        processors: Processors,
        args: &[&str],
    ) -> io::Result<Self> {
        let folder = Folder::new("bench");
        let start = |port: u16| {
            let mut command = on(processors, program);
            command.args(args).args(["--port", &port.to_string()]).current_dir(folder.path());
            Process::start(command, port, Log::File(folder.join("log")))
        };
        let is_ready = |process: &Process| process.state() == State::Ready;
        let process = Process::start_until(start, is_ready, Duration::from_secs(10))?;
        let mut peer = Self::of(name, process);
        peer._folder = Some(folder);
        peer.version = version(&mut Client::connect(&peer.addr)?)?;
        Ok(peer)
    }

    /// Starts a server in a directory that stays, and does not wait for it.
    pub fn spawn(
        (name, program): (&str, &Path),
        processors: Processors,
        args: &[&str],
        port: u16,
        dir: &Path,
    ) -> io::Result<Self> {
        let mut command = on(processors, program);
        command.args(args).args(["--port", &port.to_string()]).current_dir(dir);
        Process::start(command, port, Log::Discarded).map(|process| Self::of(name, process))
    }

    fn of(name: &str, process: Process) -> Self {
        Peer {
            name: name.to_owned(),
            addr: format!("127.0.0.1:{}", process.port()),
            pid: process.id(),
            version: String::new(),
            process: Some(process),
            _folder: None,
        }
    }

    /// Waits until it, and no other program on its port, answers an ordinary command.
    pub fn wait_until_serving(&mut self, limit: Duration) -> io::Result<()> {
        if let Some(process) = &mut self.process {
            process.serves_within(limit)?;
        }
        self.version = version(&mut Client::connect(&self.addr)?)?;
        Ok(())
    }

    /// `kill -9`; returns when the process is gone.
    pub fn kill(&mut self) {
        if let Some(process) = &mut self.process {
            process.kill();
        }
    }

    /// The port, for programs that want it apart.
    pub fn port(&self) -> &str {
        self.addr.rsplit(':').next().unwrap_or("6379")
    }

    /// The host, for programs that want it apart.
    pub fn host(&self) -> &str {
        self.addr.rsplit_once(':').map_or("127.0.0.1", |(host, _)| host)
    }
}

/// The command that runs a program where it may run.
fn on(processors: Processors, program: &Path) -> Command {
    if processors == Processors::All || !have("taskset") {
        return ended_with_us(program);
    }
    let mut command = ended_with_us(Path::new("taskset"));
    command.args(["-c", "0"]).arg(program);
    command
}

fn version(client: &mut Client) -> io::Result<String> {
    for field in ["kvist_version", "valkey_version", "redis_version"] {
        if let Some(version) = client.info(field)? {
            return Ok(version);
        }
    }
    Ok("unknown".to_owned())
}

/// A running server's name and address, as `--peer` gives them.
///
/// # Errors
/// It is something else.
pub(crate) fn named(value: &str) -> Result<(String, String), &'static str> {
    let (name, addr) = value.split_once('=').ok_or("--peer wants NAME=HOST:PORT")?;
    Ok((name.to_owned(), addr.to_owned()))
}

/// Where a program is, if it can be found on the search path.
pub(crate) fn find(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|dir| dir.join(program)).find(|file| file.is_file())
}

/// Whether a program can be found on the search path.
pub(crate) fn have(program: &str) -> bool {
    find(program).is_some()
}
