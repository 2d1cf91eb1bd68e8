//! Servers that tests start: which program, on which port, until it serves, and to its end.
//!
//! A server is always our own child, and a port counts as its own only once its process says so:
//! between choosing a port and binding it another program may take it, and then another port is
//! tried. Only the process that was started is ever ended, by its handle.

use std::io::{self, BufRead, BufReader, Read};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::client::Client;
use crate::port::free_port;
use crate::wait::{STEP, eventually};

/// How many ports are tried.
const PORTS: usize = 20;
/// How long a server that is asked for its state may take to answer.
const ANSWER: Duration = Duration::from_secs(1);

/// Which program to start and how.
#[derive(Clone, Debug)]
pub struct Program {
    /// The executable.
    pub path: PathBuf,
    /// Arguments after the ones every server gets.
    pub extra: Vec<String>,
}

impl Program {
    /// Debian's `redis-server`, if it is in the path.
    #[must_use]
    pub fn redis() -> Option<Self> {
        let path = std::env::var_os("PATH")?;
        let found = std::env::split_paths(&path).map(|dir| dir.join("redis-server"));
        found.into_iter().find(|p| p.is_file()).map(|path| Self { path, extra: vec![] })
    }

    /// A redis-server with the module of documents that `KVIST_JSON_MODULE` names; `None` if it
    /// names none.
    #[must_use]
    pub fn redis_with_documents() -> Option<Self> {
        let module = std::env::var("KVIST_JSON_MODULE").ok()?;
        Some(Self { extra: vec!["--loadmodule".to_owned(), module], ..Self::redis()? })
    }

    /// FalkorDB, in the folder that `KVIST_FALKORDB` names: a `redis-server` and its module,
    /// `falkordb.so`; `None` if it names none.
    #[must_use]
    pub fn falkordb() -> Option<Self> {
        let folder = PathBuf::from(std::env::var_os("KVIST_FALKORDB")?);
        let (path, module) = (folder.join("redis-server"), folder.join("falkordb.so"));
        let extra = vec!["--loadmodule".to_owned(), module.to_str()?.to_owned()];
        (path.is_file() && module.is_file()).then_some(Self { path, extra })
    }

    /// Kvist: `KVIST_BIN`, else the newer of the debug and release builds of this workspace.
    /// `KVIST_ARGS` (separated by spaces) are added to its command line.
    #[must_use]
    pub fn kvist() -> Option<Self> {
        let extra = std::env::var("KVIST_ARGS").unwrap_or_default();
        let extra = extra.split_whitespace().map(str::to_owned).collect();
        if let Some(path) = std::env::var_os("KVIST_BIN") {
            let path = PathBuf::from(path);
            return path.is_file().then_some(Self { path, extra });
        }
        let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(
            || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target"),
            PathBuf::from,
        );
        let built = |profile: &str| {
            let path = target.join(profile).join("kvist");
            let time = std::fs::metadata(&path).ok()?.modified().ok()?;
            Some((time, path))
        };
        let newest = [built("debug"), built("release")].into_iter().flatten().max()?;
        Some(Self { path: newest.1, extra })
    }

    /// A word for reports: the file name.
    #[must_use]
    pub fn name(&self) -> String {
        self.path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default()
    }

    /// The command that serves a directory on a port of the loopback interface, and on no other, in
    /// the C locale (`SORT ALPHA` compares by it). What is saved and when is to be added.
    #[must_use]
    pub fn on(&self, port: u16, dir: &Path) -> Command {
        let mut command = ended_with_us(&self.path);
        // `redis-server` takes its directives at once; `kvist` wants its verb first.
        if !self.name().ends_with("-server") {
            command.args(["serve", "--grpc-port", "0", "--http-port", "0"]);
        }
        command.args(["--port", &port.to_string(), "--bind", "127.0.0.1"]);
        command.arg("--dir").arg(dir).current_dir(dir).env("LC_ALL", "C");
        command
    }
}

/// The command that runs a program, found on the search path if need be.
///
/// Where `setpriv` exists the kernel ends the child when its starter dies, so that a killed test
/// run leaves no servers behind.
#[must_use]
pub fn ended_with_us(program: &Path) -> Command {
    let guard = Path::new("/usr/bin/setpriv");
    if !guard.is_file() {
        return Command::new(program);
    }
    let mut command = Command::new(guard);
    command.args(["--pdeathsig", "KILL", "--"]).arg(program);
    command
}

/// Where what a server prints is kept.
#[derive(Debug)]
pub enum Log {
    /// In this file, behind what is there.
    File(PathBuf),
    /// In memory: for a server that may write no files.
    Memory(Arc<Mutex<String>>),
    /// Nowhere.
    Discarded,
}

/// What a server says when it is asked for something ordinary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It does not answer yet, or another program does.
    Silent,
    /// It answers that it is loading.
    Loading,
    /// It serves.
    Ready,
}

/// The process of a server; killed when dropped.
#[derive(Debug)]
pub struct Process {
    child: Child,
    port: u16,
    log: Log,
}

impl Process {
    /// Starts a server that is to listen on this port, and does not wait.
    ///
    /// # Errors
    /// There is no such program, or its log cannot be written.
    pub fn start(mut command: Command, port: u16, log: Log) -> io::Result<Self> {
        command.stdin(Stdio::null());
        match &log {
            Log::File(path) => {
                let file = std::fs::OpenOptions::new().create(true).append(true).open(path)?;
                command.stdout(file.try_clone()?).stderr(file);
            }
            Log::Memory(_) => {
                command.stdout(Stdio::piped()).stderr(Stdio::piped());
            }
            Log::Discarded => {
                command.stdout(Stdio::null()).stderr(Stdio::null());
            }
        }
        let mut child = command.spawn()?;
        if let Log::Memory(text) = &log {
            child.stdout.take().into_iter().for_each(|from| follow(from, text));
            child.stderr.take().into_iter().for_each(|from| follow(from, text));
        }
        Ok(Process { child, port, log })
    }

    /// Starts a server on ports that are free, until one of them is its own and `is_ready` says
    /// that it serves.
    ///
    /// # Errors
    /// It ends instead, for another reason than its port, or is not ready within `patience`; the
    /// text holds the end of its log.
    pub fn start_until(
        mut start: impl FnMut(u16) -> io::Result<Self>,
        is_ready: impl Fn(&Self) -> bool,
        patience: Duration,
    ) -> io::Result<Self> {
        for _ in 0..PORTS {
            let mut process = start(free_port())?;
            if process.wait(&is_ready, patience)? {
                return Ok(process);
            }
        }
        Err(io::Error::other("other programs have each port that was tried"))
    }

    /// Waits until it serves.
    ///
    /// # Errors
    /// It ends instead, does not serve within `patience`, or another program has its port.
    pub fn serves_within(&mut self, patience: Duration) -> io::Result<()> {
        if self.wait(|process: &Self| process.state() == State::Ready, patience)? {
            return Ok(());
        }
        Err(io::Error::other("another program has its port"))
    }

    /// Whether it comes to be ready; false if another program has its port.
    fn wait(&mut self, is_ready: impl Fn(&Self) -> bool, patience: Duration) -> io::Result<bool> {
        let deadline = Instant::now() + patience;
        loop {
            if is_ready(self) {
                return Ok(true);
            }
            if let Some(status) = self.child.try_wait()? {
                if self.lost_its_port() {
                    return Ok(false);
                }
                let text = format!("ended instead of serving ({status}): {}", self.log_end());
                return Err(io::Error::other(text));
            }
            if Instant::now() > deadline {
                return Err(io::Error::other(format!("does not serve: {}", self.log_end())));
            }
            std::thread::sleep(STEP);
        }
    }

    /// Of one that has ended: whether it says that another program has its port.
    pub fn lost_its_port(&self) -> bool {
        let is_said = |log: &str| log.contains("ddress already in use");
        // The threads that read what it prints may be behind its end.
        eventually("the reason", || {
            let log = self.log();
            (is_said(&log) || self.has_read_all()).then(|| is_said(&log))
        })
    }

    /// What it says now, asked over a new connection.
    #[must_use]
    pub fn state(&self) -> State {
        self.ask_state().unwrap_or(State::Silent)
    }

    fn ask_state(&self) -> io::Result<State> {
        let addr = SocketAddr::from(([127, 0, 0, 1], self.port));
        let stream = TcpStream::connect_timeout(&addr, ANSWER)?;
        stream.set_read_timeout(Some(ANSWER))?;
        let mut client = Client::on(stream);
        let info = client.try_ask(&[b"INFO", b"server"])?.concat();
        let mine = format!("process_id:{}\r\n", self.id());
        if !String::from_utf8_lossy(&info).contains(&mine) {
            return Ok(State::Silent);
        }
        let size = client.try_ask(&[b"DBSIZE"])?.concat();
        Ok(match size.first() {
            Some(b':') => State::Ready,
            _ if size.starts_with(b"-LOADING") => State::Loading,
            _ => State::Silent,
        })
    }

    /// The port it is to listen on.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Its process number.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Whether the process is still there.
    pub fn is_alive(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Waits for its end.
    ///
    /// # Panics
    /// It does not end.
    pub fn ended(&mut self) -> ExitStatus {
        eventually("the end", || self.child.try_wait().expect("a child can be looked at"))
    }

    /// Waits for its end, so long at most; whether it has ended.
    pub fn ends_within(&mut self, patience: Duration) -> bool {
        let deadline = Instant::now() + patience;
        while self.is_alive() {
            if Instant::now() > deadline {
                return false;
            }
            std::thread::sleep(STEP);
        }
        true
    }

    /// `kill -9`; returns when the process is gone.
    pub fn kill(&mut self) {
        // Neither fails in a way that matters: the child is ours and may already be gone.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// What it has printed so far.
    #[must_use]
    pub fn log(&self) -> String {
        match &self.log {
            Log::File(path) => {
                String::from_utf8_lossy(&std::fs::read(path).unwrap_or_default()).into_owned()
            }
            Log::Memory(text) => text.lock().unwrap_or_else(PoisonError::into_inner).clone(),
            Log::Discarded => String::new(),
        }
    }

    /// The last lines it has printed.
    #[must_use]
    pub fn log_end(&self) -> String {
        let log = self.log();
        let lines: Vec<&str> = log.lines().rev().take(12).collect();
        lines.into_iter().rev().collect::<Vec<_>>().join("\n             ")
    }

    /// Whether all that it printed has been read: once it has ended, so do the threads that read.
    fn has_read_all(&self) -> bool {
        match &self.log {
            Log::File(_) | Log::Discarded => true,
            Log::Memory(text) => Arc::strong_count(text) == 1,
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

fn follow(from: impl Read + Send + 'static, log: &Arc<Mutex<String>>) {
    let log = Arc::clone(log);
    std::thread::spawn(move || {
        for line in BufReader::new(from).lines().map_while(Result::ok) {
            let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
            log.push_str(&line);
            log.push('\n');
        }
    });
}
