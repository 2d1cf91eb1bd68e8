//! Starts a server as our own child on a free port and ends it again.
//!
//! Both sides are started the same way, in an empty temporary folder, in the C locale (SORT ALPHA
//! compares by it). The guard ends only the process it started, by its handle, when it is dropped.

use std::fs;
use std::io;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command as Process, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use crate::command::Command;
use crate::connection::Connection;

/// Which program to start and how.
#[derive(Clone, Debug)]
pub struct Program {
    /// The executable.
    pub path: PathBuf,
    /// Arguments before and after the ones every server gets.
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
            let time = fs::metadata(&path).ok()?.modified().ok()?;
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

    /// `redis-server` takes its directives at once; `kvist` wants its verb first.
    fn is_kvist(&self) -> bool {
        !self.name().ends_with("-server")
    }
}

/// A running server; dropping it ends the process and removes its folder.
#[derive(Debug)]
pub struct Server {
    program: Program,
    child: Child,
    port: u16,
    folder: PathBuf,
}

static FOLDERS: AtomicU32 = AtomicU32::new(0);

impl Server {
    /// Starts the program and waits until it answers.
    ///
    /// # Errors
    /// When it cannot be started, ends early or does not answer within 10 seconds; the text holds
    /// the end of its log.
    pub fn start(program: &Program) -> io::Result<Self> {
        let mut last = io::Error::other("not started");
        // Between finding a free port and the server binding it another process may take it.
        for _ in 0..3 {
            match Self::start_once(program) {
                Ok(server) => return Ok(server),
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    fn start_once(program: &Program) -> io::Result<Self> {
        let number = FOLDERS.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir()
            .join(format!("kvist-differential-{}-{number}", std::process::id()));
        fs::create_dir_all(&folder)?;
        let port = TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port();
        let log = fs::File::create(folder.join("log"))?;
        let mut process = wrapped(&program.path);
        if program.is_kvist() {
            process.args(["serve", "--grpc-port", "0", "--http-port", "0"]);
        }
        process.args(["--port", &port.to_string(), "--bind", "127.0.0.1"]);
        process.args(["--appendonly", "no", "--save", ""]);
        process.arg("--dir").arg(&folder).args(&program.extra);
        process.current_dir(&folder).env("LC_ALL", "C").stdin(Stdio::null());
        process.stdout(log.try_clone()?).stderr(log);
        let child = process.spawn()?;
        let mut server = Self { program: program.clone(), child, port, folder };
        server.wait_until_ready()?;
        Ok(server)
    }

    fn wait_until_ready(&mut self) -> io::Result<()> {
        let deadline = Instant::now() + Duration::from_secs(10);
        // Another server that took the port would answer with another process id.
        let who = Command::words(&["INFO", "server"]);
        let mine = format!("\r\nprocess_id:{}\r\n", self.child.id());
        loop {
            if let Some(status) = self.child.try_wait()? {
                let text = format!("{} ended ({status}): {}", self.program.name(), self.log_end());
                return Err(io::Error::other(text));
            }
            let answer = Connection::open(self.port, Duration::from_secs(1))
                .and_then(|mut connection| connection.ask(&who));
            if answer.is_ok_and(|reply| memmem(&reply.raw, mine.as_bytes())) {
                return Ok(());
            }
            if Instant::now() > deadline {
                let text = format!("{} does not answer: {}", self.program.name(), self.log_end());
                return Err(io::Error::other(text));
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// The port it listens on.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The program's file name.
    #[must_use]
    pub fn name(&self) -> String {
        self.program.name()
    }

    /// Whether the process is still there.
    pub fn is_alive(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// The last lines the server has written.
    #[must_use]
    pub fn log_end(&self) -> String {
        let log = fs::read(self.folder.join("log")).unwrap_or_default();
        let text = String::from_utf8_lossy(&log);
        let lines: Vec<&str> = text.lines().rev().take(12).collect();
        lines.into_iter().rev().collect::<Vec<_>>().join("\n             ")
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

impl Drop for Server {
    fn drop(&mut self) {
        // Neither can fail in a way that matters here: the child is ours and may already be gone.
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn memmem(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

/// Where `setpriv` exists the kernel ends the child when its starter dies, so that a killed test
/// run leaves no servers behind.
#[must_use]
pub fn wrapped(program: &Path) -> Process {
    let guard = Path::new("/usr/bin/setpriv");
    if !guard.is_file() {
        return Process::new(program);
    }
    let mut process = Process::new(guard);
    process.args(["--pdeathsig", "KILL", "--"]).arg(program);
    process
}
