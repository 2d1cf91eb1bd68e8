//! Collections: how commands read and edit them, for each line of [`base::objects`], and take
//! versions of them. What versions keep is counted in [`base::Versions`], and those that have ended
//! are freed with the trash.

use std::sync::Arc;

use base::{
    CmdError, DataType, Deadline, Forked, Forks, Holds, Key, Leases, Shares, Version, Versioned,
    error,
};

use crate::shard::noted::note;
use crate::{Garbage, Object, Txn};

macro_rules! holds {
    ($($tag:literal $variant:ident $word:literal $type:ty,)*) => {
        $(const _: () = {
            fn of_object(object: &mut Object) -> Option<&mut $type> {
                match object {
                    Object::$variant(value) => Some(value),
                    _ => None,
                }
            }

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
                    self.reap(self.held.db, key.hash, key.bytes);
                    let edit = match self.edit_found(key, of_object, edit)? {
                        Ok(result) => return Ok(result),
                        Err(edit) => edit,
                    };
                    let used = self.uses.now();
                    let db = self.held.table_mut(key.hash);
                    let mut value = <$type>::default();
                    let result = edit(&mut value);
                    if !value.is_empty() {
                        db.objects += value.memory();
                        let object = Box::new(Object::$variant(value));
                        let put = db.keys.put_object(key.hash, key.bytes, object);
                        put.entry.set_access(used.after(0));
                        if put.inserted {
                            note(&mut db.noted, key.bytes, true);
                        }
                        self.touch_in(self.held.db, key.hash, key.bytes);
                        self.notifications.new_key(self.held.db, key);
                    }
                    Ok(result)
                }

                fn edit_existing<R>(
                    &mut self,
                    key: Key<'_>,
                    edit: impl FnOnce(&mut $type) -> R,
                ) -> Result<Option<R>, CmdError> {
                    match self.edit_found(key, of_object, edit)? {
                        Ok(result) => Ok(Some(result)),
                        // Looking tells what there is to tell about a key that is not there.
                        Err(_) => Holds::<$type>::peek(self, key).map(|_| None),
                    }
                }

                fn try_edit<R>(
                    &mut self,
                    key: Key<'_>,
                    edit: impl FnOnce(&mut $type) -> Option<R>,
                ) -> Result<Option<R>, CmdError> {
                    let before = self.changes.so_far();
                    let done = self.edit_existing(key, edit)?.flatten();
                    if done.is_none() {
                        self.changes.forget_since(before);
                    }
                    Ok(done)
                }

                fn reshape<R>(
                    &mut self,
                    key: Key<'_>,
                    reshape: impl FnOnce(&mut $type) -> R,
                ) -> Result<Option<R>, CmdError> {
                    let before = self.changes.so_far();
                    let done = self.edit_existing(key, reshape);
                    self.changes.forget_since(before);
                    done
                }

                fn put(&mut self, key: Key<'_>, value: $type, deadline: Deadline) {
                    self.replace(key, Object::$variant(value), deadline);
                }

                fn take_context(&mut self) -> Box<<$type as DataType>::Context> {
                    self.contexts.contexts.take::<$type>()
                }

                fn give_context(&mut self, context: Box<<$type as DataType>::Context>) {
                    if self.contexts.contexts.give::<$type>(context) {
                        self.contexts.report(&self.held.store);
                    }
                }
            }
        };)*
    };
}

base::objects!(holds);

impl Txn {
    /// Edits the value at `key`; gives `edit` back if there is no such key, or one past its
    /// deadline.
    #[inline]
    fn edit_found<T: DataType, R, E: FnOnce(&mut T) -> R>(
        &mut self,
        key: Key<'_>,
        of_object: impl FnOnce(&mut Object) -> Option<&mut T>,
        edit: E,
    ) -> Result<Result<R, E>, CmdError> {
        let (used, now) = (self.uses.now(), self.now);
        let db = self.held.table_mut(key.hash);
        let found = db.keys.find_mut(key.hash, key.bytes);
        let found = found.filter(|entry| entry.deadline().is_none_or(|at| at > now));
        let Some(mut entry) = found else { return Ok(Err(edit)) };
        entry.set_access(used.after(entry.access()));
        let value = entry.object_mut().and_then(of_object).ok_or(error::WRONG_TYPE)?;
        let before = value.memory();
        let result = edit(value);
        let (after, empty) = (value.memory(), value.is_empty());
        db.objects = db.objects + after - before;
        if empty {
            let garbage = db.remove(key.hash, key.bytes);
            self.store().discard(garbage.unwrap_or(Garbage::Nothing));
        }
        self.touch_in(self.held.db, key.hash, key.bytes);
        Ok(Ok(result))
    }

    /// Replaces whatever `key` holds; an empty collection removes the key.
    pub(crate) fn replace(&mut self, key: Key<'_>, object: Object, deadline: Deadline) {
        self.reap(self.held.db, key.hash, key.bytes);
        self.touch_in(self.held.db, key.hash, key.bytes);
        let used = self.uses.now();
        let db = self.held.table_mut(key.hash);
        if object.is_empty() {
            let garbage = db.remove(key.hash, key.bytes);
            return self.store().discard(garbage.unwrap_or(Garbage::Nothing));
        }
        self.tell_if_new(key);
        let db = self.held.table_mut(key.hash);
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
        if put.inserted {
            note(&mut db.noted, key.bytes, true);
        }
        let replaced = put.replaced;
        if let Some(old) = &replaced {
            db.objects -= old.memory();
        }
        self.store().discard(Garbage::of(replaced));
    }
}

impl<T: Versioned> Shares<T> for Txn
where
    Txn: Holds<T>,
{
    fn share(&mut self, key: Key<'_>) -> Result<Option<Version<T::Frozen>>, CmdError> {
        let Some(value) = Holds::<T>::peek(self, key)? else { return Ok(None) };
        Version::new(&self.held.store.versions, |versions| value.freeze(versions)).map(Some)
    }

    fn leases(&self) -> &Arc<Leases> {
        &self.held.store.leases
    }
}

impl<T: Forked> Forks<T> for Txn
where
    Txn: Holds<T>,
{
    fn fork(&mut self, key: Key<'_>) -> Result<T::Fork, CmdError> {
        let versions = self.held.store.versions.of_another_value();
        Ok(match Holds::<T>::peek(self, key)? {
            Some(value) => value.fork(&versions),
            None => T::default().fork(&versions),
        })
    }

    fn adopt(&mut self, key: Key<'_>, fork: T::Fork) -> Result<Option<T::Changes>, CmdError> {
        let before = self.changes.so_far();
        match Holds::<T>::edit(self, key, |value| value.adopt(fork))? {
            Ok((changes, left)) => {
                match left {
                    Some(left) if !T::is_small(&left) => {
                        self.store().discard(Garbage::Left(Box::new(left)));
                    }
                    // What a small edit has left is few blocks, which are used again at once.
                    small => drop(small),
                }
                Ok(Some(changes))
            }
            Err(fork) => {
                self.store().discard(Garbage::Left(fork));
                self.changes.forget_since(before);
                Ok(None)
            }
        }
    }
}
