//! Keys regardless of what they hold: `Keyspace`, `Types` and `Databases` for [`Txn`].

use std::sync::Arc;

use base::codec::put_number;
use base::{
    Class, CmdError, Databases, Key, Keyspace, Kind, Millis, PackLimits, QueryBounds, Rng, Types,
    error, num,
};
use journal::record;
use table::{Content, EntryRef};

use crate::object::usage::faded;
use crate::object::{NOT_INT, RAW};
use crate::shard::db::Keys;
use crate::shard::noted::note;
use crate::tracking::tell_flushed;
use crate::{Change, Db, Garbage, Measure, Object, Shard, Touched, Txn};

/// Strings up to this length are reported as `embstr`, as in Redis.
const EMBSTR_MAX: usize = 44;
/// Longest text of a 64-bit integer.
const INT_TEXT_MAX: usize = 20;
/// How many bits of a scan cursor are a position inside a shard; the bits above are its number.
const POSITION_BITS: u32 = 39;

/// Takes out of a shard what a key of database `db` holds.
fn take(shard: &mut Shard, db: usize, key: Key<'_>) -> Option<(Object, Option<Millis>, u8)> {
    shard.spoil_copy(db, key.hash);
    let table = shard.db_mut(db);
    let removed = table.keys.remove(key.hash, key.bytes)?;
    note(&mut table.noted, key.bytes, false);
    let (deadline, flags) = (removed.deadline(), removed.user_flags());
    let object = match removed.bytes() {
        // An inline string was never counted among the objects.
        Some(bytes) => Object::string(bytes.to_vec()),
        None => {
            let object = *removed.into_object()?;
            table.objects -= object.memory();
            object
        }
    };
    Some((object, deadline, flags))
}

impl Keyspace for Txn {
    fn now(&self) -> Millis {
        self.now
    }

    fn rng(&mut self) -> &mut Rng {
        &mut self.rng
    }

    fn limits(&self) -> PackLimits {
        self.limits
    }

    fn query_bounds(&self) -> QueryBounds {
        self.query_bounds
    }

    fn is_recorded(&self) -> bool {
        self.held.is_recording_any()
    }

    fn set_deadline(&mut self, key: Key<'_>, deadline: Option<Millis>) -> bool {
        self.reap(self.held.db, key.hash, key.bytes);
        let used = self.uses.now();
        let Some(mut entry) = self.held.table_mut(key.hash).keys.find_mut(key.hash, key.bytes)
        else {
            return false;
        };
        entry.set_deadline(deadline);
        entry.set_access(used.after(entry.access()));
        self.touch_noted(self.held.db, key.hash, key.bytes);
        true
    }

    fn remove(&mut self, key: Key<'_>, _lazy: bool) -> bool {
        self.reap(self.held.db, key.hash, key.bytes);
        let Some(garbage) = self.held.table_mut(key.hash).remove(key.hash, key.bytes) else {
            return false;
        };
        self.touch_in(self.held.db, key.hash, key.bytes);
        self.store().discard(garbage);
        true
    }

    #[inline]
    fn notify(&mut self, class: Class, event: &'static str, key: Key<'_>) {
        self.notifications.event(class, event, self.held.db, key.bytes);
    }

    #[inline]
    fn notify_taken(&mut self, class: Class, event: &'static str, key: Key<'_>) {
        if self.notifications.interest != 0 {
            self.notify(class, event, key);
            if self.held.table(key.hash).keys.find(key.hash, key.bytes).is_none() {
                self.notify(Class::Generic, "del", key);
            }
        }
    }

    #[inline]
    fn notify_if_missing(&self, key: Key<'_>) {
        // Where look-ups count as reads they tell it by themselves.
        let told = self.lookups.is_telling() || !self.notifications.wants(Class::Missed);
        if !told && self.kind(key).is_none() {
            self.notifications.event(Class::Missed, "keymiss", self.held.db, key.bytes);
        }
    }
}

impl Types for Txn {
    fn kind(&self, key: Key<'_>) -> Option<Kind> {
        self.peek_entry(key).map(|entry| kind_of(&entry))
    }

    fn encoding(&self, key: Key<'_>) -> Option<&'static str> {
        let entry = self.peek_entry(key)?;
        let bytes = match entry.content() {
            Content::Object(object) => return Some(object.encoding()),
            Content::Bytes(bytes) => bytes,
        };
        let flags = entry.user_flags();
        Some(match bytes.len() {
            _ if flags & RAW != 0 => "raw",
            0..=INT_TEXT_MAX if flags & NOT_INT == 0 && num::parse_i64(bytes).is_some() => "int",
            0..=EMBSTR_MAX => "embstr",
            _ => "raw",
        })
    }

    fn deadline(&self, key: Key<'_>) -> Option<Option<Millis>> {
        self.peek_entry(key).map(|entry| entry.deadline())
    }
}

impl Databases for Txn {
    fn db(&self) -> usize {
        self.held.db
    }

    fn databases(&self) -> usize {
        self.store().databases()
    }

    fn is_scripted(&self) -> bool {
        self.request_limits.scripted
    }

    fn memory(&self, key: Key<'_>) -> Option<usize> {
        let entry = self.peek_entry(key)?;
        // The entry's own bytes, its object with what that owns, and its share of a bucket.
        let slot = size_of::<u64>() + 2;
        let object = entry.object().map_or(0, |object| size_of::<Object>() + object.memory());
        Some(entry.memory() + object + slot)
    }

    fn idle_seconds(&self, key: Key<'_>) -> Option<u64> {
        let entry = self.peek_entry(key)?;
        // 24 bits that wrap around, as in Redis.
        Some(u64::from(self.uses.second.wrapping_sub(entry.access()) & 0xff_ffff))
    }

    fn frequency(&self, key: Key<'_>) -> Option<u8> {
        let Measure::Frequency { decay, .. } = self.uses.measure else { return None };
        let entry = self.peek_entry(key)?;
        u8::try_from(faded(entry.access(), self.uses.minute, decay)).ok()
    }

    fn counts_uses(&self) -> bool {
        self.uses.measure != Measure::Recency
    }

    fn set_frequency(&mut self, key: Key<'_>, count: u8) -> bool {
        let Some(entry) = self.peek_entry(key) else { return false };
        entry.set_access(self.uses.minute << 8 | u32::from(count));
        true
    }

    fn set_idle(&mut self, key: Key<'_>, seconds: u64) -> bool {
        let Some(entry) = self.peek_entry(key) else { return false };
        // Below 2^24, the modulus of the clock of use.
        let seconds = u32::try_from(seconds & 0xff_ffff).unwrap_or(0);
        entry.set_access(self.uses.second.wrapping_sub(seconds));
        true
    }

    fn touch(&mut self, key: Key<'_>) -> bool {
        self.live(key).is_some()
    }

    fn rename(&mut self, from: Key<'_>, to: Key<'_>) -> bool {
        let db = self.held.db;
        self.reap(db, from.hash, from.bytes);
        let Some((object, deadline, flags)) = take(self.held.shard_mut(from.hash), db, from) else {
            return false;
        };
        self.touch_in(db, from.hash, from.bytes);
        self.give(db, to, object, deadline, flags);
        true
    }

    fn copy(
        &mut self,
        from: Key<'_>,
        to: Key<'_>,
        db: usize,
        replace: bool,
    ) -> Result<bool, CmdError> {
        self.reap(self.held.db, from.hash, from.bytes);
        let Some(entry) = self.held.table(from.hash).keys.find(from.hash, from.bytes) else {
            return Ok(false);
        };
        self.uses.note(&entry);
        // Both before anything is copied: a large value takes long.
        if !replace && self.unexpired(db, to).is_some() {
            return Ok(false);
        }
        if !self.request_limits.unlimited && !self.held.is_within_limit(Object::memory_of(&entry)) {
            return Err(error::OOM);
        }
        let object = match entry.content() {
            Content::Bytes(bytes) => Object::string(bytes.to_vec()),
            Content::Object(object) => object.clone(),
        };
        let (deadline, flags) = (entry.deadline(), entry.user_flags());
        self.reap(db, to.hash, to.bytes);
        self.give(db, to, object, deadline, flags);
        Ok(true)
    }

    fn move_to(&mut self, key: Key<'_>, db: usize) -> bool {
        let from = self.held.db;
        self.reap(from, key.hash, key.bytes);
        self.reap(db, key.hash, key.bytes);
        if self.held.shard(key.hash).dbs[db].keys.find(key.hash, key.bytes).is_some() {
            return false;
        }
        let Some((object, deadline, flags)) = take(self.held.shard_mut(key.hash), from, key) else {
            return false;
        };
        self.touch_in(from, key.hash, key.bytes);
        self.give(db, key, object, deadline, flags);
        true
    }

    fn key_count(&mut self) -> usize {
        let db = self.held.db;
        let shards = self.store().shards();
        (0..shards).map(|n| self.held.with_shard(n, |shard| shard.dbs[db].keys.len())).sum()
    }

    fn scan(&mut self, cursor: u64, visit: &mut dyn FnMut(&[u8], Kind)) -> u64 {
        let (db, now) = (self.held.db, self.now);
        let position = cursor & ((1 << POSITION_BITS) - 1);
        let number = usize::try_from(cursor >> POSITION_BITS).unwrap_or(usize::MAX);
        let shards = self.store().shards();
        if number >= shards {
            return 0;
        }
        let next = self.held.with_shard(number, |shard| {
            shard.dbs[db].keys.scan(position, &mut |entry| {
                if entry.deadline().is_none_or(|at| at > now) {
                    visit(entry.key(), kind_of(&entry));
                }
            })
        });
        let number = number as u64;
        match next {
            0 if number + 1 < shards as u64 => (number + 1) << POSITION_BITS,
            0 => 0,
            next => number << POSITION_BITS | next,
        }
    }

    fn random_key(&mut self) -> Option<Vec<u8>> {
        let (db, now) = (self.held.db, self.now);
        let shards = self.store().shards();
        // Shards hold near-equal numbers of keys unless there are few: weigh them exactly.
        let lens: Vec<usize> = (0..shards)
            .map(|n| self.held.with_shard(n, |shard| shard.dbs[db].keys.len()))
            .collect();
        let mut rng = Rng::new(self.rng.next_u64());
        // Keys past their deadline may be drawn; give up on them after a while, as Redis does.
        for _ in 0..100 {
            let mut pick = rng.below(lens.iter().sum());
            let number = lens.iter().position(|&len| {
                let here = pick < len;
                pick = pick.saturating_sub(len);
                here
            })?;
            let key = self.held.with_shard(number, |shard| {
                let entry = shard.dbs[db].keys.random(&mut || rng.next_u64())?;
                let live = entry.deadline().is_none_or(|at| at > now);
                live.then(|| entry.key().to_vec())
            });
            if key.is_some() {
                return key;
            }
        }
        None
    }

    fn flush(&mut self, db: Option<usize>, _lazy: bool) -> usize {
        let hasher = self.store().hasher().clone();
        let mut removed = 0;
        let (store, dbs) =
            (Arc::clone(self.store()), db.map_or(0..self.databases(), |db| db..db + 1));
        let Txn { held, changes, notifications, .. } = self;
        tell_flushed(held, notifications);
        let walks = held.is_empty();
        if !held.everything {
            // Other threads write between the shards: the index could not follow.
            for db in dbs.clone() {
                store.indexes.give_up(db);
            }
        }
        for number in 0..store.shards() {
            let mut awaited = Vec::new();
            let tables = held.with_shard(number, |shard| {
                if walks {
                    notifications.look_around(&store);
                }
                let dbs = match db {
                    Some(db) => db..db + 1,
                    None => 0..shard.dbs.len(),
                };
                shard.spoil_copies();
                let kind = if db.is_some() { record::Kind::Flush } else { record::Kind::FlushAll };
                shard.history.record(kind, db.unwrap_or(0), |_| ());
                let mut tables: Vec<Keys> = Vec::new();
                for db in dbs {
                    store.indexes.forget_noted(shard, db);
                    let noted = store.indexes.noted_anew(db);
                    let Db { keys, .. } = &shard.dbs[db];
                    // Shard 0 says it always: what belongs to no key goes with the database.
                    let tells = number == 0 || !keys.is_empty();
                    if tells && notifications.concern_change_consumers() {
                        let change = Change::Flushed { db };
                        changes.pending.add((&store, notifications), number, change);
                    }
                    // A table that was emptied key by key still has its buckets to give back.
                    if keys.memory() == 0 {
                        shard.dbs[db].noted = noted;
                        continue;
                    }
                    shard.watching.touch_db(db, |key| keys.find(hasher.hash(key), key).is_some());
                    let mut fresh = Db::new(&hasher);
                    fresh.noted = noted;
                    tables.push(shard.db_mut(db).replace(fresh));
                    awaited.extend(shard.waiting.keys_of(db).into_iter().map(|key| (db, key)));
                }
                if walks {
                    changes.pending.publish_of(shard, &store);
                }
                tables
            });
            for (db, key) in awaited {
                store.to_serve.note(Touched { db, hash: hasher.hash(&key), key });
            }
            for table in tables {
                removed += table.len();
                store.discard(Garbage::Keys(Box::new(table)));
            }
        }
        dbs.for_each(|db| store.indexes.flushed(db));
        removed
    }

    fn swap(&mut self, a: usize, b: usize) {
        if a == b {
            return;
        }
        let hasher = self.store().hasher().clone();
        let store = Arc::clone(self.store());
        store.indexes.count_swap();
        let now = self.now;
        store.indexes.about_to_swap([a, b]);
        // What was met after its deadline goes along, and is deleted where it then is.
        let Txn { held, changes, notifications, .. } = self;
        held.expired.swap(a, b);
        for number in 0..store.shards() {
            let awaited = held.with_shard(number, |shard| {
                for (here, there) in [(a, b), (b, a)] {
                    let both = [&shard.dbs[here].keys, &shard.dbs[there].keys];
                    shard.watching.touch_db(here, |key| {
                        let hash = hasher.hash(key);
                        // One past its deadline is missing, as it was or will be seen to be.
                        let live = |at: Option<Millis>| at.is_none_or(|at| at > now);
                        both.iter().any(|keys| {
                            keys.find(hash, key).is_some_and(|entry| live(entry.deadline()))
                        })
                    });
                }
                for db in [a, b] {
                    if store.indexes.noted_anew(db).is_none() {
                        store.indexes.forget_noted(shard, db);
                    }
                }
                if notifications.concern_change_consumers()
                    && (number == 0 || [a, b].iter().any(|&db| !shard.dbs[db].keys.is_empty()))
                {
                    let change = Change::Swapped { a, b };
                    changes.pending.add((&store, notifications), number, change);
                }
                shard.swap(a, b);
                shard.history.record(record::Kind::Swap, a, |out| put_number(out, b as u64));
                [a, b].map(|db| (db, shard.waiting.keys_of(db)))
            });
            for (db, keys) in awaited {
                for key in keys {
                    changes.note_ready(Touched { db, hash: hasher.hash(&key), key });
                }
            }
        }
        store.indexes.swapped(a, b);
    }

    #[inline]
    fn notify_in(&mut self, db: usize, class: Class, event: &'static str, key: Key<'_>) {
        self.notifications.event(class, event, db, key.bytes);
    }
}

fn kind_of(entry: &EntryRef<'_, Object>) -> Kind {
    entry.object().map_or(Kind::String, Object::kind)
}
