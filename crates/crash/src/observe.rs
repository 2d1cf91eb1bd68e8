//! Reads everything back from a server that has recovered.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::time::Duration;

use differential::command::Command;
use differential::connection::Connection;
use differential::resp::{Reply, Value as Frame};

use crate::clock;
use crate::graph::{self, Graph};
use crate::tree::Tree;
use crate::value::{Bytes, Deadline, Entry, Group, Keys, Stream, Value};
use crate::workload::{BALLAST_DB, DATABASES, SHARED_DB};

/// All keys, and between which times they were read.
#[derive(Debug)]
pub struct Observation {
    /// The keys.
    pub keys: Keys,
    /// Milliseconds: before the first was read.
    pub from: i64,
    /// Milliseconds: after the last was read.
    pub to: i64,
}

/// Reads all keys.
///
/// # Errors
/// Whatever the socket gives, and replies that make no sense.
pub fn observe(port: u16) -> io::Result<Observation> {
    let mut connection = Connection::open(port, Duration::from_secs(30))?;
    let from = clock::now();
    let mut keys = Keys::new();
    for db in (0..DATABASES).chain([SHARED_DB, BALLAST_DB]) {
        connection.ask(&Command::words(&["SELECT", &db.to_string()]))?;
        let found = connection.ask(&Command::words(&["KEYS", "*"]))?.value.leaves();
        let entries = if db == BALLAST_DB {
            read_texts(&mut connection, &found)?
        } else {
            read_entries(&mut connection, &found)?
        };
        for (key, entry) in found.into_iter().zip(entries) {
            keys.extend(entry.map(|entry| ((db, key), entry)));
        }
    }
    Ok(Observation { keys, from, to: clock::now() })
}

impl Observation {
    /// The part of a partition: its own keys, and its share of those that many write.
    #[must_use]
    pub fn share_of(&self, prefix: &[u8]) -> Keys {
        let who = &prefix[..prefix.len().saturating_sub(1)];
        let mut share = Keys::new();
        for (name, entry) in &self.keys {
            if name.1.starts_with(prefix) {
                share.insert(name.clone(), entry.clone());
            } else if name.1.starts_with(b"shared:") {
                let value = match &entry.value {
                    Value::List(list) => Value::List(
                        list.iter().filter(|item| item.starts_with(prefix)).cloned().collect(),
                    ),
                    Value::Hash(hash) => {
                        let own = hash.get(who).map(|value| (who.to_vec(), value.clone()));
                        Value::Hash(own.into_iter().collect())
                    }
                    _ => continue,
                };
                let entry = Entry { value, deadline: entry.deadline };
                if !entry.is_empty() {
                    share.insert(name.clone(), entry);
                }
            }
        }
        share
    }

    /// A string.
    #[must_use]
    pub fn text(&self, db: u8, key: &[u8]) -> Option<&Bytes> {
        match self.keys.get(&(db, key.to_vec())).map(|entry| &entry.value) {
            Some(Value::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// A hash; empty if it is missing.
    #[must_use]
    pub fn hash(&self, db: u8, key: &[u8]) -> BTreeMap<Bytes, Bytes> {
        match self.keys.get(&(db, key.to_vec())).map(|entry| &entry.value) {
            Some(Value::Hash(hash)) => hash.clone(),
            _ => BTreeMap::new(),
        }
    }
}

fn read_texts(connection: &mut Connection, keys: &[Bytes]) -> io::Result<Vec<Option<Entry>>> {
    let mut entries = Vec::with_capacity(keys.len());
    for part in keys.chunks(500) {
        let mut words = vec![b"MGET".to_vec()];
        words.extend(part.iter().cloned());
        let reply = connection.ask(&Command::new(words))?.value;
        let items = reply.items().unwrap_or_default();
        entries.extend((0..part.len()).map(|at| {
            let text = items.get(at).and_then(Frame::bytes).map(<[u8]>::to_vec);
            text.map(|text| Entry::lasting(Value::Text(text)))
        }));
    }
    Ok(entries)
}

fn read_entries(connection: &mut Connection, keys: &[Bytes]) -> io::Result<Vec<Option<Entry>>> {
    let about = |word: &str, key: &Bytes| Command::new(vec![word.into(), key.clone()]);
    let questions = keys.iter().flat_map(|key| [about("TYPE", key), about("PEXPIRETIME", key)]);
    let answers = connection.ask_all(&questions.collect::<Vec<_>>())?;
    let mut questions = Vec::with_capacity(keys.len());
    for (key, answer) in keys.iter().zip(answers.chunks(2)) {
        let kind = answer[0].value.bytes().unwrap_or_default();
        questions.push(question(kind, key)?);
    }
    let bodies = connection.ask_all(&questions)?;
    let mut entries = Vec::with_capacity(keys.len());
    for (answer, body) in answers.chunks(2).zip(&bodies) {
        let kind = answer[0].value.bytes().unwrap_or_default();
        let entry = value(kind, body)?.map(|value| {
            let at = answer[1].value.integer().filter(|at| *at >= 0);
            Entry { value, deadline: at.map(Deadline::exact) }
        });
        entries.push(entry.filter(|entry| !entry.is_empty()));
    }
    Ok(entries)
}

fn question(kind: &[u8], key: &Bytes) -> io::Result<Command> {
    let words: &[&str] = match kind {
        // A key that has just expired is asked for too, so that questions and keys keep step.
        b"string" | b"none" => &["GET"],
        b"hash" => &["HGETALL"],
        b"list" => &["LRANGE", "0", "-1"],
        b"set" => &["SMEMBERS"],
        b"zset" => &["ZRANGE", "0", "-1", "WITHSCORES"],
        b"ReJSON-RL" => &["JSON.GET", "$"],
        b"graphdata" => &["GRAPH.RO_QUERY", graph::ALL],
        b"folio" => &["FOLIO.READALL", "id"],
        b"stream" => {
            let words = [&b"XINFO"[..], b"STREAM", key, b"FULL", b"COUNT", b"0"];
            return Ok(Command::new(words.iter().map(|word| word.to_vec()).collect()));
        }
        other => return Err(io::Error::other(format!("TYPE is {}", other.escape_ascii()))),
    };
    let mut args: Vec<Bytes> = words.iter().map(|word| word.as_bytes().to_vec()).collect();
    args.insert(1, key.clone());
    Ok(Command::new(args))
}

fn value(kind: &[u8], body: &Reply) -> io::Result<Option<Value>> {
    if let Some(text) = body.value.error() {
        // A key that has just expired.
        let gone: &[u8] = match kind {
            b"stream" => b"ERR no such key",
            b"graphdata" => b"ERR Invalid graph operation on empty key",
            b"folio" => b"ERR no such project: FOLIO.OPEN makes one",
            _ => b"",
        };
        if text == gone {
            return Ok(None);
        }
        return Err(io::Error::other(format!("reading back: {}", text.escape_ascii())));
    }
    let leaves = || body.value.leaves();
    let pairs = || leaves().chunks(2).map(|p| (p[0].clone(), p[1].clone())).collect::<Vec<_>>();
    Ok(match kind {
        b"string" => body.value.bytes().map(|text| Value::Text(text.to_vec())),
        b"hash" => Some(Value::Hash(pairs().into_iter().collect())),
        b"list" => Some(Value::List(leaves().into())),
        b"set" => Some(Value::Set(leaves().into_iter().collect::<BTreeSet<_>>())),
        b"zset" => {
            let score = |text: Bytes| String::from_utf8_lossy(&text).parse().unwrap_or(f64::NAN);
            Some(Value::Zset(pairs().into_iter().map(|(m, s)| (m, score(s))).collect()))
        }
        b"stream" => Some(Value::Stream(stream(&body.value))),
        b"ReJSON-RL" => body.value.bytes().map(document).transpose()?,
        b"graphdata" => Some(Value::Graph(graph(&body.value)?)),
        b"folio" => {
            let read = crate::project::from_pairs(&pairs());
            let twice = || io::Error::other("a project has two records of one id");
            Some(Value::Project(read.ok_or_else(twice)?))
        }
        _ => None,
    })
}

/// What `$` finds: the document, in brackets.
fn document(text: &[u8]) -> io::Result<Value> {
    let found = Tree::read(text).and_then(|mut found| found.items()?.pop());
    let shown = || text[..text.len().min(200)].escape_ascii().to_string();
    found.map(Value::Document).ok_or_else(|| io::Error::other(format!("a document: {}", shown())))
}

/// A graph from the rows of [`graph::ALL`]: names of columns, rows, lines about the statement.
fn graph(frame: &Frame) -> io::Result<Graph> {
    let rows = frame.items().and_then(|parts| parts.get(1)?.items()).unwrap_or_default();
    let mut graph = Graph::default();
    for row in rows {
        let [id, text, edges] = row.items().unwrap_or_default() else { continue };
        let id = id.integer().unwrap_or(-1);
        let text = text.bytes().unwrap_or_default().to_vec();
        if graph.nodes.insert(id, text).is_some() {
            return Err(io::Error::other(format!("a graph has two nodes {id}")));
        }
        let edges = String::from_utf8_lossy(edges.bytes().unwrap_or_default()).into_owned();
        for pair in graph::numbers(&edges).chunks(2) {
            *graph.edges.entry((id, pair[0], pair.get(1).copied().unwrap_or(-1))).or_default() += 1;
        }
    }
    Ok(graph)
}

/// What stands behind a word in a flat list of words and values.
fn behind<'a>(items: &'a [Frame], word: &[u8]) -> Option<&'a Frame> {
    let at = items.iter().step_by(2).position(|name| name.bytes() == Some(word))?;
    items.get(2 * at + 1)
}

/// The first half of an id.
fn id(frame: Option<&Frame>) -> u64 {
    let text = String::from_utf8_lossy(frame.and_then(Frame::bytes).unwrap_or_default());
    text.split('-').next().and_then(|ms| ms.parse().ok()).unwrap_or(u64::MAX)
}

/// A stream from what XINFO STREAM FULL answers.
fn stream(frame: &Frame) -> Stream {
    let items = frame.items().unwrap_or_default();
    let parts = |word: &[u8]| behind(items, word).and_then(Frame::items).unwrap_or_default();
    let added = behind(items, b"entries-added").and_then(Frame::integer).unwrap_or(-1);
    let entry = |entry: &Frame| {
        let value = entry.leaves().pop().unwrap_or_default();
        (id(entry.items().and_then(<[Frame]>::first)), value)
    };
    let group = |group: &Frame| {
        let items = group.items().unwrap_or_default();
        let name = behind(items, b"name").and_then(Frame::bytes).unwrap_or_default();
        let pending = behind(items, b"pending").and_then(Frame::items).unwrap_or_default();
        let one = |one: &Frame| {
            let parts = one.items().unwrap_or_default();
            let owner = parts.get(1).and_then(Frame::bytes).unwrap_or_default();
            (id(parts.first()), owner.to_vec())
        };
        let last = id(behind(items, b"last-delivered-id"));
        (name.to_vec(), Group { last, pending: pending.iter().map(one).collect() })
    };
    Stream {
        last: id(behind(items, b"last-generated-id")),
        added: u64::try_from(added).unwrap_or(u64::MAX),
        entries: parts(b"entries").iter().map(entry).collect(),
        groups: parts(b"groups").iter().map(group).collect(),
    }
}
