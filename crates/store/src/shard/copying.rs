//! What a shard keeps for the thread that copies values of it in chunks (see
//! `store/incremental_copy.rs`).

use std::ops::Range;

use base::{Changed, Copier, NOTES};
use smallvec::SmallVec;

use crate::object::large::{LARGE, Large};
use crate::object::text_notes::TextNotes;
use crate::object::value_copy::ValueCopy;
use crate::{Object, Shard};

/// A chunk of a string is not shorter: bytes are copied in no time.
const TEXT: usize = 4 << 10;
/// An edit of a string that changes more bytes at once is not noted.
const BULK: usize = LARGE;

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
    pub noted: TextNotes,
    /// It has changed in a way that was not noted.
    spoiled: bool,
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
    pub(crate) fn copy_chunk(
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
