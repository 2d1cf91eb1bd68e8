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
use std::ops::Range;
use sync::atomic::Ordering;

use base::codec::put_number;
use base::{Changed, Copier, NOTES};
use smallvec::SmallVec;

use crate::assembly::{AGAIN, LAST};
use crate::large_values::LARGE;
use crate::moved::Name;
use crate::snapshot_scan::{Larges, Step};
use crate::text_notes::TextNotes;
use crate::value_copy::ValueCopy;
use crate::{Object, Shard, Store, image};

/// A chunk of a string is not shorter: bytes are copied in no time.
const TEXT: usize = 4 << 10;
/// How often a step begins again before its values are copied in one hold.
const ATTEMPTS: usize = 8;
/// An edit of a string that changes more bytes at once is not noted.
const BULK: usize = LARGE;

/// Where chunks of large values go.
pub trait ChunkSink {
    /// What has come together of a value is put when it is so long.
    fn size(&self) -> usize;
    /// A number that no value had before.
    fn number(&mut self) -> u64;
    /// What is put from here on may be taken back.
    fn begin(&mut self);
    /// Takes back what was put since.
    fn take_back(&mut self);
    /// Takes a chunk, which makes so many entries complete. No lock of a shard is held.
    ///
    /// # Errors
    /// The disk refuses.
    fn put(&mut self, chunk: &[u8], entries: u64) -> io::Result<()>;
}

/// Why values were not put.
enum Failed {
    /// One of them changed in a way that cannot be followed.
    Changed,
    /// The disk refuses.
    Io(io::Error),
}

impl From<Changed> for Failed {
    fn from(_: Changed) -> Self {
        Failed::Changed
    }
}

impl From<io::Error> for Failed {
    fn from(error: io::Error) -> Self {
        Failed::Io(error)
    }
}

/// What the shard has to keep for the thread that copies values of it in chunks: what no value
/// keeps itself.
pub(crate) struct Copying {
    /// The database of the values.
    pub db: usize,
    /// Strings among them.
    pub texts: SmallVec<[Text; 1]>,
}

/// A string that is copied.
pub(crate) struct Text {
    hash: u64,
    key: Box<[u8]>,
    /// How many bytes have been copied, of how many there were.
    copied: usize,
    len: usize,
    /// Bytes that have changed before they were copied, as they were.
    noted: TextNotes,
    /// It has changed in a way that was not noted.
    spoiled: bool,
}

/// A large value on its way.
pub(crate) struct Large {
    pub key: Box<[u8]>,
    pub hash: u64,
    /// Its entry up to the key.
    head: Vec<u8>,
    /// The copy; none before it has begun, and when it is complete.
    copy: Option<ValueCopy>,
    /// All of it has been read.
    pub done: bool,
    /// The next chunk, and where in it stands what it is.
    pub chunk: Vec<u8>,
    flags: usize,
    /// Which value of the file it is, and how many chunks of it have been put.
    pub number: u64,
    put: u64,
}

impl Large {
    pub fn new(key: &[u8], hash: u64, head: Vec<u8>) -> Large {
        Large {
            key: key.into(),
            hash,
            head,
            copy: None,
            done: false,
            chunk: Vec::new(),
            flags: 0,
            number: 0,
            put: 0,
        }
    }

    /// Begins a chunk.
    fn begin_chunk(&mut self, db: usize) {
        self.chunk.clear();
        put_number(&mut self.chunk, self.number);
        put_number(&mut self.chunk, self.put);
        self.flags = self.chunk.len();
        self.chunk.push(0);
        if self.put == 0 {
            put_number(&mut self.chunk, db as u64);
            self.chunk.append(&mut self.head);
            put_number(&mut self.chunk, self.copy.as_ref().map_or(0, ValueCopy::count) as u64);
        }
    }

    /// Puts what has come together, if that is so long.
    fn put(
        &mut self,
        db: usize,
        size: usize,
        (again, chunks): (bool, &mut dyn ChunkSink),
    ) -> Result<(), Failed> {
        if self.done {
            let (copy, mut rest) = (self.copy.take().ok_or(Changed)?, Vec::new());
            copy.finish(&mut rest)?;
            // Only a stream has something there, which may be divided anywhere.
            let mut rest = rest.chunks(size.max(1)).peekable();
            while let Some(part) = rest.next() {
                self.chunk.extend_from_slice(part);
                if rest.peek().is_some() {
                    chunks.put(&self.chunk, 0)?;
                    self.put += 1;
                    self.begin_chunk(db);
                }
            }
            self.chunk[self.flags] = if again { LAST | AGAIN } else { LAST };
            return Ok(chunks.put(&self.chunk, u64::from(!again))?);
        }
        if self.chunk.len() >= size {
            chunks.put(&self.chunk, 0)?;
            self.put += 1;
            self.begin_chunk(db);
        }
        Ok(())
    }
}

impl Shard {
    /// Begins to copy values of a database: from here on they keep what they are. Whether they can.
    pub(crate) fn begin_copies(
        &mut self,
        db: usize,
        larges: &mut [Large],
        copier: &Copier,
    ) -> bool {
        let mut copying = Copying { db, texts: SmallVec::new() };
        for large in &mut *larges {
            let entry = self.dbs[db].keys.find_mut(large.hash, &large.key);
            let Some(mut entry) = entry else { return false };
            let Some(object) = entry.object_mut() else { return false };
            large.copy = ValueCopy::begin(object, copier);
            if let Object::Str(text) = object {
                copying.texts.push(Text {
                    hash: large.hash,
                    key: large.key.clone(),
                    copied: 0,
                    len: text.len(),
                    noted: TextNotes::default(),
                    spoiled: false,
                });
            }
        }
        let all = larges.iter().all(|large| large.copy.is_some());
        self.copying = (all && !copying.texts.is_empty()).then_some(copying);
        all
    }

    /// Copies the next chunk of a value; whether there is more.
    fn copy_chunk(
        &mut self,
        db: usize,
        large: &mut Large,
        copier: &Copier,
        bytes: usize,
    ) -> Result<bool, Changed> {
        let db = self.scanned_at(db);
        let mut entry = self.dbs[db].keys.find_mut(large.hash, &large.key).ok_or(Changed)?;
        let object = entry.object_mut().ok_or(Changed)?;
        let copy = large.copy.as_mut().ok_or(Changed)?;
        if !matches!(object, Object::Str(_)) {
            return copy.read(object, copier, bytes);
        }
        let texts = self.copying.as_mut().map(|copying| &mut copying.texts).ok_or(Changed)?;
        let place = texts.iter().position(|text| text.hash == large.hash && text.key == large.key);
        let text = place.and_then(|place| texts.get_mut(place)).ok_or(Changed)?;
        if text.spoiled {
            return Err(Changed);
        }
        let bytes = bytes.max(TEXT);
        let more = copy.read(object, copier, bytes)?;
        text.copied = text.len.min(text.copied + bytes);
        copy.take_notes(text.noted.take_below(text.copied));
        Ok(more)
    }

    /// The bytes of a string that lie in this range are about to change; it may become longer.
    pub(crate) fn note_text(&mut self, db: usize, hash: u64, key: &[u8], range: Range<usize>) {
        let Shard { dbs, copying: Some(copying), .. } = self else { return };
        let is_this = |text: &&mut Text| copying.db == db && text.hash == hash && *text.key == *key;
        let Some(text) = copying.texts.iter_mut().find(is_this) else { return };
        let Some(entry) = dbs[db].keys.find(hash, key) else { return };
        let Some(Object::Str(bytes)) = entry.object() else { return };
        if text.spoiled {
            return;
        }
        let open = text.copied..text.len;
        let bulk = range.end.min(open.end).saturating_sub(range.start.max(open.start)) > BULK;
        if !bulk {
            text.noted.note(bytes, range, open);
        }
        if bulk || text.noted.bytes() > text.len.saturating_add(NOTES) {
            text.spoiled = true;
            text.noted.clear();
        }
    }

    /// Notes that a value changes as a whole, for the thread that copies it.
    pub(crate) fn spoil_copy(&mut self, db: usize, hash: u64) {
        if let Some(copying) = &mut self.copying
            && copying.db == db
        {
            let texts = copying.texts.iter_mut().filter(|text| text.hash == hash);
            texts.for_each(|text| text.spoiled = true);
        }
    }

    /// Notes that whole databases change, for the thread that copies values of them.
    pub(crate) fn spoil_copies(&mut self) {
        if let Some(copying) = &mut self.copying {
            copying.texts.iter_mut().for_each(|text| text.spoiled = true);
        }
    }
}

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
            let copier = Copier::default();
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
            let copier = Copier::default();
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
            Err(Failed::Changed) => {
                chunks.take_back();
                Ok(false)
            }
            Err(Failed::Io(error)) => Err(error),
        }
    }

    /// Copies large values in chunks, a hold of the lock each.
    fn copy_larges(
        &self,
        (shard, db): (usize, usize),
        larges: &mut [Large],
        copier: &Copier,
        (again, chunks): (bool, &mut dyn ChunkSink),
    ) -> Result<(), Failed> {
        let mut done = Ok(());
        // All of them together have as much memory as one.
        let size = chunks.size() / larges.len().max(1);
        // In turn, so that none gathers notes for long.
        while done.is_ok() && larges.iter().any(|large| !large.done) {
            for large in larges.iter_mut().filter(|large| !large.done) {
                done = self.copy_next(shard, db, large, copier).map_err(Failed::from);
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
