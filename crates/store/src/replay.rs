//! What recovery does to shards: entries are put back and keys taken away, whatever their deadlines
//! say.

use base::{CmdError, Databases, Key};
use table::POSITIONS;

use crate::image::{Image, Value};
use crate::shard::noted::note;
use crate::{Db, Garbage, HeldShards, Object, Txn};

/// Makes room for so many keys in what the shard of this hash has of database `db`, if they are
/// far more than are there. The shard is held.
pub fn reserve(held: &mut HeldShards, db: usize, hash: u64, keys: usize) {
    held.shard_mut(hash).dbs[db].keys.reserve(keys);
}

/// Puts an entry that was read back into database `db`, whatever is there. Its shard is held.
pub fn restore(txn: &mut Txn, db: usize, hash: u64, image: Image<'_>) {
    let Image { key, deadline, value, flags, access } = image;
    let clock = std::mem::replace(&mut txn.uses.second, access);
    let measure = std::mem::take(&mut txn.uses.measure);
    let key = Key { bytes: key, hash };
    match value {
        Value::Text(text) => give_text(txn, db, key, text, deadline, flags),
        Value::Object(object) => txn.give(db, key, object, deadline, flags),
    }
    (txn.uses.second, txn.uses.measure) = (clock, measure);
}

/// Takes what one key holds, in a database, to another one, or copies it. Whether it is there.
/// All shards are held.
///
/// # Errors
/// It cannot be copied.
pub fn relocate(
    txn: &mut Txn,
    (from_db, from): (usize, Key<'_>),
    (to_db, to): (usize, Key<'_>),
    stays: bool,
) -> Result<bool, CmdError> {
    txn.select(from_db);
    let there = txn.held.shard(from.hash).dbs[from_db].keys.find(from.hash, from.bytes).is_some();
    if !there {
        return Ok(false);
    }
    if stays {
        txn.copy(from, to, to_db, true)?;
    } else if from_db == to_db {
        txn.rename(from, to);
    } else {
        forget(&mut txn.held, to_db, to.hash, to.bytes);
        txn.move_to(from, to_db);
    }
    txn.changes.forget();
    Ok(true)
}

/// Takes a key out of database `db`, whatever it holds and however old it is. Its shard is
/// held.
pub fn forget(held: &mut HeldShards, db: usize, hash: u64, key: &[u8]) {
    let garbage = held.shard_mut(hash).db_mut(db).remove(hash, key);
    held.store().discard(garbage.unwrap_or(Garbage::Nothing));
}

/// Empties the part of a held shard's database below a position.
pub fn forget_below(held: &mut HeldShards, number: usize, db: usize, position: u64) {
    let hasher = held.store().hasher().clone();
    let is_noted = held.with_shard(number, |shard| shard.dbs[db].noted.is_some());
    if position < POSITIONS || is_noted {
        return forget_where(held, number, db, |key| table::position(hasher.hash(key)) < position);
    }
    let table = held.with_shard(number, |shard| shard.db_mut(db).replace(Db::new(&hasher)));
    held.store().discard(Garbage::Keys(Box::new(table)));
}

/// Takes the keys of a shard's database away for which `gone` is true. O(keys).
pub fn forget_where(held: &mut HeldShards, number: usize, db: usize, gone: impl Fn(&[u8]) -> bool) {
    let hasher = held.store().hasher().clone();
    let garbage: Vec<Garbage> = held.with_shard(number, |shard| {
        let keys: Vec<Box<[u8]>> = shard.dbs[db]
            .keys
            .iter()
            .filter(|entry| gone(entry.key()))
            .map(|entry| entry.key().into())
            .collect();
        let table = shard.db_mut(db);
        keys.iter().filter_map(|key| table.remove(hasher.hash(key), key)).collect()
    });
    garbage.into_iter().for_each(|removed| held.store().discard(removed));
}

/// Exchanges the parts of two databases in one shard.
pub fn swap_shard(held: &mut HeldShards, number: usize, a: usize, b: usize) {
    let store = std::sync::Arc::clone(held.store());
    for db in [a, b] {
        store.indexes.give_up(db);
    }
    held.with_shard(number, |shard| {
        [a, b].into_iter().for_each(|db| store.indexes.forget_noted(shard, db));
        shard.swap(a, b);
    });
}

fn give_text(
    txn: &mut Txn,
    db: usize,
    key: Key<'_>,
    text: &[u8],
    deadline: Option<u64>,
    flags: u8,
) {
    if text.len() > crate::INLINE_MAX {
        return txn.give(db, key, Object::string(text.to_vec()), deadline, flags);
    }
    let clock = txn.uses.second;
    let table = txn.held.shard_mut(key.hash).db_mut(db);
    let mut put = table.keys.put_bytes(key.hash, key.bytes, text);
    put.entry.set_deadline(deadline);
    put.entry.set_user_flags(flags);
    put.entry.set_access(clock);
    if put.inserted {
        note(&mut table.noted, key.bytes, true);
    }
    let replaced = put.replaced;
    if let Some(old) = &replaced {
        table.objects -= old.memory();
    }
    txn.store().discard(Garbage::of(replaced));
}
