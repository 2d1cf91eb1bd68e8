//! The ways to ask: a project of ours over each door, and a redis-server as hxRedis keeps records.

use std::collections::BTreeSet;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;

use client::{Connection, Options, Pipeline, Protocol, Value};
use kvist::Kvist;

use super::site::{MOD, Record};

/// Records that are sent at once.
const BATCH: usize = 1000;

/// What is asked for: all that have a tag, or how many have an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Question {
    Count,
    Tag(&'static str),
}

/// A way to ask.
pub(super) enum Door {
    /// RESP over a Unix socket or TCP.
    Resp(Box<Connection>),
    Http(Box<Http>),
    Embedded(Box<Kvist>),
    /// Sets of ids, and hashes that are fetched in one pipeline.
    Redis(Box<Connection>),
}

/// What came: how many, or the text of the records.
pub(super) enum Answer {
    Count(i64),
    Zinc(Vec<u8>),
    Trio(Vec<Value>),
}

pub(super) fn failed(error: impl std::fmt::Display) -> io::Error {
    io::Error::other(error.to_string())
}

pub(super) fn connect(options: Options) -> io::Result<Box<Connection>> {
    let options = Options { protocol: Protocol::Resp2, timeout: None, ..options };
    Connection::open(&options).map(Box::new).map_err(failed)
}

/// By `host:port`.
pub(super) fn over_tcp(addr: &str) -> io::Result<Box<Connection>> {
    let (host, port) = addr.rsplit_once(':').ok_or_else(|| failed("no port"))?;
    connect(Options::tcp(host, port.parse().map_err(failed)?))
}

impl Door {
    pub fn unix(path: &Path) -> io::Result<Door> {
        connect(Options::unix(path)).map(Door::Resp)
    }

    /// Calls a command of ours.
    pub fn call(&mut self, words: &[&str]) -> io::Result<Value> {
        match self {
            Door::Embedded(db) => {
                let answer = db.call(words.iter().copied()).map_err(failed)?;
                answer.as_error().map_or(Ok(()), |e| Err(failed(String::from_utf8_lossy(e))))?;
                Ok(answer)
            }
            Door::Resp(connection) | Door::Redis(connection) => {
                connection.call(words.iter().copied()).map_err(failed)
            }
            Door::Http(_) => Err(failed("no command goes over this door")),
        }
    }

    /// Makes a project, or a keyspace of hxRedis in place of what is there.
    pub fn load(&mut self, key: &str, records: &[Record]) -> io::Result<()> {
        if let Door::Redis(connection) = self {
            connection.call(["FLUSHALL"]).map_err(failed)?;
            for batch in records.chunks(BATCH) {
                let mut requests = Pipeline::new();
                for words in batch.iter().flat_map(hxredis_writes) {
                    requests.add(words);
                }
                connection.pipeline(&requests).map_err(failed)?;
            }
            return Ok(());
        }
        self.call(&["FOLIO.OPEN", key])?;
        for batch in records.chunks(BATCH) {
            let all: Vec<String> = batch.iter().map(Record::zinc).collect();
            let all = format!("[{}]", all.join(","));
            self.call(&["FOLIO.COMMIT", key, "FORMAT", "zinc", "ADD", &all])?;
        }
        Ok(())
    }

    /// Asks; nothing if this door has no such question.
    pub fn ask(&mut self, key: &str, question: Question) -> io::Result<Option<Answer>> {
        match self {
            Door::Http(http) => match question {
                Question::Count => Ok(None),
                Question::Tag(tag) => http.read(key, tag).map(|body| Some(Answer::Zinc(body))),
            },
            Door::Redis(connection) => fetch(connection, question).map(Some),
            Door::Resp(_) | Door::Embedded(_) => match question {
                Question::Count => {
                    let count = self.call(&["FOLIO.COUNT", key, "id"])?;
                    Ok(count.as_i64().map(Answer::Count))
                }
                Question::Tag(tag) => {
                    match self.call(&["FOLIO.READALL", key, tag, "FORMAT", "zinc"])? {
                        Value::Bulk(text) => Ok(Some(Answer::Zinc(text))),
                        _ => Err(failed("an answer that is no text")),
                    }
                }
            },
        }
    }
}

/// What hxRedis sends to write a record, between MULTI and EXEC, but for the version.
pub(super) fn hxredis_writes(record: &Record) -> Vec<Vec<String>> {
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let key = format!("rec:{}", record.id);
    let mut all = vec![
        words(&["HSET", &key, "trio", &record.trio()]),
        words(&["HSET", &key, "mod", MOD]),
        words(&["SADD", "idx:all", &record.id]),
    ];
    all.extend(record.tags().map(|tag| words(&["SADD", &format!("idx:tag:{tag}"), &record.id])));
    all
}

/// Ids from a set, records in one pipeline.
fn fetch(connection: &mut Connection, question: Question) -> io::Result<Answer> {
    let set = match question {
        Question::Count => {
            let count = connection.call(["SCARD", "idx:all"]).map_err(failed)?;
            return Ok(Answer::Count(count.as_i64().unwrap_or(-1)));
        }
        Question::Tag("id") => "idx:all".to_owned(),
        Question::Tag(tag) => format!("idx:tag:{tag}"),
    };
    let ids = connection.call(["SMEMBERS", &set]).map_err(failed)?;
    let mut requests = Pipeline::new();
    for id in ids.as_slice().unwrap_or_default().iter().filter_map(Value::as_bytes) {
        requests.add([&b"HGET"[..], &[b"rec:", id].concat(), b"trio"]);
    }
    let records = connection.pipeline(&requests).map_err(failed)?;
    records.into_iter().collect::<Result<_, _>>().map(Answer::Trio).map_err(|e| failed(e.message()))
}

impl Answer {
    /// The ids of the records, or how many there are.
    pub fn ids(&self) -> (Option<i64>, BTreeSet<String>) {
        let id = |text: &str| {
            let end = text.find([' ', ',', '\n']).unwrap_or(text.len());
            text.get(..end).unwrap_or_default().to_owned()
        };
        match self {
            Answer::Count(count) => (Some(*count), BTreeSet::new()),
            Answer::Zinc(text) => {
                let text = String::from_utf8_lossy(text);
                (None, text.lines().filter_map(|line| line.strip_prefix('@')).map(id).collect())
            }
            Answer::Trio(records) => {
                let texts = records.iter().filter_map(Value::as_bytes).map(String::from_utf8_lossy);
                (None, texts.filter_map(|text| text.strip_prefix("id:@").map(id)).collect())
            }
        }
    }
}

/// A connection over HTTP that is kept.
pub(super) struct Http {
    stream: BufReader<TcpStream>,
}

impl Http {
    pub fn connect(port: u16) -> io::Result<Http> {
        let stream = TcpStream::connect(("127.0.0.1", port))?;
        stream.set_nodelay(true)?;
        Ok(Http { stream: BufReader::with_capacity(1 << 16, stream) })
    }

    /// The operation `read` of Haystack's API.
    fn read(&mut self, key: &str, filter: &str) -> io::Result<Vec<u8>> {
        let head = format!(
            "GET /api/{key}/read?filter={filter} HTTP/1.1\r\nHost: localhost\r\n\
             Accept: text/zinc\r\n\r\n"
        );
        self.stream.get_mut().write_all(head.as_bytes())?;
        let (mut length, mut is_chunked, mut line) = (0, false, String::new());
        self.stream.read_line(&mut line)?;
        if !line.contains(" 200 ") {
            return Err(failed(format!("HTTP answers {}", line.trim())));
        }
        while line != "\r\n" && !line.is_empty() {
            line.clear();
            self.stream.read_line(&mut line)?;
            let lower = line.to_lowercase();
            if let Some(value) = lower.strip_prefix("content-length:") {
                length = value.trim().parse().map_err(failed)?;
            }
            is_chunked |= lower.starts_with("transfer-encoding:") && lower.contains("chunked");
        }
        if is_chunked { self.chunks() } else { self.bytes(length) }
    }

    fn bytes(&mut self, length: usize) -> io::Result<Vec<u8>> {
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body)?;
        Ok(body)
    }

    fn chunks(&mut self) -> io::Result<Vec<u8>> {
        let mut body = Vec::new();
        loop {
            let mut line = String::new();
            self.stream.read_line(&mut line)?;
            let length = usize::from_str_radix(line.trim(), 16).map_err(failed)?;
            let mut chunk = self.bytes(length + 2)?;
            if length == 0 {
                return Ok(body);
            }
            chunk.truncate(length);
            body.extend(chunk);
        }
    }
}
