//! Strings: short ones lie inside the entry, long ones in an object of their own.

use std::ops::Range;

use base::{CmdError, Deadline, Key, Strings, error};

use crate::object::usage::Use;
use crate::object::{NOT_INT, RAW};
use crate::shard::noted::note;
use crate::{Db, Garbage, INLINE_MAX, Object, Txn};

impl Strings for Txn {
    #[inline]
    fn string(&self, key: Key<'_>) -> Result<Option<&[u8]>, CmdError> {
        let Some(entry) = self.live(key) else { return Ok(None) };
        match entry.content() {
            table::Content::Bytes(bytes) => Ok(Some(bytes)),
            table::Content::Object(Object::Str(bytes)) => Ok(Some(bytes)),
            table::Content::Object(_) => Err(error::WRONG_TYPE),
        }
    }

    #[inline]
    fn set_string(&mut self, key: Key<'_>, value: &[u8], deadline: Deadline) {
        self.touch_in(self.held.db, key.hash, key.bytes);
        if deadline == Deadline::Keep || self.notifications.interest != 0 {
            self.reap(self.held.db, key.hash, key.bytes);
            self.tell_if_new(key);
        }
        let used = self.uses.now();
        let db = self.held.table_mut(key.hash);
        let garbage = write(db, key, value, deadline, 0, used);
        self.store().discard(garbage);
    }

    fn set_float_string(&mut self, key: Key<'_>, value: &[u8]) {
        self.touch_in(self.held.db, key.hash, key.bytes);
        self.reap(self.held.db, key.hash, key.bytes);
        self.tell_if_new(key);
        let used = self.uses.now();
        let garbage =
            write(self.held.table_mut(key.hash), key, value, Deadline::Keep, NOT_INT, used);
        self.store().discard(garbage);
    }

    fn edit_string<R>(
        &mut self,
        key: Key<'_>,
        edit: impl FnOnce(&mut Vec<u8>) -> R,
    ) -> Result<R, CmdError> {
        let db = self.held.db;
        self.held.shard_mut(key.hash).spoil_copy(db, key.hash);
        self.edit_bytes(key, edit)
    }

    fn edit_string_within<R>(
        &mut self,
        key: Key<'_>,
        range: Range<usize>,
        edit: impl FnOnce(&mut Vec<u8>) -> R,
    ) -> Result<R, CmdError> {
        let db = self.held.db;
        if self.held.shard(key.hash).copying.is_some() {
            self.held.shard_mut(key.hash).note_text(db, key.hash, key.bytes, range);
        }
        self.edit_bytes(key, edit)
    }
}

impl Txn {
    /// Edits the bytes of a string; who copies it has been told, or is to be.
    fn edit_bytes<R>(
        &mut self,
        key: Key<'_>,
        edit: impl FnOnce(&mut Vec<u8>) -> R,
    ) -> Result<R, CmdError> {
        self.reap(self.held.db, key.hash, key.bytes);
        let used = self.uses.now();
        let db = self.held.table_mut(key.hash);
        let Some(mut entry) = db.keys.find_mut(key.hash, key.bytes) else {
            let mut bytes = Vec::new();
            let result = edit(&mut bytes);
            if !bytes.is_empty() {
                create(db, key, bytes, used);
                self.touch_noted(self.held.db, key.hash, key.bytes);
                self.notifications.new_key(self.held.db, key);
            }
            return Ok(result);
        };
        entry.set_access(used.after(entry.access()));
        let result = if let Some(object) = entry.object_mut() {
            let Object::Str(bytes) = object else { return Err(error::WRONG_TYPE) };
            let before = bytes.capacity();
            let result = edit(bytes);
            let after = bytes.capacity();
            db.objects = db.objects + after - before;
            // It may be short now, and lie inside an entry next.
            entry.set_user_flags(RAW);
            result
        } else {
            let mut bytes = entry.bytes().unwrap_or_default().to_vec();
            let result = edit(&mut bytes);
            let garbage = write(db, key, &bytes, Deadline::Keep, RAW, used);
            self.store().discard(garbage);
            result
        };
        self.touch_noted(self.held.db, key.hash, key.bytes);
        Ok(result)
    }
}

/// Stores `value` at `key`, which is missing. What does not fit into the entry is not copied: it
/// may be half a gigabyte of zeros that were never touched.
fn create(db: &mut Db, key: Key<'_>, value: Vec<u8>, used: Use) {
    let put = if value.len() <= INLINE_MAX {
        db.keys.put_bytes(key.hash, key.bytes, &value)
    } else {
        let object = Box::new(Object::string(value));
        db.objects += object.memory();
        db.keys.put_object(key.hash, key.bytes, object)
    };
    let mut entry = put.entry;
    entry.set_deadline(None);
    entry.set_user_flags(RAW);
    entry.set_access(used.after(0));
    if put.inserted {
        note(&mut db.noted, key.bytes, true);
    }
}

/// Stores `value` at `key`, inline or as an object by its length.
#[inline]
fn write(
    db: &mut Db,
    key: Key<'_>,
    value: &[u8],
    deadline: Deadline,
    flags: u8,
    used: Use,
) -> Garbage {
    let mut put = if value.len() <= INLINE_MAX {
        db.keys.put_bytes(key.hash, key.bytes, value)
    } else {
        let object = Box::new(Object::string(value.to_vec()));
        db.objects += object.memory();
        db.keys.put_object(key.hash, key.bytes, object)
    };
    let entry = &mut put.entry;
    match deadline {
        Deadline::Clear => entry.set_deadline(None),
        Deadline::Keep => {}
        Deadline::At(at) => entry.set_deadline(Some(at)),
    }
    entry.set_user_flags(flags);
    entry.set_access(used.after(entry.access()));
    if put.inserted {
        note(&mut db.noted, key.bytes, true);
    }
    let replaced = put.replaced;
    if let Some(object) = &replaced {
        db.objects -= object.memory();
    }
    Garbage::of(replaced)
}
