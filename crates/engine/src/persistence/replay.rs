//! A replayer: one thread that puts entries and records back into the store.
//!
//! It holds one shard's lock at a time and never waits for another replayer. What a record does is
//! decided by the record alone: the clock stands still, and random choices have been written out.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use base::{Args, Deadline, Key, Protocol, Strings};
use journal::codec::{Malformed, Source};
use journal::record::{self, Kind, Order, Record};
use journal::snapshot::{self, Reader};
use store::{POSITIONS, Scope, Txn, image};
use wire::RespWriter;

use super::snapshot_coverage::{CHUNKS, INDEXES, LIBRARIES, MOVED, OTHERS, SnapshotCoverage};
use super::value_chunks::{Again, Arriving};
use crate::durability::Counts;
use crate::engine::Engine;
use crate::engine::entry::{Action, Entry};

/// Records taken apart and prefetched together, as many as requests of a client.
const GROUP: usize = 16;

/// A record on its way: what its command is, where its words are among those of its group, and
/// its key, if it has one that can be told without reading a value.
pub(super) struct Prepared<'e, 'f> {
    record: Record<'f>,
    /// The value of a string that is set.
    value: &'f [u8],
    entry: Option<&'e Entry>,
    words: Range<usize>,
    key: Option<Key<'f>>,
}

/// What becomes of the dataset when a record cannot be applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failing {
    /// Nothing is read: what the record did was acknowledged, and would be missing.
    Refuse,
    /// It is left out, and told: for the repair of what cannot be read otherwise.
    LeaveOut,
}

/// A thread that puts entries and records into the store.
pub(crate) struct Replayer<'e> {
    pub(super) engine: &'e Engine,
    pub(super) failing: Failing,
    /// When it began, in milliseconds since the Unix epoch.
    began: u64,
    pub(super) txn: Txn,
    pub counts: Counts,
    reply: Vec<u8>,
    pub(super) order: Order,
}

/// How many keys a shard's database has, as positions are spread evenly: `keys` of them stand
/// before position `end`. The numbers of shards when it was written and now.
fn expected_keys(keys: usize, end: u64, (then, now): (usize, usize)) -> usize {
    let covered = u128::from(end.clamp(1, POSITIONS)) * now as u128;
    let expected = keys as u128 * u128::from(POSITIONS) * then as u128 / covered;
    usize::try_from(expected).unwrap_or(usize::MAX)
}

impl<'e> Replayer<'e> {
    /// One that takes it to be `began` now, in milliseconds since the Unix epoch: all of them go by
    /// one clock, that of the thread which starts them.
    pub fn new(engine: &'e Engine, failing: Failing, began: u64) -> Self {
        let mut txn = Txn::new(Arc::clone(&engine.store), engine.run.hashing.seed);
        txn.begin_replay(began);
        Replayer {
            began,
            engine,
            failing,
            txn,
            counts: Counts::default(),
            reply: Vec::new(),
            order: Order::default(),
        }
    }

    /// Loads the blocks of one shard; when each part of it was read.
    pub fn load_shard(
        &mut self,
        reader: &Reader,
        places: &[snapshot::Place],
    ) -> Result<SnapshotCoverage, String> {
        let (mut coverage, mut arriving) = (SnapshotCoverage::default(), Arriving::default());
        for place in places {
            if self.engine.run.stopping.load(Ordering::Acquire) {
                return Err("loading was interrupted".to_owned());
            }
            let raw = reader.block(place).map_err(|error| error.to_string())?;
            let loaded = match place.db {
                CHUNKS => self.load_chunk(&raw, &mut arriving),
                _ => self.load_block(&raw, place, reader, &mut coverage),
            };
            loaded
                .map_err(|error| format!("{} at offset {}: {error}", reader.name, place.offset))?;
            self.engine.durability.progress.done.fetch_add(place.len, Ordering::Relaxed);
        }
        arriving.finish().map_err(|error| format!("{}: {error}", reader.name))?;
        self.txn.report_memory();
        Ok(coverage)
    }

    /// A chunk of a large value, which is there with its last one.
    fn load_chunk(&mut self, raw: &[u8], arriving: &mut Arriving) -> Result<(), String> {
        let limits = self.engine.store.limits();
        let (_, Some(mut entry)) = arriving.take(raw, &limits)? else { return Ok(()) };
        let number = u32::try_from(entry.db).map_err(|_| "a database that cannot be")?;
        let db = self.database(number)?;
        self.counts.large += 1;
        let counts = !entry.again;
        let image = entry.image();
        let overdue = image.deadline.is_some_and(|at| at <= self.began);
        self.counts.overdue += u64::from(overdue && counts);
        let hash = self.engine.store.hasher().hash(image.key);
        self.restore(db, hash, image)
    }

    /// Entries are taken in strides: in the order of the table they would pile up in its first
    /// buckets. And the first block of a shard's database makes room for all that are to come.
    fn load_block(
        &mut self,
        raw: &[u8],
        place: &snapshot::Place,
        reader: &Reader,
        coverage: &mut SnapshotCoverage,
    ) -> Result<(), String> {
        let limits = self.engine.store.limits();
        let (mut source, db) = (Source::new(raw), place.db);
        if let Some(done) = self.load_beside_keys(raw, db, coverage) {
            return done;
        }
        if db == MOVED {
            return self.load_moved(source, coverage);
        }
        let (mut entries, mut end) = (Vec::new(), 0);
        while !source.is_done() {
            let step = snapshot::step(&mut source).map_err(text)?;
            coverage.add(db, step.end, step.seq);
            end = step.end;
            for _ in 0..step.entries {
                entries.push(source);
                image::skip(&mut source).map_err(text)?;
            }
        }
        if db == OTHERS {
            return Ok(());
        }
        let db = self.database(db)?;
        self.reserve((place.shard, db), (entries.len(), end), reader)?;
        let stride = (entries.len() / 16).max(1);
        for first in 0..stride {
            for mut entry in entries.iter().skip(first).step_by(stride).copied() {
                let image = store::read_image(&mut self.txn, &mut entry, &limits)?;
                let hash = self.engine.store.hasher().hash(image.key);
                let overdue = image.deadline.is_some_and(|at| at <= self.began);
                self.counts.overdue += u64::from(overdue);
                self.restore(db, hash, image)?;
            }
        }
        Ok(())
    }

    /// Makes room for all keys of a database of a shard of the snapshot, of which so many stand
    /// before position `end`, in each shard that they go to.
    fn reserve(
        &mut self,
        (shard, db): (u32, usize),
        (keys, end): (usize, u64),
        reader: &Reader,
    ) -> Result<(), String> {
        let then = (reader.header.shards as usize).max(1);
        let now = self.engine.store.shards();
        let most = usize::try_from(reader.entries).unwrap_or(usize::MAX);
        let expected = expected_keys(keys, end, (then, now)).min(most);
        // A shard's number is the last bits of its keys' hashes.
        for shard in (shard as usize..then.max(now)).step_by(then) {
            let any = Key { bytes: &[], hash: shard as u64 };
            self.on_shard_of(any, |txn| {
                store::replay::reserve(&mut txn.held, db, any.hash, expected)
            })?;
        }
        Ok(())
    }

    /// A key that was read once more: what the snapshot has of it otherwise is older.
    fn load_moved(
        &mut self,
        mut source: Source<'_>,
        coverage: &mut SnapshotCoverage,
    ) -> Result<(), String> {
        let limits = self.engine.store.limits();
        let Again { db, key, step, value } = Again::of(&mut source).map_err(text)?;
        let number = u32::try_from(db).map_err(|_| "a database that cannot be")?;
        let db = self.database(number)?;
        let key = self.engine.store.hasher().key(key);
        coverage.add_key(number, key.bytes, step.seq);
        if value.is_some() {
            // It came before.
            return Ok(());
        }
        if step.entries == 0 {
            return self.on_shard_of(key, |txn| {
                store::replay::forget(&mut txn.held, db, key.hash, key.bytes)
            });
        }
        let image = store::read_image(&mut self.txn, &mut source, &limits)?;
        if image.key != key.bytes {
            return Err("a key that is another".to_owned());
        }
        self.restore(db, key.hash, image)
    }

    pub(super) fn database(&self, db: u32) -> Result<usize, String> {
        let db = usize::try_from(db).unwrap_or(usize::MAX);
        if db < self.engine.store.databases() {
            return Ok(db);
        }
        let there = self.engine.store.databases();
        Err(format!("there are keys in database {db}, but 'databases' is {there}: raise it"))
    }

    fn restore(&mut self, db: usize, hash: u64, image: image::Image<'_>) -> Result<(), String> {
        let key = Key { bytes: image.key, hash };
        self.on_shard_of(key, |txn| store::replay::restore(txn, db, hash, image))
    }

    /// Looks for the records of a frame that are about its shards: those whose number is `own`
    /// modulo `parts`. Whether each shard's can be applied by itself: in a frame with records that
    /// name those of other shards they cannot.
    pub fn look(&mut self, frame: &[u8], (own, parts): (usize, usize)) -> Result<bool, String> {
        let wanted = |record: &Record<'_>| usize::from(record.shard) % parts == own;
        self.order.read(frame, wanted).map_err(text)?;
        Ok(!self.order.has_names())
    }

    /// Applies the records of the frame that was looked at.
    pub fn apply_own(
        &mut self,
        frame: &[u8],
        parts: usize,
        coverage: &mut [SnapshotCoverage],
    ) -> Result<(), String> {
        let order = std::mem::take(&mut self.order);
        let mut records = order.records(frame);
        let (mut group, mut words) = (Vec::with_capacity(GROUP), Vec::new());
        loop {
            words.clear();
            group.clear();
            for record in records.by_ref().take(GROUP) {
                group.push(self.prepare(record, &mut words)?);
            }
            if group.is_empty() {
                break;
            }
            self.prefetch(&group);
            for prepared in &group {
                let coverage = coverage
                    .get_mut(usize::from(prepared.record.shard) / parts)
                    .ok_or("a record of a shard that cannot be")?;
                self.apply(prepared, &words, coverage)?;
            }
        }
        drop(records);
        self.order = order;
        Ok(())
    }

    /// No more frames come.
    pub fn finish(&mut self) {
        self.txn.report_memory();
    }

    /// Takes a record apart as far as its key; the words of a command go behind `words`.
    pub(super) fn prepare<'f>(
        &self,
        record: Record<'f>,
        words: &mut Vec<&'f [u8]>,
    ) -> Result<Prepared<'e, 'f>, String> {
        let engine = self.engine;
        let first = words.len();
        let mut prepared =
            Prepared { record, value: &[], entry: None, words: first..first, key: None };
        match record.kind {
            Kind::Command => record::words(record.body, words).map_err(text)?,
            Kind::Set => {
                let (key, value) = record::set(record.body).map_err(text)?;
                (prepared.key, prepared.value) = (Some(engine.store.hasher().key(key)), value);
                return Ok(prepared);
            }
            Kind::Delete => {
                prepared.key = Some(engine.store.hasher().key(record.body));
                return Ok(prepared);
            }
            _ => return Ok(prepared),
        }
        prepared.words = first..words.len();
        let words = &words[first..];
        let name = || words[0].escape_ascii().to_string();
        let entry = engine.table.find_own(words).ok_or_else(|| format!("no command {}", name()))?;
        let place = match entry.facts.one_key {
            true => Some(1),
            false => {
                let mut positions = Vec::new();
                let _ = entry.spec.key_positions(words, &mut positions);
                positions.first().copied()
            }
        };
        let word = place.and_then(|place| words.get(place));
        let key = engine.store.hasher().key(word.ok_or_else(|| format!("{} has no key", name()))?);
        prepared.entry = Some(entry);
        prepared.key = Some(key);
        Ok(prepared)
    }

    /// As `feed` does with requests: the cache misses of a group overlap.
    fn prefetch(&self, group: &[Prepared<'_, '_>]) {
        let store = &self.engine.store;
        let keys = || {
            group.iter().filter_map(|prepared| {
                let db = usize::try_from(prepared.record.db).ok()?;
                Some((db, prepared.key?.hash)).filter(|_| db < store.databases())
            })
        };
        keys().for_each(|(db, hash)| store.prefetch_bucket(db, hash));
        keys().for_each(|(db, hash)| store.prefetch_entry(db, hash));
    }

    pub(super) fn apply(
        &mut self,
        prepared: &Prepared<'_, '_>,
        words: &[&[u8]],
        coverage: &mut SnapshotCoverage,
    ) -> Result<(), String> {
        let record = &prepared.record;
        follow(record, coverage)?;
        match record.kind {
            Kind::Command => self.command(prepared, &words[prepared.words.clone()], coverage),
            Kind::Set => {
                let Some(key) = prepared.key else { return Ok(()) };
                if self.is_new(record, key, coverage) {
                    let db = self.database(record.db)?;
                    self.on_shard_of(key, |txn| {
                        txn.select(db);
                        txn.set_string(key, prepared.value, Deadline::Clear);
                        txn.changes.forget();
                    })?;
                }
                Ok(())
            }
            Kind::Image => {
                let limits = self.engine.store.limits();
                let image =
                    store::read_image(&mut self.txn, &mut Source::new(record.body), &limits)?;
                let key = self.engine.store.hasher().key(image.key);
                if self.is_new(record, key, coverage) {
                    let db = self.database(record.db)?;
                    self.restore(db, key.hash, image)?;
                }
                Ok(())
            }
            Kind::Delete => {
                let Some(key) = prepared.key else { return Ok(()) };
                if self.is_new(record, key, coverage) {
                    let db = self.database(record.db)?;
                    self.on_shard_of(key, |txn| {
                        store::replay::forget(&mut txn.held, db, key.hash, key.bytes)
                    })?;
                }
                Ok(())
            }
            Kind::Flush => self.flush(record, record.db, coverage),
            Kind::FlushAll => {
                let databases = u32::try_from(self.engine.store.databases()).unwrap_or(u32::MAX);
                (0..databases).try_for_each(|db| self.flush(record, db, coverage))
            }
            Kind::Swap => self.swap(record, coverage),
            Kind::Libraries => self.record_beside_keys(record, LIBRARIES, coverage),
            Kind::Indexes => self.record_beside_keys(record, INDEXES, coverage),
            Kind::From | Kind::To | Kind::Derived | Kind::Barrier => {
                Err("a record that names others by itself".to_owned())
            }
        }
    }

    /// Whether the snapshot does not know the record yet.
    pub(super) fn is_new(
        &mut self,
        record: &Record<'_>,
        key: Key<'_>,
        coverage: &SnapshotCoverage,
    ) -> bool {
        let new = coverage.lacks_key(record.db, (key.bytes, store::position(key.hash)), record.seq);
        self.counts.applied += u64::from(new);
        self.counts.known += u64::from(!new);
        new
    }

    pub(super) fn on_shard_of<R>(
        &mut self,
        key: Key<'_>,
        work: impl FnOnce(&mut Txn) -> R,
    ) -> Result<R, String> {
        let store = &self.engine.store;
        let scope = Scope::One(store.shard_of(key.hash));
        self.txn.with(store, scope, work).map_err(|failed| failed.to_string())
    }

    fn command(
        &mut self,
        prepared: &Prepared<'_, '_>,
        words: &[&[u8]],
        coverage: &SnapshotCoverage,
    ) -> Result<(), String> {
        let record = &prepared.record;
        let (Some(entry), Some(key)) = (prepared.entry, prepared.key) else { return Ok(()) };
        if !self.is_new(record, key, coverage) {
            return Ok(());
        }
        let db = self.database(record.db)?;
        self.run(entry, words, (db, key), &[self.engine.store.shard_of(key.hash)])
    }

    /// Runs a command again, whose first key this is. All its keys lie in these shards.
    pub(super) fn run(
        &mut self,
        entry: &Entry,
        words: &[&[u8]],
        (db, key): (usize, Key<'_>),
        shards: &[usize],
    ) -> Result<(), String> {
        let engine = self.engine;
        let name = || words.first().map_or_else(String::new, |w| w.escape_ascii().to_string());
        let Action::Data(run) = entry.action else {
            return Err(format!("{} is no command about keys", name()));
        };
        let hash = entry.facts.one_key.then_some(key.hash);
        let mut reply = std::mem::take(&mut self.reply);
        reply.clear();
        let scope = match shards {
            [one] => Scope::One(*one),
            several => Scope::Many(several),
        };
        let done = self.txn.with(&engine.store, scope, |txn| {
            txn.select(db);
            let args = Args::new(words, entry.naming.words, hash, engine.store.hasher());
            let result = run(txn, args, &mut RespWriter::new(&mut reply, Protocol::Resp3));
            txn.changes.forget();
            result.map(drop)
        });
        self.reply = reply;
        let failure = match done {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(error)) => error.bytes().escape_ascii().to_string(),
            Err(failed) => failed.to_string(),
        };
        // It ran once, so it should run again; what is not understood must not be hidden.
        let key = key.bytes.escape_ascii();
        let what = format!("{} on the key '{key}' cannot be applied: {failure}", name());
        if self.failing == Failing::Refuse {
            return Err(what);
        }
        self.counts.failed += 1;
        tracing::error!("{what}: left out");
        Ok(())
    }

    /// The places of the files' shards among today's: the same if their number is.
    fn flush(
        &mut self,
        record: &Record<'_>,
        db: u32,
        coverage: &SnapshotCoverage,
    ) -> Result<(), String> {
        self.counts.applied += 1;
        self.flush_indexes(record, db, coverage);
        let (below, number_of) = (coverage.lacks_below(db, record.seq), db);
        let db = self.database(db)?;
        let (old, shards) = (self.engine.durability.old_shards(), self.engine.store.shards());
        let shard = usize::from(record.shard);
        if old == shards && !coverage.has_alone() {
            store::replay::forget_below(&mut self.txn.held, shard, db, below);
            return Ok(());
        }
        // Keys of one old shard lie in several new ones, or among others: they are told by hash.
        let hasher = self.engine.store.hasher().clone();
        for number in 0..shards {
            if number % old.min(shards) == shard % old.min(shards) {
                store::replay::forget_where(&mut self.txn.held, number, db, |key| {
                    let hash = hasher.hash(key);
                    let gone = match coverage.alone(number_of, key) {
                        Some(known) => record.seq > known,
                        None => store::position(hash) < below,
                    };
                    gone && store::shard_among(hash, old) == shard
                });
            }
        }
        Ok(())
    }

    fn swap(&mut self, record: &Record<'_>, coverage: &mut SnapshotCoverage) -> Result<(), String> {
        if !coverage.lacks_swap(record.seq) {
            self.counts.known += 1;
            return Ok(());
        }
        self.counts.applied += 1;
        let (old, shards) = (self.engine.durability.old_shards(), self.engine.store.shards());
        let other = Source::new(record.body).number().map_err(text)?;
        let other = u32::try_from(other).map_err(|_| "a database that cannot be")?;
        coverage.swap(record.db, other);
        let (a, b) = (self.database(record.db)?, self.database(other)?);
        self.swap_indexes(record, (a, b), coverage);
        let shard = usize::from(record.shard);
        if old == shards {
            store::replay::swap_shard(&mut self.txn.held, shard, a, b);
            return Ok(());
        }
        Err("databases changed places since the last snapshot: start once with the old number of \
             shards, save, and change it then"
            .to_owned())
    }
}

/// The record comes next in its shard, and is told as the last one.
pub(super) fn follow(record: &Record<'_>, coverage: &mut SnapshotCoverage) -> Result<(), String> {
    // The journal begins before the snapshot was read, or with the first record of all.
    let before = if coverage.last > 0 { coverage.last } else { coverage.begun() };
    if record.seq > before + 1 || (coverage.last > 0 && record.seq <= before) {
        let Record { shard, seq, .. } = record;
        return Err(format!("the journal of shard {shard} goes from record {before} to {seq}"));
    }
    coverage.last = record.seq;
    coverage.newest = coverage.newest.max(record.seq);
    Ok(())
}

pub(super) fn text(error: Malformed) -> String {
    error.to_string()
}
