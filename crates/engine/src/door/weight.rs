//! How much there is to do for a request, as far as that can be told before it runs: one measure
//! for all doors.
//!
//! A door with few threads runs there what takes a moment, and all else on other threads
//! (`side_threads.rs`); a program with the engine in it need not let others go first meanwhile.
//! What a command is by its nature its spec says; but most take a moment only because what their
//! words and keys hold is small. Most requests say no more than a few words and go through no more
//! than these: for those no key is looked at.

use base::{Flag, Locks, Makes, Property};
use smallvec::SmallVec;
use store::Weight;

use crate::client::session::Session;
use crate::engine::Engine;
use crate::engine::entry::{Action, Entry};
use crate::engine::worker::Worker;

/// So many bytes of values, or of words, are gone through in a moment: in about a millisecond,
/// where they are small elements of a collection.
pub const LIGHT: usize = 256 << 10;
/// The same of documents, times the bytes of the paths that are looked for in them.
const LIGHT_LOOKS: usize = 4 << 20;
/// What a word costs at least, however short: for most something is looked for.
const WORD: usize = 32;

/// The positions of a request's keys; none if they cannot be found: it will fail before it touches
/// one.
fn keys_of(entry: &Entry, argv: &[&[u8]]) -> SmallVec<[usize; 4]> {
    if entry.facts.one_key {
        return SmallVec::from_iter((argv.len() > 1).then_some(1));
    }
    let mut positions = Vec::new();
    match entry.spec.key_positions(argv, &mut positions) {
        Ok(()) => positions.into(),
        Err(_) => SmallVec::new(),
    }
}

/// Whether a request may take longer than a moment because its words, or what its keys hold, are
/// large. `weigh` says what a key holds, if that can be told now.
fn is_heavy(entry: &Entry, argv: &[&[u8]], mut weigh: impl FnMut(&[u8]) -> Option<Weight>) -> bool {
    let said: usize = argv.iter().map(|word| word.len() + WORD).sum();
    if said > LIGHT {
        return true;
    }
    let grows = match entry.spec.behaviour.cost.makes {
        Makes::Nothing => 0,
        Makes::Bytes(bytes) if bytes(argv) > LIGHT => return true,
        Makes::Bytes(_) => 0,
        Makes::Length(length) => Some(length(argv)).filter(|&length| length > LIGHT).unwrap_or(0),
    };
    // The rest of a query runs on threads of its own.
    let queries = entry.is(Property::RunsAsQuery);
    let reach = entry.spec.behaviour.cost.extent.of(entry.facts.quick || queries, argv);
    if reach.most == 0 && grows == 0 {
        return false;
    }
    let mut held = 0;
    for at in keys_of(entry, argv) {
        let Some(weight) = weigh(argv[at]) else { return true };
        held += weight.share(reach);
        if held > LIGHT || weight.bytes < grows {
            return true;
        }
    }
    held.saturating_mul(looks_of(entry, argv)) > LIGHT_LOOKS
}

/// How often about a document is gone through: for each byte of its paths. What is written at every
/// place that a path finds is made as often.
fn looks_of(entry: &Entry, argv: &[&[u8]]) -> usize {
    let finds_many = |path: &[u8]| {
        path.iter().any(|byte| b"*?:,".contains(byte)) || path.windows(2).any(|two| two == b"..")
    };
    let many = entry.has(Flag::Write) && entry.spec.behaviour.words.paths.of(argv).any(finds_many);
    if many {
        argv.iter().skip(2).map(|word| word.len()).sum()
    } else {
        entry.spec.behaviour.words.paths.of(argv).map(<[u8]>::len).sum()
    }
}

impl Worker {
    /// Whether a request may take longer than a moment because its words, or what its keys hold,
    /// are large. Holds nothing afterwards.
    pub(crate) fn is_heavy(&mut self, session: &Session, entry: &Entry, argv: &[&[u8]]) -> bool {
        let heavy =
            is_heavy(entry, argv, |name| Some(store::weigh(&mut self.txn.held, session.db, name)));
        // What was looked at here is nothing that the next request has seen.
        self.txn.held.take_seen();
        heavy
    }
}

impl Engine {
    /// Whether a request about a database takes no longer than a moment and, as things stand, waits
    /// for nothing: neither for the disk nor for another request.
    #[must_use]
    pub fn is_moment(&self, db: usize, argv: &[&[u8]]) -> bool {
        let Some(entry) = self.table.find(argv).filter(|entry| entry.facts.quick) else {
            return false;
        };
        let always = self.store.log().policy() == journal::Policy::Always;
        matches!(entry.action, Action::Data(_))
            && !entry.has(Flag::Blocking)
            && !entry.is(Property::RunsAsQuery)
            && matches!((entry.spec.behaviour.cost.locks)(argv), Locks::Keys | Locks::Nothing)
            && (!always || !self.durability.is_journaling())
            && !self.store.log().holds_back()
            && !self.run.request_flags.now().paused()
            && !is_heavy(entry, argv, |name| self.store.weigh_at_once(db, name))
            // Those that are weighed are free.
            && (entry.spec.behaviour.cost.extent.of(true, argv).most > 0
                || keys_of(entry, argv).into_iter().all(|at| self.store.is_free(argv[at])))
    }
}
