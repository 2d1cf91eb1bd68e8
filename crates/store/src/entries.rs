//! Entries as a walk over all of them sees them: digests, exports, checks.

use base::codec::{Malformed, Source};
use base::{Key, Millis, PackLimits};
use table::{Content, EntryRef, POSITIONS};

use crate::image::{self, Image};
use crate::replay::{forget_below, restore};
use crate::{HeldShards, Object, Scope, Shard, Txn};

/// An entry, seen where it lies. It may be past its deadline.
#[derive(Clone, Copy)]
pub struct Seen<'a> {
    /// The key.
    pub key: &'a [u8],
    /// When it dies.
    pub deadline: Option<Millis>,
    /// When it was last used: seconds since the Unix epoch, their lowest 24 bits.
    pub access: u32,
    /// What it holds.
    pub value: Value<'a>,
}

/// A value, seen where it lies.
#[derive(Clone, Copy)]
pub enum Value<'a> {
    /// A short string.
    Text(&'a [u8]),
    /// Anything else.
    Object(&'a Object),
}

impl<'a> Seen<'a> {
    fn of(entry: &EntryRef<'a, Object>) -> Self {
        let value = match entry.content() {
            Content::Bytes(bytes) => Value::Text(bytes),
            Content::Object(object) => Value::Object(object),
        };
        Seen { key: entry.key(), deadline: entry.deadline(), access: entry.access(), value }
    }
}

/// Entries restored in the order of their table would pile up in its first buckets: they are taken
/// in so many strides.
const STRIDES: usize = 16;

/// Shows every entry of a shard's database, in no order that means anything. Call while holding
/// every shard, or none. O(keys).
pub fn each_entry(
    held: &mut HeldShards,
    number: usize,
    db: usize,
    visit: &mut dyn FnMut(Seen<'_>),
) {
    held.with_shard(number, |shard| {
        shard.dbs()[db].keys.iter().for_each(|entry| visit(Seen::of(&entry)));
    });
}

/// The entry of a key of the current database, even past its deadline. Its shard is held. It
/// does not count as used.
#[must_use]
pub fn seen<'h>(held: &'h HeldShards, key: Key<'_>) -> Option<Seen<'h>> {
    held.table(key.hash).keys.find(key.hash, key.bytes).map(|entry| Seen::of(&entry))
}

/// The entry of a key of a shard that the caller has in hand, even past its deadline. It does not
/// count as used.
#[must_use]
pub fn seen_in<'s>(shard: &'s Shard, db: usize, hash: u64, key: &[u8]) -> Option<Seen<'s>> {
    shard.dbs()[db].keys.find(hash, key).map(|entry| Seen::of(&entry))
}

/// Looks at the entry of a key, even past its deadline, while its shard's lock is held. It does not
/// count as used. Call while holding every shard, or none.
pub fn look_at<R>(
    held: &mut HeldShards,
    (db, key): (usize, &[u8]),
    look: impl FnOnce(Option<Seen<'_>>) -> R,
) -> R {
    let hash = held.store().hasher().hash(key);
    let number = held.store().shard_of(hash);
    held.with_shard(number, |shard| look(seen_in(shard, db, hash, key)))
}

/// Shows some entries of a shard's database, from a position on, while its lock is held; where to
/// go on, if there are more. Entries that are there all the time are shown at least once, whatever
/// happens between the slices. Call while holding every shard, or none. O(`SLICE`).
pub fn each_entry_from(
    held: &mut HeldShards,
    number: usize,
    db: usize,
    from: u64,
    visit: &mut dyn FnMut(Seen<'_>),
) -> Option<u64> {
    held.with_shard(number, |shard| {
        let (table, mut position, mut shown) = (&shard.dbs()[db].keys, from, 0);
        for _ in 0..SLICE {
            position = table.scan(position, &mut |entry| {
                shown += 1;
                visit(Seen::of(&entry));
            });
            if position == 0 || shown >= SLICE {
                break;
            }
        }
        (position != 0).then_some(position)
    })
}

/// Entries and buckets of a slice, about.
const SLICE: usize = 128;

/// Takes a shard's database apart and puts it together again from what a snapshot would hold of
/// it. Its shard is held. O(keys).
///
/// # Errors
/// What would be written cannot be read; nothing has changed then.
pub fn reload(txn: &mut Txn, number: usize, db: usize) -> Result<(), Malformed> {
    let (limits, hasher) = (txn.limits, txn.store().hasher().clone());
    let mut raw = Vec::new();
    let mut starts = Vec::new();
    txn.held.with_shard(number, |shard| {
        for entry in shard.dbs()[db].keys.iter() {
            starts.push(raw.len());
            image::put(&mut raw, &entry);
        }
    });
    let read = |at| image::read(&mut Source::new(&raw[at..]), &limits, &mut txn.contexts.contexts);
    let images: Result<Vec<Image<'_>>, Malformed> = starts.into_iter().map(read).collect();
    txn.contexts.report(&txn.held.store);
    let mut images: Vec<Option<Image<'_>>> = images?.into_iter().map(Some).collect();
    forget_below(&mut txn.held, number, db, POSITIONS);
    let stride = (images.len() / STRIDES).max(1);
    for first in 0..stride {
        for image in images.iter_mut().skip(first).step_by(stride).filter_map(Option::take) {
            let hash = hasher.hash(image.key);
            restore(txn, db, hash, image);
        }
    }
    Ok(())
}

/// What became of entries that were copied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Copied {
    /// Keys that were not there.
    pub fresh: u64,
    /// Keys that were, and are replaced.
    pub replaced: u64,
}

/// Reads an entry; a document shares what it can with others of this transaction.
///
/// # Errors
/// There is none.
pub fn read_image<'a>(
    txn: &mut Txn,
    source: &mut Source<'a>,
    limits: &PackLimits,
) -> Result<Image<'a>, String> {
    let read = image::read(source, limits, &mut txn.contexts.contexts);
    txn.contexts.report(&txn.held.store);
    read.map_err(|error| error.to_string())
}

/// Copies every key of a database of another store into this one's, over what is there. Neither
/// transaction holds a shard. O(bytes).
///
/// # Errors
/// A value cannot be read, or something panicked; what came before it is there.
pub fn copy_database(txn: &mut Txn, from: &mut Txn, db: usize) -> Result<Copied, String> {
    let (store, limits) = (std::sync::Arc::clone(txn.store()), txn.limits);
    let mut copied = Copied::default();
    for number in 0..from.store().shards() {
        let mut raw = Vec::new();
        from.held.with_shard(number, |shard| {
            shard.dbs()[db].keys.iter().for_each(|entry| image::put(&mut raw, &entry));
        });
        let mut source = Source::new(&raw);
        while !source.is_done() {
            let image = read_image(txn, &mut source, &limits)?;
            let hash = store.hasher().hash(image.key);
            let done = txn.with(&store, Scope::One(store.shard_of(hash)), |txn| {
                let there = txn.held.shard(hash).dbs()[db].keys.find(hash, image.key).is_some();
                restore(txn, db, hash, image);
                txn.changes.forget();
                there
            });
            let there = done.map_err(|failed| failed.to_string())?;
            copied.replaced += u64::from(there);
            copied.fresh += u64::from(!there);
        }
    }
    Ok(copied)
}
