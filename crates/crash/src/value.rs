//! Values as the model knows them and as they were read back, and when the two agree.
//!
//! Nothing here is clever: a value is the plainest collection that can hold it, so that an error of
//! the server's data types is not repeated in the model.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use differential::command::escaped;

use crate::clock::SLOP;
use crate::graph::Graph;
use crate::project::Project;
use crate::tree::Tree;

/// A string of bytes.
pub type Bytes = Vec<u8>;
/// A database's number and a key in it.
pub type Name = (u8, Bytes);
/// All keys of a partition.
pub type Keys = BTreeMap<Name, Entry>;

/// What a key holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A string.
    Text(Bytes),
    /// A hash.
    Hash(BTreeMap<Bytes, Bytes>),
    /// A list.
    List(VecDeque<Bytes>),
    /// A set.
    Set(BTreeSet<Bytes>),
    /// A sorted set.
    Zset(BTreeMap<Bytes, f64>),
    /// A stream.
    Stream(Stream),
    /// A JSON document.
    Document(Tree),
    /// A property graph.
    Graph(Graph),
    /// A project of records.
    Project(Project),
    /// Not known: a deadline may or may not have passed while a command ran.
    Unknown,
}

/// A stream whose entries have ids of the form `n-1` and one field.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stream {
    /// The greatest id it ever had.
    pub last: u64,
    /// How many entries were ever added.
    pub added: u64,
    /// The values of the entries, by id.
    pub entries: BTreeMap<u64, Bytes>,
    /// Its groups, by name.
    pub groups: BTreeMap<Bytes, Group>,
}

/// A group of a stream.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Group {
    /// The last id it delivered.
    pub last: u64,
    /// Entries delivered and not acknowledged, by consumer.
    pub pending: BTreeMap<u64, Bytes>,
}

/// When a key expires: at some millisecond in this range. A relative expiry is known as exactly
/// as its request and reply lie apart, unless the server was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deadline {
    /// Not before.
    pub min: i64,
    /// Not after.
    pub max: i64,
}

impl Deadline {
    /// A deadline that is known.
    #[must_use]
    pub fn exact(at: i64) -> Self {
        Self { min: at, max: at }
    }

    /// Whether the key has surely expired by `now`.
    #[must_use]
    pub fn passed(self, now: i64) -> bool {
        self.max.saturating_add(SLOP) < now
    }

    /// Whether the key is surely still there at `now`.
    #[must_use]
    pub fn ahead(self, now: i64) -> bool {
        self.min.saturating_sub(SLOP) > now
    }
}

/// A value and its deadline.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The value.
    pub value: Value,
    /// When it expires, if it does.
    pub deadline: Option<Deadline>,
}

impl Entry {
    /// A value that stays.
    #[must_use]
    pub fn lasting(value: Value) -> Self {
        Self { value, deadline: None }
    }

    /// Whether a server would have removed the key: empty collections are no keys.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match &self.value {
            Value::Text(_) | Value::Stream(_) | Value::Document(_) | Value::Graph(_) => false,
            Value::Project(_) | Value::Unknown => false,
            Value::Hash(h) => h.is_empty(),
            Value::List(l) => l.is_empty(),
            Value::Set(s) => s.is_empty(),
            Value::Zset(z) => z.is_empty(),
        }
    }
}

/// Whether a key that should be `expected` may have been read as `seen` between the two times.
#[must_use]
pub fn agree(expected: Option<&Entry>, seen: Option<&Entry>, from: i64, to: i64) -> bool {
    let Some(expected) = expected else { return seen.is_none() };
    if expected.value == Value::Unknown {
        return true;
    }
    match (expected.deadline, seen) {
        (None, None) => false,
        (None, Some(seen)) => seen.deadline.is_none() && seen.value == expected.value,
        (Some(deadline), None) => !deadline.ahead(to),
        (Some(deadline), Some(seen)) => {
            let told =
                seen.deadline.is_some_and(|d| deadline.min <= d.min && d.max <= deadline.max);
            told && !deadline.passed(from) && seen.value == expected.value
        }
    }
}

/// An entry in few words, for a report.
#[must_use]
pub fn describe(entry: Option<&Entry>) -> String {
    let Some(entry) = entry else { return "nothing".to_owned() };
    let value = match &entry.value {
        Value::Text(text) => format!("string {}", cut(text)),
        Value::Hash(hash) => {
            let fields = hash.iter().map(|(f, v)| format!("{}={}", cut(f), cut(v)));
            format!("hash of {} {{{}}}", hash.len(), first(fields))
        }
        Value::List(list) => {
            let items: Vec<String> = list.iter().map(|i| cut(i)).collect();
            let shown = match items.len() {
                0..=8 => items.join(" "),
                n => format!("{} … {}", items[..4].join(" "), items[n - 4..].join(" ")),
            };
            format!("list of {} [{shown}]", list.len())
        }
        Value::Set(set) => {
            format!("set of {} {{{}}}", set.len(), first(set.iter().map(|m| cut(m))))
        }
        Value::Zset(zset) => {
            let members = zset.iter().map(|(m, s)| format!("{}={s}", cut(m)));
            format!("zset of {} {{{}}}", zset.len(), first(members))
        }
        Value::Stream(stream) => {
            let entries = stream.entries.iter().map(|(id, value)| format!("{id}={}", cut(value)));
            let groups = stream.groups.iter().map(|(name, group)| {
                let pending =
                    group.pending.iter().map(|(id, owner)| format!("{id}:{}", cut(owner)));
                format!("{} at {} <{}>", cut(name), group.last, first(pending))
            });
            let groups = groups.collect::<Vec<_>>().join(", ");
            let (count, last, added) = (stream.entries.len(), stream.last, stream.added);
            format!("stream of {count}, {added} added up to {last} {{{}}} {groups}", first(entries))
        }
        Value::Document(document) => {
            let text = document.to_string();
            format!("document of {} bytes {}", text.len(), &text[..text.len().min(400)])
        }
        Value::Graph(graph) => {
            let nodes = graph.nodes.iter().map(|(id, text)| format!("{id}={}", cut(text)));
            let edges = graph.edges.iter().map(|(edge, count)| format!("{edge:?}×{count}"));
            let count = graph.nodes.len();
            format!("graph of {count} {{{}}} <{}>", first(nodes), first(edges))
        }
        Value::Project(project) => {
            let records = project.iter().map(|(number, text)| format!("{number}={}", cut(text)));
            format!("project of {} {{{}}}", project.len(), first(records))
        }
        Value::Unknown => "anything".to_owned(),
    };
    match entry.deadline {
        None => value,
        Some(d) if d.min == d.max => format!("{value}, expires at {}", d.min),
        Some(d) => format!("{value}, expires at {}..{}", d.min, d.max),
    }
}

fn first(items: impl Iterator<Item = String>) -> String {
    let mut items = items;
    let mut shown: Vec<String> = items.by_ref().take(6).collect();
    if items.next().is_some() {
        shown.push("…".to_owned());
    }
    shown.join(" ")
}

fn cut(bytes: &[u8]) -> String {
    const LONGEST: usize = 24;
    if bytes.len() <= LONGEST {
        return escaped(bytes);
    }
    format!("{}…({} bytes)", escaped(&bytes[..LONGEST / 2]), bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(value: &str, deadline: Option<Deadline>) -> Entry {
        Entry { value: Value::Text(value.into()), deadline }
    }

    #[test]
    fn a_deadline_decides_what_may_be_seen() {
        let soon = Some(Deadline { min: 1000, max: 1010 });
        let (kept, expected) = (text("a", Some(Deadline::exact(1005))), text("a", soon));
        assert!(agree(Some(&expected), Some(&kept), 500, 600));
        assert!(!agree(Some(&expected), None, 500, 600), "gone too early");
        assert!(!agree(Some(&expected), Some(&kept), 2000, 2100), "there too long");
        assert!(agree(Some(&expected), None, 2000, 2100));
        assert!(agree(Some(&expected), None, 900, 1100), "either, while it passes");
        assert!(!agree(Some(&expected), Some(&text("a", None)), 500, 600), "lives for ever");
        let other = text("a", Some(Deadline::exact(1011)));
        assert!(!agree(Some(&expected), Some(&other), 500, 600), "another deadline");
        assert!(!agree(Some(&text("a", None)), Some(&kept), 500, 600), "a deadline from nowhere");
        assert!(!agree(None, Some(&kept), 500, 600));
    }
}
