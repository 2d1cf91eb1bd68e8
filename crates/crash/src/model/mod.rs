//! The model: what a connection's keys must be, by running its commands on plain collections.
//!
//! One naive interpreter of the commands the workload uses, for the live run and for the walk of
//! the checker. It relies on the workload's habits: a key's name tells its type, and a key near
//! its deadline is only overwritten or deleted, never read.

mod collections;
mod documents;
mod graphs;
mod keys;
mod projects;
mod streams;
mod strings;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use differential::command::Command;
use differential::resp::Value as Reply;

use crate::clock::SLOP;
use crate::unit::{Step, Unit};
use crate::value::{Bytes, Deadline, Entry, Keys, Name, Value};

/// What a reply must be, as far as the model knows.
#[derive(Clone, Debug, PartialEq)]
pub enum Expect {
    /// Anything at all.
    Unknown,
    /// Anything but an error.
    Any,
    /// An error.
    Error,
    /// This number.
    Int(i64),
    /// This string, or nil.
    Text(Option<Bytes>),
}

impl Expect {
    /// A count.
    #[must_use]
    pub fn count(n: usize) -> Self {
        i64::try_from(n).map_or(Self::Any, Self::Int)
    }

    /// Whether a reply is as expected.
    #[must_use]
    pub fn accepts(&self, reply: &Reply) -> bool {
        match self {
            Self::Unknown => true,
            Self::Error => reply.error().is_some(),
            _ if reply.error().is_some() => false,
            Self::Any => true,
            Self::Int(n) => reply.integer() == Some(*n),
            Self::Text(None) => matches!(reply, Reply::Nil { .. }),
            Self::Text(Some(text)) => reply.bytes() == Some(text),
        }
    }
}

/// What running a step needs beside the keys.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context<'a> {
    unit: &'a Unit,
    /// What was read after the crash, to find out what a random command took that was never
    /// answered.
    seen: Option<&'a Keys>,
}

impl Context<'_> {
    /// The deadline of an expiry in `ms` from now.
    fn after(&self, ms: i64) -> Deadline {
        self.unit.exact.map_or_else(
            || Deadline {
                min: self.unit.sent.saturating_add(ms).saturating_sub(SLOP),
                max: self.unit.done.saturating_add(ms).saturating_add(SLOP),
            },
            Deadline::exact,
        )
    }
}

/// Milliseconds within which a reply may come, generously.
const ABOUT_TO: i64 = 10_000;

/// The keys of one owner, and the commands on them.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// How all keys of this owner begin.
    pub prefix: Bytes,
    /// The keys.
    pub keys: Keys,
}

impl Model {
    /// An owner without keys.
    #[must_use]
    pub fn new(prefix: &[u8]) -> Self {
        Self { prefix: prefix.to_vec(), keys: Keys::new() }
    }

    /// Runs a unit; returns what each of its replies must be.
    pub fn apply(&mut self, unit: &Unit, seen: Option<&Keys>) -> Vec<Expect> {
        let mut expects = Vec::with_capacity(unit.steps.len());
        if unit.global {
            unit.steps.iter().for_each(|step| self.run_global(step.db, &step.command));
            expects.resize(unit.steps.len(), Expect::Any);
            return expects;
        }
        let names = unit.names(&self.prefix);
        let mut unknown = false;
        for name in &names {
            let Some(entry) = self.keys.get(name) else { continue };
            let deadline = entry.deadline.unwrap_or(Deadline::exact(i64::MAX));
            if deadline.passed(unit.sent) {
                self.keys.remove(name);
                continue;
            }
            // Whether a key that is about to expire was still there is told by the reply alone.
            unknown |= entry.value == Value::Unknown || !deadline.ahead(unit.sent + ABOUT_TO);
        }
        for (at, step) in unit.steps.iter().enumerate() {
            if unit.refused.contains(&at) {
                expects.push(Expect::Error);
                continue;
            }
            let expect = self.run(step, Context { unit, seen });
            self.remove_empty(&names);
            expects.push(if unknown { Expect::Unknown } else { expect });
        }
        if unit.tainted {
            for name in unit.own_names(&self.prefix) {
                self.keys.insert(name, Entry::lasting(Value::Unknown));
            }
        }
        expects
    }

    fn remove_empty(&mut self, names: &BTreeSet<Name>) {
        for name in names {
            if self.keys.get(name).is_some_and(Entry::is_empty) {
                self.keys.remove(name);
            }
        }
    }

    fn run(&mut self, step: &Step, context: Context<'_>) -> Expect {
        let name = step.command.name();
        let args = step.command.args();
        // Written by many: only this owner's part is in its model, and what all write is not.
        let shared = args.get(1).is_some_and(|key| key.starts_with(b"shared:"));
        if shared && matches!(name.as_str(), "SET" | "INCR") {
            return Expect::Any;
        }
        let ran = self.run_string(&name, step, context);
        let ran = ran.or_else(|| self.run_collection(&name, step, context));
        let ran = ran.or_else(|| self.run_stream(&name, step));
        let ran = ran.or_else(|| self.run_document(&name, step));
        let ran = ran.or_else(|| self.run_graph(&name, step));
        let ran = ran.or_else(|| self.run_project(&name, step));
        let ran = ran.or_else(|| self.run_key(&name, step, context));
        match ran {
            Some(expect) if !shared => expect,
            _ => Expect::Any,
        }
    }

    /// Databases exchanged or emptied; keys deleted in all partitions.
    fn run_global(&mut self, current: u8, command: &Command) {
        let number = |at: usize| -> u8 {
            let text = command.args().get(at).and_then(|a| std::str::from_utf8(a).ok());
            text.and_then(|t| t.parse().ok()).unwrap_or(u8::MAX)
        };
        match command.name().as_str() {
            "FLUSHALL" => self.keys.clear(),
            "FLUSHDB" => self.keys.retain(|(db, _), _| *db != current),
            "SWAPDB" => {
                let (a, b) = (number(1), number(2));
                let keys = std::mem::take(&mut self.keys);
                let swapped = |db: u8| match db {
                    db if db == a => b,
                    db if db == b => a,
                    db => db,
                };
                let moved = keys.into_iter().map(|((db, key), entry)| ((swapped(db), key), entry));
                self.keys = moved.collect();
            }
            _ => self.keys.retain(|(_, key), _| !command.args()[1..].contains(key)),
        }
    }

    fn value(&self, name: &Name) -> Option<&Value> {
        self.keys.get(name).map(|entry| &entry.value)
    }

    fn put(&mut self, name: Name, value: Value) {
        self.keys.insert(name, Entry::lasting(value));
    }

    /// The value to change, made by `new` if the key is missing or of another kind.
    fn slot(&mut self, name: &Name, like: fn(&Value) -> bool, new: fn() -> Value) -> &mut Value {
        let entry = self.keys.entry(name.clone()).or_insert_with(|| Entry::lasting(new()));
        if !like(&entry.value) {
            *entry = Entry::lasting(new());
        }
        &mut entry.value
    }

    fn hash(&self, name: &Name) -> BTreeMap<Bytes, Bytes> {
        if let Some(Value::Hash(hash)) = self.value(name) { hash.clone() } else { BTreeMap::new() }
    }

    fn list(&self, name: &Name) -> VecDeque<Bytes> {
        if let Some(Value::List(list)) = self.value(name) { list.clone() } else { VecDeque::new() }
    }

    fn set(&self, name: &Name) -> BTreeSet<Bytes> {
        if let Some(Value::Set(set)) = self.value(name) { set.clone() } else { BTreeSet::new() }
    }

    fn zset(&self, name: &Name) -> BTreeMap<Bytes, f64> {
        if let Some(Value::Zset(zset)) = self.value(name) { zset.clone() } else { BTreeMap::new() }
    }
}

/// An argument as a number; the workload writes none that is not.
fn int(arg: Option<&Bytes>) -> i64 {
    arg.and_then(|a| std::str::from_utf8(a).ok()).and_then(|t| t.parse().ok()).unwrap_or(0)
}

/// An argument as a real number.
fn real(arg: Option<&Bytes>) -> f64 {
    arg.and_then(|a| std::str::from_utf8(a).ok()).and_then(|t| t.parse().ok()).unwrap_or(0.0)
}

/// A place counted from either end, within `0..len` (`len` if it is behind the end).
fn place(index: i64, len: usize) -> usize {
    let length = i64::try_from(len).unwrap_or(i64::MAX);
    let at = if index < 0 { (length + index).max(0) } else { index.min(length) };
    usize::try_from(at).unwrap_or(0)
}

#[cfg(test)]
#[path = "model_tests.rs"]
mod tests;
