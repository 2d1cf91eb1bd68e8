//! A copy of the dataset in a folder of its own: whole, of one moment, made while requests go on.
//!
//! ```text
//!   1  which segment is being written?   (with the journal off one is begun for this alone)
//!   2  scan into   the copy's folder     a few entries per hold of a lock
//!   3  the journal is synced             with it the scan is exact, as of now
//!   4  its frames from there are copied  segments are used again: a second name is not enough
//! ```
//!
//! The same as a save, but nothing becomes current: neither the manifest nor what stands on disk
//! changes, and a server that keeps nothing on disk still begins empty the next time. The copy is
//! made in `unfinished/`, which a start sweeps; what is there is no dataset yet, as it has no
//! manifest.

use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use journal::frame::{self, Found};
use journal::{Directory, Disk, Manifest, Segments, segment, wall_clock};

use super::Reason;
use super::snapshot::{ENDING, Saved, Turn, drop_begun};
use crate::engine::Engine;

/// Where copies are made, in the data directory.
const UNFINISHED: &str = "unfinished";

/// Removes what copies that were never finished have left in a data directory.
///
/// # Errors
/// The system refuses.
pub fn sweep(dir: &Path) -> io::Result<()> {
    match std::fs::remove_dir_all(dir.join(UNFINISHED)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// A folder under `unfinished/`, removed when dropped.
pub(super) struct ScratchDir {
    pub path: PathBuf,
}

impl ScratchDir {
    /// A new folder of the data directory `dir`, for the owner's eyes alone.
    pub fn open(dir: &Path) -> io::Result<Self> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = dir.join(UNFINISHED).join(format!("{}-{number}", std::process::id()));
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&path)?;
        Ok(ScratchDir { path })
    }
}

impl Drop for ScratchDir {
    fn drop(&mut self) {
        // Where it has been given its last name there is nothing; what stays is swept at a start.
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

/// A copy: its files, and what names them.
pub(super) struct DatasetCopy {
    pub disk: Arc<dyn Disk>,
    /// Not written yet: as long as it is not, the folder holds no dataset.
    pub manifest: Manifest,
    pub saved: Saved,
}

impl Engine {
    /// Waits until no other thread saves or copies, before the data directory is touched: where
    /// there was none, the copy begins one.
    ///
    /// # Errors
    /// The server ends, or the copy is not wanted any more.
    pub(super) fn turn_to_copy(&self, is_unwanted: &dyn Fn() -> bool) -> io::Result<Turn<'_>> {
        let turn = self.wait_for_turn(Reason::Copy, &|| self.is_ending() || is_unwanted());
        // What ends may have closed its directory before it gave the turn back.
        let turn = turn.filter(|_| !self.is_ending());
        let why = if self.is_ending() { ENDING } else { "it is not wanted any more" };
        turn.ok_or_else(|| io::Error::other(why))
    }

    /// Copies the dataset as it is at some moment of this call into `folder`. Waits for the disk.
    ///
    /// # Errors
    /// The disk refuses, or the server ends.
    pub(super) fn copy_dataset(
        self: &Arc<Self>,
        _: &Turn<'_>,
        folder: &Path,
    ) -> io::Result<DatasetCopy> {
        let data_dir = self.writable_disk()?;
        let disk: Arc<dyn Disk> = Arc::new(Directory::open(folder)?);
        let made = if self.durability.is_journaling() {
            self.copy_beside(&*data_dir, &disk)
        } else {
            self.copy_alone(&*data_dir, &disk)
        };
        let (manifest, saved) = made?;
        Ok(DatasetCopy { disk, manifest, saved })
    }

    /// With the journal on: it goes on and knows of nothing. What its segment holds from before the
    /// scan, the scan has seen.
    fn copy_beside(
        &self,
        data_dir: &dyn Disk,
        disk: &Arc<dyn Disk>,
    ) -> io::Result<(Manifest, Saved)> {
        let log = self.store.log();
        let first = match log.figures.segment.load(Ordering::Acquire) {
            0 => log.roll(false)?,
            open => open,
        };
        let (name, saved) = self.snapshot_scan(disk, first)?;
        log.sync_segment()?;
        let last = self.copy_frames(data_dir, &**disk, first)?;
        Ok((self.names(name, (first, last)), saved))
    }

    /// With the journal off: what happens during the scan is kept for as long as it takes. A crash
    /// leaves nothing that counts: the manifest names no such segments; or, where the journal could
    /// not begin yet, perhaps all from an older one on, and these are begun afresh.
    fn copy_alone(
        &self,
        data_dir: &dyn Disk,
        disk: &Arc<dyn Disk>,
    ) -> io::Result<(Manifest, Saved)> {
        let log = self.store.log();
        let before = segment::all(data_dir)?.last().copied().unwrap_or(0);
        self.store.start_recording();
        let rolled = log.roll(true);
        let scanned = rolled.and_then(|first| Ok((first, self.snapshot_scan(disk, first)?)));
        self.store.stop_recording();
        let closed = log.close_segment();
        let made = scanned.and_then(|(first, (name, saved))| {
            closed?;
            let last = self.copy_frames(data_dir, &**disk, first)?;
            Ok((self.names(name, (first, last)), saved))
        });
        if let Err(error) = drop_begun(log, data_dir, before) {
            tracing::warn!(%error, "segments of a copy could not be removed");
        }
        made
    }

    fn names(&self, snapshot: String, (first, last): (u64, u64)) -> Manifest {
        Manifest {
            id: self.run.dataset_id,
            hashing: self.run.hashing,
            shards: self.store.shards(),
            snapshot: Some(snapshot),
            journal: Segments::Between(first, last),
        }
    }

    /// Copies the durable frames from segment `first` on; the number of the last segment.
    fn copy_frames(&self, from: &dyn Disk, to: &dyn Disk, first: u64) -> io::Result<u64> {
        let until = self.store.log().figures.durable_frame.load(Ordering::Relaxed);
        let mut number = first;
        while !copy_segment((from, to), number, until)? {
            if self.is_ending() {
                return Err(io::Error::other(ENDING));
            }
            number += 1;
        }
        to.sync_names()?;
        Ok(number)
    }
}

/// Copies a segment's frames up to number `until` and ends the copy in good order. Whether that was
/// the last of them.
fn copy_segment((from, to): (&dyn Disk, &dyn Disk), number: u64, until: u64) -> io::Result<bool> {
    let name = segment::name(number);
    let broken = |what: &str| io::Error::other(format!("{name}: {what}"));
    let file = from.open(&name)?;
    let len = file.len()?;
    let header = segment::Header::read(&*file)?.ok_or_else(|| broken("its header is broken"))?;
    let copy = to.create(&name)?;
    let mut head = vec![0; usize::try_from(segment::HEADER).unwrap_or(64)];
    file.read_at(0, &mut head)?;
    copy.write_at(0, &head)?;
    let (mut offset, mut next) = (segment::HEADER, header.first_frame);
    let mut body = Vec::new();
    let mut end = frame::Header { flags: frame::END, segment: number, ..frame::Header::default() };
    let done = loop {
        if next > until {
            (end.number, end.synced, end.time) = (next, next.saturating_sub(1), wall_clock());
            break true;
        }
        match frame::read(&*file, (offset, len), (number, header.secret), &mut body)? {
            Found::Frame(found) if found.flags & frame::END != 0 => {
                end = found;
                break false;
            }
            Found::Frame(found) if found.number == next => {
                let head = found.encode(header.secret, &[&body]);
                body.resize(usize::try_from(found.span()).unwrap_or(0) - head.len(), 0);
                copy.write_at(offset, &head)?;
                copy.write_at(offset + head.len() as u64, &body)?;
                offset += found.span();
                next += 1;
            }
            _ => return Err(broken("a frame that was durable is not there")),
        }
    };
    copy.write_at(offset, &end.encode(header.secret, &[]))?;
    copy.sync()?;
    Ok(done)
}
