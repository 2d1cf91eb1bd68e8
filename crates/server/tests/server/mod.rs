//! The real program on a free port, and a client that says exactly what it is told.
//!
//! Nothing here waits for a fixed time: conditions are awaited, up to [`PATIENCE`].

// Each test program uses its own part of this.
#![allow(dead_code)]

use std::cell::Cell;
use std::io::{Read, Write};
use std::net::{IpAddr, TcpStream, UdpSocket};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::sync::Arc;
use std::time::Duration;

use testkit::folder::Folder;
pub use testkit::folder::temporary;
pub use testkit::port::free_port;
use testkit::server::{Log, Process};
use testkit::skip;
pub use testkit::wait::{PATIENCE, eventually};

use rustls::{ClientConnection, StreamOwned};
use wire::{ReplyParser, Value};

/// What a server says once it serves.
pub const READY: &str = "Ready to accept connections";

/// The program under test.
pub fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_kvist"))
}

/// An address of this machine that is not the loopback one: clients from there count as from
/// another machine. Without one, a line says what is skipped.
pub fn own_address() -> Option<IpAddr> {
    let look = || {
        let socket = UdpSocket::bind("0.0.0.0:0").ok()?;
        // Nothing is sent: this only asks which address would be used.
        socket.connect("192.0.2.1:9").ok()?;
        let ip = socket.local_addr().ok()?.ip();
        (!ip.is_loopback() && !ip.is_unspecified()).then_some(ip)
    };
    let found = look();
    if found.is_none() {
        skip::because("no address but the loopback one: connect this machine to a network");
    }
    found
}

/// Limits what a process may have of something, as `prlimit` takes it; `false` if that is not here.
pub fn limit(process: u32, what: &str) -> bool {
    let done = Command::new("prlimit").arg("--pid").arg(process.to_string()).arg(what).status();
    let limited = done.is_ok_and(|done| done.success());
    if !limited {
        skip::because("prlimit is not here, or not allowed: install util-linux");
    }
    limited
}

/// A running server; killed when dropped.
pub struct Server {
    process: Process,
    /// Its TCP port.
    pub port: u16,
    /// Its data directory, if it makes one.
    dir: Folder,
    /// Its Unix socket, which one that is killed leaves behind.
    socket: Option<PathBuf>,
}

impl Server {
    /// Starts it with further arguments, of which the first may be a configuration file, on two
    /// threads, and waits until it is ready.
    pub fn start(args: &[&str]) -> Self {
        Self::start_until(READY, args)
    }

    /// The same, and waits until it has said something.
    pub fn start_until(said: &str, args: &[&str]) -> Self {
        Self::start_with(said, || args.iter().map(ToString::to_string).collect())
    }

    /// The same with arguments that name ports of other doors: others each time, as another program
    /// may have taken one meanwhile.
    pub fn start_with(said: &str, args: impl Fn() -> Vec<String>) -> Self {
        let dir = Folder::missing("data");
        let socket = Cell::new(None);
        let start = |port| {
            let args = args();
            let args: Vec<&str> = args.iter().map(String::as_str).collect();
            socket.set(unix_socket(&args));
            Process::start(command(program(), port, dir.path(), &args), port, memory())
        };
        let has_said = |process: &Process| process.log().contains(said);
        let process = Process::start_until(start, has_said, PATIENCE);
        let process = process.unwrap_or_else(|error| panic!("no start: {error}"));
        Server { port: process.port(), process, dir, socket: socket.take() }
    }

    /// Starts it without waiting.
    pub fn launch(port: u16, args: &[&str]) -> Self {
        Self::launch_as(program(), port, args)
    }

    /// The same of a program that becomes the server, with what it needs for that.
    pub fn launch_as(becomes: Command, port: u16, args: &[&str]) -> Self {
        let dir = Folder::missing("data");
        let process = Process::start(command(becomes, port, dir.path(), args), port, memory());
        Server { process: process.unwrap(), port, dir, socket: unix_socket(args) }
    }

    /// What it has printed so far.
    pub fn log(&self) -> String {
        self.process.log()
    }

    /// Waits until it has printed a text.
    pub fn logged(&self, text: &str) {
        eventually(&format!("'{text}' in the log"), || self.log().contains(text).then_some(()));
    }

    /// A new connection.
    pub fn connect(&self) -> Client {
        Client::new(Socket::Tcp(TcpStream::connect(("127.0.0.1", self.port)).unwrap()))
    }

    /// Its data directory, if no other was named.
    pub fn dir(&self) -> &Path {
        self.dir.path()
    }

    /// Its process number.
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// How long its threads have worked, by the processor's clock.
    pub fn processor_time(&self) -> Duration {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.id())).unwrap();
        // Its name, in brackets, may hold anything.
        let fields = stat.rsplit_once(") ").unwrap().1.split(' ').skip(11).take(2);
        // Hundredths of a second, of the program and of the system for it.
        let hundredths: u64 = fields.map(|field| field.parse::<u64>().unwrap()).sum();
        Duration::from_millis(10 * hundredths)
    }

    /// Sends it a signal.
    pub fn signal(&self, name: &str) {
        let done = Command::new("kill").arg(format!("-{name}")).arg(self.id().to_string()).status();
        assert!(done.unwrap().success());
    }

    /// Has a script run that holds a shard until `release_shard`: what goes through all of them
    /// waits for it.
    pub fn hold_shard(&self, client: &mut Client) {
        assert_eq!(client.ask(&["CONFIG", "SET", "busy-reply-threshold", "3600000"]), ok());
        client.say(&["EVAL", "while true do end", "1", "held"]);
        let mut other = self.connect();
        // What is not a function is not ended by this; it is refused once a script has its keys.
        let mut runs = || text(&other.ask(&["FUNCTION", "KILL"])).starts_with("BUSY ");
        eventually("a script", || runs().then_some(()));
    }

    /// Ends the script of `hold_shard`.
    pub fn release_shard(&self, client: &mut Client) {
        assert_eq!(self.connect().ask(&["SCRIPT", "KILL"]), ok());
        let killed = text(&client.hear());
        assert!(killed.contains("Script killed by user"), "{killed}");
    }

    /// How many connections are in the middle of this command.
    pub fn asking(&self, client: &mut Client, command: &str) -> usize {
        text(&client.ask(&["CLIENT", "LIST"])).matches(&format!(" cmd={command} ")).count()
    }

    /// Whether so many requests wait: for a key, or for the end of a pause.
    pub fn has_blocked(&self, count: usize) -> bool {
        self.info(&mut self.connect(), "blocked_clients") == count.to_string()
    }

    /// Whether it has a thread of this name.
    pub fn has_thread(&self, name: &str) -> bool {
        let tasks = std::fs::read_dir(format!("/proc/{}/task", self.id())).unwrap();
        tasks.filter_map(Result::ok).any(|task| {
            std::fs::read_to_string(task.path().join("comm")).is_ok_and(|comm| comm.trim() == name)
        })
    }

    /// Limits what it may have of something, as `prlimit` takes it; `false` if that is not here.
    pub fn limit(&self, what: &str) -> bool {
        limit(self.id(), what)
    }

    /// Whether it has ended.
    pub fn has_ended(&mut self) -> bool {
        !self.process.is_alive()
    }

    /// Waits for its end.
    pub fn ended(&mut self) -> ExitStatus {
        self.process.ended()
    }

    /// A field of INFO.
    pub fn info(&self, client: &mut Client, field: &str) -> String {
        let reply = client.ask(&["INFO", "everything"]);
        let text = String::from_utf8(reply.as_bytes().unwrap_or_default().to_vec()).unwrap();
        let line = text.lines().find_map(|line| line.strip_prefix(&format!("{field}:")));
        line.unwrap_or_else(|| panic!("no {field} in\n{text}")).to_owned()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if self.process.is_alive() {
            self.process.kill();
            let _ = self.socket.as_ref().map(std::fs::remove_file);
        }
        if std::thread::panicking() {
            eprintln!("--- the server's log:\n{}---", self.log());
        }
    }
}

/// Kept in memory: some of these servers may write no files.
fn memory() -> Log {
    Log::Memory(Arc::default())
}

fn command(mut command: Command, port: u16, dir: &Path, args: &[&str]) -> Command {
    let is_file = args.first().is_some_and(|first| !first.starts_with("--"));
    let (file, args) = args.split_at(usize::from(is_file));
    command.arg("serve").args(file);
    command.args(["--bind", "127.0.0.1", "--port", &port.to_string()]);
    command.args(["--io-threads", "2", "--save", "", "--appendonly", "no"]);
    // The default ports would conflict with each other.
    command.args(["--grpc-port", "0", "--http-port", "0"]);
    command.arg("--dir").arg(dir).args(args);
    command
}

fn unix_socket(args: &[&str]) -> Option<PathBuf> {
    args.iter().skip_while(|&&arg| arg != "--unixsocket").nth(1).map(PathBuf::from)
}

/// A socket of any kind.
pub enum Socket {
    /// TCP.
    Tcp(TcpStream),
    /// Unix.
    Unix(UnixStream),
    /// TCP with TLS on it.
    Tls(Box<StreamOwned<ClientConnection, TcpStream>>),
    /// None at all: an engine inside the test.
    Inside(Box<dyn Inside>),
}

/// What an engine inside the test is spoken to by, as a socket would be.
pub trait Inside: Read + Write + Send {
    /// How many bytes of replies there are, once there are any or this time is over.
    fn replies(&mut self, within: Duration) -> usize;
}

impl Socket {
    /// Reads once. A signal, which ends every read with a time limit, is not an answer: some tests
    /// and the server itself handle signals, and any thread of the process may get them.
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        loop {
            let got = match self {
                Socket::Tcp(socket) => socket.read(into),
                Socket::Unix(socket) => socket.read(into),
                Socket::Tls(socket) => socket.read(into),
                Socket::Inside(line) => line.read(into),
            };
            match got {
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                got => return got,
            }
        }
    }

    fn write_all(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        match self {
            Socket::Tcp(socket) => socket.write_all(bytes),
            Socket::Unix(socket) => socket.write_all(bytes),
            Socket::Tls(socket) => socket.write_all(bytes).and_then(|()| socket.flush()),
            Socket::Inside(line) => line.write_all(bytes),
        }
    }
}

/// A client.
pub struct Client {
    /// Its socket.
    pub socket: Socket,
    parser: ReplyParser,
}

impl Client {
    /// A client on a connected socket.
    pub fn new(socket: Socket) -> Self {
        match &socket {
            Socket::Tcp(tcp) => {
                tcp.set_nodelay(true).unwrap();
                tcp.set_read_timeout(Some(PATIENCE)).unwrap();
            }
            Socket::Unix(unix) => unix.set_read_timeout(Some(PATIENCE)).unwrap(),
            Socket::Tls(tls) => {
                tls.sock.set_nodelay(true).unwrap();
                tls.sock.set_read_timeout(Some(PATIENCE)).unwrap();
            }
            Socket::Inside(_) => {}
        }
        Client { socket, parser: ReplyParser::new() }
    }

    /// The TCP socket.
    pub fn tcp(&self) -> &TcpStream {
        match &self.socket {
            Socket::Tcp(socket) => socket,
            Socket::Tls(tls) => &tls.sock,
            Socket::Unix(_) | Socket::Inside(_) => panic!("not TCP"),
        }
    }

    /// How many bytes have come that were not read, at most some thousands, once there are any or
    /// this time is over. The end of the connection counts as one.
    pub fn unread(&mut self, within: Duration) -> usize {
        if let Socket::Inside(line) = &mut self.socket {
            return line.replies(within);
        }
        let socket = self.tcp();
        socket.set_nonblocking(within.is_zero()).unwrap();
        if !within.is_zero() {
            socket.set_read_timeout(Some(within)).unwrap();
        }
        let got = loop {
            match socket.peek(&mut [0; 4096]) {
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                got => break got,
            }
        };
        socket.set_nonblocking(false).unwrap();
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        match got {
            Ok(bytes) => bytes.max(1),
            Err(error) => usize::from(error.kind() == std::io::ErrorKind::ConnectionReset),
        }
    }

    /// Sends bytes as they are.
    pub fn send(&mut self, bytes: &[u8]) {
        self.socket.write_all(bytes).unwrap();
    }

    /// Sends a command.
    pub fn say(&mut self, words: &[&str]) {
        let request = wire::request(words);
        self.send(&request);
    }

    /// The next reply.
    pub fn hear(&mut self) -> Value {
        self.try_hear().expect("the connection was closed")
    }

    /// The next reply; `None` if the connection is closed.
    pub fn try_hear(&mut self) -> Option<Value> {
        let mut chunk = [0; 64 << 10];
        loop {
            if let Some(value) = self.parser.next_value().unwrap() {
                return Some(value);
            }
            match self.socket.read(&mut chunk) {
                Ok(0) => return None,
                Ok(n) => self.parser.feed(&chunk[..n]),
                Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => return None,
                Err(error) => panic!("no reply: {error}"),
            }
        }
    }

    /// What SYNC sends, as far as its length is told: a header as of a bulk string, and no line
    /// break behind it. Newlines may come before.
    pub fn hear_copy(&mut self) -> Vec<u8> {
        let mut head = Vec::new();
        let mut byte = [0];
        while head.is_empty() || !head.ends_with(b"\n") {
            assert_eq!(self.socket.read(&mut byte).unwrap(), 1, "the connection was closed");
            if byte != *b"\n" || !head.is_empty() {
                head.push(byte[0]);
            }
        }
        let text = String::from_utf8(head).unwrap();
        let length = text.trim_end().strip_prefix('$').unwrap_or_else(|| panic!("{text}"));
        let mut copy = vec![0; length.parse().unwrap()];
        let mut at = 0;
        while at < copy.len() {
            let got = self.socket.read(&mut copy[at..]).unwrap();
            assert!(got > 0, "the connection was closed");
            at += got;
        }
        copy
    }

    /// Sends a command and waits for its reply.
    pub fn ask(&mut self, words: &[&str]) -> Value {
        self.say(words);
        self.hear()
    }

    /// Waits until the other side closes; what it said before is thrown away.
    pub fn closed(&mut self) {
        while self.try_hear().is_some() {}
    }

    /// Its number at the server.
    pub fn id(&mut self) -> String {
        self.ask(&["CLIENT", "ID"]).as_i64().unwrap().to_string()
    }
}

/// The text of a reply, an error's too.
pub fn text(value: &Value) -> String {
    let bytes = match value {
        Value::Error(text) => text,
        other => other.as_bytes().unwrap_or_default(),
    };
    String::from_utf8_lossy(bytes).into_owned()
}

/// `+OK`
pub fn ok() -> Value {
    Value::Simple(b"OK".to_vec())
}

/// A bulk string.
pub fn bulk(text: impl AsRef<[u8]>) -> Value {
    Value::Bulk(text.as_ref().to_vec())
}
