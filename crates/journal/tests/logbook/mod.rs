//! A journal of numbered changes: change `n` is record `n / 3 + 1` of shard `n % 3`.
//!
//! So a prefix of the changes is seen at once, and groups that end up in several shards are told by
//! their size in the body.
#![allow(dead_code)] // each test program uses a part
#![allow(clippy::unwrap_used)] // a test says why by failing

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use base::Hashing;
use journal::reader::{self, ReadError};
use journal::record::{self, Kind};
use journal::{Disk, Flusher, Log, Manifest, Place, Policy, Segments, WriteBuffer};

use crate::disk::Liar;

pub const ID: [u8; 16] = [9; 16];
const SHARDS: u64 = 3;
/// So small that segments are full often.
const SEGMENT: u64 = 2048;
const PATIENCE: Duration = Duration::from_secs(20);

/// A journal being written.
pub struct Logbook {
    disk: Arc<dyn Disk>,
    log: Arc<Log>,
    write_buffers: [Arc<WriteBuffer>; 2],
    flusher: Option<Flusher>,
    made: u64,
    /// Epochs, and how many changes there were with them.
    epochs: Vec<(u64, u64)>,
    before: u64,
}

impl Logbook {
    pub fn begin(disk: &Liar, policy: Policy) -> Self {
        Self::try_begin(disk, policy).unwrap()
    }

    /// `None` if the disk refuses.
    pub fn try_begin(disk: &Liar, policy: Policy) -> Option<Self> {
        Self::try_begin_sized(disk, policy, SEGMENT)
    }

    /// The same with segments of this size.
    pub fn try_begin_sized(disk: &Liar, policy: Policy, segment: u64) -> Option<Self> {
        Self::go_on(disk, policy, (0, 1, 1), segment).ok()
    }

    fn go_on(
        disk: &Liar,
        policy: Policy,
        next: (u64, u64, u64),
        segment_size: u64,
    ) -> io::Result<Self> {
        let (made, segment, frame) = next;
        let log = Log::new(policy);
        let disk: Arc<dyn Disk> = Arc::new(disk.clone());
        let place =
            Place { disk: Arc::clone(&disk), id: ID, segment, frame, segment_size, seed: 5 };
        let flusher = Flusher::start(&log, place, || ())?;
        let begun = log.begin()?;
        if made == 0 && Manifest::read(&*disk)?.is_none() {
            begun.ok_or(io::ErrorKind::StorageFull)?;
            manifest(1).write(&*disk)?;
        }
        let write_buffers = [log.open_write_buffer(), log.open_write_buffer()];
        let flusher = Some(flusher);
        Ok(Logbook { disk, log, write_buffers, flusher, made, epochs: Vec::new(), before: made })
    }

    pub fn log(&self) -> Arc<Log> {
        Arc::clone(&self.log)
    }

    /// A group of changes at once, unless the journal is in trouble.
    pub fn change(&mut self, size: u64) {
        if self.log.is_troubled() {
            return;
        }
        let (mut records, first) = (Vec::new(), self.made);
        for n in first..first + size {
            let shard = u16::try_from(n % SHARDS).unwrap();
            record::put(&mut records, (Kind::Delete, shard, n / SHARDS + 1, 0), |out| {
                out.extend_from_slice(&[first, size].map(u64::to_le_bytes).concat());
                out.resize(out.len() + usize::try_from(n * 7 % 120).unwrap(), b'x');
            });
        }
        self.made += size;
        let write_buffer = &self.write_buffers[usize::from(self.made.is_multiple_of(2))];
        let frames = self.frames();
        let epoch = self.log.append(write_buffer, &records);
        self.epochs.push((epoch, self.made));
        self.log.flush_soon();
        if self.log.policy() == Policy::Always {
            self.wait(|book| book.log.durable() >= epoch);
        } else {
            self.wait(|book| book.frames() > frames);
        }
    }

    fn frames(&self) -> u64 {
        self.log.figures.frames.load(std::sync::atomic::Ordering::Relaxed)
    }

    fn wait(&self, done: impl Fn(&Self) -> bool) {
        let start = Instant::now();
        while !done(self) && !self.log.is_troubled() {
            assert!(start.elapsed() < PATIENCE, "nothing happens: {:?}", self.log);
            std::thread::yield_now();
        }
    }

    pub fn roll(&mut self) {
        let _ = self.log.roll(false);
    }

    pub fn sync(&mut self) {
        let _ = self.log.sync();
    }

    pub fn changes(&self) -> u64 {
        self.made
    }

    /// How many changes the journal says are durable.
    pub fn durable(&self) -> u64 {
        let durable = self.log.durable();
        let before = self.before;
        self.epochs.iter().rev().find(|(epoch, _)| *epoch <= durable).map_or(before, |&(_, n)| n)
    }

    /// Ends trouble on a disk that works again, with a snapshot if it takes one.
    pub fn repair(&mut self, context: &str) {
        self.log.flush_soon();
        let start = Instant::now();
        while let Some(trouble) = self.log.trouble() {
            assert!(start.elapsed() < PATIENCE, "{context}: {trouble:?}");
            if trouble.unsynced {
                // The state is its number here: the "snapshot" knows all records up to now.
                let first = self.log.roll(true).unwrap();
                self.log.sync_segment().unwrap();
                let mut manifest = manifest(first);
                manifest.hashing.seed = self.made;
                manifest.write(&*self.disk).unwrap();
                self.log.healed().unwrap();
            }
            self.log.flush_soon();
            std::thread::yield_now();
        }
    }

    /// Stops; how many changes were durable before, and how many were made.
    pub fn end(mut self) -> (u64, u64) {
        let bounds = (self.durable(), self.made);
        drop(self.flusher.take());
        bounds
    }
}

fn manifest(first: u64) -> Manifest {
    let journal = Segments::From(first, 0);
    Manifest { id: ID, hashing: Hashing::new(0), shards: 4, snapshot: None, journal }
}

/// How many changes there are; refuses anything but a prefix with whole groups.
pub fn try_read(disk: &Liar) -> Result<u64, String> {
    read_all(disk).map(|(there, _)| there)
}

pub fn read(disk: &Liar, context: &str) -> u64 {
    try_read(disk).unwrap_or_else(|error| panic!("{context}: {error}"))
}

fn read_all(disk: &Liar) -> Result<(u64, reader::Report), String> {
    let manifest = Manifest::read(disk).map_err(|error| format!("MANIFEST: {error}"))?;
    let Some(manifest) = manifest else {
        return Ok((0, reader::Report { next_segment: 1, next_frame: 1, ..Default::default() }));
    };
    let (known, mut next) = (manifest.hashing.seed, manifest.hashing.seed);
    let mut take = |body: &mut Vec<u8>, _: &journal::frame::Header, file: &str, at: u64| {
        let mut rest = body.as_slice();
        let mut found = Vec::new();
        while let Some(record) = record::next(&mut rest).map_err(|e| e.to_string())? {
            let number = (record.seq - 1) * SHARDS + u64::from(record.shard);
            let mut sizes = [[0; 8]; 2];
            sizes[0].copy_from_slice(&record.body[..8]);
            sizes[1].copy_from_slice(&record.body[8..16]);
            found.push((number, sizes.map(u64::from_le_bytes)));
        }
        found.sort_unstable();
        let last = *found.last().ok_or("an empty frame")?;
        assert_eq!(last.0 + 1, last.1[0] + last.1[1], "a group is cut in {file} at {at}");
        for (number, _) in found {
            if number < known {
                continue;
            }
            assert_eq!(number, next, "{file} at {at}");
            next += 1;
        }
        Ok(())
    };
    match reader::read(disk, manifest.id, manifest.journal, &mut take) {
        Ok(report) => Ok((next, report)),
        Err(ReadError::Damage(damage)) => {
            assert!(damage.to_string().contains("offset"));
            Err(damage.to_string())
        }
        Err(error) => Err(error.to_string()),
    }
}

/// Reads what is there and goes on behind it. `None` if the disk refuses; damage is a failure.
pub fn recover(disk: &Liar, policy: Policy, context: &str) -> Option<Logbook> {
    recover_sized(disk, policy, context, SEGMENT)
}

/// The same with segments of this size.
pub fn recover_sized(disk: &Liar, policy: Policy, context: &str, segment: u64) -> Option<Logbook> {
    let (there, report) = read_all(disk).unwrap_or_else(|error| panic!("{context}: {error}"));
    reader::seal(disk, &report).ok()?;
    Logbook::go_on(disk, policy, (there, report.next_segment, report.next_frame), segment).ok()
}
