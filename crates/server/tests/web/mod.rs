//! A server with its HTTP port open, and a client of that port that says exactly what it is told.

// Each test program uses its own part of this.
#![allow(dead_code)]

pub mod haystack;

use std::cell::Cell;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{IpAddr, TcpStream};
use std::time::Instant;

use serde_json::Value as Json;

use crate::server::{Client, PATIENCE, READY, Server, free_port, text};

/// A server with an HTTP port.
pub struct Web {
    /// The server.
    pub server: Server,
    /// Its HTTP port.
    pub port: u16,
}

impl Web {
    /// Starts one with further arguments.
    pub fn start(args: &[&str]) -> Self {
        Self::start_until(READY, args)
    }

    /// The same, and waits until it has said something.
    pub fn start_until(said: &str, args: &[&str]) -> Self {
        let port = Cell::new(0);
        let args = || {
            port.set(free_port());
            let door = ["--http-port".to_owned(), port.get().to_string()];
            args.iter().map(ToString::to_string).chain(door).collect()
        };
        Web { server: Server::start_with(said, args), port: port.get() }
    }

    /// A connection to the HTTP port.
    pub fn connect(&self) -> Browser<TcpStream> {
        self.connect_from([127, 0, 0, 1].into())
    }

    /// The same from and to this address of this machine.
    pub fn connect_from(&self, address: IpAddr) -> Browser<TcpStream> {
        let socket = TcpStream::connect((address, self.port)).unwrap();
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        socket.set_write_timeout(Some(PATIENCE)).unwrap();
        socket.set_nodelay(true).unwrap();
        Browser::new(socket)
    }

    /// How many connections to the HTTP port there are.
    pub fn clients(&self, redis: &mut Client) -> usize {
        text(&redis.ask(&["CLIENT", "LIST"])).matches("lib-name=http ").count()
    }

    /// What one request on a connection of its own is answered.
    pub fn ask(&self, request: &str, body: &str) -> Page {
        self.connect().ask(request, body)
    }

    /// What a `GET` is answered.
    pub fn get(&self, path: &str) -> Page {
        self.ask(&format!("GET {path}"), "")
    }
}

/// An answer.
#[derive(Debug)]
pub struct Page {
    /// Its status.
    pub status: u16,
    /// Its headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// Its body.
    pub body: Vec<u8>,
}

impl Page {
    /// A header; of several the first.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
    }

    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    /// The body as JSON.
    pub fn json(&self) -> Json {
        assert_eq!(self.header("content-type"), Some("application/json"), "{self:?}");
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// A connection.
pub struct Browser<S: Read + Write> {
    /// Its socket.
    pub socket: BufReader<S>,
}

impl<S: Read + Write> Browser<S> {
    /// On a connected socket.
    pub fn new(socket: S) -> Self {
        Browser { socket: BufReader::new(socket) }
    }

    /// Sends bytes as they are.
    pub fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.socket.get_mut().write_all(bytes.as_ref()).unwrap();
        self.socket.get_mut().flush().unwrap();
    }

    /// Sends a request: its first line without the version, lines of headers behind it, and a body.
    pub fn say(&mut self, request: &str, body: &str) {
        let (first, headers) = request.split_once('\n').unwrap_or((request, ""));
        let mut text = format!("{first} HTTP/1.1\r\n");
        if !headers.to_ascii_lowercase().contains("host:") {
            text.push_str("Host: 127.0.0.1\r\n");
        }
        for line in headers.lines() {
            text.push_str(&format!("{line}\r\n"));
        }
        if !body.is_empty() {
            text.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        self.send(format!("{text}\r\n{body}"));
    }

    /// Sends a request and waits for its answer.
    pub fn ask(&mut self, request: &str, body: &str) -> Page {
        self.say(request, body);
        if request.starts_with("HEAD") { self.hear_head() } else { self.hear() }
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.socket.read_line(&mut line).unwrap();
        assert!(line.ends_with("\r\n"), "cut off: {line:?}");
        line.truncate(line.len() - 2);
        line
    }

    /// The next answer without its body.
    pub fn hear_head(&mut self) -> Page {
        let first = self.line();
        let status = first.strip_prefix("HTTP/1.1 ").and_then(|rest| rest.get(..3));
        let status = status.and_then(|digits| digits.parse().ok());
        let status = status.unwrap_or_else(|| panic!("{first}"));
        let mut headers = Vec::new();
        loop {
            let line = self.line();
            let Some((name, value)) = line.split_once(':') else { break };
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        Page { status, headers, body: Vec::new() }
    }

    /// The next answer.
    pub fn hear(&mut self) -> Page {
        let mut page = self.hear_head();
        if page.header("transfer-encoding") == Some("chunked") {
            loop {
                let line = self.line();
                let length = usize::from_str_radix(&line, 16).unwrap();
                let mut chunk = vec![0; length + 2];
                self.socket.read_exact(&mut chunk).unwrap();
                assert!(chunk.ends_with(b"\r\n"));
                page.body.extend_from_slice(&chunk[..length]);
                if length == 0 {
                    return page;
                }
            }
        }
        let length = page.header("content-length").map_or(0, |digits| digits.parse().unwrap());
        page.body.resize(length, 0);
        self.socket.read_exact(&mut page.body).unwrap();
        page
    }

    /// Waits until the other side closes; what it said before.
    pub fn closed(&mut self) -> Vec<u8> {
        let begun = Instant::now();
        let (mut said, mut chunk) = (Vec::new(), [0; 4096]);
        loop {
            assert!(begun.elapsed() < 2 * PATIENCE, "it does not close");
            match self.socket.read(&mut chunk) {
                Ok(0) => return said,
                Ok(n) => said.extend_from_slice(&chunk[..n]),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => return said,
                Err(error) => panic!("it does not close: {error}"),
            }
        }
    }
}

/// What goes into `Authorization` for a user and a password.
pub fn basic(user: &str, password: &str) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::from("Basic ");
    for three in format!("{user}:{password}").as_bytes().chunks(3) {
        let byte = |at: usize| u32::from(three.get(at).copied().unwrap_or(0));
        let word = byte(0) << 16 | byte(1) << 8 | byte(2);
        for at in 0..4 {
            let digit = usize::try_from(word >> (18 - 6 * at) & 63).unwrap();
            out.push(if at > three.len() { '=' } else { char::from(DIGITS[digit]) });
        }
    }
    out
}
