//! Collections: one `holds!` line per type is all that a type needs to be the value of a key.

use base::{CmdError, DataType, Deadline, Holds, Key, error};
use types::{Documents, Hash, Json, JsonTools, List, Set, Stream, ZSet};

use crate::object::Object;
use crate::{Garbage, Txn};

macro_rules! holds {
    ($type:ty, $variant:ident) => {
        impl Holds<$type> for Txn {
            fn peek(&self, key: Key<'_>) -> Result<Option<&$type>, CmdError> {
                match self.live(key).map(|entry| entry.object()) {
                    None => Ok(None),
                    Some(Some(Object::$variant(value))) => Ok(Some(value)),
                    Some(_) => Err(error::WRONG_TYPE),
                }
            }

            fn edit<R>(
                &mut self,
                key: Key<'_>,
                edit: impl FnOnce(&mut $type) -> R,
            ) -> Result<R, CmdError> {
                self.reap(self.db, key.hash, key.bytes);
                let used = self.use_now();
                let db = self.table_mut(key.hash);
                let Some(mut entry) = db.keys.find_mut(key.hash, key.bytes) else {
                    let mut value = <$type>::default();
                    let result = edit(&mut value);
                    if !value.is_empty() {
                        db.objects += value.memory();
                        let object = Box::new(Object::$variant(value));
                        let put = db.keys.put_object(key.hash, key.bytes, object);
                        put.entry.set_access(used.after(0));
                        self.touch_in(self.db, key.hash, key.bytes);
                        self.tell_new(self.db, key);
                    }
                    return Ok(result);
                };
                entry.set_access(used.after(entry.access()));
                let Some(Object::$variant(value)) = entry.object_mut() else {
                    return Err(error::WRONG_TYPE);
                };
                let before = value.memory();
                let result = edit(value);
                let (after, empty) = (value.memory(), value.is_empty());
                db.objects = db.objects + after - before;
                if empty {
                    let garbage = db.remove(key.hash, key.bytes);
                    self.discard(garbage.unwrap_or(Garbage::Nothing));
                }
                self.touch_in(self.db, key.hash, key.bytes);
                Ok(result)
            }

            fn edit_existing<R>(
                &mut self,
                key: Key<'_>,
                edit: impl FnOnce(&mut $type) -> R,
            ) -> Result<Option<R>, CmdError> {
                if Holds::<$type>::peek(self, key)?.is_none() {
                    return Ok(None);
                }
                self.edit(key, edit).map(Some)
            }

            fn reshape(
                &mut self,
                key: Key<'_>,
                reshape: impl FnOnce(&mut $type),
            ) -> Result<(), CmdError> {
                let before = self.changes();
                let done = self.edit_existing(key, reshape);
                self.forget_changes_since(before);
                done.map(drop)
            }

            fn put(&mut self, key: Key<'_>, value: $type, deadline: Deadline) {
                self.replace(key, Object::$variant(value), deadline);
            }
        }
    };
}

holds!(Hash, Hash);
holds!(List, List);
holds!(Set, Set);
holds!(ZSet, ZSet);
holds!(Stream, Stream);
holds!(Json, Json);

impl Documents for Txn {
    fn take_tools(&mut self) -> Box<JsonTools> {
        // They are missing after a request that panicked.
        self.tools.take().unwrap_or_else(|| Box::new(JsonTools::new(self.rng.next_u64())))
    }

    fn give_tools(&mut self, tools: Box<JsonTools>) {
        self.report_shared(tools.registry.memory());
        self.tools = Some(tools);
    }
}

impl Txn {
    /// Replaces whatever `key` holds; an empty collection removes the key.
    pub(crate) fn replace(&mut self, key: Key<'_>, object: Object, deadline: Deadline) {
        self.reap(self.db, key.hash, key.bytes);
        self.touch_in(self.db, key.hash, key.bytes);
        let used = self.use_now();
        let db = self.table_mut(key.hash);
        if object.is_empty() {
            let garbage = db.remove(key.hash, key.bytes);
            return self.discard(garbage.unwrap_or(Garbage::Nothing));
        }
        self.tell_if_new(key);
        let db = self.table_mut(key.hash);
        db.objects += object.memory();
        let mut put = db.keys.put_object(key.hash, key.bytes, Box::new(object));
        let entry = &mut put.entry;
        match deadline {
            Deadline::Clear => entry.set_deadline(None),
            Deadline::Keep => {}
            Deadline::At(at) => entry.set_deadline(Some(at)),
        }
        entry.set_user_flags(0);
        entry.set_access(used.after(entry.access()));
        let replaced = put.replaced;
        if let Some(old) = &replaced {
            db.objects -= old.memory();
        }
        self.discard(Garbage::of(replaced));
    }
}
