//! Making a snapshot of the present state current on disk, while requests go on.
//!
//! ```text
//!   1  every shard records            (they do already if the journal is on)
//!   2  the journal begins a segment   from here on it holds what the scan may miss
//!   3  scan, shard by shard           a few entries per hold of a lock
//!   4  file and journal are synced    the scan is exact together with the journal up to here
//!   5  the manifest names both        from now on they are the dataset
//!   6  what it no longer names goes
//! ```
//!
//! With `appendonly no` the segments of step 2 are closed in step 4 and recording ends; with
//! `appendonly yes` it just goes on.

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use base::Reply;
use journal::codec::{put_bytes, put_number};
use journal::frame::Secret;
use journal::snapshot::{Header, Writer};
use journal::{Log, Manifest, Segments, segment, snapshot};

use super::Reason;
use super::snapshot_coverage::{LIBRARIES, MOVED, OTHERS};
use super::value_chunks::ChunkWriter;
use crate::background::Waiting;
use crate::client::session::Session;
use crate::durability::{BLOCK, DataDir};
use crate::engine::Engine;
use crate::persistence::redis_files::{self, Exported, Until};
use crate::scripts::put_libraries;
use journal::wall_clock;

/// What was saved.
#[derive(Clone, Copy, Debug, Default)]
pub struct Saved {
    /// Keys.
    pub keys: u64,
    /// Bytes of the file.
    pub bytes: u64,
}

/// Why a copy was given up.
pub(super) const ENDING: &str = "the server is shutting down";
/// Another snapshot is being made.
const BUSY: &str = "a snapshot is being made already";

/// Ends the time in which a snapshot is made, whatever becomes of it.
pub(super) struct Turn<'e>(&'e Engine);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let durability = &self.0.durability;
        let _waiting = durability.saving.turns.lock();
        durability.saving.busy.store(false, Ordering::Release);
        durability.saving.turn_over.notify_all();
    }
}

/// Removes the segments above `before`, unless one of them is what the manifest begins with: it may
/// have become current although writing it failed in the end.
pub(super) fn drop_begun(log: &Log, disk: &dyn journal::Disk, before: u64) -> io::Result<()> {
    let Some(first) = segment::all(disk)?.into_iter().find(|&number| number > before) else {
        return Ok(());
    };
    let named = Manifest::read(disk)?.is_some_and(|manifest| match manifest.journal {
        Segments::None => false,
        Segments::From(from, _) | Segments::Between(from, _) => from >= first,
    });
    if named { Ok(()) } else { log.drop_segments(first) }
}

/// How often a thread that waits for its turn looks whether it is still worth waiting.
const LOOK: Duration = Duration::from_millis(100);

impl Engine {
    /// Saves the dataset and waits for it. `journal` says whether changes are to be kept in the
    /// journal from now on. Holds no shard for longer than it takes to copy some entries.
    ///
    /// # Errors
    /// Another one is being made, the dataset is being read, or the disk refuses; what was current
    /// still is.
    pub fn save(self: &Arc<Self>, reason: Reason, journal: bool) -> io::Result<Saved> {
        self.durability.all_read()?;
        self.save_what_was_read(reason, journal)
    }

    /// As [`Engine::save`], for recovery itself when it has read everything.
    pub(super) fn save_what_was_read(
        self: &Arc<Self>,
        reason: Reason,
        journal: bool,
    ) -> io::Result<Saved> {
        let turn = self.begin_save(reason).ok_or_else(|| io::Error::other(BUSY))?;
        let result = self.save_in_turn(reason, journal, false);
        drop(turn);
        result
    }

    /// As [`Engine::save`], in a thread of its own; where the journal has none, at once. `false` if
    /// another is being made.
    ///
    /// # Errors
    /// The thread cannot be started, or the dataset is being read.
    pub fn save_in_background(self: &Arc<Self>, reason: Reason, journal: bool) -> io::Result<bool> {
        self.durability.all_read()?;
        let Some(turn) = self.begin_save(reason) else { return Ok(false) };
        if self.durability.data_dir.lock().as_ref().is_some_and(|data_dir| data_dir.stepped) {
            let _ = self.save_in_turn(reason, journal, true);
            return Ok(true);
        }
        std::mem::forget(turn);
        let engine = Arc::clone(self);
        let begun = std::thread::Builder::new().name("snapshot".to_owned()).spawn(move || {
            let _turn = Turn(&engine);
            journal::let_others_go_first(journal::NOBODY_WAITS);
            // What went wrong has been logged, and INFO tells it.
            let _ = engine.save_in_turn(reason, journal, true);
        });
        if begun.is_err() {
            drop(Turn(self));
        }
        begun.map(|_| true)
    }

    /// The last save before the server ends: one that is being made is waited for, a copy in the
    /// making is given up.
    ///
    /// # Errors
    /// The disk refuses, or the dataset is being read; what was current still is.
    pub fn save_finally(self: &Arc<Self>, journal: bool) -> io::Result<Saved> {
        self.in_last_turn(Reason::Save, || self.save_in_turn(Reason::Save, journal, false))
    }

    /// Makes the snapshot that a journal begins with, if it has not begun: before the server ends,
    /// as what was acknowledged is in no file otherwise. One that is being made is waited for.
    ///
    /// # Errors
    /// As of [`Engine::save_finally`].
    pub(crate) fn begin_owed_journal(self: &Arc<Self>) -> io::Result<()> {
        if !self.owes_journal() {
            return Ok(());
        }
        self.in_last_turn(Reason::Rewrite, || match self.owes_journal() {
            true => self.save_in_turn(Reason::Rewrite, true, false).map(drop),
            false => Ok(()),
        })
    }

    fn in_last_turn<T>(
        &self,
        reason: Reason,
        save: impl FnOnce() -> io::Result<T>,
    ) -> io::Result<T> {
        self.durability.all_read()?;
        self.durability.ending.store(true, Ordering::Release);
        let turn = self.wait_for_turn(reason, &|| false);
        let turn = turn.ok_or_else(|| io::Error::other(BUSY))?;
        let result = save();
        drop(turn);
        if result.is_err() {
            // It may go on after all.
            self.durability.ending.store(false, Ordering::Release);
        }
        result
    }

    /// Waits until no other thread saves or copies. `None` if `give_up` says so before.
    pub(super) fn wait_for_turn(
        &self,
        reason: Reason,
        give_up: &dyn Fn() -> bool,
    ) -> Option<Turn<'_>> {
        loop {
            if let Some(turn) = self.begin_save(reason) {
                return Some(turn);
            }
            if give_up() {
                return None;
            }
            let mut waiting = self.durability.saving.turns.lock();
            if self.durability.saving.busy.load(Ordering::Acquire) {
                self.durability.saving.turn_over.wait_for(&mut waiting, LOOK);
            }
        }
    }

    /// Whether [`Engine::save_finally`] is at work, or has done it.
    pub(crate) fn has_saved_finally(&self) -> bool {
        self.durability.ending.load(Ordering::Acquire)
    }

    /// Whether copies in the making are to be given up: the server ends.
    pub(super) fn is_ending(&self) -> bool {
        self.has_saved_finally() || self.run.stopping.load(Ordering::Acquire)
    }

    fn begin_save(&self, reason: Reason) -> Option<Turn<'_>> {
        if self.durability.saving.busy.swap(true, Ordering::AcqRel) {
            return None;
        }
        self.durability.saving.busy_with.store(reason as u8, Ordering::Relaxed);
        self.durability.saving.busy_since.store(wall_clock(), Ordering::Relaxed);
        Some(Turn(self))
    }

    /// Saves. A save that fails in the `background` keeps others from writing, as INFO alone tells
    /// of it; of any other, its caller is told.
    fn save_in_turn(
        self: &Arc<Self>,
        reason: Reason,
        journal: bool,
        background: bool,
    ) -> io::Result<Saved> {
        let start = Instant::now();
        let changes = self.metrics.stats.changes();
        let begins = journal && !self.durability.is_journaling();
        let made = self.make_current(journal);
        if begins {
            self.durability.not_begun.store(made.is_err(), Ordering::Relaxed);
            // Also where a SAVE began it: the journal begins with what a rewrite makes.
            self.durability.saved.rewrites.ok.store(made.is_ok(), Ordering::Relaxed);
        }
        let result = made.and_then(|saved| {
            if reason == Reason::Save && self.config().persistence.rdb_export {
                self.export_rdb()?;
            }
            Ok(saved)
        });
        let durability = &self.durability;
        let attempts = match reason {
            Reason::Save => &durability.saved.saves,
            Reason::Rewrite | Reason::Copy => &durability.saved.rewrites,
        };
        let millis = start.elapsed().as_millis();
        attempts.took.store(i64::try_from(millis).unwrap_or(i64::MAX), Ordering::Relaxed);
        match &result {
            Ok(saved) => {
                attempts.ok.store(true, Ordering::Relaxed);
                attempts.failures.store(0, Ordering::Relaxed);
                attempts.done.fetch_add(1, Ordering::Relaxed);
                // A rewrite saves the dataset just as well.
                durability.saved.saves.ok.store(true, Ordering::Relaxed);
                durability.saved.changes_saved.store(changes, Ordering::Relaxed);
                durability.saved.last_save.store(wall_clock(), Ordering::Relaxed);
                tracing::info!("Saved {} keys in {} bytes, {millis} ms", saved.keys, saved.bytes);
            }
            Err(error) => {
                if background || reason != Reason::Save {
                    attempts.ok.store(false, Ordering::Relaxed);
                }
                attempts.failures.fetch_add(1, Ordering::Relaxed);
                durability.saved.last_failure.store(wall_clock(), Ordering::Relaxed);
                tracing::error!(%error, "saving the dataset failed; what was saved before stands");
            }
        }
        result
    }

    fn make_current(self: &Arc<Self>, journal: bool) -> io::Result<Saved> {
        let disk = self.writable_disk()?;
        let was_journaling = self.durability.is_journaling();
        let before = segment::all(&*disk)?.last().copied().unwrap_or(0);
        self.store.start_recording();
        let made = self.make_with_room(&disk, journal);
        if made.is_err() && !was_journaling {
            self.give_journal_up(&*disk, before);
        }
        made
    }

    /// Writes no journal. Segments above `before` were begun in vain and go: they would take the
    /// room that the next attempt needs, and each attempt would leave some.
    pub(super) fn give_journal_up(&self, disk: &dyn journal::Disk, before: u64) {
        self.durability.set_journaling(false);
        self.store.stop_recording();
        let log = self.store.log();
        // Not to have ended one does no harm.
        let _ = log.close_segment();
        if let Err(error) = drop_begun(log, disk, before) {
            tracing::warn!(%error, "segments that were begun in vain could not be removed");
        }
    }

    /// The data directory, open, with a thread to write the journal.
    pub(super) fn writable_disk(self: &Arc<Self>) -> io::Result<Arc<dyn journal::Disk>> {
        self.open_data_dir()?;
        let mut data_dir = self.durability.data_dir.lock();
        let data_dir = data_dir.as_mut().ok_or_else(|| io::Error::other("no data directory"))?;
        data_dir.begin(self)?;
        data_dir.start_flusher(self, (1, 1))?;
        Ok(Arc::clone(&data_dir.disk))
    }

    /// Where the disk is too full, the journal may hold room that it does not use yet: the rest of
    /// its segment, and files kept to be used again. It is tried once more without.
    fn make_with_room(&self, disk: &Arc<dyn journal::Disk>, journal: bool) -> io::Result<Saved> {
        let log = self.store.log();
        let made = match self.make_on(disk, journal) {
            Err(error) if journal::is_full(&error) => {
                let all_was_reserved = !log.is_short_of_room();
                log.set_short_of_room(true);
                if !segment::drop_spares(&**disk)? && !all_was_reserved {
                    return Err(error);
                }
                self.make_on(disk, journal)
            }
            other => other,
        };
        if let Ok(saved) = &made {
            if log.is_short_of_room() {
                segment::drop_spares(&**disk)?;
            }
            log.leave_for_snapshot(saved.bytes.saturating_add(saved.bytes / 4));
            // What older segments took is free.
            log.set_short_of_room(false);
        }
        made
    }

    fn make_on(&self, disk: &Arc<dyn journal::Disk>, journal: bool) -> io::Result<Saved> {
        let log = self.store.log();
        let first = log.roll(true)?;
        // A segment begun afresh ends a failed sync, but only once its snapshot is current.
        let healing = log.trouble().is_some_and(|trouble| trouble.unsynced);
        // That counts until the snapshot does.
        let before = log.figures.so_far();
        let (name, saved) = self.snapshot_scan(disk, first)?;
        let segments = if journal {
            log.sync_segment()?;
            Segments::From(first, log.figures.durable_frame.load(Ordering::Relaxed))
        } else {
            self.durability.set_journaling(false);
            self.store.stop_recording();
            Segments::Between(first, log.close_segment()?)
        };
        let manifest = Manifest {
            id: self.run.dataset_id,
            hashing: self.run.hashing,
            shards: self.store.shards(),
            snapshot: Some(name),
            journal: segments,
        };
        let mut data_dir = self.durability.data_dir.lock();
        if let Some(data_dir) = data_dir.as_mut() {
            manifest.write(&*data_dir.disk)?;
            data_dir.manifest = Some(manifest);
            log.figures.forget(before);
            // The new state stands; old files that stay behind only cost room.
            if let Err(error) = data_dir.tidy() {
                tracing::warn!(%error, "files that are no longer needed could not be removed");
            }
        }
        drop(data_dir);
        if healing {
            log.healed()?;
        }
        if journal && !self.durability.is_journaling() {
            self.durability.begin_journal(log);
        }
        self.durability.saved.base_size.store(saved.bytes, Ordering::Relaxed);
        Ok(saved)
    }

    /// Writes what has just been made current to `dbfilename`, for Redis. The turn is held: nothing
    /// removes the files meanwhile.
    fn export_rdb(&self) -> io::Result<()> {
        let (disk, manifest) = {
            let data_dir = self.durability.data_dir.lock();
            let Some(data_dir) = data_dir.as_ref() else { return Ok(()) };
            let Some(manifest) = data_dir.manifest.clone() else { return Ok(()) };
            (Arc::clone(&data_dir.disk), manifest)
        };
        let until = match manifest.journal {
            Segments::From(_, durable) => Until::Frame(durable),
            _ => Until::End,
        };
        let settings = self.configuration.settings.lock().clone();
        let path = disk.path().join(&self.config().persistence.dbfilename);
        let exported = redis_files::export(&settings, (&disk, &manifest), until, &path)
            .map_err(|error| io::Error::other(format!("rdb-export: {error}")))?;
        let Exported { keys, bytes, .. } = exported;
        tracing::info!("Exported {keys} keys in {bytes} bytes to {}", path.display());
        Ok(())
    }

    /// Writes a snapshot file; its name, and what is in it.
    pub(super) fn snapshot_scan(
        &self,
        disk: &Arc<dyn journal::Disk>,
        first: u64,
    ) -> io::Result<(String, Saved)> {
        let name = snapshot::name(first);
        let header = Header {
            id: self.run.dataset_id,
            hashing: self.run.hashing,
            shards: u32::try_from(self.store.shards()).unwrap_or(u32::MAX),
            time: wall_clock(),
            // Unlike that of any segment.
            secret: Secret::of(self.run.journal_seed, !first),
        };
        let block_size = self.block_size();
        let compress = self.config().persistence.rdbcompression;
        let mut writer = Writer::create(disk, &name, header, compress)?.buffered(block_size);
        self.store.begin_moves();
        let mut chunks = ChunkWriter::new(self, &mut writer, block_size);
        let scanned = self.scan_all(&mut chunks).and_then(|keys| {
            self.scan_moved(&mut chunks)?;
            Ok(keys)
        });
        self.store.end_moves();
        let keys = match scanned {
            Ok(_) if self.store.locks.is_broken_off() => {
                writer.abandon();
                return Err(io::Error::other(ENDING));
            }
            Ok(keys) => keys,
            Err(error) => {
                writer.abandon();
                return Err(error);
            }
        };
        let written = writer.finish().inspect_err(|_| {
            // What is left of it would only take room; it is removed later otherwise.
            let _ = disk.remove(&format!("{name}.tmp"));
        })?;
        Ok((name, Saved { keys, bytes: written.bytes }))
    }

    fn block_size(&self) -> usize {
        self.durability.data_dir.lock().as_ref().map_or(BLOCK, |data_dir| data_dir.block_size)
    }

    fn scan_all(&self, chunks: &mut ChunkWriter<'_>) -> io::Result<u64> {
        let block_size = self.block_size();
        let (mut all, mut block) = (0, Vec::with_capacity(block_size + (block_size >> 3)));
        self.durability.saving.read.store(0, Ordering::Relaxed);
        self.durability.saving.to_read.store(self.store.entries() as u64, Ordering::Relaxed);
        for shard in 0..self.store.shards() {
            let number = u32::try_from(shard).unwrap_or(u32::MAX);
            let (filled, seq) = self.store.begin_snapshot_scan(shard);
            snapshot::put_step(&mut block, u64::MAX, seq, 0);
            chunks.shard = number;
            chunks.writer.block(number, OTHERS, &block, 0)?;
            block.clear();
            if shard == 0 {
                self.scan_libraries(chunks.writer)?;
            }
            for db in filled {
                let db_number = u32::try_from(db).unwrap_or(u32::MAX);
                let (mut next, mut entries) = (Some(0), 0);
                while let Some(from) = next {
                    let scanned =
                        self.store.snapshot_scan((shard, db), from, &mut block, chunks)?;
                    next = scanned.next;
                    entries += scanned.entries;
                    all += scanned.large;
                    if next.is_none() || block.len() >= block_size {
                        if self.durability.is_busy_with(Reason::Copy) && self.is_ending() {
                            return Err(io::Error::other(ENDING));
                        }
                        chunks.writer.block(number, db_number, &block, entries)?;
                        all += entries;
                        self.durability.saving.read.store(all, Ordering::Relaxed);
                        entries = 0;
                        block.clear();
                    }
                }
            }
        }
        Ok(all)
    }

    /// Keys that large values have gone to meanwhile: what they hold now.
    fn scan_moved(&self, chunks: &mut ChunkWriter<'_>) -> io::Result<()> {
        let mut block = Vec::new();
        while let Some(name) = self.store.next_moved() {
            if self.durability.is_busy_with(Reason::Copy) && self.is_ending() {
                return Err(io::Error::other(ENDING));
            }
            put_number(&mut block, name.db as u64);
            put_bytes(&mut block, &name.key);
            chunks.shard = u32::try_from(name.shard).unwrap_or(u32::MAX);
            self.store.snapshot_scan_key(&name, &mut block, chunks)?;
            chunks.writer.block(chunks.shard, MOVED, &block, 0)?;
            block.clear();
        }
        Ok(())
    }

    /// Libraries of functions, if there are any.
    fn scan_libraries(&self, writer: &mut Writer) -> io::Result<()> {
        let (known, seq) =
            self.store.look_beside_keys_for_snapshot(|| self.scripts.functions.known());
        if known.libraries.is_empty() {
            return Ok(());
        }
        let mut block = Vec::new();
        snapshot::put_step(&mut block, u64::MAX, seq, 0);
        put_libraries(&mut block, &known.libraries);
        writer.block(0, LIBRARIES, &block, 0)
    }

    /// Stops keeping changes in the journal: what is on disk is the state as of now. That waits for
    /// the disk and may have to wait for shards, so it is done in a thread of its own, as a
    /// snapshot is: the caller may be the one that holds them, or have other clients. The client
    /// that wants it, if there is one that can wait, is answered when it is done; but no thread
    /// waits for a shard.
    pub(super) fn stop_journal(self: &Arc<Self>, client: Option<&mut Session>) -> io::Result<()> {
        // The journal is part of a snapshot that is being made.
        let Some(turn) = self.begin_save(Reason::Rewrite) else { return Ok(()) };
        let stepped =
            self.durability.data_dir.lock().as_ref().is_some_and(|data_dir| data_dir.stepped);
        self.durability.set_journaling(false);
        let stopped = self.store.stop_recording_at_once();
        if stepped && stopped {
            return self.end_journal();
        }
        std::mem::forget(turn);
        let client = client.filter(|_| stopped);
        let client =
            client.map(|session| Waiting::without_place(&self.waits.blocked, session).at_once());
        let engine = Arc::clone(self);
        let begun = std::thread::Builder::new().name("journal-end".to_owned()).spawn(move || {
            let turn = Turn(&engine);
            if !stopped {
                engine.store.stop_recording();
            }
            if let Err(error) = engine.end_journal() {
                tracing::error!(%error, "the journal could not be ended");
            }
            drop(turn);
            client.into_iter().for_each(|client| client.answer(|out| out.simple("OK")));
        });
        if begun.is_err() {
            // The cron thread tries it again.
            self.durability.set_journaling(true);
            drop(Turn(self));
        }
        begun.map(drop)
    }

    /// Nothing is recorded any more: the journal ends here.
    fn end_journal(&self) -> io::Result<()> {
        let last = self.store.log().close()?;
        let mut data_dir = self.durability.data_dir.lock();
        if let Some(data_dir) = data_dir.as_mut()
            && let Some(manifest) = &mut data_dir.manifest
            && let Segments::From(first, _) = manifest.journal
        {
            manifest.journal = Segments::Between(first, last);
            manifest.clone().write(&*data_dir.disk)?;
        }
        Ok(())
    }
}

impl DataDir {
    /// Removes files that the manifest no longer names.
    pub(super) fn tidy(&self) -> io::Result<()> {
        let Some(manifest) = &self.manifest else { return Ok(()) };
        for name in self.disk.list()? {
            let known = name.strip_suffix(".tmp").unwrap_or(&name);
            if snapshot::number(known).is_some() && manifest.snapshot.as_ref() != Some(&name) {
                self.disk.remove(&name)?;
            }
        }
        let size = journal::segment_size(&*self.disk, self.segment_size);
        match manifest.journal {
            Segments::None => segment::drop_below(&*self.disk, u64::MAX, size),
            Segments::From(first, _) | Segments::Between(first, _) => {
                segment::drop_below(&*self.disk, first, size)
            }
        }
    }
}
