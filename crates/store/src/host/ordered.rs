//! What commands about ranges ask for: [`Ordered`] for [`Txn`].

use std::panic::resume_unwind;
use std::sync::Arc;
use sync::atomic::Ordering;

use base::{Class, CmdError, Key, Keyspace, Reply, error};
use index::{KeyList, Span, Tree};
use table::Content;
use types::{Held, Ordered};

use crate::index_upkeep::{build_here, gather_notes, wait_while_built};
use crate::store::locks::Busy;
use crate::{Failed, IndexPhase, Keeping, Object, Scope, Txn};

/// How often a query begins anew because the index was given up under its hands.
const ATTEMPTS: usize = 64;
/// So many names are answered in one step, while nothing is merged into the index.
const AT_ONCE: usize = 16 << 10;
/// Looking at a key by its name costs about as much as passing so many keys with deadlines.
const LOOK: usize = 4;

impl Txn {
    /// Asks the index of the current database, which is up to date then.
    fn ask<R>(&mut self, ask: impl FnOnce(&Tree) -> R) -> Result<R, CmdError> {
        let (store, db) = (Arc::clone(self.store()), self.held.db);
        let slot = &store.indexes.slots[db];
        for _ in 0..ATTEMPTS {
            if store.indexes.keeping() == Keeping::Never {
                return Err(error::NO_RANGE_INDEX);
            }
            let (generation, swaps) = (slot.generation(), store.indexes.swaps());
            match slot.phase() {
                IndexPhase::Live => {}
                // Two that build would take it from each other again and again.
                IndexPhase::Building if self.held.is_empty() => {
                    wait_while_built(&mut self.held, db, generation);
                    continue;
                }
                _ => {
                    build_here(&mut self.held, db);
                    continue;
                }
            }
            gather_notes(&mut self.held, db);
            slot.merge();
            let tree = slot.tree.read();
            // Only what has been there all the while is up to date.
            let same = slot.generation() == generation && store.indexes.swaps() == swaps;
            if slot.phase() == IndexPhase::Live && same {
                slot.used.store(self.now, Ordering::Relaxed);
                return Ok(ask(&tree));
            }
        }
        Err(error::RANGE_INDEX_BUSY)
    }
}

/// The numbers of names, those of one shard behind each other, with their hashes.
fn by_shard(txn: &Txn, names: &KeyList) -> Vec<(usize, u64, usize)> {
    let store = txn.store();
    let mut places: Vec<(usize, u64, usize)> = names
        .iter()
        .enumerate()
        .map(|(at, name)| {
            let hash = store.hasher().hash(name);
            (store.shard_of(hash), hash, at)
        })
        .collect();
    places.sort_unstable_by_key(|&(shard, _, at)| (shard, at));
    places
}

impl Ordered for Txn {
    fn names(
        &mut self,
        span: Span<'_>,
        reverse: bool,
        most: usize,
        names: &mut KeyList,
    ) -> Result<(), CmdError> {
        if most == 0 {
            return Ok(());
        }
        self.ask(|tree| tree.collect(span, reverse, most, names))
    }

    fn answer_names(
        &mut self,
        span: Span<'_>,
        reverse: bool,
        (limit, most): (usize, usize),
        out: &mut dyn Reply,
    ) -> Result<bool, CmdError> {
        self.ask(|tree| {
            let count = tree.count(span).min(limit);
            if count > most.min(AT_ONCE) {
                return false;
            }
            out.array(count);
            tree.show(span, reverse, count, |prefix, rests| out.bulks(prefix, rests));
            true
        })
    }

    fn count_names(&mut self, span: Span<'_>) -> Result<usize, CmdError> {
        self.ask(|tree| tree.count(span))
    }

    fn count_overdue(&mut self, span: Span<'_>, names: usize) -> Option<usize> {
        if !self.any_expires() {
            return Some(0);
        }
        let (db, now, shards) = (self.held.db, self.now, self.store().shards());
        let expiring: usize = (0..shards)
            .map(|number| self.held.at_shard(number, |shard| shard.dbs[db].keys.expiring()))
            .sum();
        if names < expiring / LOOK {
            return None;
        }
        let mut overdue = 0;
        for number in 0..shards {
            self.held.at_shard(number, |shard| {
                let (table, mut position) = (&shard.dbs[db].keys, 0);
                while table.expiring() != 0 {
                    position = table.scan_expiring(position, &mut |entry| {
                        let is_overdue = entry.deadline().is_some_and(|at| at <= now);
                        overdue += usize::from(is_overdue && span.contains(entry.key()));
                    });
                    if position == 0 {
                        break;
                    }
                }
            });
        }
        Some(overdue)
    }

    fn any_expires(&mut self) -> bool {
        let db = self.held.db;
        // What this transaction itself has done was not told yet.
        let mut held = self.held.shards.iter();
        held.any(|held| held.shard.dbs[db].keys.expiring() != 0)
            || self.store().indexes.slots[db].deadlines.may_be()
    }

    fn may_all(&self) -> bool {
        self.request_limits.key_filter.is_none()
    }

    fn may(&self, key: &[u8]) -> bool {
        self.request_limits.key_filter.as_ref().is_none_or(|may| may(key))
    }

    fn most_replied(&self) -> usize {
        self.store().indexes.most_replied.load(Ordering::Relaxed)
    }

    fn look_at(&mut self, names: &KeyList, show: &mut dyn FnMut(usize, Held<'_>)) {
        let (db, now) = (self.held.db, self.now);
        for group in by_shard(self, names).chunk_by(|a, b| a.0 == b.0) {
            self.held.at_shard(group[0].0, |shard| {
                let table = &shard.dbs[db].keys;
                group.iter().for_each(|&(_, hash, _)| table.prefetch_bucket(hash));
                group.iter().for_each(|&(_, hash, _)| table.prefetch_entry(hash));
                for &(_, hash, at) in group {
                    let Some(entry) = table.find(hash, names.get(at)) else { continue };
                    if entry.deadline().is_none_or(|deadline| deadline > now) {
                        show(at, held(entry.content()));
                    }
                }
            });
        }
    }

    fn hold<R>(&mut self, names: &KeyList, work: impl FnOnce(&mut Self) -> R) -> R {
        if !self.held.is_empty() {
            return work(self);
        }
        let store = Arc::clone(self.store());
        let mut numbers: Vec<usize> =
            names.iter().map(|name| store.shard_of(store.hasher().hash(name))).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let done = self.with(&store, Scope::Many(&numbers), |txn| {
            let result = work(txn);
            // Who waits for one of these keys needs other shards than those that are held.
            txn.changes.take_ready().into_iter().for_each(|key| store.to_serve.note(key));
            result
        });
        match done {
            Ok(result) => result,
            Err(Failed::Busy) => resume_unwind(Box::new(Busy)),
            // It is told where the whole request ends.
            Err(Failed::Panicked(said)) => resume_unwind(Box::new(said)),
        }
    }

    fn must_stop(&self) -> bool {
        self.held.is_empty() && self.store().is_still(self.now)
    }

    fn delete(&mut self, key: Key<'_>) -> bool {
        let db = self.held.db;
        if !self.remove(key, true) {
            return false;
        }
        self.notify(Class::Generic, "del", key);
        if self.held.is_recording(key.hash) {
            self.held.record_key(db, key);
        }
        self.publish_changes();
        true
    }

    fn key_of<'k>(&self, name: &'k [u8]) -> Key<'k> {
        self.store().hasher().key(name)
    }
}

fn held<'a>(content: Content<'a, Object>) -> Held<'a> {
    match content {
        Content::Bytes(bytes) => Held::Text(bytes),
        Content::Object(Object::Str(bytes)) => Held::Text(bytes),
        Content::Object(Object::Json(json)) => Held::Json(json),
        Content::Object(object) => Held::Other(object.kind()),
    }
}
