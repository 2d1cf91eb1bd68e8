//! A redis-server to compare with, when one is installed.
//!
//! It listens on a port of its own on the loopback interface, works in a folder of its own that is
//! removed afterwards, and ends with the test. Where none is installed the tests say so and pass:
//! an absent oracle must not look like a broken Kvist.

use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::folder::Folder;
use crate::server::{Log, Process, Program};
use crate::skip;
use crate::wait::PATIENCE;

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

    /// As `start`, with these files in its folder, each a path and its content.
    pub fn start_with(files: &[(&str, &[u8])], options: &[&str]) -> Option<Self> {
        Self::start_on(None, files, options)
    }

    /// As `start_with`, with one of the files, or another, as its configuration.
    pub fn start_on(
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

/// One connection that sends whole pipelines.
pub struct Client {
    stream: BufReader<TcpStream>,
    pending: Vec<u8>,
    count: usize,
}

impl Client {
    /// A new connection to it.
    pub fn new(oracle: &Oracle) -> Self {
        Self::on(oracle.connect())
    }

    /// On a connection to a server, whichever it is.
    pub fn on(stream: TcpStream) -> Self {
        Client { stream: BufReader::new(stream), pending: Vec::new(), count: 0 }
    }

    /// Adds a command to the pipeline.
    pub fn add(&mut self, words: &[&[u8]]) {
        let _ = write!(self.pending, "*{}\r\n", words.len());
        for word in words {
            let _ = write!(self.pending, "${}\r\n", word.len());
            self.pending.extend_from_slice(word);
            self.pending.extend_from_slice(b"\r\n");
        }
        self.count += 1;
    }

    /// Sends the pipeline; the replies in a flat form: lines as they are, bulk strings as bytes,
    /// an array as its header line followed by its elements.
    pub fn run(&mut self) -> Vec<Vec<Vec<u8>>> {
        self.try_run().expect("the server reads and answers")
    }

    fn try_run(&mut self) -> io::Result<Vec<Vec<Vec<u8>>>> {
        self.stream.get_mut().write_all(&self.pending)?;
        self.pending.clear();
        (0..std::mem::take(&mut self.count)).map(|_| self.reply()).collect()
    }

    /// As `ask`, of a server that may not be there.
    ///
    /// # Errors
    /// It is not.
    pub fn try_ask(&mut self, words: &[&[u8]]) -> io::Result<Vec<Vec<u8>>> {
        self.add(words);
        self.try_run().map(|mut replies| replies.pop().unwrap_or_default())
    }

    /// Sends one command; its reply, with the parts of an array after its header.
    pub fn ask(&mut self, words: &[&[u8]]) -> Vec<Vec<u8>> {
        self.add(words);
        self.run().pop().expect("a reply")
    }

    /// Sends a command given as one line; its reply as text.
    pub fn say(&mut self, line: &str) -> String {
        let words: Vec<&[u8]> = line.split(' ').map(str::as_bytes).collect();
        let reply = self.ask(&words);
        let parts: Vec<String> = reply.iter().map(|part| part.escape_ascii().to_string()).collect();
        parts.join(" ")
    }

    /// Reads one message that was not asked for, in the form of a reply.
    pub fn hear(&mut self) -> Vec<Vec<u8>> {
        self.reply().expect("a message")
    }

    fn reply(&mut self) -> io::Result<Vec<Vec<u8>>> {
        let (mut parts, mut left) = (Vec::new(), 1);
        while left > 0 {
            left -= 1;
            let mut line = Vec::new();
            self.stream.read_until(b'\n', &mut line)?;
            if !line.ends_with(b"\r\n") {
                return Err(ErrorKind::UnexpectedEof.into());
            }
            let text = String::from_utf8_lossy(&line[1..]).trim_end().to_owned();
            line.truncate(line.len() - 2);
            match (line[0], text.parse::<usize>()) {
                (b'$', Ok(len)) => {
                    let mut bulk = vec![0; len + 2];
                    self.stream.read_exact(&mut bulk)?;
                    bulk.truncate(len);
                    parts.push(bulk);
                }
                (b'*' | b'>', Ok(len)) => {
                    left += len;
                    parts.push(line);
                }
                _ => parts.push(line),
            }
        }
        Ok(parts)
    }
}
