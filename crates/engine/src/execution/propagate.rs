//! Propagation: from what a command did to what the journal keeps of it; and the tracking of reads.
//!
//! A command about one key is kept as the command. One about several is kept as the keys it left
//! behind, each as it is now: records then concern one shard each, and may be replayed side by side
//! and over a snapshot that has seen some of the keys earlier than others. A large value that goes
//! to another key is not written out, but kept as the two names, and a command that stores one is
//! kept as it is, with barriers in the shards that it reads. What a walk over the keyspace does
//! (`FLUSHALL`, `SWAPDB`) and what expires the store records itself.

use base::{Databases, Effect, Key, Property, Stores};
use smallvec::SmallVec;
use store::Txn;

use crate::client::ClientId;
use crate::engine::Engine;
use crate::engine::entry::Entry;

/// Keeps what a command did. Runs under the command's locks, right after it.
#[inline]
pub(crate) fn effect(
    engine: &Engine,
    txn: &mut Txn,
    (entry, argv, hash): (&Entry, &[&[u8]], Option<u64>),
    effect: &Effect,
) {
    match effect {
        Effect::None | Effect::Block(_) | Effect::Query(_) | Effect::Edit(_) => {}
        Effect::AsSent => command(engine, txn, (entry, argv, hash)),
        _ if !txn.held.is_recording_any() => {}
        Effect::Rewritten(words) => rewritten(engine, txn, words),
        Effect::Several(requests) | Effect::Unwatched(requests) | Effect::Unblocks(requests) => {
            requests.iter().for_each(|words| rewritten(engine, txn, words))
        }
    }
}

fn rewritten(engine: &Engine, txn: &mut Txn, words: &base::Argv) {
    let argv: SmallVec<[&[u8]; 8]> = words.iter().collect();
    match engine.table.find_own(&argv) {
        Some(entry) => command(engine, txn, (entry, &argv, None)),
        None => debug_assert!(false, "an effect that is no command"),
    }
}

fn command(engine: &Engine, txn: &mut Txn, (entry, argv, hash): (&Entry, &[&[u8]], Option<u64>)) {
    if entry.is_called_otherwise(argv[0]) {
        // Journals know commands by their own names: others may be given at every start.
        let mut own: SmallVec<[&[u8]; 8]> = argv.iter().copied().collect();
        own[0] = entry.name().split('|').next().unwrap_or_default().as_bytes();
        return record(engine, txn, (entry, &own, hash));
    }
    record(engine, txn, (entry, argv, hash));
}

#[inline]
fn record(engine: &Engine, txn: &mut Txn, (entry, argv, hash): (&Entry, &[&[u8]], Option<u64>)) {
    if entry.facts.one_key && !entry.facts.moves {
        let hash = hash.unwrap_or_else(|| engine.store.hasher().hash(argv[1]));
        if !txn.held.is_recording(hash) {
            return;
        }
        return match argv {
            [_, key, value] if entry.is(Property::StoresString) => {
                txn.held.record_set(Key { bytes: key, hash }, value);
            }
            _ => txn.held.record_command(hash, argv.iter().copied()),
        };
    }
    if !txn.held.is_recording_any() {
        return;
    }
    let mut positions = Vec::new();
    // What has run has keys that can be found.
    let _ = entry.spec.key_positions(argv, &mut positions);
    let first = positions.first().map(|&at| argv[at]);
    let alone = !entry.facts.moves && (entry.spec.behaviour.keys.target)(argv).is_none();
    if alone && first.is_some() && positions.iter().all(|&at| Some(argv[at]) == first) {
        let hash = engine.store.hasher().hash(argv[positions[0]]);
        return txn.held.record_command(hash, argv.iter().copied());
    }
    let request = (entry, argv);
    if !moved(engine, txn, request, &positions) && !derived(engine, txn, request) {
        keys(engine, txn, entry, argv);
    }
}

/// Keeps by two names what has gone from one key to another, if it is large. Whether it was kept.
fn moved(
    engine: &Engine,
    txn: &mut Txn,
    (entry, argv): (&Entry, &[&[u8]]),
    positions: &[usize],
) -> bool {
    let stays = match entry.spec.behaviour.stores {
        Stores::Moved => false,
        Stores::Copied => true,
        Stores::Anything | Stores::Derived | Stores::Sorted => return false,
    };
    let (Some(&from), Some(&to)) = (positions.first(), positions.last()) else { return false };
    let (here, databases) = (txn.db(), txn.databases());
    let there = other_database(entry, argv).filter(|&db| db < databases).unwrap_or(here);
    let hasher = engine.store.hasher();
    let (from, to) = (hasher.key(argv[from]), hasher.key(argv[to]));
    txn.held.record_move((here, from), (there, to), stays)
}

/// The keys of a command that stores what it makes of them, and of nothing else; first the one
/// where the result goes. `None` for all other commands.
pub(crate) fn derived_from(entry: &Entry, argv: &[&[u8]]) -> Option<Vec<usize>> {
    let mut positions = Vec::new();
    match entry.spec.behaviour.stores {
        Stores::Derived => entry.spec.key_positions(argv, &mut positions).ok().map(|()| positions),
        Stores::Sorted => {
            let target = (entry.spec.behaviour.keys.target)(argv)?;
            // Patterns find keys by themselves; without one the order is that of the bytes in the
            // end.
            let finds = argv[2..].iter().any(|word| word.contains(&b'*'));
            (!finds).then(|| vec![target, 1])
        }
        Stores::Anything | Stores::Moved | Stores::Copied => None,
    }
}

/// Keeps by itself a command that has stored a large value: to write that out takes as long again
/// as to make it, and as much memory. Whether it was kept.
fn derived(engine: &Engine, txn: &mut Txn, (entry, argv): (&Entry, &[&[u8]])) -> bool {
    let Some(positions) = derived_from(entry, argv) else { return false };
    let hasher = engine.store.hasher();
    let hashes: SmallVec<[u64; 8]> = positions.iter().map(|&at| hasher.hash(argv[at])).collect();
    let target = positions.first().map(|&at| hasher.key(argv[at]));
    target.is_some_and(|target| txn.held.record_derived(target, &hashes, argv))
}

/// Keeps every key that a command may have changed as it is now: also after a command that failed
/// half-way.
pub(crate) fn keys(engine: &Engine, txn: &mut Txn, entry: &Entry, argv: &[&[u8]]) {
    for (db, at) in changed(entry, argv, (txn.db(), txn.databases())) {
        txn.held.record_key(db, engine.store.hasher().key(argv[at]));
    }
}

/// The keys that a command may change: the database of each, and where it stands among the words.
/// `here` is the database of the request, of so many.
pub(crate) fn changed(
    entry: &Entry,
    argv: &[&[u8]],
    (here, databases): (usize, usize),
) -> SmallVec<[(usize, usize); 4]> {
    let mut positions = Vec::new();
    let _ = entry.spec.changed_positions(argv, &mut positions);
    positions.extend((entry.spec.behaviour.keys.target)(argv));
    let there = other_database(entry, argv).filter(|&db| db != here && db < databases);
    base::keep_first(argv, &mut positions);
    let both = || std::iter::once(here).chain(there);
    positions.iter().flat_map(|&at| both().map(move |db| (db, at))).collect()
}

/// The second database of a request that may change a key in another than the session's.
fn other_database(entry: &Entry, argv: &[&[u8]]) -> Option<usize> {
    entry.spec.behaviour.keys.database.and_then(|database| database(argv))
}

/// Remembers that a client has read the keys of a request. Runs under the request's locks.
#[cold]
pub(crate) fn note_reader(
    engine: &Engine,
    txn: &mut Txn,
    (entry, argv): (&Entry, &[&[u8]]),
    reader: ClientId,
) {
    let mut positions = Vec::new();
    // A request that failed may have no keys that can be found; then it has read none.
    let _ = entry.spec.key_positions(argv, &mut positions);
    for at in positions {
        store::note_reader(txn, engine.store.hasher().key(argv[at]), reader);
    }
}
