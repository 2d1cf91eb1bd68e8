//! The same scene played by Kvist and by redis-server: several connections, one line after another.
//! What each connection gets, replies and pushed messages alike, must be the same to the byte.
#![allow(dead_code)] // each test program uses a part
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;

use kvist_engine::{Engine, Message};
use testkit::oracle::Oracle;

use crate::test_client::TestClient;

/// A scene: each line is `NAME: words`, or `NAME~ words` if no reply is awaited as it blocks. A
/// name with a `3` speaks RESP3; what one with `_` in front hears is random. `{NAME}` is that
/// connection's number. `NAME!` hangs up.
pub fn play(engine: &Arc<Engine>, oracle: &Oracle, scene: &str) {
    let mut duet = Duet::new(engine, oracle);
    for line in scene.lines().map(str::trim).filter(|line| !line.is_empty()) {
        duet.line(line);
    }
    duet.compare();
}

/// Both servers and their connections.
pub struct Duet<'d> {
    ours: Stage<'d>,
    theirs: Cast<'d>,
}

impl<'d> Duet<'d> {
    pub fn new(engine: &'d Arc<Engine>, oracle: &'d Oracle) -> Self {
        let ours = Stage { engine, cast: BTreeMap::new() };
        Duet { ours, theirs: Cast { oracle, cast: BTreeMap::new() } }
    }

    /// All have heard the same, but for clients that receive random results.
    pub fn compare(mut self) {
        self.theirs.collect();
        for (name, client) in self.ours.cast.iter().filter(|(name, _)| !name.starts_with('_')) {
            let (ours, theirs) = (shown(&client.heard), shown(&self.theirs.cast[name].heard));
            assert_eq!(ours, theirs, "what {name} heard (ours, theirs)");
        }
    }

    /// Plays one line of a scene.
    pub fn line(&mut self, line: &str) {
        let at = line.find([':', '~', '!']).unwrap();
        let (name, how, rest) = (&line[..at], &line[at..=at], line[at + 1..].trim());
        if how == "!" {
            self.ours.hang_up(name);
            return self.theirs.hang_up(name);
        }
        self.enter(name);
        self.ours.say(name, &filled(rest, |name| self.theirs.cast[name].id));
        self.theirs.say(name, &filled(rest, |name| self.theirs.cast[name].id), how == ":");
    }

    fn enter(&mut self, name: &str) {
        self.theirs.enter(name);
        self.ours.enter(name, self.theirs.cast[name].id);
    }

    /// Says the same words to both, on a connection of this name.
    pub fn say(&mut self, name: &str, words: &[Vec<u8>]) {
        self.enter(name);
        self.ours.say(name, words);
        self.theirs.say(name, words, true);
    }

    /// What has been pushed to each connection since this was last asked, ours and theirs.
    pub fn pushed(&mut self) -> Vec<(String, [String; 2])> {
        self.theirs.collect();
        let theirs = &mut self.theirs.cast;
        let both = self.ours.cast.iter_mut().map(|(name, ours)| {
            let theirs = &mut theirs.get_mut(name).unwrap().heard;
            let both =
                [&mut ours.heard, theirs].map(|heard| shown(&pushes(&std::mem::take(heard))));
            (name.clone(), both)
        });
        both.collect()
    }
}

/// The pushed frames among these.
fn pushes(mut heard: &[u8]) -> Vec<u8> {
    let mut pushed = Vec::new();
    while let Some(len) = frame(heard) {
        let (first, rest) = heard.split_at(len);
        if is_push(first) {
            pushed.extend_from_slice(first);
        }
        heard = rest;
    }
    pushed
}

fn filled(line: &str, id: impl Fn(&str) -> u64) -> Vec<Vec<u8>> {
    let word = |word: &str| match word.strip_prefix('{').and_then(|word| word.strip_suffix('}')) {
        Some(name) => id(name).to_string().into_bytes(),
        None if word == "''" => Vec::new(),
        None => word.as_bytes().to_vec(),
    };
    line.split(' ').map(word).collect()
}

fn request(words: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = format!("*{}\r\n", words.len()).into_bytes();
    for word in words {
        bytes.extend_from_slice(format!("${}\r\n", word.len()).as_bytes());
        bytes.extend_from_slice(word);
        bytes.extend_from_slice(b"\r\n");
    }
    bytes
}

/// Ours.
struct Stage<'e> {
    engine: &'e Arc<Engine>,
    cast: BTreeMap<String, Ours>,
}

struct Ours {
    test_client: TestClient,
    heard: Vec<u8>,
    gone: bool,
}

impl Stage<'_> {
    /// Comes in with the same number as theirs.
    fn enter(&mut self, name: &str, id: u64) {
        if self.cast.contains_key(name) {
            return;
        }
        let mut test_client = TestClient::new(self.engine);
        while test_client.session.client.id < id {
            test_client = TestClient::new(self.engine);
        }
        assert_eq!(test_client.session.client.id, id, "numbers that have been given already");
        self.cast.insert(name.to_owned(), Ours { test_client, heard: Vec::new(), gone: false });
        if name.contains('3') {
            self.say(name, &filled("HELLO 3", |_| 0));
            self.cast.get_mut(name).unwrap().heard.clear();
        }
    }

    fn hang_up(&mut self, name: &str) {
        let client = self.cast.get_mut(name).unwrap();
        client.test_client.worker.disconnect(&mut client.test_client.session);
        client.gone = true;
    }

    fn say(&mut self, name: &str, words: &[Vec<u8>]) {
        let client = self.cast.get_mut(name).unwrap();
        let TestClient { worker, session, .. } = &mut client.test_client;
        let mut bytes = request(words);
        // It may have been configured anew by others.
        worker.begin(1_000_000);
        worker.feed(session, &mut bytes, &mut client.heard);
        // Every client reads its messages.
        for client in self.cast.values_mut().filter(|client| !client.gone) {
            let TestClient { worker, session, messages } = &mut client.test_client;
            for message in messages.take(session.client.id) {
                match message {
                    Message::Push(bytes) => client.heard.extend_from_slice(&bytes),
                    Message::Unblocked { ticket, reply } => {
                        assert!(worker.unblock(session, ticket, &reply, &mut client.heard));
                    }
                    Message::Resume => {
                        worker.feed(session, &mut [], &mut client.heard);
                    }
                    Message::Kill | Message::MakeRoom | Message::Transfer(_) => {}
                }
            }
        }
    }
}

/// Theirs.
struct Cast<'o> {
    oracle: &'o Oracle,
    cast: BTreeMap<String, Theirs>,
}

struct Theirs {
    stream: TcpStream,
    /// Bytes that have come and are not part of what was heard yet.
    rest: Vec<u8>,
    heard: Vec<u8>,
    id: u64,
    /// Replies that it waits for.
    waits: usize,
    gone: bool,
}

impl Theirs {
    fn send(&mut self, words: &[Vec<u8>]) {
        self.stream.write_all(&request(words)).unwrap();
    }

    /// Reads frames up to the first that is a reply; that one.
    fn hear(&mut self) -> Vec<u8> {
        loop {
            if let Some(len) = frame(&self.rest) {
                let bytes: Vec<u8> = self.rest.drain(..len).collect();
                self.heard.extend_from_slice(&bytes);
                if !is_push(&bytes) {
                    return bytes;
                }
                continue;
            }
            let mut chunk = [0; 4096];
            let n = self.stream.read(&mut chunk).unwrap();
            assert!(n > 0, "redis-server has hung up");
            self.rest.extend_from_slice(&chunk[..n]);
        }
    }

    /// Reads what was pushed to it since its last reply.
    fn collect(&mut self) {
        // What it has been waiting for comes first.
        (0..std::mem::take(&mut self.waits)).for_each(|_| drop(self.hear()));
        self.send(&filled("PING farewell", |_| 0));
        let reply = self.hear();
        assert!(reply.windows(8).any(|part| part == b"farewell"));
        self.heard.truncate(self.heard.len() - reply.len());
    }

    /// Leaves, and waits until that has been noticed.
    fn hang_up(&mut self, oracle: &Oracle) {
        self.collect();
        self.stream.shutdown(std::net::Shutdown::Both).unwrap();
        self.gone = true;
        let mut other = testkit::oracle::Client::new(oracle);
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
        while other.say(&format!("CLIENT LIST ID {}", self.id)).contains("id=") {
            assert!(std::time::Instant::now() < deadline, "redis-server keeps a client");
        }
    }
}

impl Cast<'_> {
    fn hang_up(&mut self, name: &str) {
        let oracle = self.oracle;
        self.cast.get_mut(name).unwrap().hang_up(oracle);
    }

    fn enter(&mut self, name: &str) {
        if self.cast.contains_key(name) {
            return;
        }
        let stream = self.oracle.connect();
        let (rest, heard) = (Vec::new(), Vec::new());
        let mut client = Theirs { stream, rest, heard, id: 0, waits: 0, gone: false };
        if name.contains('3') {
            client.send(&filled("HELLO 3", |_| 0));
            client.hear();
        }
        client.send(&filled("CLIENT ID", |_| 0));
        let id = String::from_utf8(client.hear()).unwrap();
        client.id = id.trim_start_matches(':').trim().parse().unwrap();
        client.heard.clear();
        self.cast.insert(name.to_owned(), client);
    }

    fn say(&mut self, name: &str, words: &[Vec<u8>], answers: bool) {
        let client = self.cast.get_mut(name).unwrap();
        client.send(words);
        if answers {
            // A reply to each name.
            let names = words[0].to_ascii_uppercase().ends_with(b"SUBSCRIBE");
            let replies = if names { (words.len() - 1).max(1) } else { 1 };
            (0..replies + std::mem::take(&mut client.waits)).for_each(|_| drop(client.hear()));
        } else {
            client.waits += 1;
            // It has to be there before the next line is said.
            let mut other = testkit::oracle::Client::new(self.oracle);
            let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
            let blocked = |list: &str| {
                let at = list.find(" flags=").unwrap();
                list[at + 7..].split(' ').next().unwrap().contains('b')
            };
            while !blocked(&other.say(&format!("CLIENT LIST ID {}", client.id))) {
                assert!(std::time::Instant::now() < deadline, "redis-server does not block");
            }
        }
    }

    /// Reads what was pushed to a client since its last reply.
    fn collect(&mut self) {
        self.cast.values_mut().filter(|client| !client.gone).for_each(Theirs::collect);
    }
}

/// Bytes as text.
fn shown(heard: &[u8]) -> String {
    heard.escape_ascii().to_string().replace("\\r\\n", " ")
}

/// Whether a frame was not asked for.
fn is_push(frame: &[u8]) -> bool {
    let named = |name: &str| {
        let head = format!("\r\n${}\r\n{name}\r\n", name.len());
        let first = frame.iter().position(|&byte| byte == b'\r').unwrap_or(0);
        frame[first..].starts_with(head.as_bytes())
    };
    let message = ["message", "pmessage", "smessage", "invalidate", "tracking-redir-broken"];
    matches!(frame[0], b'>' | b'*') && message.into_iter().any(named)
}

/// The length of the first frame, if it is complete.
fn frame(bytes: &[u8]) -> Option<usize> {
    let end = bytes.windows(2).position(|pair| pair == b"\r\n")? + 2;
    let number: i64 = std::str::from_utf8(&bytes[1..end - 2]).ok()?.parse().unwrap_or(0);
    let count = usize::try_from(number.max(0)).unwrap();
    let parts = match bytes[0] {
        b'$' | b'=' if number >= 0 => {
            let len = end + count + 2;
            return (bytes.len() >= len).then_some(len);
        }
        b'*' | b'>' | b'~' => count,
        b'%' => count * 2,
        _ => 0,
    };
    let mut len = end;
    for _ in 0..parts {
        len += frame(&bytes[len..])?;
    }
    Some(len)
}
