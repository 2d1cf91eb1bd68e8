//! What is done for a request before it takes locks.
//!
//! Other threads wait for the holder of a lock, so what needs none is done outside: paths whose
//! regular expressions take long to be compiled are compiled here, and found ready by the command.
//! A script does the same under its locks, command by command, since it is unknown beforehand what
//! it will call; what a path may take is bounded for its sake, too.

use base::{Args, Paths, Stores};
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
