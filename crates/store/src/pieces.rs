//! A large value, copied in pieces: nobody waits for a lock as long as millions of elements take.
//!
//! ```text
//!   step of a survey   | small entries ... | head of a large one | small entries ... |    one hold
//!                                                               ^
//!   afterwards, a hold of the lock each:  piece, piece, piece ──┘    as it was in that hold
//! ```
//!
//! A step is of one moment, and so is every value in it: one that changes while it is copied notes
//! first what was there, and the copy is put together from pieces and notes (see `partial.rs`). So
//! values that change all the time are copied without a long hold, and once. Who writes to one
//! meanwhile pays for a note.
//!
//! Only if the value itself goes away, is replaced, renamed, moved or changed in bulk, the step
//! begins again, as it then is; and only if that happens again and again, its values are copied in
//! one hold. One survey of a store copies in pieces at a time; others wait for it with no lock of a
//! shard in their hands.

use std::ops::Range;

use smallvec::SmallVec;
use types::Copier;

use crate::moved::Name;
use crate::partial::{Changed, Partial, is_divisible};
use crate::survey::{Larges, Step};
use crate::{Object, Shard, Store, image};

/// Values from this size on are copied in pieces: smaller ones take less than a millisecond. In
/// tests, a smaller one is large.
pub(crate) const LARGE: usize = if cfg!(test) { 64 << 10 } else { 1 << 20 };
/// Bytes after which a piece ends.
pub(crate) const PIECE: usize = LARGE / 16;
/// How often a step begins again before its values are copied in one hold.
const ATTEMPTS: usize = 8;
/// An edit of a string that changes more bytes at once is not noted.
const BULK: usize = LARGE;

/// What the shard has to keep for who copies values of it in pieces: what no value keeps itself.
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
    /// Bytes that have changed before they were copied, as they were: where, and what.
    noted: Vec<(usize, Box<[u8]>)>,
    /// How many bytes that are.
    bytes: usize,
    /// It has changed in a way that was not noted.
    spoiled: bool,
}

/// A large value whose head has been written.
pub(crate) struct Large {
    pub key: Box<[u8]>,
    pub hash: u64,
    /// Where in the step its content belongs.
    pub at: usize,
    /// The copy; none before it has begun.
    pub copy: Option<Partial>,
    /// It is complete.
    done: bool,
}

impl Large {
    pub fn new(key: &[u8], hash: u64, at: usize) -> Large {
        Large { key: key.into(), hash, at, copy: None, done: false }
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
            large.copy = Partial::begin(object, copier);
            if let Object::Str(text) = object {
                copying.texts.push(Text {
                    hash: large.hash,
                    key: large.key.clone(),
                    copied: 0,
                    len: text.len(),
                    noted: Vec::new(),
                    bytes: 0,
                    spoiled: false,
                });
            }
        }
        let all = larges.iter().all(|large| large.copy.is_some());
        self.copying = (all && !copying.texts.is_empty()).then_some(copying);
        all
    }

    /// Copies the next piece of a value; whether there is more.
    fn copy_piece(
        &mut self,
        db: usize,
        large: &mut Large,
        copier: &Copier,
    ) -> Result<bool, Changed> {
        let mut entry = self.dbs[db].keys.find_mut(large.hash, &large.key).ok_or(Changed)?;
        let object = entry.object_mut().ok_or(Changed)?;
        let copy = large.copy.as_mut().ok_or(Changed)?;
        if !matches!(object, Object::Str(_)) {
            return copy.piece(object, copier, PIECE);
        }
        let texts = self.copying.as_mut().map(|copying| &mut copying.texts).ok_or(Changed)?;
        let place = texts.iter().position(|text| text.hash == large.hash && text.key == large.key);
        let text = place.and_then(|place| texts.get_mut(place)).ok_or(Changed)?;
        if text.spoiled {
            return Err(Changed);
        }
        let more = copy.piece(object, copier, PIECE)?;
        text.copied = text.len.min(text.copied + PIECE);
        Ok(more)
    }

    /// The bytes of a string that lie in this range are about to change; it may become longer.
    pub(crate) fn note_text(&mut self, db: usize, hash: u64, key: &[u8], range: Range<usize>) {
        let Shard { dbs, copying: Some(copying), .. } = self else { return };
        let is_this = |text: &&mut Text| copying.db == db && text.hash == hash && *text.key == *key;
        let Some(text) = copying.texts.iter_mut().find(is_this) else { return };
        let Some(entry) = dbs[db].keys.find(hash, key) else { return };
        let Some(Object::Str(bytes)) = entry.object() else { return };
        let range = range.start.max(text.copied)..range.end.min(text.len);
        let Some(was) = bytes.get(range.clone()) else { return };
        text.bytes += was.len() + size_of::<(usize, Box<[u8]>)>();
        if was.len() > BULK || text.bytes > text.len {
            text.spoiled = true;
            text.noted = Vec::new();
        } else if !text.spoiled {
            text.noted.push((range.start, was.into()));
        }
    }

    /// Notes that a value changes as a whole, for who copies it.
    pub(crate) fn spoil_copy(&mut self, db: usize, hash: u64) {
        if let Some(copying) = &mut self.copying
            && copying.db == db
        {
            let texts = copying.texts.iter_mut().filter(|text| text.hash == hash);
            texts.for_each(|text| text.spoiled = true);
        }
    }

    /// Notes that whole databases change, for who copies values of them.
    pub(crate) fn spoil_copies(&mut self) {
        if let Some(copying) = &mut self.copying {
            copying.texts.iter_mut().for_each(|text| text.spoiled = true);
        }
    }
}

impl Store {
    /// Reads a step in which there are large values.
    pub(crate) fn read_larges(&self, shard: usize, db: usize, from: u64) -> Step {
        let _alone = self.copier.lock();
        let mut buffer = Vec::new();
        for _ in 0..ATTEMPTS {
            let copier = Copier::default();
            let Some(mut step) = self.read_step(shard, db, from, Larges::Apart(&copier)) else {
                break;
            };
            let mut larges = std::mem::take(&mut step.larges);
            if larges.is_empty() {
                return step;
            }
            let done = self.copy_larges(shard, db, &mut larges, &copier);
            let done = done.and_then(|()| step.insert(&mut larges));
            if done.is_ok() {
                return step;
            }
            // Its memory has been touched: to write to it under the lock costs no faults.
            let touched = larges.into_iter().filter_map(|large| large.copy);
            buffer =
                touched.map(Partial::into_buffer).max_by_key(Vec::capacity).unwrap_or_default();
        }
        #[cfg(test)]
        self.whole.fetch_add(1, sync::atomic::Ordering::Relaxed);
        buffer.clear();
        // Reads everything, so it is there.
        self.read_step(shard, db, from, Larges::Whole(buffer)).unwrap_or_default()
    }

    /// Reads one key, in pieces if it is large.
    pub(crate) fn read_key(&self, name: &Name) -> Step {
        let _alone = self.copier.lock();
        for attempt in 0..=ATTEMPTS {
            let copier = Copier::default();
            let apart = (attempt < ATTEMPTS).then_some(&copier);
            let Some(mut step) = self.begin_key(name, apart) else { continue };
            let mut larges = std::mem::take(&mut step.larges);
            let done = match larges.is_empty() {
                true => Ok(()),
                false => self
                    .copy_larges(name.shard, name.db, &mut larges, &copier)
                    .and_then(|()| step.insert(&mut larges)),
            };
            if done.is_ok() {
                return step;
            }
        }
        // The last attempt reads all of it.
        Step::default()
    }

    /// Reads a key in one hold of the lock, or begins to copy it apart; `None` if it cannot be.
    fn begin_key(&self, name: &Name, apart: Option<&Copier>) -> Option<Step> {
        let hash = self.hasher().hash(&name.key);
        let mut step = Step::default();
        let mut guard = self.wait_for(name.shard);
        let Some(shard) = guard.as_mut() else { return Some(step) };
        step.seq = shard.history.seq;
        let Some(entry) = shard.dbs[name.db].keys.find(hash, &name.key) else { return Some(step) };
        step.entries = 1;
        let is_large = |object: &Object| object.memory() >= LARGE && is_divisible(object);
        match apart.filter(|_| entry.object().is_some_and(is_large)) {
            Some(copier) => {
                image::put_head(&mut step.read, &entry);
                step.larges.push(Large::new(&name.key, hash, step.read.len()));
                shard.begin_copies(name.db, &mut step.larges, copier).then_some(step)
            }
            None => {
                step.read.reserve(entry.object().map_or(0, Object::memory));
                image::put(&mut step.read, &entry);
                Some(step)
            }
        }
    }

    /// Copies large values in pieces, a hold of the lock each.
    fn copy_larges(
        &self,
        shard: usize,
        db: usize,
        larges: &mut [Large],
        copier: &Copier,
    ) -> Result<(), Changed> {
        let mut done = Ok(());
        // In turn, so that none gathers notes for long.
        while done.is_ok() && larges.iter().any(|large| !large.done) {
            for large in larges.iter_mut().filter(|large| !large.done) {
                done = self.copy_next(shard, db, large, copier);
                if done.is_err() {
                    break;
                }
                sync::thread::yield_now();
            }
        }
        let copying = self.wait_for(shard).as_mut().and_then(|shard| shard.copying.take());
        done?;
        for text in copying.into_iter().flat_map(|copying| copying.texts) {
            let is_this = |large: &&mut Large| large.hash == text.hash && large.key == text.key;
            if let Some(copy) = larges.iter_mut().find(is_this).and_then(|l| l.copy.as_mut()) {
                copy.mend(text.noted.iter().rev().map(|(at, was)| (*at, &**was)));
            }
        }
        Ok(())
    }

    /// Copies the next piece of a value.
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
        if let Some(copy) = &mut large.copy {
            copy.make_room(PIECE);
        }
        let more = match self.wait_for(shard).as_mut() {
            Some(shard) => shard.copy_piece(db, large, copier)?,
            None => return Err(Changed),
        };
        large.done = !more;
        large.copy.as_mut().map_or(Err(Changed), Partial::sort)
    }
}

impl Step {
    /// Puts the contents of large values where they belong.
    fn insert(&mut self, larges: &mut [Large]) -> Result<(), Changed> {
        let small = std::mem::take(&mut self.read);
        let mut from = 0;
        for large in larges {
            self.read.extend_from_slice(&small[from..large.at]);
            large.copy.take().ok_or(Changed)?.finish(&mut self.read)?;
            from = large.at;
        }
        self.read.extend_from_slice(&small[from..]);
        Ok(())
    }
}

#[cfg(test)]
#[path = "pieces_tests.rs"]
mod tests;
