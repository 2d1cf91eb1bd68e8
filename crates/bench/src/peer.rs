//! The servers that are measured: started here, or given by address.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use testkit::port::free_port;

use crate::client::{Client, Reply};

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
    child: Option<Child>,
    dir: Option<PathBuf>,
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.kill();
        if let Some(dir) = &self.dir {
            let _ = std::fs::remove_dir_all(dir);
        }
    }
}

impl Peer {
    /// Starts Kvist.
    pub fn kvist(program: &Path, threads: usize, processors: Processors) -> io::Result<Self> {
        let port = free_port().to_string();
        let threads = threads.to_string();
        let args = ["serve", "--port", &port, "--io-threads", &threads, "--save", ""];
        let quiet = ["--appendonly", "no", "--grpc-port", "0", "--http-port", "0"];
        Self::start("kvist", program, processors, &[&args[..], &quiet[..]].concat(), &port)
    }

    /// Starts Kvist with one worker and a gRPC port.
    pub fn with_grpc(program: &Path, grpc: u16, processors: Processors) -> io::Result<Self> {
        let (port, grpc) = (free_port().to_string(), grpc.to_string());
        let args = ["serve", "--port", &port, "--io-threads", "1", "--save", ""];
        let more = ["--appendonly", "no", "--grpc-port", &grpc, "--http-port", "0"];
        Self::start("kvist", program, processors, &[&args[..], &more[..]].concat(), &port)
    }

    /// Starts a server of Redis's kind.
    pub fn redis(name: &str, program: &Path, processors: Processors) -> io::Result<Self> {
        let port = free_port().to_string();
        let args = ["--port", &port, "--save", "", "--appendonly", "no", "--daemonize", "no"];
        Self::start(name, program, processors, &args, &port)
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
            child: None,
            dir: None,
        })
    }

    fn start(
        name: &str,
        program: &Path,
        processors: Processors,
        args: &[&str],
        port: &str,
    ) -> io::Result<Self> {
        let dir = std::env::temp_dir().join(format!("kvist-bench-{}-{port}", std::process::id()));
        std::fs::create_dir_all(&dir)?;
        let mut peer = Self::spawn((name, program), processors, args, port, &dir)?;
        peer.dir = Some(dir);
        peer.wait_until_serving(Duration::from_secs(10))?;
        Ok(peer)
    }

    /// Starts a server in a directory that stays, and does not wait for it.
    pub fn spawn(
        (name, program): (&str, &Path),
        processors: Processors,
        args: &[&str],
        port: &str,
        dir: &Path,
    ) -> io::Result<Self> {
        let mut command = if processors == Processors::First && have("taskset") {
            let mut command = Command::new("taskset");
            command.args(["-c", "0"]).arg(program);
            command
        } else {
            Command::new(program)
        };
        let child = command
            .args(args)
            .current_dir(dir)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        Ok(Peer {
            name: name.to_owned(),
            addr: format!("127.0.0.1:{port}"),
            pid: child.id(),
            version: String::new(),
            child: Some(child),
            dir: None,
        })
    }

    /// Waits until it, and no other program on its port, answers an ordinary command.
    pub fn wait_until_serving(&mut self, limit: Duration) -> io::Result<()> {
        let deadline = Instant::now() + limit;
        loop {
            let error = match self.serves() {
                Ok(version) => {
                    self.version = version;
                    return Ok(());
                }
                Err(error) => error,
            };
            if let Some(status) = self.child.as_mut().and_then(|c| c.try_wait().ok().flatten()) {
                return Err(io::Error::other(format!("{} ended: {status}", self.name)));
            }
            if Instant::now() > deadline {
                return Err(error);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    fn serves(&self) -> io::Result<String> {
        let mut client = Client::connect(&self.addr)?;
        let Reply::Int(_) = client.call(&[b"DBSIZE"])? else {
            return Err(io::Error::other(format!("{} is still loading", self.name)));
        };
        if client.info("process_id")?.is_none_or(|pid| pid != self.pid.to_string()) {
            return Err(io::Error::other(format!("{}: another process has its port", self.name)));
        }
        version(&mut client)
    }

    /// `kill -9`; returns when the process is gone.
    pub fn kill(&mut self) {
        if let Some(child) = &mut self.child {
            // Ours to stop; an error means that it is gone already.
            let _ = child.kill();
            let _ = child.wait();
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
