//! What is done for a request before it takes locks.
//!
//! Other threads wait for the holder of a lock, so what needs none is done outside: paths whose
//! regular expressions take long to be compiled are compiled here, and found ready by the command.
//! A script does the same under its locks, command by command, since it is unknown beforehand what
//! it will call; what a path may take is bounded for its sake, too.

use base::{Args, Paths, Property, Stores};
use config::Config;
use store::Txn;
use types::{Documents, may_hold_patterns};

use crate::engine::Engine;
use crate::engine::entry::Entry;
use crate::evict;

/// Compiles the paths of a request, and makes room for a copy of a value.
#[inline]
pub(crate) fn request(
    engine: &Engine,
    txn: &mut Txn,
    config: &Config,
    (entry, argv): (&Entry, &[&[u8]]),
) {
    paths(txn, entry, argv);
    if config.memory.maxmemory.is_some() && entry.spec.behaviour.stores == Stores::Copied {
        let hasher = engine.store.hasher();
        evict::make_room_for_copy(
            engine,
            txn,
            config,
            Args::new(argv, entry.naming.words, None, hasher),
        );
    }
}

/// Words of so many bytes together are copied before locks are taken, if a copy may be needed.
const LONG_WORDS: usize = 16 << 10;

/// The words of a request that is worked at by another thread for the most part, if they are long:
/// to copy them takes time in which no shard is to be held.
#[inline]
pub(crate) fn long_words(entry: &Entry, argv: &[&[u8]]) -> Option<Vec<Vec<u8>>> {
    let is_long = || argv.iter().map(|word| word.len()).sum::<usize>() > LONG_WORDS;
    (entry.is(Property::RunsAsQuery) && is_long()).then(|| own_words(argv))
}

/// A copy of the words of a request.
pub(crate) fn own_words(argv: &[&[u8]]) -> Vec<Vec<u8>> {
    argv.iter().map(|word| word.to_vec()).collect()
}

/// Compiles the paths of a request.
#[inline]
pub(crate) fn paths<W: AsRef<[u8]>>(txn: &mut Txn, entry: &Entry, argv: &[W]) {
    let paths = entry.spec.behaviour.words.paths;
    if paths != Paths::None && paths.of(argv).any(may_hold_patterns) {
        compile(txn, paths, argv);
    }
}

#[cold]
fn compile<W: AsRef<[u8]>>(txn: &mut Txn, paths: Paths, argv: &[W]) {
    txn.with_tools(|_, tools| {
        let costly = paths.of(argv).filter(|word| may_hold_patterns(word));
        costly.for_each(|word| tools.paths.make_ready(word));
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command_table;

    #[test]
    fn long_words_are_copied_ahead_for_what_may_keep_them() {
        let table = command_table().expect("the table is sound");
        let long = vec![b'x'; LONG_WORDS];
        for (name, kept) in [("graph.query", true), ("graph.bulk", true), ("set", false)] {
            let words: [&[u8]; 3] = [name.as_bytes(), b"key", &long];
            let entry = table.find(&words).expect("a command of that name");
            let copy = long_words(entry, &words);
            assert_eq!(copy.is_some(), kept, "{name}");
            assert!(copy.is_none_or(|copy| copy == words), "{name}");
            assert_eq!(long_words(entry, &words[..2]), None, "{name}: these are short");
        }
    }
}
