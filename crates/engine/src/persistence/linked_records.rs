//! Frames whose records name each other: values that go from one key to another, or are made of
//! others.
//!
//! All other records are about one shard each, and shards are replayed side by side. A value that
//! went from a key of one shard to a key of another one is taken when both shards are just before
//! that, so such a frame is replayed by one thread while the others wait.
//!
//! `record_order.rs` tells the order in which that happens.

use std::sync::atomic::Ordering;

use base::{Databases, Key};
use journal::record::{Derived, Half, Record};
use store::Scope;

use super::record_order::{self, ALONE, Step};
use super::replay::{Failing, Replayer, follow};
use super::snapshot_coverage::SnapshotCoverage;
use crate::execution::propagate::derived_from;

/// The moments of all shards: those of shard `n` stand in part `n` modulo the number of parts.
pub(crate) type Parts<'s, 'p> = &'p mut [&'s mut [SnapshotCoverage]];

impl Replayer<'_> {
    /// Applies all records of a frame, those that name each other at once.
    pub fn apply_all(&mut self, frame: &[u8], parts: Parts<'_, '_>) -> Result<(), String> {
        self.order.read(frame, |_| true).map_err(|error| error.to_string())?;
        let order = std::mem::take(&mut self.order);
        record_order::in_order(order.records(frame).collect(), |step| match step {
            Step::One(record) => self.apply_one(record, parts),
            Step::Pair(halves) => self.pair(halves, parts),
            Step::Derived(record, derived, barriers) => {
                self.derive(record, &derived, &barriers, parts)
            }
        })?;
        self.order = order;
        Ok(())
    }

    /// A command stores what it makes of keys of several shards.
    fn derive(
        &mut self,
        record: Record<'_>,
        derived: &Derived<'_>,
        barriers: &[Record<'_>],
        parts: Parts<'_, '_>,
    ) -> Result<(), String> {
        let (engine, words) = (self.engine, derived.words.as_slice());
        let entry = engine.table.find_own(words).ok_or("a command that is not known")?;
        let positions = derived_from(entry, words).ok_or("a command that is not told by itself")?;
        let keys: Option<Vec<_>> = positions.iter().map(|&at| words.get(at)).collect();
        let hasher = engine.store.hasher();
        let keys: Vec<_> = keys.ok_or(ALONE)?.into_iter().map(|key| hasher.key(key)).collect();
        let target = *keys.first().ok_or(ALONE)?;
        for barrier in barriers {
            follow(barrier, coverage_of(parts, barrier.shard)?)?;
        }
        let coverage = coverage_of(parts, record.shard)?;
        follow(&record, coverage)?;
        if !self.is_new(&record, target, coverage) {
            return Ok(());
        }
        let of_old = |hash| store::shard_among(hash, engine.durability.old_shards());
        for key in &keys {
            let read = barriers.iter().chain([&record]);
            let read = read.clone().find(|read| usize::from(read.shard) == of_old(key.hash));
            let read = read.ok_or(ALONE)?;
            let place = (key.bytes, store::position(key.hash));
            if !coverage_of(parts, read.shard)?.lacks_key(record.db, place, read.seq) {
                // The snapshot has a later one: it must have read what was stored once more.
                return self.is_missing(key.bytes);
            }
        }
        let mut shards: Vec<_> = keys.iter().map(|key| engine.store.shard_of(key.hash)).collect();
        shards.sort_unstable();
        shards.dedup();
        self.counts.derived += 1;
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
        self.apply(&prepared, &words, coverage_of(parts, record.shard)?)
    }

    /// A value goes from the one key to the other.
    fn pair(
        &mut self,
        [(from, first), (to, second)]: [(Record<'_>, Half<'_>); 2],
        parts: Parts<'_, '_>,
    ) -> Result<(), String> {
        let store = self.engine.store.clone();
        let keys = [first, second].map(|half| store.hasher().key(half.key));
        let coverage = coverage_of(parts, from.shard)?;
        follow(&from, coverage)?;
        let is_left = self.is_new(&from, keys[0], coverage);
        let coverage = coverage_of(parts, to.shard)?;
        follow(&to, coverage)?;
        let arrives = self.is_new(&to, keys[1], coverage);
        let dbs = [self.database(from.db)?, self.database(to.db)?];
        match (is_left, arrives) {
            (true, true) => {
                let (from, to) = ((dbs[0], keys[0]), (dbs[1], keys[1]));
                let mut shards = keys.map(|key| store.shard_of(key.hash)).to_vec();
                shards.sort_unstable();
                shards.dedup();
                let there = self
                    .txn
                    .with(&store, Scope::Many(&shards), |txn| {
                        store::replay::relocate(txn, from, to, first.stays)
                    })
                    .map_err(|failed| failed.to_string())?
                    .map_err(|error| error.bytes().escape_ascii().to_string())?;
                self.counts.moved += u64::from(there);
                match (there, first.stays) {
                    (true, true) => self.note_made(dbs[1], keys[1]),
                    (true, false) => Ok(()),
                    (false, _) => self.is_missing(keys[0].bytes),
                }
            }
            (true, false) if !first.stays => self.on_shard_of(keys[0], |txn| {
                store::replay::forget(&mut txn.held, dbs[0], keys[0].hash, keys[0].bytes)
            }),
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

fn coverage_of<'p>(
    parts: &'p mut [&mut [SnapshotCoverage]],
    shard: u16,
) -> Result<&'p mut SnapshotCoverage, String> {
    let count = parts.len();
    let part = parts.get_mut(usize::from(shard) % count.max(1));
    let coverage = part.and_then(|part| part.get_mut(usize::from(shard) / count.max(1)));
    coverage.ok_or_else(|| "a record of a shard that cannot be".to_owned())
}
