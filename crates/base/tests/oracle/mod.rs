//! A redis-server to compare with, when one is installed.
//!
//! It listens on a port of its own on the loopback interface, keeps nothing on disk, and ends
//! with the test. Where none is installed the tests say so and pass: an absent oracle must not
//! look like a broken Kvist.
#![allow(dead_code)] // each test program uses a part

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A running redis-server.
pub struct Oracle {
    process: Child,
    port: u16,
}

impl Oracle {
    /// Starts redis-server with these further options; `None`, said aloud, if there is none.
    pub fn start(options: &[&str]) -> Option<Self> {
        for _ in 0..5 {
            // A free port may be taken between looking and starting; then try another.
            let port = TcpListener::bind("127.0.0.1:0").ok()?.local_addr().ok()?.port();
            let process = Command::new("redis-server")
                .args(["--port", &port.to_string(), "--save", "", "--daemonize", "no"])
                .args(options)
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn();
            let Ok(process) = process else {
                eprintln!("SKIPPED: no redis-server to compare with");
                return None;
            };
            let mut oracle = Oracle { process, port };
            for _ in 0..200 {
                if TcpStream::connect(("127.0.0.1", port)).is_ok() {
                    return Some(oracle);
                }
                if oracle.process.try_wait().is_ok_and(|ended| ended.is_some()) {
                    break;
                }
                std::thread::sleep(Duration::from_millis(25));
            }
        }
        panic!("redis-server is installed but does not start");
    }

    /// A new connection.
    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).expect("redis-server listens");
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a timeout can be set");
        stream.set_nodelay(true).expect("nodelay can be set");
        stream
    }
}

impl Drop for Oracle {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// One connection that sends whole pipelines.
pub struct Client {
    stream: BufReader<TcpStream>,
    pending: Vec<u8>,
    count: usize,
}

impl Client {
    pub fn new(oracle: &Oracle) -> Self {
        Client { stream: BufReader::new(oracle.connect()), pending: Vec::new(), count: 0 }
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
        self.stream.get_mut().write_all(&self.pending).expect("redis-server reads");
        self.pending.clear();
        (0..std::mem::take(&mut self.count)).map(|_| self.reply()).collect()
    }

    fn reply(&mut self) -> Vec<Vec<u8>> {
        let (mut parts, mut left) = (Vec::new(), 1);
        while left > 0 {
            left -= 1;
            let mut line = Vec::new();
            self.stream.read_until(b'\n', &mut line).expect("redis-server answers");
            let text = String::from_utf8_lossy(&line[1..]).trim_end().to_owned();
            line.truncate(line.len() - 2);
            match (line[0], text.parse::<usize>()) {
                (b'$', Ok(len)) => {
                    let mut bulk = vec![0; len + 2];
                    self.stream.read_exact(&mut bulk).expect("redis-server answers");
                    bulk.truncate(len);
                    parts.push(bulk);
                }
                (b'*', Ok(len)) => {
                    left += len;
                    parts.push(line);
                }
                _ => parts.push(line),
            }
        }
        parts
    }
}
