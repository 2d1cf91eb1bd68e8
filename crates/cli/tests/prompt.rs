//! The prompt on a terminal: keys typed on a pseudo-terminal, and what is seen there.
//!
//! `script`, which every Debian and most systems have, makes the pseudo-terminal: the standard
//! library cannot, and it is not worth a dependency. Skipped, loudly, where it is missing.

// In a test a panic is how a failure is told.
#![allow(clippy::unwrap_used)]

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex};

use testkit::folder::Folder;
use testkit::skip;
use testkit::wait::eventually;
use wire::{ReplyParser, Value};

/// What the server says about its one documented command.
const DOCS: &[u8] = b"*2\r\n$3\r\nget\r\n*4\r\n$7\r\nsummary\r\n$14\r\nGets a string.\r\n\
    $9\r\narguments\r\n*1\r\n*4\r\n$4\r\nname\r\n$3\r\nkey\r\n$4\r\ntype\r\n$3\r\nkey\r\n";

/// A server that knows a handful of words, and remembers what it was asked.
struct Fake {
    port: u16,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Fake {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&asked);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                serve(stream, &log);
            }
        });
        Fake { port, asked }
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

/// Answers one client to its end. `BREAK` closes the connection instead.
fn serve(mut stream: TcpStream, log: &Mutex<Vec<String>>) {
    let (mut parser, mut buffer) = (ReplyParser::new(), [0; 4096]);
    loop {
        while let Some(Value::Array(words)) = parser.next_value().unwrap() {
            let word =
                |word: &Value| String::from_utf8_lossy(word.as_bytes().unwrap()).into_owned();
            let request = words.iter().map(word).collect::<Vec<_>>().join(" ");
            let reply: &[u8] = match request.split(' ').next().unwrap_or_default() {
                "COMMAND" => DOCS,
                "get" => b"$5\r\nvalue\r\n",
                "BREAK" => return,
                "set" => b"+QUEUED\r\n",
                _ => b"+OK\r\n",
            };
            log.lock().unwrap().push(request);
            if stream.write_all(reply).is_err() {
                return;
            }
        }
        match stream.read(&mut buffer) {
            Ok(0) | Err(_) => return,
            Ok(n) => parser.feed(&buffer[..n]),
        }
    }
}

/// A client on a pseudo-terminal.
struct Terminal {
    child: Child,
    keys: ChildStdin,
    screen: Arc<Mutex<Vec<u8>>>,
    /// How much of the screen has been looked at.
    seen: usize,
}

impl Terminal {
    /// Starts a client of this server; `None`, said aloud, if there is no terminal to be had.
    fn start(server: &Fake, history: &Path) -> Option<Self> {
        let client = env!("CARGO_BIN_EXE_kvist-cli");
        let spawned = Command::new("script")
            .args(["-q", "-e", "-c", &format!("'{client}' -p {}", server.port), "/dev/null"])
            .env("TERM", "xterm")
            .env("KVISTCLI_HISTFILE", history)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn();
        let Ok(mut child) = spawned else {
            skip::without("script", "bsdutils", "try a terminal");
            return None;
        };
        let mut shown = child.stdout.take().unwrap();
        let screen = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&screen);
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(n @ 1..) = shown.read(&mut buffer) {
                kept.lock().unwrap().extend_from_slice(&buffer[..n]);
            }
        });
        let keys = child.stdin.take().unwrap();
        Some(Terminal { child, keys, screen, seen: 0 })
    }

    /// Presses these keys.
    fn types(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    /// Waits until this text comes up, after what has been seen before.
    fn shows(&mut self, text: &str) {
        let new = self.screen_from_here();
        let what = format!("{text:?} on the screen, after {new:?},");
        self.seen += eventually(&what, || self.screen_from_here().find(text)) + text.len();
    }

    /// What has come up since what has been seen.
    fn screen_from_here(&self) -> String {
        let screen = plain(&self.screen.lock().unwrap());
        screen.get(self.seen..).unwrap_or_default().to_owned()
    }

    /// Waits until the client has ended by itself, without an error.
    fn ends(mut self) {
        let status = eventually("the end of the client", || self.child.try_wait().unwrap());
        assert!(status.success(), "{status}");
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // Only if a test failed before the client had ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What is on the screen, without colours and movements of the cursor.
fn plain(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let (mut plain, mut rest) = (String::new(), text.as_ref());
    while let Some(at) = rest.find('\x1b') {
        plain.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let end = rest.find(|c: char| c.is_ascii_alphabetic()).map_or(rest.len(), |end| end + 1);
        rest = &rest[end..];
    }
    plain + rest
}

#[test]
fn lines_are_answered_and_the_prompt_says_where_one_is() {
    let server = Fake::start();
    let folder = Folder::new("lines");
    let history = folder.join("history");
    let Some(mut terminal) = Terminal::start(&server, &history) else { return };
    let prompt = format!("127.0.0.1:{}", server.port);
    terminal.shows(&format!("{prompt}> "));
    terminal.types("get k\r");
    terminal.shows("\"value\"");
    terminal.types("echo \"a\r");
    terminal.shows("Invalid argument(s)");
    terminal.types("select 3\r");
    terminal.shows("OK");
    terminal.shows(&format!("{prompt}[3]> "));
    terminal.types("multi\r");
    terminal.shows(&format!("{prompt}[3](TX)> "));
    terminal.types("set a b\r");
    terminal.shows("QUEUED");
    terminal.types("discard\r");
    terminal.shows(&format!("{prompt}[3]> "));
    terminal.types("2 ping\r");
    terminal.shows("OK");
    terminal.shows("OK");
    terminal.types("help get\r");
    terminal.shows("summary: Gets a string.");
    terminal.types("quit\r");
    terminal.ends();
    let asked = server.asked();
    assert_eq!(asked[0], "COMMAND DOCS");
    assert_eq!(asked[1..4], ["get k", "select 3", "multi"]);
    assert_eq!(asked.iter().filter(|request| *request == "ping").count(), 2);
}

#[test]
fn hints_completion_and_history_help_with_typing() {
    let server = Fake::start();
    let folder = Folder::new("typing");
    let history = folder.join("history");
    let Some(mut terminal) = Terminal::start(&server, &history) else { return };
    let prompt = format!("127.0.0.1:{}> ", server.port);
    terminal.shows(&prompt);
    terminal.types("get ");
    terminal.shows("key");
    terminal.types("one\r");
    terminal.shows("\"value\"");
    terminal.shows(&prompt);
    // The tabulator key completes, the arrow up brings back.
    terminal.types("GE\t two\r");
    terminal.shows("OK");
    terminal.shows(&prompt);
    terminal.types("auth secret\r");
    terminal.shows("OK");
    terminal.shows(&prompt);
    terminal.types("\x1b[A\x1b[A\r");
    terminal.shows("\"value\"");
    // Ctrl-D on an empty line leaves.
    terminal.shows(&prompt);
    terminal.types("\x04");
    terminal.ends();
    let asked = server.asked();
    assert_eq!(asked[1..], ["get one", "GET two", "auth secret", "get one"]);
    let kept = std::fs::read_to_string(&history).unwrap();
    assert!(kept.contains("get one") && !kept.contains("secret"), "{kept}");
}

#[test]
fn a_lost_connection_is_made_again() {
    let server = Fake::start();
    let folder = Folder::new("lost");
    let history = folder.join("history");
    let Some(mut terminal) = Terminal::start(&server, &history) else { return };
    let prompt = format!("127.0.0.1:{}> ", server.port);
    terminal.shows(&prompt);
    terminal.types("BREAK\r");
    terminal.shows("Error: ");
    terminal.types("get k\r");
    terminal.shows("\"value\"");
    terminal.types("exit\r");
    terminal.ends();
}
