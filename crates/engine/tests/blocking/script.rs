//! Scripts of several clients, run on Kvist without sockets or on a redis-server.

use std::collections::BTreeMap;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kvist_engine::{Engine, Message, State};
use testkit::oracle::{Client, Oracle};
use wire::{ReplyParser, Value};

use crate::test_client::{TestClient, engine};

/// How long redis-server may take, on a machine busy with other tests.
const PATIENCE: Duration = Duration::from_secs(20);

/// One script.
pub struct Script {
    pub name: String,
    pub steps: Vec<Step>,
}

/// One line that does something, and what is heard after it.
pub struct Step {
    pub who: char,
    pub what: What,
    pub line: String,
    pub heard: Vec<String>,
}

/// What a client does.
pub enum What {
    Send(String),
    TimeOut,
    Leave,
}

/// Reads a file of scripts.
pub fn parse(text: &str) -> Vec<Script> {
    let mut scripts: Vec<Script> = Vec::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("== ") {
            scripts.push(Script { name: name.to_owned(), steps: Vec::new() });
            continue;
        }
        let (Some(who), Some(mark)) = (line.chars().next(), line.chars().nth(1)) else { continue };
        if who == '#' {
            continue;
        }
        let steps = &mut scripts.last_mut().expect("a script begins with its name").steps;
        let rest = line[2..].trim();
        let what = match mark {
            '>' => What::Send(rest.to_owned()),
            '<' => {
                steps.last_mut().expect("a step").heard.push(line.to_owned());
                continue;
            }
            ':' if rest == "timeout" => What::TimeOut,
            ':' if rest == "leave" => What::Leave,
            _ => panic!("not a line of a script: {line}"),
        };
        steps.push(Step { who, what, line: line.to_owned(), heard: Vec::new() });
    }
    scripts
}

/// A server that scripts run on.
pub trait Stage {
    /// The client sends a line.
    fn send(&mut self, who: char, line: &str);
    /// The client's wait has taken its time.
    fn time_out(&mut self, who: char);
    /// The client closes its connection.
    fn leave(&mut self, who: char);
    /// The client's number.
    fn id(&mut self, who: char) -> u64;
    /// What every client has heard since this was last asked; `expected` lines should come.
    fn heard(&mut self, expected: usize) -> Vec<String>;
}

/// Runs a script; the transcript with what is heard really.
pub fn run(script: &Script, stage: &mut dyn Stage) -> Vec<String> {
    let mut transcript = Vec::new();
    for step in &script.steps {
        match &step.what {
            What::Send(line) => {
                let line = match line.split_once("$ID(") {
                    Some((before, rest)) => {
                        let id = stage.id(rest.chars().next().expect("a client"));
                        format!("{before}{id}{}", &rest[2..])
                    }
                    None => line.clone(),
                };
                stage.send(step.who, &line);
            }
            What::TimeOut => stage.time_out(step.who),
            What::Leave => stage.leave(step.who),
        }
        transcript.push(step.line.clone());
        transcript.extend(stage.heard(step.heard.len()));
    }
    transcript
}

/// The transcript as it is written down.
pub fn expected(script: &Script) -> Vec<String> {
    let lines = |step: &Step| std::iter::once(step.line.clone()).chain(step.heard.clone());
    script.steps.iter().flat_map(lines).collect()
}

fn shown(value: &Value) -> String {
    match value {
        Value::Simple(text) => format!("+{}", text.escape_ascii()),
        Value::Error(text) => format!("-{}", text.escape_ascii()),
        Value::Int(n) => format!(":{n}"),
        Value::Bulk(text) => text.escape_ascii().to_string(),
        Value::Double(text) => format!(",{}", text.escape_ascii()),
        Value::NullBulk => "nil".to_owned(),
        Value::NullArray => "nil[]".to_owned(),
        Value::Null => "_".to_owned(),
        Value::Array(items) => {
            format!("[{}]", items.iter().map(shown).collect::<Vec<_>>().join(" "))
        }
        // HELLO's reply tells versions apart.
        Value::Map(_) => "{…}".to_owned(),
        other => format!("{other:?}"),
    }
}

fn lines(who: char, parser: &mut ReplyParser) -> Vec<String> {
    let mut lines = Vec::new();
    while let Some(value) = parser.next_value().expect("a server speaks RESP") {
        lines.push(format!("{who}< {}", shown(&value)));
    }
    lines
}

/// Kvist: a worker for each client.
pub struct Kvist {
    engine: Arc<Engine>,
    clients: BTreeMap<char, (TestClient, ReplyParser, String)>,
}

impl Kvist {
    pub fn new() -> Self {
        Kvist { engine: engine(), clients: BTreeMap::new() }
    }

    fn client(&mut self, who: char) -> &mut (TestClient, ReplyParser, String) {
        let engine = &self.engine;
        let new = || (TestClient::new(engine), ReplyParser::new(), String::new());
        self.clients.entry(who).or_insert_with(new)
    }

    /// Feeds what a client has sent, as far as it is not blocked.
    fn feed(client: &mut (TestClient, ReplyParser, String)) {
        let (client, parser, unread) = client;
        if client.session.blocked.is_some() || unread.is_empty() {
            return;
        }
        let mut out = Vec::new();
        let mut input = std::mem::take(unread).into_bytes();
        let fed = client.worker.feed(&mut client.session, &mut input, &mut out);
        assert_ne!(fed.state, State::Closing);
        *unread = String::from_utf8(input.split_off(fed.consumed)).expect("text");
        parser.feed(&out);
    }
}

impl Stage for Kvist {
    fn send(&mut self, who: char, line: &str) {
        let client = self.client(who);
        client.2.push_str(&format!("{line}\r\n"));
        Kvist::feed(client);
    }

    fn time_out(&mut self, who: char) {
        let (client, parser, _) = self.client(who);
        let mut out = Vec::new();
        assert!(client.worker.give_up(&mut client.session, &mut out), "{who} is blocked");
        parser.feed(&out);
    }

    fn leave(&mut self, who: char) {
        let (mut client, ..) = self.clients.remove(&who).expect("a client");
        client.worker.disconnect(&mut client.session);
    }

    fn id(&mut self, who: char) -> u64 {
        self.client(who).0.session.client.id
    }

    fn heard(&mut self, _: usize) -> Vec<String> {
        let mut all = Vec::new();
        for (&who, place) in &mut self.clients {
            let (client, parser, _) = &mut *place;
            for message in client.messages.take(client.session.client.id) {
                let mut out = Vec::new();
                if let Message::Unblocked { ticket, reply } = message {
                    client.worker.unblock(&mut client.session, ticket, &reply, &mut out);
                }
                parser.feed(&out);
            }
            all.extend(lines(who, parser));
            Kvist::feed(place);
            all.extend(lines(who, &mut place.1));
        }
        all
    }
}

/// redis-server: a connection for each client.
pub struct Redis<'a> {
    oracle: &'a Oracle,
    clients: BTreeMap<char, (TcpStream, ReplyParser)>,
    ids: BTreeMap<char, u64>,
    /// What it does is not known yet.
    recording: bool,
}

impl<'a> Redis<'a> {
    pub fn new(oracle: &'a Oracle, recording: bool) -> Self {
        let (clients, ids) = (BTreeMap::new(), BTreeMap::new());
        let mut redis = Redis { oracle, clients, ids, recording };
        redis.send('~', "FLUSHALL");
        redis.heard(1);
        redis
    }

    fn client(&mut self, who: char) -> &mut (TcpStream, ReplyParser) {
        if !self.clients.contains_key(&who) {
            let (mut stream, mut parser) = (self.oracle.connect(), ReplyParser::new());
            stream.write_all(b"CLIENT ID\r\n").expect("redis-server reads");
            let mut buffer = [0; 64];
            let id = loop {
                let n = stream.read(&mut buffer).expect("redis-server answers");
                parser.feed(&buffer[..n]);
                if let Ok(Some(value)) = parser.next_value() {
                    break value.as_i64().and_then(|id| u64::try_from(id).ok());
                }
            };
            self.clients.insert(who, (stream, parser));
            self.ids.insert(who, id.expect("an id"));
        }
        self.clients.get_mut(&who).expect("it was just made")
    }
}

impl Stage for Redis<'_> {
    fn send(&mut self, who: char, line: &str) {
        let (stream, _) = self.client(who);
        stream.write_all(format!("{line}\r\n").as_bytes()).expect("redis-server reads");
    }

    /// What follows is waited for, if one knows how much that is. Redis may be 0.1 seconds late.
    fn time_out(&mut self, _: char) {
        if self.recording {
            std::thread::sleep(Duration::from_millis(400));
        }
    }

    fn leave(&mut self, who: char) {
        let line = format!("id={} ", self.id(who));
        self.clients.remove(&who);
        let (mut control, start) = (Client::new(self.oracle), Instant::now());
        while control.say("CLIENT LIST").contains(&line) {
            assert!(start.elapsed() < PATIENCE, "redis-server does not see that {who} has left");
        }
    }

    fn id(&mut self, who: char) -> u64 {
        self.client(who);
        self.ids[&who]
    }

    /// Waits for what is expected, and for the end of all that was begun, so that what should not
    /// come is heard, too.
    fn heard(&mut self, expected: usize) -> Vec<String> {
        let (start, mut heard) = (Instant::now(), BTreeMap::<char, Vec<String>>::new());
        let mut is_settled = false;
        loop {
            for (&who, (stream, parser)) in &mut self.clients {
                stream.set_nonblocking(true).expect("a socket option");
                let mut buffer = [0; 4096];
                match stream.read(&mut buffer) {
                    Ok(0) => panic!("redis-server closed {who}"),
                    Ok(n) => parser.feed(&buffer[..n]),
                    Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                    Err(error) => panic!("{error}"),
                }
                stream.set_nonblocking(false).expect("a socket option");
                heard.entry(who).or_default().extend(lines(who, parser));
            }
            let count = heard.values().map(Vec::len).sum::<usize>();
            if is_settled || start.elapsed() > PATIENCE {
                return heard.into_values().flatten().collect();
            }
            if count >= expected {
                self.oracle.settle();
                is_settled = true;
            } else {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
    }
}
