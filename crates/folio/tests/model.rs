//! A project as a map of dicts, and batches as the contract has them, word by word.

use std::collections::BTreeMap;

use haystack::{DateTime, Dict, Value};
use kvist_folio::{Diff, ErrorKind, Flags, Layer, Project};

/// A record: the tags that are kept, `mod` among them, and those that are not.
#[derive(Clone, Default, Debug)]
pub struct Record {
    pub persistent: Dict,
    pub transient: Dict,
}

impl Record {
    pub fn merged(&self) -> Dict {
        let mut all = self.persistent.clone();
        for (tag, value) in self.transient.iter() {
            all.set(tag.clone(), value.clone());
        }
        all
    }
}

#[derive(Clone, Default)]
pub struct Model {
    pub records: BTreeMap<String, Record>,
    pub version: u64,
}

impl Model {
    pub fn new() -> Model {
        Model { version: 1, ..Model::default() }
    }

    pub fn commit(&mut self, diffs: &[Diff], now: DateTime) -> Result<(), ErrorKind> {
        let mut next = self.clone();
        let mut seen = Vec::new();
        let transient = |diff: &Diff| diff.flags.has(Flags::TRANSIENT);
        if diffs.iter().any(|diff| transient(diff) != transient(&diffs[0])) {
            return Err(ErrorKind::Diff);
        }
        for diff in diffs {
            if seen.contains(&diff.id) {
                return Err(ErrorKind::Diff);
            }
            seen.push(diff.id.clone());
        }
        for diff in diffs {
            next.one(diff, now)?;
        }
        next.version += u64::from(!transient(diffs.first().ok_or(ErrorKind::Diff)?));
        *self = next;
        Ok(())
    }

    fn one(&mut self, diff: &Diff, now: DateTime) -> Result<(), ErrorKind> {
        let id = diff.id.to_string();
        if diff.flags.has(Flags::ADD) {
            if self.records.contains_key(&id) {
                return Err(ErrorKind::Commit);
            }
            let mut record = Record::default();
            record.persistent.put("id", Value::id(&id).unwrap()).unwrap();
            self.records.insert(id.clone(), record);
        }
        let record = self.records.get_mut(&id).ok_or(ErrorKind::Commit)?;
        let old: Option<DateTime> = match record.persistent.get("mod").map(|value| value.cell()) {
            Some(haystack::Cell::DateTime(instant)) => Some(instant),
            _ => None,
        };
        if !diff.flags.has(Flags::FORCE) && old != diff.old_mod {
            return Err(ErrorKind::ConcurrentChange);
        }
        if diff.flags.has(Flags::REMOVE) {
            self.records.remove(&id);
            return Ok(());
        }
        let is_transient = diff.flags.has(Flags::TRANSIENT);
        let Record { persistent, transient } = record;
        let (own, other) =
            if is_transient { (transient, persistent) } else { (persistent, transient) };
        for (tag, value) in diff.changes.iter() {
            if other.has(tag) {
                return Err(ErrorKind::Commit);
            }
            match *value == Value::REMOVE {
                true => drop(own.remove(tag)),
                false => own.set(tag.clone(), value.clone()),
            }
        }
        if !is_transient {
            let least = old.map_or(i64::MIN, |old| old.nanos() + 1_000_000);
            let new = DateTime::from_nanos(now.nanos().max(least), now.zone());
            own.put("mod", new).unwrap();
        }
        Ok(())
    }

    /// Whether a project is the same.
    pub fn compare(&self, project: &Project) {
        assert_eq!(project.len(), self.records.len());
        assert_eq!(project.version(), self.version);
        for (id, record) in &self.records {
            let slot = project.slot_of(id).unwrap();
            assert_eq!(project.dict(slot, Layer::Merged), record.merged());
            assert_eq!(project.dict(slot, Layer::Persistent), record.persistent);
            let mut transient = record.transient.clone();
            transient.put("id", Value::id(id).unwrap()).unwrap();
            assert_eq!(project.dict(slot, Layer::Transient), transient);
        }
        for (tag, count) in project.tags() {
            let has = self.records.values().filter(|record| record.merged().has(tag));
            assert_eq!(has.count(), count, "{tag}");
        }
    }
}
