//! A naive host: the same commands on a `BTreeMap`.
//!
//! It has no shards, no locks, no packed entries and no lazy deletion: everything that could be
//! subtly wrong in the real store is plainly right here. Running the same requests on both and
//! comparing replies tests the store, and shows that commands use nothing but the host traits.
#![forbid(unsafe_code)]

mod ordered;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Arc;

use base::{
    CmdError, DataType, Databases, Deadline, Forked, Forks, Holds, Key, KeyHasher, Keyspace, Kind,
    Leases, Millis, PackLimits, Rng, Shares, Strings, Types, Version, Versioned, Versions, error,
    num,
};
use types::Contexts;

macro_rules! value {
    ($($tag:literal $name:ident $word:literal $type:ty,)*) => {
        /// What a key holds.
        #[derive(Clone)]
        enum Value {
            Str { bytes: Vec<u8>, raw: bool, float: bool },
            $($name($type),)*
        }

        impl Value {
            fn kind(&self) -> Kind {
                match self {
                    Value::Str { .. } => Kind::String,
                    $(Value::$name(_) => <$type>::KIND,)*
                }
            }

            fn encoding(&self) -> &'static str {
                match self {
                    Value::Str { raw: true, .. } => "raw",
                    Value::Str { bytes, float: false, .. }
                        if bytes.len() <= 20 && num::parse_i64(bytes).is_some() =>
                    {
                        "int"
                    }
                    Value::Str { bytes, .. } if bytes.len() <= 44 => "embstr",
                    Value::Str { .. } => "raw",
                    $(Value::$name(value) => value.encoding(),)*
                }
            }
        }
    };
}

base::objects!(value);

#[derive(Clone)]
struct Entry {
    value: Value,
    deadline: Option<Millis>,
    /// When it was last read or written; a read only borrows.
    used: Cell<Millis>,
}

/// The naive host.
pub struct Model {
    dbs: Vec<BTreeMap<Vec<u8>, Entry>>,
    /// The database commands act on.
    pub db: usize,
    /// The time commands see.
    pub now: Millis,
    rng: Rng,
    limits: PackLimits,
    hasher: KeyHasher,
    contexts: Contexts,
    versions: Arc<Versions>,
    leases: Arc<Leases>,
}

impl Model {
    /// An empty dataset of `databases` databases.
    #[must_use]
    pub fn new(databases: usize, hasher: KeyHasher, limits: PackLimits) -> Self {
        Model {
            dbs: vec![BTreeMap::new(); databases],
            db: 0,
            now: 0,
            rng: Rng::new(1),
            limits,
            hasher,
            contexts: Contexts::new(1),
            versions: Arc::default(),
            leases: Arc::default(),
        }
    }

    /// The hash of keys, for building arguments.
    #[must_use]
    pub fn hasher(&self) -> &KeyHasher {
        &self.hasher
    }

    /// Every live key of the current database, in order.
    #[must_use]
    pub fn keys(&self) -> Vec<Vec<u8>> {
        let live = |(key, entry): (&Vec<u8>, &Entry)| self.live(entry).then(|| key.clone());
        self.dbs[self.db].iter().filter_map(live).collect()
    }

    fn live(&self, entry: &Entry) -> bool {
        entry.deadline.is_none_or(|at| at > self.now)
    }

    fn entry(&self, key: Key<'_>) -> Option<&Entry> {
        self.dbs[self.db].get(key.bytes).filter(|entry| self.live(entry))
    }

    /// As `entry`, and the key counts as used.
    fn use_entry(&self, key: Key<'_>) -> Option<&Entry> {
        let entry = self.entry(key)?;
        entry.used.set(self.now);
        Some(entry)
    }

    fn reap(&mut self, db: usize, key: &[u8]) {
        if self.dbs[db].get(key).is_some_and(|entry| !self.live(entry)) {
            self.dbs[db].remove(key);
        }
    }

    fn store(&mut self, key: Key<'_>, value: Value, deadline: Deadline) {
        self.reap(self.db, key.bytes);
        let old = self.dbs[self.db].get(key.bytes).and_then(|entry| entry.deadline);
        let deadline = match deadline {
            Deadline::Clear => None,
            Deadline::Keep => old,
            Deadline::At(at) => Some(at),
        };
        let entry = Entry { value, deadline, used: Cell::new(self.now) };
        self.dbs[self.db].insert(key.bytes.to_vec(), entry);
    }
}

impl Keyspace for Model {
    fn now(&self) -> Millis {
        self.now
    }

    fn rng(&mut self) -> &mut Rng {
        &mut self.rng
    }

    fn limits(&self) -> PackLimits {
        self.limits
    }

    fn set_deadline(&mut self, key: Key<'_>, deadline: Option<Millis>) -> bool {
        self.reap(self.db, key.bytes);
        if self.use_entry(key).is_none() {
            return false;
        }
        let entry = self.dbs[self.db].get_mut(key.bytes);
        entry.map(|entry| entry.deadline = deadline).is_some()
    }

    fn remove(&mut self, key: Key<'_>, _lazy: bool) -> bool {
        self.reap(self.db, key.bytes);
        self.dbs[self.db].remove(key.bytes).is_some()
    }
}

impl Types for Model {
    fn kind(&self, key: Key<'_>) -> Option<Kind> {
        self.entry(key).map(|entry| entry.value.kind())
    }

    fn encoding(&self, key: Key<'_>) -> Option<&'static str> {
        self.entry(key).map(|entry| entry.value.encoding())
    }

    fn deadline(&self, key: Key<'_>) -> Option<Option<Millis>> {
        self.entry(key).map(|entry| entry.deadline)
    }
}

impl Databases for Model {
    fn db(&self) -> usize {
        self.db
    }

    fn databases(&self) -> usize {
        self.dbs.len()
    }

    fn memory(&self, key: Key<'_>) -> Option<usize> {
        self.entry(key).map(|_| size_of::<Entry>() + key.bytes.len())
    }

    fn idle_seconds(&self, key: Key<'_>) -> Option<u64> {
        self.entry(key).map(|entry| (self.now - entry.used.get()) / 1000)
    }

    fn set_idle(&mut self, key: Key<'_>, seconds: u64) -> bool {
        let since = self.now.saturating_sub((seconds & 0xff_ffff) * 1000);
        self.entry(key).map(|entry| entry.used.set(since)).is_some()
    }

    fn counts_uses(&self) -> bool {
        false
    }

    fn frequency(&self, _key: Key<'_>) -> Option<u8> {
        None
    }

    fn set_frequency(&mut self, key: Key<'_>, _count: u8) -> bool {
        self.entry(key).is_some()
    }

    fn touch(&mut self, key: Key<'_>) -> bool {
        self.use_entry(key).is_some()
    }

    fn rename(&mut self, from: Key<'_>, to: Key<'_>) -> bool {
        self.reap(self.db, from.bytes);
        if self.use_entry(from).is_none() {
            return false;
        }
        let Some(entry) = self.dbs[self.db].remove(from.bytes) else { return false };
        self.dbs[self.db].insert(to.bytes.to_vec(), entry);
        true
    }

    fn copy(
        &mut self,
        from: Key<'_>,
        to: Key<'_>,
        db: usize,
        replace: bool,
    ) -> Result<bool, CmdError> {
        self.reap(db, to.bytes);
        let Some(entry) = self.use_entry(from).cloned() else { return Ok(false) };
        if self.dbs[db].contains_key(to.bytes) && !replace {
            return Ok(false);
        }
        self.dbs[db].insert(to.bytes.to_vec(), entry);
        Ok(true)
    }

    fn move_to(&mut self, key: Key<'_>, db: usize) -> bool {
        self.reap(self.db, key.bytes);
        self.reap(db, key.bytes);
        if self.use_entry(key).is_none() || self.dbs[db].contains_key(key.bytes) {
            return false;
        }
        let Some(entry) = self.dbs[self.db].remove(key.bytes) else { return false };
        self.dbs[db].insert(key.bytes.to_vec(), entry);
        true
    }

    fn key_count(&mut self) -> usize {
        self.keys().len()
    }

    fn scan(&mut self, _cursor: u64, visit: &mut dyn FnMut(&[u8], Kind)) -> u64 {
        for (key, entry) in &self.dbs[self.db] {
            if self.live(entry) {
                visit(key, entry.value.kind());
            }
        }
        0
    }

    fn random_key(&mut self) -> Option<Vec<u8>> {
        let keys = self.keys();
        let pick = self.rng.below(keys.len());
        keys.into_iter().nth(pick)
    }

    fn flush(&mut self, db: Option<usize>, _lazy: bool) -> usize {
        let dbs = match db {
            Some(db) => &mut self.dbs[db..=db],
            None => &mut self.dbs[..],
        };
        dbs.iter_mut().map(|db| std::mem::take(db).len()).sum()
    }

    fn swap(&mut self, a: usize, b: usize) {
        self.dbs.swap(a, b);
    }
}

impl Strings for Model {
    fn string(&self, key: Key<'_>) -> Result<Option<&[u8]>, CmdError> {
        match self.use_entry(key).map(|entry| &entry.value) {
            None => Ok(None),
            Some(Value::Str { bytes, .. }) => Ok(Some(bytes)),
            Some(_) => Err(error::WRONG_TYPE),
        }
    }

    fn set_string(&mut self, key: Key<'_>, value: &[u8], deadline: Deadline) {
        let value = Value::Str { bytes: value.to_vec(), raw: false, float: false };
        self.store(key, value, deadline);
    }

    fn set_float_string(&mut self, key: Key<'_>, value: &[u8]) {
        let value = Value::Str { bytes: value.to_vec(), raw: false, float: true };
        self.store(key, value, Deadline::Keep);
    }

    fn edit_string<R>(
        &mut self,
        key: Key<'_>,
        edit: impl FnOnce(&mut Vec<u8>) -> R,
    ) -> Result<R, CmdError> {
        let old = self.string(key)?.map(<[u8]>::to_vec);
        let existed = old.is_some();
        let mut bytes = old.unwrap_or_default();
        let result = edit(&mut bytes);
        if existed || !bytes.is_empty() {
            self.store(key, Value::Str { bytes, raw: true, float: false }, Deadline::Keep);
        }
        Ok(result)
    }
}

macro_rules! holds {
    ($($tag:literal $variant:ident $word:literal $type:ty,)*) => {
        $(impl Holds<$type> for Model {
            fn peek(&self, key: Key<'_>) -> Result<Option<&$type>, CmdError> {
                match self.use_entry(key).map(|entry| &entry.value) {
                    None => Ok(None),
                    Some(Value::$variant(value)) => Ok(Some(value)),
                    Some(_) => Err(error::WRONG_TYPE),
                }
            }

            /// The value itself is edited, not a copy: it knows its forks.
            fn edit<R>(
                &mut self,
                key: Key<'_>,
                edit: impl FnOnce(&mut $type) -> R,
            ) -> Result<R, CmdError> {
                let is_there = Holds::<$type>::peek(self, key)?.is_some();
                let entry = self.dbs[self.db].get_mut(key.bytes).filter(|_| is_there);
                let mut value = match entry.map(|entry| &mut entry.value) {
                    Some(Value::$variant(value)) => std::mem::take(value),
                    _ => <$type>::default(),
                };
                let result = edit(&mut value);
                self.put(key, value, Deadline::Keep);
                Ok(result)
            }

            fn try_edit<R>(
                &mut self,
                key: Key<'_>,
                edit: impl FnOnce(&mut $type) -> Option<R>,
            ) -> Result<Option<R>, CmdError> {
                match Holds::<$type>::peek(self, key)? {
                    Some(_) => Holds::<$type>::edit(self, key, edit),
                    None => Ok(None),
                }
            }

            fn put(&mut self, key: Key<'_>, value: $type, deadline: Deadline) {
                if value.is_empty() {
                    self.dbs[self.db].remove(key.bytes);
                    return;
                }
                self.store(key, Value::$variant(value), deadline);
            }

            fn take_context(&mut self) -> Box<<$type as DataType>::Context> {
                self.contexts.take::<$type>()
            }

            fn give_context(&mut self, context: Box<<$type as DataType>::Context>) {
                self.contexts.give::<$type>(context);
            }
        })*
    };
}

base::objects!(holds);

impl<T: Versioned> Shares<T> for Model
where
    Model: Holds<T>,
{
    fn share(&mut self, key: Key<'_>) -> Result<Option<Version<T::Frozen>>, CmdError> {
        let Some(value) = Holds::<T>::peek(self, key)? else { return Ok(None) };
        Version::new(&self.versions, |versions| value.freeze(versions)).map(Some)
    }

    fn leases(&self) -> &Arc<Leases> {
        &self.leases
    }
}

impl<T: Forked> Forks<T> for Model
where
    Model: Holds<T>,
{
    fn fork(&mut self, key: Key<'_>) -> Result<T::Fork, CmdError> {
        let versions = self.versions.of_another_value();
        Ok(match Holds::<T>::peek(self, key)? {
            Some(value) => value.fork(&versions),
            None => T::default().fork(&versions),
        })
    }

    fn adopt(&mut self, key: Key<'_>, fork: T::Fork) -> Result<Option<T::Changes>, CmdError> {
        let adopted = Holds::<T>::edit(self, key, |value| value.adopt(fork))?;
        Ok(adopted.ok().map(|(changes, _)| changes))
    }
}
