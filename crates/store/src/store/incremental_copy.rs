//! A large value, copied in chunks: no thread waits for a lock as long as millions of elements
//! take, and all of them never take memory twice.
//!
//! ```text
//!   step of a scan   | small entries ... | a large one | small entries ... |    one hold
//!                                                ^
//!   afterwards, a hold of the lock each:  chunk, chunk, chunk: as it was in that hold
//!                                             |
//!   and from time to time                     v   what has come together, into the snapshot
//! ```
//!
//! A step is of one moment, and so is every value in it: one that changes while it is copied notes
//! first what was there, and chunks are put right by the notes (see `base::IncrementalCopy`). So
//! values that change all the time are copied without a long hold, and once. A client that writes
//! to one meanwhile pays for a note.
//!
//! Only if the value itself goes away, is replaced, renamed, moved or changed in bulk, its chunks
//! are taken back and the step begins again, as it then is; and only if that happens again and
//! again, its values are copied in one hold. One snapshot scan of a store copies in chunks at a
//! time; others wait for it with no lock of a shard in their hands.

use std::io;
use sync::atomic::Ordering;

use base::{Changed, Copier};

use crate::object::large::{ChunkSink, Large, NotPut};
use crate::store::moved::Name;
use crate::store::snapshot_scan::{Larges, Step};
use crate::{Object, Store, image};

/// How often a step begins again before its values are copied in one hold.
const ATTEMPTS: usize = 8;

impl Store {
    /// Values from so many bytes on are copied in chunks, which end after so many.
    pub fn copy_in_chunks_from(&self, large: usize, chunk: usize) {
        self.large.copied_from.store(large, Ordering::Relaxed);
        self.large.chunk.store(chunk, Ordering::Relaxed);
    }

    /// Reads a step in which there are large values, and puts these.
    pub(crate) fn read_larges(
        &self,
        shard: usize,
        db: usize,
        from: u64,
        chunks: &mut dyn ChunkSink,
    ) -> io::Result<Step> {
        let _alone = self.large.copier.lock();
        for _ in 0..ATTEMPTS {
            let copier = Copier::new(&self.versions);
            let Some(mut step) = self.read_step(shard, db, from, Larges::Apart(&copier)) else {
                break;
            };
            if self.put_larges((shard, db), &mut step, &copier, (false, chunks))? {
                return Ok(step);
            }
        }
        #[cfg(test)]
        self.large.whole.fetch_add(1, Ordering::Relaxed);
        // Reads everything, so it is there.
        Ok(self.read_step(shard, db, from, Larges::Whole).unwrap_or_default())
    }

    /// Reads one key, in chunks if it is large.
    pub(crate) fn read_key(&self, name: &Name, chunks: &mut dyn ChunkSink) -> io::Result<Step> {
        let _alone = self.large.copier.lock();
        for attempt in 0..=ATTEMPTS {
            let copier = Copier::new(&self.versions);
            let apart = (attempt < ATTEMPTS).then_some(&copier);
            let Some(mut step) = self.begin_key(name, apart) else { continue };
            if self.put_larges((name.shard, name.db), &mut step, &copier, (true, chunks))? {
                return Ok(step);
            }
        }
        // The last attempt reads all of it.
        Ok(Step::default())
    }

    /// Reads a key in one hold of the lock, or begins to copy it apart; `None` if it cannot be.
    fn begin_key(&self, name: &Name, apart: Option<&Copier>) -> Option<Step> {
        let hash = self.hasher().hash(&name.key);
        let mut step = Step::default();
        let mut guard = self.locks.wait_for(name.shard);
        let Some(shard) = guard.as_mut() else { return Some(step) };
        step.seq = shard.history.seq;
        let db = shard.scanned_at(name.db);
        let Some(entry) = shard.dbs[db].keys.find(hash, &name.key) else { return Some(step) };
        let is_large = |object: &Object| self.large.is_large(object);
        match apart.filter(|_| entry.object().is_some_and(is_large)) {
            Some(copier) => {
                let mut head = Vec::new();
                image::put_head(&mut head, &entry);
                step.larges.push(Large::new(&name.key, hash, head));
                shard.begin_copies(db, &mut step.larges, copier).then_some(step)
            }
            None => {
                step.entries = 1;
                step.read.reserve(entry.object().map_or(0, Object::memory));
                image::put(&mut step.read, &entry);
                Some(step)
            }
        }
    }

    /// Copies the large values of a step, and puts them; whether they could be followed to the end:
    /// if not, nothing was put.
    fn put_larges(
        &self,
        (shard, db): (usize, usize),
        step: &mut Step,
        copier: &Copier,
        (again, chunks): (bool, &mut dyn ChunkSink),
    ) -> io::Result<bool> {
        if step.larges.is_empty() {
            return Ok(true);
        }
        chunks.begin();
        for large in &mut step.larges {
            large.number = chunks.number();
            large.begin_chunk(db);
        }
        match self.copy_larges((shard, db), &mut step.larges, copier, (again, chunks)) {
            Ok(()) => Ok(true),
            Err(NotPut::Changed) => {
                chunks.take_back();
                Ok(false)
            }
            Err(NotPut::Io(error)) => Err(error),
        }
    }

    /// Copies large values in chunks, a hold of the lock each.
    fn copy_larges(
        &self,
        (shard, db): (usize, usize),
        larges: &mut [Large],
        copier: &Copier,
        (again, chunks): (bool, &mut dyn ChunkSink),
    ) -> Result<(), NotPut> {
        let mut done = Ok(());
        // All of them together have as much memory as one.
        let size = chunks.size() / larges.len().max(1);
        // In turn, so that none gathers notes for long.
        while done.is_ok() && larges.iter().any(|large| !large.done) {
            for large in larges.iter_mut().filter(|large| !large.done) {
                done = self.copy_next(shard, db, large, copier).map_err(NotPut::from);
                done = done.and_then(|()| large.put(db, size, (again, &mut *chunks)));
                if done.is_err() {
                    break;
                }
                sync::thread::yield_now();
            }
        }
        if let Some(shard) = self.locks.wait_for(shard).as_mut() {
            shard.copying = None;
        }
        done
    }

    /// Copies the next chunk of a value.
    ///
    /// # Errors
    /// The value is not the same any more.
    pub(crate) fn copy_next(
        &self,
        shard: usize,
        db: usize,
        large: &mut Large,
        copier: &Copier,
    ) -> Result<(), Changed> {
        let bytes = self.large.chunk.load(Ordering::Relaxed);
        if let Some(copy) = &mut large.copy {
            copy.make_room(bytes);
        }
        let more = match self.locks.wait_for(shard).as_mut() {
            Some(shard) => shard.copy_chunk(db, large, copier, bytes)?,
            None => return Err(Changed),
        };
        large.done = !more;
        let copy = large.copy.as_mut().ok_or(Changed)?;
        copy.settle(&mut large.chunk)
    }
}

#[cfg(test)]
#[path = "incremental_copy_tests.rs"]
mod tests;
