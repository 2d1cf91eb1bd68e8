//! The same script on Kvist's interpreter and on redis-server: what both answer, as bytes.
#![allow(dead_code)] // each test program uses a part
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use base::{CmdError, Protocol, Reply};
use differential::server::Server;
use kvist_script::{Host, Limits, Refusal, Script, Vm};
use testkit::server::Program;
use testkit::skip;

/// Few commands on a map, as Redis answers them.
#[derive(Default)]
pub struct Small {
    pub strings: BTreeMap<Vec<u8>, Vec<u8>>,
    pub hashes: BTreeMap<Vec<u8>, BTreeMap<Vec<u8>, Vec<u8>>>,
    pub lists: BTreeMap<Vec<u8>, Vec<Vec<u8>>>,
    pub sets: BTreeMap<Vec<u8>, BTreeMap<Vec<u8>, ()>>,
    pub scores: BTreeMap<Vec<u8>, f64>,
    pub lines: Vec<(u8, Vec<u8>)>,
    /// How often to answer that the script may go on; none: for ever.
    pub patience: Option<u32>,
}

const WRONG: &str = "WRONGTYPE Operation against a key holding the wrong kind of value";

/// Names and arities: exact, or at least if negative.
const KNOWN: &[(&str, i32)] = &[
    ("get", 2),
    ("set", -3),
    ("del", -2),
    ("incr", 2),
    ("echo", 2),
    ("ping", -1),
    ("lpush", -3),
    ("rpush", -3),
    ("lrange", 4),
    ("hset", -4),
    ("hgetall", 2),
    ("hget", 3),
    ("sadd", -3),
    ("smembers", 2),
    ("zadd", -4),
    ("zscore", 3),
    ("mget", -2),
    ("flushall", -1),
    ("sismember", 3),
];

impl Small {
    fn other(&self, key: &[u8], kind: &str) -> bool {
        (kind != "string" && self.strings.contains_key(key))
            || (kind != "hash" && self.hashes.contains_key(key))
            || (kind != "list" && self.lists.contains_key(key))
            || (kind != "set" && self.sets.contains_key(key))
            || (kind != "zset" && self.scores.contains_key(key))
    }

    fn forget(&mut self, key: &[u8]) -> bool {
        self.strings.remove(key).is_some()
            | self.hashes.remove(key).is_some()
            | self.lists.remove(key).is_some()
            | self.sets.remove(key).is_some()
            | self.scores.remove(key).is_some()
    }

    fn collections(&mut self, name: &str, w: &[&[u8]], out: &mut dyn Reply) {
        let key = w[1].to_vec();
        match name {
            "lpush" | "rpush" => {
                let list = self.lists.entry(key).or_default();
                for word in &w[2..] {
                    let at = if name == "lpush" { 0 } else { list.len() };
                    list.insert(at, word.to_vec());
                }
                out.count(list.len());
            }
            "lrange" => {
                let list = self.lists.get(&key).cloned().unwrap_or_default();
                out.array(list.len());
                list.iter().for_each(|word| out.bulk(word));
            }
            "hset" => {
                let hash = self.hashes.entry(key).or_default();
                let before = hash.len();
                for pair in w[2..].chunks(2) {
                    hash.insert(pair[0].to_vec(), pair[1].to_vec());
                }
                out.count(hash.len() - before);
            }
            "hget" => {
                let found = self.hashes.get(&key).and_then(|hash| hash.get(w[2]));
                out.bulk_or_null(found.map(Vec::as_slice));
            }
            "hgetall" => {
                let hash = self.hashes.get(&key).cloned().unwrap_or_default();
                out.map(hash.len());
                hash.iter().for_each(|(field, value)| {
                    out.bulk(field);
                    out.bulk(value);
                });
            }
            "sadd" => {
                let set = self.sets.entry(key).or_default();
                let new = w[2..].iter().filter(|m| set.insert(m.to_vec(), ()).is_none()).count();
                out.count(new);
            }
            "smembers" => {
                let set = self.sets.get(&key).cloned().unwrap_or_default();
                out.set(set.len());
                set.keys().for_each(|member| out.bulk(member));
            }
            "sismember" => {
                out.int(i64::from(self.sets.get(&key).is_some_and(|set| set.contains_key(w[2]))));
            }
            "zadd" => {
                let score = base::num::parse_f64(w[2]).unwrap();
                out.int(i64::from(self.scores.insert(key, score).is_none()));
            }
            _ => match self.scores.get(&key) {
                Some(score) => out.double(*score),
                None => out.null(),
            },
        }
    }

    fn run(&mut self, name: &str, w: &[&[u8]], out: &mut dyn Reply) {
        let kind = match name {
            "get" | "set" | "incr" => "string",
            "lpush" | "rpush" | "lrange" => "list",
            "hset" | "hget" | "hgetall" => "hash",
            "sadd" | "smembers" | "sismember" => "set",
            "zadd" | "zscore" => "zset",
            _ => "",
        };
        if !kind.is_empty() && name != "set" && self.other(w[1], kind) {
            return out.error(WRONG);
        }
        match name {
            "get" => out.bulk_or_null(self.strings.get(w[1]).map(Vec::as_slice)),
            "set" => {
                self.forget(w[1]);
                self.strings.insert(w[1].to_vec(), w[2].to_vec());
                out.ok();
            }
            "del" => out.count(w[1..].iter().filter(|key| self.forget(key)).count()),
            "incr" => {
                let old = self.strings.get(w[1]).map_or(Some(0), |text| base::num::parse_i64(text));
                match old.and_then(|n| n.checked_add(1)) {
                    Some(n) => {
                        self.strings.insert(w[1].to_vec(), n.to_string().into_bytes());
                        out.int(n);
                    }
                    None => out.error("ERR value is not an integer or out of range"),
                }
            }
            "echo" => out.bulk(w[1]),
            "ping" if w.len() > 2 => out.error("ERR wrong number of arguments for 'ping' command"),
            "ping" => match w.get(1) {
                Some(text) => out.bulk(text),
                None => out.simple("PONG"),
            },
            "mget" => {
                out.array(w.len() - 1);
                for key in &w[1..] {
                    out.bulk_or_null(self.strings.get(*key).map(Vec::as_slice));
                }
            }
            "flushall" => {
                *self = Small { patience: self.patience, ..Small::default() };
                out.ok();
            }
            _ => self.collections(name, w, out),
        }
    }
}

impl Host for Small {
    fn call(&mut self, words: &[&[u8]], out: &mut dyn Reply) -> Result<(), Refusal> {
        let name = String::from_utf8_lossy(words[0]).to_ascii_lowercase();
        let Some((_, arity)) = KNOWN.iter().find(|(known, _)| *known == name) else {
            return Err(CmdError::new("ERR Unknown Redis command called from script").into());
        };
        let count = i32::try_from(words.len()).unwrap();
        if (*arity > 0 && count != *arity) || count < -arity {
            let text = "ERR Wrong number of args calling Redis command from script";
            return Err(CmdError::new(text).into());
        }
        self.run(&name, words, out);
        Ok(())
    }

    fn note_error(&mut self, _: &[u8], _: bool) {}
    fn log(&mut self, level: u8, text: &[u8]) {
        self.lines.push((level, text.to_vec()));
    }

    fn may(&mut self, words: &[&[u8]]) -> Option<bool> {
        let name = String::from_utf8_lossy(words[0]).to_ascii_lowercase();
        KNOWN.iter().any(|(known, _)| *known == name).then_some(true)
    }

    fn interrupted(&mut self) -> bool {
        match &mut self.patience {
            None => false,
            Some(0) => true,
            Some(left) => {
                *left -= 1;
                false
            }
        }
    }

    fn set_repl(&mut self, _: u8) {}
}

/// Both sides.
pub struct Stage {
    pub vm: Vm,
    pub host: Small,
    theirs: [BufReader<TcpStream>; 2],
    _server: Server,
}

impl Stage {
    /// None, said aloud, without a redis-server.
    pub fn new() -> Option<Self> {
        let Some(program) = Program::redis() else {
            skip::without("redis-server", "redis-server", "compare with it");
            return None;
        };
        let server = Server::start(&program).unwrap();
        let open = || {
            let stream = TcpStream::connect(("127.0.0.1", server.port())).unwrap();
            stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
            stream.set_nodelay(true).unwrap();
            BufReader::new(stream)
        };
        let theirs = [open(), open()];
        let mut stage = Stage { vm: vm(), host: Small::default(), theirs, _server: server };
        stage.theirs(&[b"HELLO", b"3"], Protocol::Resp3);
        Some(stage)
    }

    pub fn theirs(&mut self, words: &[&[u8]], protocol: Protocol) -> Vec<u8> {
        let stream = &mut self.theirs[usize::from(protocol == Protocol::Resp3)];
        stream.get_mut().write_all(&wire::request(words.iter().copied())).unwrap();
        reply(stream)
    }

    /// What both answer to a script.
    pub fn both(&mut self, body: &[u8], args: &[&[u8]], protocol: Protocol) -> [Vec<u8>; 2] {
        let keys: &[&[u8]] = &[b"k1", b"k2"];
        let mut words = vec![&b"EVAL"[..], body, b"2"];
        words.extend(keys);
        words.extend(args);
        let theirs = self.theirs(&words, protocol);
        [eval(&mut self.vm, &mut self.host, body, keys, args, protocol), theirs]
    }
}

pub fn vm() -> Vm {
    Vm::new(Limits::new(64 << 20))
}

/// The bytes of one reply, however deep.
fn reply(stream: &mut BufReader<TcpStream>) -> Vec<u8> {
    let (mut bytes, mut left) = (Vec::new(), 1);
    while left > 0 {
        left -= 1;
        let start = bytes.len();
        stream.read_until(b'\n', &mut bytes).unwrap();
        let line = &bytes[start..];
        assert!(line.ends_with(b"\n"), "the server has gone");
        let count = String::from_utf8_lossy(&line[1..]).trim_end().parse::<usize>();
        match (line[0], count) {
            (b'$' | b'=', Ok(len)) => {
                let mut bulk = vec![0; len + 2];
                stream.read_exact(&mut bulk).unwrap();
                bytes.extend(bulk);
            }
            (b'*' | b'>' | b'~', Ok(len)) => left += len,
            (b'%', Ok(len)) => left += 2 * len,
            _ => {}
        }
    }
    bytes
}

/// What Kvist answers.
pub fn eval(
    vm: &mut Vm,
    host: &mut Small,
    body: &[u8],
    keys: &[&[u8]],
    args: &[&[u8]],
    protocol: Protocol,
) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut out = wire::RespWriter::new(&mut bytes, protocol);
    let done = Script::new(body).and_then(|script| vm.eval(&script, keys, args, host, &mut out));
    if let Err(error) = done {
        out.raw().clear();
        out.error_bytes(error.bytes());
    }
    bytes
}

/// The text of a bulk reply or an error.
pub fn text(reply: &[u8]) -> String {
    String::from_utf8_lossy(reply).trim_end().to_owned()
}

/// Bytes for people.
pub fn shown(bytes: &[u8]) -> String {
    let end = bytes.len().min(600);
    format!("{} ({} bytes)", bytes[..end].escape_ascii(), bytes.len())
}
