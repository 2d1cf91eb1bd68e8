//! Reading the whole dataset out: for snapshots, without stopping requests.
//!
//! A scan goes through a shard's database by position, some entries per hold of the lock. What it
//! reads in one hold is exact as of one record of the shard; the journal tells the rest.
//!
//! `SWAPDB` may come in between. A scan calls each database by the number it had when its shard was
//! begun, and goes on with it where it is now; so the snapshot is one of databases under their
//! numbers of that moment, and a swap counts on top of it if its record is younger than that.

use std::io;

use base::Copier;
use base::codec::put_number;
use journal::snapshot;
use table::POSITIONS;

use crate::object::large::{ChunkSink, Large};
use crate::store::locks::Guard;
use crate::store::moved::Name;
use crate::{Object, Shard, Store, image};

/// Bytes after which a step lets go of the lock.
const STEP_BYTES: usize = 32 << 10;
/// Behind a step without the entry that it is about: it stands in chunks.
pub const IN_CHUNKS: u8 = 1;
/// Buckets after which a step lets go of the lock, however little was in them.
const STEP_SCANS: usize = 64;

/// What one step of a scan has read.
#[derive(Clone, Copy, Debug)]
pub struct Scanned {
    /// Where the next step begins; `None` at the end.
    pub next: Option<u64>,
    /// How many entries were read.
    pub entries: u64,
    /// How many others were put in chunks.
    pub large: u64,
}

/// A step on its way.
#[derive(Default)]
pub(crate) struct Step {
    pub next: Option<u64>,
    pub seq: u64,
    pub entries: u64,
    pub read: Vec<u8>,
    /// Values that are copied in chunks.
    pub larges: Vec<Large>,
}

/// What a step does about large values.
pub(crate) enum Larges<'c> {
    /// Nothing: a step that meets one is not read.
    None,
    /// It reads what they are, and begins to copy them.
    Apart(&'c Copier),
    /// It reads them as any other.
    Whole,
}

impl Store {
    /// Reads the next entries of a shard's database from a position on (0 begins), and appends them
    /// as a step of a snapshot; large ones are put into `chunks` before. Holds the shard's lock for
    /// some dozen microseconds at a time, whatever is changed meanwhile: see `incremental_copy.rs`
    /// for the exceptions.
    ///
    /// # Errors
    /// `chunks` refuses.
    pub fn snapshot_scan(
        &self,
        (shard, db): (usize, usize),
        from: u64,
        out: &mut Vec<u8>,
        chunks: &mut dyn ChunkSink,
    ) -> io::Result<Scanned> {
        let step = match self.read_step(shard, db, from, Larges::None) {
            Some(step) => step,
            None => self.read_larges(shard, db, from, chunks)?,
        };
        let Step { next, seq, entries, read, larges } = step;
        snapshot::put_step(out, next.unwrap_or(POSITIONS), seq, entries);
        out.extend_from_slice(&read);
        Ok(Scanned { next, entries, large: larges.len() as u64 })
    }

    /// Reads entries in one hold of the lock; `None` if there are large ones that it cannot treat
    /// as it should.
    pub(crate) fn read_step(
        &self,
        shard: usize,
        db: usize,
        from: u64,
        larges: Larges<'_>,
    ) -> Option<Step> {
        let (whole, copier) = match larges {
            Larges::None => (false, None),
            Larges::Apart(copier) => (false, Some(copier)),
            Larges::Whole => (true, None),
        };
        let mut step = Step { read: Vec::with_capacity(STEP_BYTES), ..Step::default() };
        let mut guard = self.locks.wait_for(shard);
        let Some(shard) = guard.as_mut() else { return Some(step) };
        step.seq = shard.history.seq;
        let db = shard.scanned_at(db);
        let is_large = |object: &Object| self.large.is_large(object);
        let mut position = from;
        for _ in 0..STEP_SCANS {
            position = shard.dbs[db].keys.scan(position, &mut |entry| {
                if !whole && entry.object().is_some_and(is_large) {
                    let mut head = Vec::new();
                    image::put_head(&mut head, &entry);
                    let hash = self.hasher().hash(entry.key());
                    step.larges.push(Large::new(entry.key(), hash, head));
                } else {
                    step.entries += 1;
                    // Growing step by step would copy all of it, again and again.
                    step.read.reserve(entry.object().map_or(0, Object::memory));
                    image::put(&mut step.read, &entry);
                }
            });
            if position == 0 || step.read.len() >= STEP_BYTES || !step.larges.is_empty() {
                break;
            }
        }
        step.next = (position != 0).then_some(position);
        if step.larges.is_empty() {
            return Some(step);
        }
        copier
            .is_some_and(|copier| shard.begin_copies(db, &mut step.larges, copier))
            .then_some(step)
    }

    /// The databases of a shard that hold anything, and the shard's last record as of this look.
    /// From now on they are scanned by the numbers they have now.
    #[must_use]
    pub fn begin_snapshot_scan(&self, shard: usize) -> (Vec<usize>, u64) {
        let mut guard = self.locks.wait_for(shard);
        let Some(shard) = guard.as_mut() else { return (Vec::new(), 0) };
        shard.begin_snapshot_scan();
        let filled = |&db: &usize| !shard.dbs[db].keys.is_empty();
        ((0..shard.dbs.len()).filter(filled).collect(), shard.history.seq)
    }

    /// Begins to note where large values go, until [`end_moves`](Self::end_moves). One snapshot
    /// scan of a store goes on at a time that is replayed from.
    pub fn begin_moves(&self) {
        self.large.moved.begin();
    }

    /// The scan is over.
    pub fn end_moves(&self) {
        self.large.moved.end();
    }

    /// When everything was read: a key that has to be read once more. If there is none, the scan is
    /// over.
    #[must_use]
    pub fn next_moved(&self) -> Option<Name> {
        self.large.moved.next()
    }

    /// Reads one key, as [`snapshot_scan`](Self::snapshot_scan) reads many: a step with its entry,
    /// or without if it is gone; or without, and a byte 1 and the value's number behind it, if it
    /// was put in chunks before.
    ///
    /// # Errors
    /// `chunks` refuses.
    pub fn snapshot_scan_key(
        &self,
        name: &Name,
        out: &mut Vec<u8>,
        chunks: &mut dyn ChunkSink,
    ) -> io::Result<()> {
        let step = self.read_key(name, chunks)?;
        snapshot::put_step(out, POSITIONS, step.seq, step.entries);
        out.extend_from_slice(&step.read);
        if let Some(large) = step.larges.first() {
            out.push(IN_CHUNKS);
            put_number(out, large.number);
        }
        Ok(())
    }

    /// Looks at something that is about no key while nothing happens in shard 0, and the last
    /// record of that shard then.
    pub fn look_beside_keys_for_snapshot<R>(&self, look: impl FnOnce() -> R) -> (R, u64) {
        let guard = self.locks.wait_for(0);
        (look(), guard.as_ref().map_or(0, |shard| shard.history.seq))
    }

    /// How many entries there are in all databases, those past their deadline included.
    #[must_use]
    pub fn entries(&self) -> usize {
        let of = |shard: &Shard| shard.dbs.iter().map(|db| db.keys.len()).sum::<usize>();
        let shards = 0..self.shards();
        shards.map(|number| self.locks.wait_for(number).as_ref().map_or(0, |shard| of(shard))).sum()
    }

    /// Begins to record what happens, shard by shard.
    pub fn start_recording(&self) {
        for number in 0..self.shards() {
            if let Some(shard) = self.locks.wait_for(number).as_mut() {
                shard.history.on = true;
            }
        }
    }

    /// Ends recording in all shards at the same moment: no transaction is recorded in part. Waits
    /// for those that run, as long as they take, and lets no other in meanwhile unless one is
    /// overdue.
    pub fn stop_recording(&self) {
        let numbers: Vec<usize> = (0..self.shards()).collect();
        self.end_recording(self.locks.lock_all(&numbers, false).unwrap_or_default());
    }

    /// The same if every shard is to be had within a moment; whether it is done.
    #[must_use]
    pub fn stop_recording_at_once(&self) -> bool {
        let guards: Option<Vec<_>> = (0..self.shards()).map(|n| self.locks.lock_soon(n)).collect();
        guards.map(|guards| self.end_recording(guards)).is_some()
    }

    fn end_recording(&self, mut guards: Vec<Guard<'_>>) {
        for shard in guards.iter_mut().filter_map(|guard| guard.as_mut()) {
            shard.history.on = false;
        }
    }

    /// Makes the next record of a shard the one after `seq`: numbers go on where the journal ends.
    pub fn continue_records(&self, shard: usize, seq: u64) {
        if let Some(shard) = self.locks.wait_for(shard).as_mut() {
            shard.history.seq = shard.history.seq.max(seq);
        }
    }
}

/// The shard of a key with this hash among so many.
#[must_use]
pub fn shard_among(hash: u64, shards: usize) -> usize {
    // Masked to far fewer than 32 bits.
    (hash & (shards as u64 - 1)) as usize
}
