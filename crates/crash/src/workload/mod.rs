//! What the connections do: random commands, chosen so that the model can know their outcome.
//!
//! Keys are named after their type (`w03:l2` is a list), so no command meets a wrong type unless
//! it is meant to. A key near its deadline is left alone or overwritten blindly; one past its
//! deadline is used as the missing key that it is, because a server that forgets to write down an
//! expiry gives itself away right there.

mod ballast;
mod collections;
mod documents;
mod graphs;
mod keys;
mod projects;
mod streams;
mod strings;
mod together;

use std::collections::BTreeSet;

use differential::command::Command;
use differential::rng::Rng;

use crate::clock::SLOP;
use crate::model::Model;
use crate::unit::{Declared, Step, Unit};
use crate::value::{Bytes, Value};

pub use ballast::BALLAST_DB;
pub use together::{GROUP_KEYS, SHARED_DB, shared_group_keys};

/// Databases 0..DATABASES hold the connections' own keys; SWAPDB, FLUSHDB and MOVE work on them.
pub const DATABASES: u8 = 4;

/// No key is read or changed that expires in less than this many milliseconds.
const MARGIN: i64 = 2500;

/// What the work depends on.
#[derive(Clone, Debug)]
pub struct Work {
    /// Which life of the server this is.
    pub cycle: u64,
    /// The longest pipeline.
    pub pipeline: usize,
    /// Keys of ballast.
    pub ballast: usize,
    /// Commands that the server does not have.
    pub missing: BTreeSet<String>,
}

/// Every command that the work may use.
pub const COMMANDS: &[&str] = &[
    "APPEND",
    "BLMOVE",
    "BLPOP",
    "BZPOPMIN",
    "COPY",
    "DECR",
    "DEL",
    "EVAL",
    "EXPIRE",
    "FLUSHDB",
    "FOLIO.COMMIT",
    "FOLIO.OPEN",
    "GETDEL",
    "GETEX",
    "GETSET",
    "GRAPH.QUERY",
    "HDEL",
    "HINCRBY",
    "HINCRBYFLOAT",
    "HSET",
    "INCR",
    "INCRBY",
    "INCRBYFLOAT",
    "JSON.ARRAPPEND",
    "JSON.ARRINSERT",
    "JSON.ARRPOP",
    "JSON.ARRTRIM",
    "JSON.DEL",
    "JSON.MERGE",
    "JSON.MSET",
    "JSON.NUMINCRBY",
    "JSON.SET",
    "LINSERT",
    "LMOVE",
    "LPOP",
    "LPUSH",
    "LREM",
    "LSET",
    "LTRIM",
    "MOVE",
    "MSET",
    "MULTI",
    "PERSIST",
    "PEXPIRE",
    "PEXPIREAT",
    "PEXPIRETIME",
    "RENAME",
    "RENAMENX",
    "RPOP",
    "RPOPLPUSH",
    "RPUSH",
    "SADD",
    "SDIFFSTORE",
    "SET",
    "SETRANGE",
    "SINTERSTORE",
    "SMOVE",
    "SORT",
    "SPOP",
    "SREM",
    "SUNIONSTORE",
    "SWAPDB",
    "UNLINK",
    "XACK",
    "XADD",
    "XDEL",
    "XGROUP",
    "XREADGROUP",
    "XTRIM",
    "ZADD",
    "ZINCRBY",
    "ZINTERSTORE",
    "ZPOPMAX",
    "ZPOPMIN",
    "ZRANGESTORE",
    "ZREM",
    "ZREMRANGEBYRANK",
    "ZREMRANGEBYSCORE",
    "ZUNIONSTORE",
];

/// How many units the next batch has.
pub fn batch_size(rng: &mut Rng, work: &Work) -> usize {
    if rng.chance(40) { 1 } else { 1 + rng.below(work.pipeline) }
}

/// Whether a command does the same whatever was there before.
#[must_use]
pub fn is_blind(command: &Command) -> bool {
    match command.name().as_str() {
        "DEL" | "UNLINK" | "MSET" => true,
        "SET" => !["NX", "XX", "KEEPTTL"].iter().any(|word| command.has(word)),
        _ => false,
    }
}

/// The next unit of a partition; two where a client waits for what another brings.
pub fn compose(
    live: &Model,
    sequence: &mut u64,
    rng: &mut Rng,
    work: &Work,
    now: i64,
) -> Vec<Unit> {
    if live.prefix.starts_with(b"b") {
        return vec![ballast::unit(live, sequence, rng, work)];
    }
    loop {
        let db = u8::try_from(rng.below(usize::from(DATABASES))).unwrap_or(0);
        let mut draw = Draw { live, rng, work, now, db, sequence, used: BTreeSet::new() };
        let units = match draw.rng.below(100) {
            0..=11 => draw.group().map(|steps| vec![Unit::new(steps, true)]),
            12..=19 => draw.shared(),
            20..=22 => draw.waiting(),
            _ => draw.single().map(|steps| vec![Unit::new(steps, false)]),
        };
        let Some(mut units) = units else { continue };
        if let [unit] = &mut *units
            && unit.group
        {
            unit.script = draw.script(&unit.steps);
        }
        let steps = || units.iter().flat_map(|unit| &unit.steps);
        if steps().all(|step| !work.missing.contains(&step.command.name())) {
            return units;
        }
    }
}

/// Draws one unit.
pub(crate) struct Draw<'a> {
    live: &'a Model,
    rng: &'a mut Rng,
    work: &'a Work,
    now: i64,
    db: u8,
    sequence: &'a mut u64,
    /// Keys that commands of this group already use: they may be other keys by now.
    used: BTreeSet<Bytes>,
}

type Steps = Option<Vec<Step>>;

impl Draw<'_> {
    /// Whether a group is sent as a script, and how.
    fn script(&mut self, steps: &[Step]) -> Option<Declared> {
        let blocks = |step: &Step| step.command.name().starts_with('B');
        if self.work.missing.contains("EVAL") || steps.iter().any(blocks) {
            return None;
        }
        match self.rng.below(4) {
            0 => Some(Declared::Nothing),
            1 => Some(Declared::All),
            _ => None,
        }
    }

    fn single(&mut self) -> Steps {
        match self.rng.below(100) {
            0..=27 => self.string(),
            28..=42 => self.key_command(),
            43..=56 => self.hash(),
            57..=71 => self.list(),
            72..=79 => self.set(),
            80..=87 => self.zset(),
            88..=91 => self.document(),
            92..=93 => self.graph(),
            94..=95 => self.project(),
            _ => self.stream(),
        }
    }

    /// Several commands on different keys, in more than one database; only the last may have an
    /// outcome that has to be told.
    fn group(&mut self) -> Steps {
        if self.rng.chance(35) {
            return self.same_number();
        }
        let wanted = 2 + self.rng.below(7);
        let mut steps: Vec<Step> = Vec::new();
        for _ in 0..wanted * 3 {
            self.db = u8::try_from(self.rng.below(usize::from(DATABASES))).unwrap_or(0);
            let Some(next) = self.single() else { continue };
            let late = Unit::new(next.clone(), false).is_late();
            for step in &next {
                let own = |arg: &&Bytes| arg.starts_with(&self.live.prefix);
                self.used.extend(step.command.args().iter().filter(own).cloned());
            }
            steps.extend(next);
            if late || steps.len() >= wanted {
                break;
            }
        }
        (steps.len() > 1).then_some(steps)
    }

    /// A key of this kind that may be read and changed in the current database.
    fn key(&mut self, kind: char) -> Option<Bytes> {
        let key = self.any_key(kind);
        self.usable(self.db, &key).then_some(key)
    }

    /// A key of this kind, whatever its state. The first of each kind grows large.
    fn any_key(&mut self, kind: char) -> Bytes {
        let number = self.rng.below(6);
        let mut key = self.live.prefix.clone();
        key.extend_from_slice(format!("{kind}{number}").as_bytes());
        key
    }

    fn usable(&self, db: u8, key: &Bytes) -> bool {
        if self.used.contains(key) {
            return false;
        }
        let Some(entry) = self.live.keys.get(&(db, key.clone())) else { return true };
        let settled = |d: crate::value::Deadline| d.min - MARGIN > self.now || d.passed(self.now);
        entry.value != Value::Unknown && entry.deadline.is_none_or(settled)
    }

    fn is_missing(&self, key: &Bytes) -> bool {
        let entry = self.live.keys.get(&(self.db, key.clone()));
        entry.is_none_or(|entry| entry.deadline.is_some_and(|d| d.passed(self.now)))
    }

    fn is_big(key: &Bytes) -> bool {
        key.ends_with(b"0")
    }

    /// How many elements a collection has.
    fn size(&self, key: &Bytes) -> usize {
        match self.live.keys.get(&(self.db, key.clone())).map(|entry| &entry.value) {
            Some(Value::Hash(h)) => h.len(),
            Some(Value::List(l)) => l.len(),
            Some(Value::Set(s)) => s.len(),
            Some(Value::Zset(z)) => z.len(),
            Some(Value::Text(t)) => t.len(),
            Some(Value::Stream(s)) => s.entries.len(),
            Some(Value::Document(document)) => documents::size(document),
            _ => 0,
        }
    }

    fn step(&self, args: Vec<Bytes>) -> Step {
        Step { db: self.db, command: Command::new(args) }
    }

    /// One command: its name and what follows.
    fn one(&self, name: &str, key: &Bytes, rest: Vec<Bytes>) -> Steps {
        let mut args = vec![name.as_bytes().to_vec(), key.clone()];
        args.extend(rest);
        Some(vec![self.step(args)])
    }

    /// A relative expiry, and the question what deadline it made.
    fn asking(&self, name: &str, key: &Bytes, rest: Vec<Bytes>) -> Steps {
        let mut steps = self.one(name, key, rest)?;
        steps.push(self.step(vec![b"PEXPIRETIME".to_vec(), key.clone()]));
        Some(steps)
    }

    /// A life time in milliseconds: short ones end while the server runs, medium ones while it
    /// starts again, long ones never.
    fn life(&mut self) -> i64 {
        let spread = |rng: &mut Rng, below| i64::try_from(rng.below(below)).unwrap_or(0);
        match self.rng.below(3) {
            0 => 60 + spread(self.rng, 400),
            1 => 1000 + spread(self.rng, 8000),
            _ => 1_000_000 + spread(self.rng, 1_000_000_000),
        }
    }

    fn number(&mut self, below: usize) -> Bytes {
        self.rng.below(below).to_string().into_bytes()
    }

    /// An element of a collection; from few, so that commands meet.
    fn element(&mut self, key: &Bytes) -> Bytes {
        let below = if Self::is_big(key) { 3000 } else { 40 };
        match self.rng.below(below) {
            n if n % 3 == 0 => n.to_string().into_bytes(),
            n => format!("element:{n:05}").into_bytes(),
        }
    }

    fn elements(&mut self, key: &Bytes) -> Vec<Bytes> {
        let most = if Self::is_big(key) && self.rng.chance(30) { 300 } else { 4 };
        (0..=self.rng.below(most)).map(|_| self.element(key)).collect()
    }

    /// Any bytes, some with what journals and protocols trip over.
    fn bytes(&mut self, most: usize) -> Bytes {
        let length = self.rng.below(most);
        let mut bytes = Vec::with_capacity(length + 8);
        while bytes.len() < length {
            match self.rng.below(8) {
                0 => bytes.extend_from_slice(b"\r\n$3\r\n"),
                1 => bytes.extend_from_slice(b"*1\r\n\0"),
                _ => bytes.extend_from_slice(&self.rng.number().to_le_bytes()),
            }
        }
        bytes.truncate(length);
        // The model must not take a value for an option (NX, KEEPTTL).
        if !bytes.is_empty() && bytes.iter().all(u8::is_ascii_alphabetic) {
            bytes[0] = b'=';
        }
        bytes
    }
}

/// A number behind which a deadline has certainly been noticed.
#[must_use]
pub fn past(now: i64) -> i64 {
    now - 50 * SLOP
}

fn word(text: &str) -> Bytes {
    text.as_bytes().to_vec()
}
