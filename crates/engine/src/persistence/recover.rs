//! Reading the dataset back: the snapshot, then the journal, all shards side by side.
//!
//! ```text
//!   snapshot blocks ─► a queue of shards ─► loader threads     (each shard by one thread)
//!   journal frames  ─► every replayer    ─► its own shards     (each shard in record order)
//! ```
//!
//! The clock stands still: no key is overdue while commands run again, as what had expired by then
//! is recorded. Shards are those of when the files were written; if there are now more or fewer,
//! keys go where they belong now, and the whole is saved anew before any client may write.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Barrier};
use std::time::Instant;

use journal::reader::{self, ReadError};
use journal::snapshot::{self, Reader};
use journal::{Disk, Manifest, segment};
use parking_lot::Mutex;

use super::Reason;
use super::maintenance::policy;
use super::replay::{Failing, Replayer};
use super::snapshot_coverage::SnapshotCoverage;
use crate::durability::{DataDir, Recovered};
use crate::engine::Engine;
use crate::persistence::redis_files::{self, Imported, RedisFiles};
use journal::wall_clock;

/// So many files that are hardly filled are worth a snapshot: each start leaves one.
const SHORT: u64 = 16;

/// Whether most files of the journal were left behind long before they were full.
fn has_short_segments(report: &reader::Report, segment_size: u64) -> bool {
    report.segments >= SHORT + 2 * report.bytes / segment_size.max(1)
}

/// Frames that wait for a replayer; bounds the memory that recovery takes.
const AHEAD: usize = 8;

impl Engine {
    /// Reads what the open data directory holds, and begins to journal if the configuration says
    /// so. The dataset is empty before.
    ///
    /// # Errors
    /// Damage, or a record that cannot be applied, with the file, the offset and what can be done;
    /// or the disk refuses.
    pub fn recover(self: &Arc<Self>) -> Result<Recovered, String> {
        self.recover_with(Failing::Refuse)
    }

    /// As [`Engine::recover`]; `failing` says what becomes of records that cannot be applied.
    ///
    /// # Errors
    /// As there.
    pub fn recover_with(self: &Arc<Self>, failing: Failing) -> Result<Recovered, String> {
        let start = Instant::now();
        self.durability.progress.since.store(wall_clock(), Ordering::Relaxed);
        let (disk, manifest, segment_size) = {
            let data_dir = self.durability.data_dir.lock();
            let Some(data_dir) = data_dir.as_ref() else { return Ok(Recovered::default()) };
            refuse_orphan(data_dir)?;
            let size = journal::segment_size(&*data_dir.disk, data_dir.segment_size);
            (Arc::clone(&data_dir.disk), data_dir.manifest.clone(), size)
        };
        let config = self.config();
        let appendonly = config.persistence.appendonly;
        let mut found = Recovered::default();
        let mut next = (1, 1);
        // A first manifest names nothing: a start that was interrupted is begun again.
        let nothing = |m: &Manifest| m.snapshot.is_none() && m.journal == journal::Segments::None;
        if manifest.as_ref().is_none_or(nothing) {
            found.imported = self.import_first(disk.path())?;
        }
        if let Some(manifest) = &manifest {
            if manifest.hashing != self.run.hashing {
                let there = disk.path().display();
                return Err(format!("{there}: this engine would look for its keys elsewhere"));
            }
            self.durability.old_shards.store(manifest.shards, Ordering::Relaxed);
            let (report, coverage) = self.read_all((&disk, manifest), failing, &mut found)?;
            if let (Some(cut), false) = (&report.cut, config.persistence.aof_load_truncated) {
                return Err(advice(&format!(
                    "{} ends in an unfinished write at offset {}, and aof-load-truncated is no",
                    cut.file, cut.offset
                )));
            }
            // Also where there is hardly any room: files that a crash left behind may take it.
            if let Some(data_dir) = self.durability.data_dir.lock().as_ref() {
                data_dir.tidy().map_err(|error| format!("{}: {error}", disk.path().display()))?;
            }
            reader::seal(&*disk, &report).map_err(|error| cannot_go_on(&error, disk.path()))?;
            if appendonly && has_short_segments(&report, segment_size) {
                self.schedule_save(Reason::Rewrite);
            }
            next = (report.next_segment, report.next_frame.max(1));
            // With another number of shards all go on behind the youngest record of any.
            let youngest = coverage.iter().map(|coverage| coverage.newest).max().unwrap_or(0);
            let same = coverage.len() == self.store.shards();
            for shard in 0..self.store.shards() {
                let own = coverage.get(shard).filter(|_| same).map(|coverage| coverage.newest);
                self.store.continue_records(shard, own.unwrap_or(youngest));
            }
        }
        found.millis = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.durability.saved.last_save.store(wall_clock(), Ordering::Relaxed);
        self.store.log().set_policy(policy(&config));
        let imported = found.imported.is_some();
        match self.go_on((manifest, imported), next, appendonly) {
            Err(error) if journal::is_full(&error) => {
                self.begin_later(&error, (&*disk, next.0.saturating_sub(1)), appendonly);
            }
            done => done.map_err(|error| cannot_go_on(&error, disk.path()))?,
        }
        self.fill_recovered().map_err(|error| error.to_string())?;
        let _ = self.durability.recovered.set(found.clone());
        Ok(found)
    }

    /// Where nothing was ever saved, files of Redis are taken over.
    fn import_first(self: &Arc<Self>, dir: &std::path::Path) -> Result<Option<Imported>, String> {
        let config = self.config();
        let Some(from) = RedisFiles::in_directory(dir, &config)? else { return Ok(None) };
        tracing::info!("Reading {}: files of Redis", from.path.display());
        let options = redis_files::Options {
            skip_unknown: config.persistence.import_skip_unknown,
            load_truncated: config.persistence.aof_load_truncated,
            ..redis_files::Options::default()
        };
        let imported = self.import(&from, options)?;
        if !imported.loss.is_nothing() {
            tracing::warn!("LEFT OUT, as import-skip-unknown is yes: {}", imported.loss);
        }
        Ok(Some(imported))
    }

    /// From what was read to what will be written.
    fn go_on(
        self: &Arc<Self>,
        (manifest, imported): (Option<Manifest>, bool),
        next: (u64, u64),
        journal: bool,
    ) -> io::Result<()> {
        let resharded = manifest.as_ref().is_some_and(|m| m.shards != self.store.shards());
        {
            let mut data_dir = self.durability.data_dir.lock();
            let Some(data_dir) = data_dir.as_mut() else { return Ok(()) };
            if journal || resharded {
                data_dir.begin(self)?;
                data_dir.start_flusher(self, next)?;
            }
        }
        if resharded {
            tracing::info!("The number of shards has changed: saving the dataset anew");
            return self.save_what_was_read(Reason::Rewrite, journal).map(drop);
        }
        if imported && journal {
            // From now on the dataset is in files of its own, and those of Redis do not count.
            return self.save_what_was_read(Reason::Rewrite, true).map(drop);
        }
        if !journal {
            return self.close_journal(manifest, next.0.saturating_sub(1));
        }
        // In this order, as what is recorded while there is no segment goes nowhere. No client
        // writes.
        let segment = self.store.log().begin()?;
        self.store.start_recording();
        let frame = self.store.log().figures.durable_frame.load(Ordering::Relaxed);
        let journal = match manifest.as_ref().map(|m| m.journal) {
            Some(journal::Segments::From(first, _) | journal::Segments::Between(first, _)) => {
                journal::Segments::From(first, frame)
            }
            // A manifest can only name what is there.
            _ => journal::Segments::From(segment.ok_or(io::ErrorKind::StorageFull)?, frame),
        };
        // One that names all segments from the same one on says as much, but for what was durable.
        let says_as_much = manifest.as_ref().is_some_and(|m| match (m.journal, journal) {
            (journal::Segments::From(old, _), journal::Segments::From(new, _)) => old == new,
            _ => false,
        });
        let manifest = Manifest {
            id: self.run.dataset_id,
            hashing: self.run.hashing,
            shards: self.store.shards(),
            snapshot: manifest.and_then(|m| m.snapshot),
            journal,
        };
        let mut data_dir = self.durability.data_dir.lock();
        if let Some(data_dir) = data_dir.as_mut() {
            match manifest.write(&*data_dir.disk) {
                Err(error) if says_as_much && journal::is_full(&error) => {
                    tracing::warn!(%error, "the disk is full: the manifest stays as it was");
                }
                written => {
                    written?;
                    data_dir.manifest = Some(manifest);
                    data_dir.tidy()?;
                }
            }
        }
        self.durability.set_journaling(true);
        Ok(())
    }

    /// The disk is too full to say where the journal goes on: what was read is served, and writes
    /// are refused until the cron thread finds room for a snapshot that the journal begins with.
    /// Where there is to be no journal the files stay as they were, and say what was read: what a
    /// later snapshot begins with is written afresh, and does not continue them. Of the segments,
    /// the last that was read is `before`.
    fn begin_later(&self, error: &io::Error, (disk, before): (&dyn Disk, u64), journal: bool) {
        self.give_journal_up(disk, before);
        if !journal {
            tracing::warn!(%error, "the disk is full: the files stay as they were read");
            return;
        }
        self.durability.not_begun.store(true, Ordering::Relaxed);
        self.durability.saved.rewrites.ok.store(false, Ordering::Relaxed);
        self.durability.saved.last_failure.store(wall_clock(), Ordering::Relaxed);
        tracing::warn!(%error, "the disk is full: writes are refused until a snapshot has room");
    }

    /// The journal is not continued: what follows will not be in it.
    fn close_journal(&self, manifest: Option<Manifest>, last: u64) -> io::Result<()> {
        let Some(mut manifest) = manifest else { return Ok(()) };
        if let journal::Segments::From(first, _) = manifest.journal {
            manifest.journal = journal::Segments::Between(first, last);
            let mut data_dir = self.durability.data_dir.lock();
            if let Some(data_dir) = data_dir.as_mut() {
                manifest.write(&*data_dir.disk)?;
                data_dir.manifest = Some(manifest);
            }
        }
        Ok(())
    }

    fn read_all(
        self: &Arc<Self>,
        (disk, manifest): (&Arc<dyn Disk>, &Manifest),
        failing: Failing,
        found: &mut Recovered,
    ) -> Result<(reader::Report, Vec<SnapshotCoverage>), String> {
        let snapshot = match &manifest.snapshot {
            Some(name) => Some(Reader::open(&**disk, name).map_err(|e| advice(&e.to_string()))?),
            None => None,
        };
        let mut coverage = Vec::new();
        coverage.resize_with(manifest.shards, SnapshotCoverage::default);
        if let Some(reader) = snapshot {
            if !manifest.knows(&reader.header) {
                return Err(advice(&format!("{} belongs to another dataset", reader.name)));
            }
            self.durability.progress.total.fetch_add(reader.bytes, Ordering::Relaxed);
            found.bytes += reader.bytes;
            found.keys = reader.entries;
            self.durability.saved.base_size.store(reader.bytes, Ordering::Relaxed);
            (found.overdue, found.large) =
                self.load(&reader, &mut coverage).map_err(|e| advice(&e))?;
        }
        let report = self.replay((&**disk, manifest), failing, &mut coverage, found)?;
        found.frames = report.frames;
        found.bytes += report.bytes;
        found.cut.clone_from(&report.cut);
        found.last_write = report.last_write;
        self.store.log().figures.size.store(report.bytes, Ordering::Relaxed);
        Ok((report, coverage))
    }

    fn threads(&self) -> usize {
        std::thread::available_parallelism().map_or(1, usize::from).min(self.store.shards())
    }

    /// Loads a snapshot, each shard by one thread; how many of its keys were past their deadline,
    /// and how many came in chunks.
    fn load(
        self: &Arc<Self>,
        reader: &Reader,
        coverage: &mut [SnapshotCoverage],
    ) -> Result<(u64, u64), String> {
        let mut by_shard: HashMap<usize, Vec<snapshot::Place>> = HashMap::new();
        for place in &reader.blocks {
            by_shard.entry(place.shard as usize).or_default().push(*place);
        }
        let queue: Mutex<VecDeque<_>> = Mutex::new(by_shard.into_iter().collect());
        let results: Mutex<Vec<(usize, SnapshotCoverage)>> = Mutex::default();
        let failure: Mutex<Option<String>> = Mutex::default();
        let (overdue, large, now) = (AtomicU64::new(0), AtomicU64::new(0), wall_clock());
        std::thread::scope(|scope| {
            for _ in 0..self.threads() {
                scope.spawn(|| {
                    let mut replayer = Replayer::new(self, Failing::Refuse, now);
                    // In a function of its own: the lock must not be held while a shard is loaded.
                    let next = || queue.lock().pop_front();
                    while let Some((shard, places)) = next() {
                        match replayer.load_shard(reader, &places) {
                            Ok(coverage) => results.lock().push((shard, coverage)),
                            Err(error) => {
                                failure.lock().get_or_insert(error);
                                queue.lock().clear();
                            }
                        }
                    }
                    overdue.fetch_add(replayer.counts.overdue, Ordering::Relaxed);
                    large.fetch_add(replayer.counts.large, Ordering::Relaxed);
                });
            }
        });
        if let Some(error) = failure.into_inner() {
            return Err(error);
        }
        for (shard, loaded) in results.into_inner() {
            *coverage.get_mut(shard).ok_or("a shard that cannot be")? = loaded;
        }
        Ok((overdue.into_inner(), large.into_inner()))
    }

    /// Replays the journal on top.
    fn replay(
        self: &Arc<Self>,
        (disk, manifest): (&dyn Disk, &Manifest),
        failing: Failing,
        coverage: &mut Vec<SnapshotCoverage>,
        found: &mut Recovered,
    ) -> Result<reader::Report, String> {
        let (threads, now) = (self.threads(), wall_clock());
        let parts = deal(std::mem::take(coverage), threads).into_iter().map(Mutex::new).collect();
        let crowd = Crowd { parts, ..Crowd::new(threads) };
        let (mut report, mut all) = (Err("nothing was read".to_owned()), Vec::new());
        std::thread::scope(|scope| {
            let mut senders: Vec<SyncSender<Arc<Frame>>> = Vec::new();
            let mut workers = Vec::new();
            for own in 0..threads {
                let (sender, frames) = sync_channel(AHEAD);
                senders.push(sender);
                let crowd = &crowd;
                workers.push(scope.spawn(move || {
                    let mut replayer = Replayer::new(self, failing, now);
                    while let Ok(frame) = frames.recv() {
                        crowd.replay(&mut replayer, &frame, own);
                        // The last replayer of a frame gives its buffer back.
                        let records = Arc::into_inner(frame).map(|frame| frame.records);
                        crowd.spare.lock().extend(records);
                    }
                    replayer.finish();
                    replayer.counts
                }));
            }
            let mut take =
                |body: &mut Vec<u8>, header: &journal::frame::Header, _: &str, offset| {
                    if self.run.stopping.load(Ordering::Acquire) {
                        return Err("loading was interrupted".to_owned());
                    }
                    if crowd.has_failed() {
                        return Err("a replayer ended".to_owned());
                    }
                    self.durability.progress.total.fetch_add(header.span(), Ordering::Relaxed);
                    self.durability.progress.done.fetch_add(header.span(), Ordering::Relaxed);
                    let next = crowd.spare.lock().pop().unwrap_or_default();
                    let records = std::mem::replace(body, next);
                    let frame = Arc::new(Frame { records, segment: header.segment, offset });
                    // All get it or none does, as they may have to meet there.
                    let sent =
                        senders.iter().filter(|to| to.send(Arc::clone(&frame)).is_ok()).count();
                    if sent < threads {
                        return Err("a replayer ended".to_owned());
                    }
                    Ok(())
                };
            report = reader::read(disk, manifest.id, manifest.journal, &mut take)
                .map_err(|error| self.explain(&error));
            senders.clear();
            for worker in workers {
                match worker.join() {
                    Ok(counts) => all.push(counts),
                    Err(_) => crowd.fail(|| "a replayer broke".to_owned()),
                }
            }
        });
        if let Some(error) = crowd.failure.into_inner() {
            return Err(advice(&error));
        }
        let report = report?;
        all.iter().for_each(|counts| found.add(counts));
        let parts = crowd.parts.into_iter().map(Mutex::into_inner).collect();
        *coverage = gather(parts, manifest.shards);
        Ok(report)
    }

    fn explain(&self, error: &ReadError) -> String {
        match error {
            ReadError::Damage(damage) => advice(&damage.to_string()),
            other => other.to_string(),
        }
    }
}

/// The records of a frame, and where it stands.
struct Frame {
    records: Vec<u8>,
    segment: u64,
    offset: u64,
}

impl Frame {
    /// What is wrong with it.
    fn damaged(&self, what: &str) -> String {
        format!("{}, the frame at offset {}: {what}", segment::name(self.segment), self.offset)
    }
}

/// The replayers, side by side.
struct Crowd {
    /// The moments of each one's shards.
    parts: Vec<Mutex<Vec<SnapshotCoverage>>>,
    /// All are met before and behind a frame that only one of them can replay.
    meeting: Barrier,
    failure: Mutex<Option<String>>,
    /// Buffers to be used again.
    spare: Mutex<Vec<Vec<u8>>>,
}

impl Crowd {
    fn new(threads: usize) -> Self {
        Crowd {
            parts: Vec::new(),
            meeting: Barrier::new(threads),
            failure: Mutex::default(),
            spare: Mutex::default(),
        }
    }

    fn has_failed(&self) -> bool {
        self.failure.lock().is_some()
    }

    fn fail(&self, what: impl FnOnce() -> String) {
        self.failure.lock().get_or_insert_with(what);
    }

    /// One of them replays its part of a frame. Whatever goes wrong, it comes to every meeting:
    /// the others would wait for ever.
    fn replay(&self, replayer: &mut Replayer<'_>, frame: &Frame, own: usize) {
        let (records, threads) = (&frame.records, self.parts.len());
        // Every one of them finds the same, whatever it is.
        match replayer.look(records, (own, threads)) {
            Err(error) => self.fail(|| frame.damaged(&error)),
            Ok(true) => self.contained(frame, || {
                replayer.apply_own(records, threads, &mut self.parts[own].lock())
            }),
            Ok(false) => {
                self.meeting.wait();
                if own == 0 {
                    self.contained(frame, || {
                        let mut locked: Vec<_> =
                            self.parts.iter().map(|part| part.lock()).collect();
                        let mut parts: Vec<_> =
                            locked.iter_mut().map(|part| part.as_mut_slice()).collect();
                        replayer.apply_all(records, &mut parts)
                    });
                }
                self.meeting.wait();
            }
        }
    }

    /// Does some work, unless something has failed.
    fn contained(&self, frame: &Frame, work: impl FnOnce() -> Result<(), String>) {
        if self.has_failed() {
            return;
        }
        match catch_unwind(AssertUnwindSafe(work)) {
            Ok(Ok(())) => {}
            Ok(Err(error)) => self.fail(|| frame.damaged(&error)),
            Err(_) => self.fail(|| frame.damaged("a replayer broke")),
        }
    }
}

/// Files without the manifest that says which of them count.
fn refuse_orphan(data_dir: &DataDir) -> Result<(), String> {
    let there = data_dir.disk.path().display();
    match data_dir.orphan() {
        Ok(None) => Ok(()),
        Ok(Some(name)) => Err(format!(
            "{there} holds {name} but no MANIFEST, which says what counts. Nothing was changed. \
             Put the MANIFEST back from a backup, or move the files away to begin with an \
             empty dataset"
        )),
        Err(error) => Err(format!("{there}: {error}")),
    }
}

/// Why the server cannot begin to write, and what can be done.
fn cannot_go_on(error: &io::Error, dir: &std::path::Path) -> String {
    let help = match journal::is_full(error) {
        true => {
            ". Nothing is lost: make some room on this disk, if only a megabyte; it is then \
                  enough to start, and the server gives back what the journal holds needlessly"
        }
        false => "",
    };
    format!("the data directory {}: {error}{help}", dir.display())
}

/// What to do about damage.
fn advice(what: &str) -> String {
    format!(
        "{what}. Nothing was changed. 'kvist check DIR' tells more; 'kvist check DIR --fix' keeps \
         what can be read and puts the rest aside. A copy of the directory first is wise."
    )
}

/// Shard n goes to part n modulo `parts`.
fn deal(coverage: Vec<SnapshotCoverage>, parts: usize) -> Vec<Vec<SnapshotCoverage>> {
    let mut dealt: Vec<Vec<SnapshotCoverage>> = Vec::new();
    dealt.resize_with(parts, Vec::new);
    for (shard, coverage) in coverage.into_iter().enumerate() {
        dealt[shard % parts].push(coverage);
    }
    dealt
}

fn gather(parts: Vec<Vec<SnapshotCoverage>>, shards: usize) -> Vec<SnapshotCoverage> {
    let count = parts.len();
    let mut parts: Vec<_> = parts.into_iter().map(Vec::into_iter).collect();
    (0..shards).map(|shard| parts[shard % count].next().unwrap_or_default()).collect()
}
