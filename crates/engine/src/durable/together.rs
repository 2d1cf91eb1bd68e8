//! Frames whose records name each other: values that go from one key to another, or are made of
//! others.
//!
//! All other records are about one shard each, and shards are replayed side by side. A value that
//! went from a key of one shard to a key of another one is taken when both shards are just before
//! that, so such a frame is replayed by one thread while the others wait.
//!
//! ```text
//!   shard 3   1  2  From(7, 5)  4          a shard goes on to the record that the other one
//!                    │                     waits for, and the two records are done at once
//!   shard 7   1  2  3  4  To(3, 3)  6
//! ```
//!
//! So it is with a command that stores what it makes of keys of several shards, if that is large:
//! in every other shard of which it reads keys a mark tells the moment.
//!
//! There is always a shard that can go on, as there was one when it happened.

use std::collections::HashMap;
use std::sync::atomic::Ordering;

use base::{Key, Keyspace};
use journal::codec::Malformed;
use journal::record::{Half, Joined, Kind, Mark, Record};
use store::Scope;

use super::replay::{Failing, Replayer, follow};
use super::steps::Steps;

/// The moments of all shards: those of shard `n` stand in part `n` modulo the number of parts.
pub(crate) type Parts<'s, 'p> = &'p mut [&'s mut [Steps]];

/// Records of a frame, shard by shard, and how far each shard is.
struct Queues<'f> {
    records: Vec<Record<'f>>,
    /// Where the next record of a shard stands, and where its last one ends.
    next: HashMap<u16, (usize, usize)>,
}

impl<'f> Queues<'f> {
    fn new(records: Vec<Record<'f>>) -> Self {
        let mut next: HashMap<u16, (usize, usize)> = HashMap::new();
        for (at, record) in records.iter().enumerate() {
            next.entry(record.shard).or_insert((at, at)).1 = at + 1;
        }
        Queues { records, next }
    }

    fn head(&self, shard: u16) -> Option<Record<'f>> {
        let &(at, end) = self.next.get(&shard)?;
        self.records.get(at).filter(|_| at < end).copied()
    }

    fn pass(&mut self, shard: u16) {
        if let Some((at, _)) = self.next.get_mut(&shard) {
            *at += 1;
        }
    }
}

impl Replayer<'_> {
    /// Applies all records of a frame, those that name each other at once.
    pub fn apply_all(&mut self, frame: &[u8], parts: Parts<'_, '_>) -> Result<(), String> {
        self.order.read(frame, |_| true).map_err(|error| error.to_string())?;
        let order = std::mem::take(&mut self.order);
        let mut queues = Queues::new(order.records(frame).collect());
        let shards: Vec<u16> = queues.next.keys().copied().collect();
        for shard in shards {
            // Those that wait, each for the next one to come to this number.
            let mut waiting = vec![(shard, u64::MAX)];
            while let Some(&(shard, until)) = waiting.last() {
                let Some(record) = queues.head(shard).filter(|record| record.seq < until) else {
                    waiting.pop();
                    continue;
                };
                let Some(other) = self.turn(&mut queues, record, parts)? else { continue };
                if waiting.iter().any(|&(waits, _)| waits == other.shard) {
                    return Err(ALONE.to_owned());
                }
                waiting.push((other.shard, other.seq));
            }
        }
        self.order = order;
        Ok(())
    }

    /// Applies the next record of a shard, with those it names. If one of them is not the next of
    /// its own shard, nothing is done yet: that shard has to come there first.
    fn turn(
        &mut self,
        queues: &mut Queues<'_>,
        record: Record<'_>,
        parts: Parts<'_, '_>,
    ) -> Result<Option<Mark>, String> {
        match record.kind {
            Kind::From | Kind::To => self.turn_of_pair(queues, record, parts),
            Kind::Joined | Kind::Mark => self.turn_of_join(queues, record, parts),
            _ => {
                self.apply_one(record, parts)?;
                queues.pass(record.shard);
                Ok(None)
            }
        }
    }

    fn turn_of_pair(
        &mut self,
        queues: &mut Queues<'_>,
        record: Record<'_>,
        parts: Parts<'_, '_>,
    ) -> Result<Option<Mark>, String> {
        let half = Half::of(record.body).map_err(malformed)?;
        if half.shard == record.shard {
            // The other side of it within one shard comes right behind.
            queues.pass(record.shard);
        }
        let other = queues.head(half.shard).ok_or(ALONE)?;
        if half.shard != record.shard && other.seq < half.seq {
            return Ok(Some(Mark { shard: half.shard, seq: half.seq }));
        }
        if other.seq != half.seq && half.shard != record.shard {
            return Err(ALONE.to_owned());
        }
        match record.kind {
            Kind::From => self.pair(record, other, parts)?,
            _ => self.pair(other, record, parts)?,
        }
        queues.pass(half.shard);
        if half.shard != record.shard {
            queues.pass(record.shard);
        }
        Ok(None)
    }

    /// A command that reads keys of several shards runs when each of them is where it was then.
    fn turn_of_join(
        &mut self,
        queues: &mut Queues<'_>,
        record: Record<'_>,
        parts: Parts<'_, '_>,
    ) -> Result<Option<Mark>, String> {
        let own = Mark { shard: record.shard, seq: record.seq };
        let stores = match record.kind {
            Kind::Mark => Mark::of(record.body).map_err(malformed)?,
            _ => own,
        };
        let head = queues.head(stores.shard).ok_or(ALONE)?;
        if head.seq < stores.seq {
            return Ok(Some(stores));
        }
        if (head.kind, head.seq) != (Kind::Joined, stores.seq) {
            return Err(ALONE.to_owned());
        }
        let joined = Joined::of(head.body).map_err(malformed)?;
        let mut marks = Vec::with_capacity(joined.marks.len());
        for &at in &joined.marks {
            let mark = queues.head(at.shard).ok_or(ALONE)?;
            if mark.seq < at.seq {
                return Ok(Some(at));
            }
            let fits =
                (mark.kind, mark.seq) == (Kind::Mark, at.seq) && Mark::of(mark.body) == Ok(stores);
            marks.push(Some(mark).filter(|_| fits).ok_or(ALONE)?);
        }
        if record.kind == Kind::Mark && !joined.marks.contains(&own) {
            return Err(ALONE.to_owned());
        }
        self.join(head, &joined, &marks, parts)?;
        queues.pass(stores.shard);
        marks.iter().for_each(|mark| queues.pass(mark.shard));
        Ok(None)
    }

    /// A command stores what it makes of keys of several shards.
    fn join(
        &mut self,
        record: Record<'_>,
        joined: &Joined<'_>,
        marks: &[Record<'_>],
        parts: Parts<'_, '_>,
    ) -> Result<(), String> {
        let (engine, words) = (self.engine, joined.words.as_slice());
        let entry = engine.table.find_own(words).ok_or("a command that is not known")?;
        let mut positions = Vec::new();
        let _ = entry.spec.key_positions(words, &mut positions);
        let keys: Option<Vec<_>> = positions.iter().map(|&at| words.get(at)).collect();
        let hasher = engine.store.hasher();
        let keys: Vec<_> = keys.ok_or(ALONE)?.into_iter().map(|key| hasher.key(key)).collect();
        let target = *keys.first().ok_or(ALONE)?;
        for mark in marks {
            follow(mark, steps_of(parts, mark.shard)?)?;
        }
        let steps = steps_of(parts, record.shard)?;
        follow(&record, steps)?;
        if !self.is_new(&record, target, steps) {
            return Ok(());
        }
        let of_old = |hash| store::shard_among(hash, engine.durable.old_shards());
        for key in &keys {
            let read = marks.iter().chain([&record]);
            let read = read.clone().find(|read| usize::from(read.shard) == of_old(key.hash));
            let read = read.ok_or(ALONE)?;
            let place = (key.bytes, store::position(key.hash));
            if !steps_of(parts, read.shard)?.lacks_key(record.db, place, read.seq) {
                // The snapshot has a later one: it must have read what was stored once more.
                return self.is_missing(key.bytes);
            }
        }
        let mut shards: Vec<_> = keys.iter().map(|key| engine.store.shard_of(key.hash)).collect();
        shards.sort_unstable();
        shards.dedup();
        let db = self.database(record.db)?;
        self.run(entry, words, (db, target), &shards)?;
        self.note_made(db, target)
    }

    /// A value was made anew that no record holds, as it will be at every start until the journal
    /// is rewritten.
    fn note_made(&mut self, db: usize, key: Key<'_>) -> Result<(), String> {
        let made = self.on_shard_of(key, |txn| {
            txn.select(db);
            txn.memory(key)
        })?;
        let figures = &self.engine.store.log().figures;
        figures.implied.fetch_add(made.unwrap_or(0) as u64, Ordering::Relaxed);
        Ok(())
    }

    fn apply_one(&mut self, record: Record<'_>, parts: Parts<'_, '_>) -> Result<(), String> {
        let mut words = Vec::new();
        let prepared = self.prepare(record, &mut words)?;
        self.apply(&prepared, &words, steps_of(parts, record.shard)?)
    }

    /// A value goes from the one key to the other.
    fn pair(
        &mut self,
        from: Record<'_>,
        to: Record<'_>,
        parts: Parts<'_, '_>,
    ) -> Result<(), String> {
        let (first, second) =
            (Half::of(from.body).map_err(malformed)?, Half::of(to.body).map_err(malformed)?);
        let fits = (from.kind, to.kind) == (Kind::From, Kind::To)
            && (first.shard, first.seq) == (to.shard, to.seq)
            && (second.shard, second.seq) == (from.shard, from.seq)
            && first.stays == second.stays;
        if !fits {
            return Err(ALONE.to_owned());
        }
        let store = self.engine.store.clone();
        let keys = [first, second].map(|half| store.hasher().key(half.key));
        let steps = steps_of(parts, from.shard)?;
        follow(&from, steps)?;
        let is_left = self.is_new(&from, keys[0], steps);
        let steps = steps_of(parts, to.shard)?;
        follow(&to, steps)?;
        let arrives = self.is_new(&to, keys[1], steps);
        let dbs = [self.database(from.db)?, self.database(to.db)?];
        match (is_left, arrives) {
            (true, true) => {
                let (from, to) = ((dbs[0], keys[0]), (dbs[1], keys[1]));
                let mut shards = keys.map(|key| store.shard_of(key.hash)).to_vec();
                shards.sort_unstable();
                shards.dedup();
                let there = self
                    .txn
                    .with(&store, Scope::Many(&shards), |txn| txn.relocate(from, to, first.stays))
                    .map_err(|failed| failed.to_string())?
                    .map_err(|error| error.bytes().escape_ascii().to_string())?;
                match (there, first.stays) {
                    (true, true) => self.note_made(dbs[1], keys[1]),
                    (true, false) => Ok(()),
                    (false, _) => self.is_missing(keys[0].bytes),
                }
            }
            (true, false) if !first.stays => {
                self.on_shard_of(keys[0], |txn| txn.forget(dbs[0], keys[0].hash, keys[0].bytes))
            }
            // What the second key then held was read when the first one had lost or changed it: the
            // snapshot must have read the second one once more.
            (false, true) => self.is_missing(keys[0].bytes),
            _ => Ok(()),
        }
    }

    fn is_missing(&mut self, key: &[u8]) -> Result<(), String> {
        let what = format!("what the key '{}' held is not there", key.escape_ascii());
        if self.failing == Failing::Refuse {
            return Err(what);
        }
        self.counts.failed += 1;
        tracing::error!("{what}: left out");
        Ok(())
    }
}

/// A record whose others are not where they should be.
const ALONE: &str = "a record names others that are not there";

fn malformed(error: Malformed) -> String {
    error.to_string()
}

fn steps_of<'p>(parts: &'p mut [&mut [Steps]], shard: u16) -> Result<&'p mut Steps, String> {
    let count = parts.len();
    let part = parts.get_mut(usize::from(shard) % count.max(1));
    let steps = part.and_then(|part| part.get_mut(usize::from(shard) / count.max(1)));
    steps.ok_or_else(|| "a record of a shard that cannot be".to_owned())
}
