//! Requests that run for long by their nature, on another thread: calls that come meanwhile are
//! answered.
//!
//! A few at a time, each with a worker of its own; others wait for their turn, without a thread,
//! and no more than so many. Whoever has sent one and gives up does not end it, but for a script,
//! which others can end (`SCRIPT KILL`); who gives up waiting leaves the queue.

use std::sync::Arc;

use base::Locks;
use bytes::Bytes;
use engine::Entry;
use smallvec::SmallVec;
use tonic::Status;

use crate::connection_user::SessionGuard;
use crate::shared::Shared;
use crate::status;

/// Of the commands that are about certain keys, or about none, those that take long all the same.
const LONG: &[&str] = &["save", "sort", "sort_ro"];

/// Of those that go through all shards, the ones that look at each for a moment, however many keys
/// it has.
const SHORT: &[&str] = &[
    "client|pause",
    "dbsize",
    "flushall",
    "flushdb",
    "info",
    "memory|doctor",
    "memory|stats",
    "randomkey",
    "swapdb",
];

/// The largest page of a walk that is no long request.
const PAGE: i64 = 1000;

/// Whether a request runs aside. What goes through shards that its keys do not name may have to
/// look at every key, or runs what somebody has written; so a command that nobody has thought of
/// here is judged by its spec.
pub fn is_long(entry: &Entry, words: &[&[u8]]) -> bool {
    let name = entry.name();
    match (entry.spec.locks)(words) {
        Locks::Keys | Locks::Nothing => LONG.contains(&name),
        Locks::Each | Locks::Every => !SHORT.contains(&name) && !is_page(name, words),
    }
}

/// Whether it asks for one page of a walk, and for none that is large.
fn is_page(name: &str, words: &[&[u8]]) -> bool {
    // How many words stand before the options, what says how large a page is, and whether one is
    // asked for anyway: `RANGE` and `PREFIX` answer everything unless they are given a cursor.
    let (options, size, always) = match name {
        "scan" => (2, "COUNT", true),
        "prefix" => (2, "LIMIT", false),
        "range" => (3, "LIMIT", false),
        _ => return false,
    };
    let words = words.get(options..).unwrap_or_default();
    let is = |word: &[u8], option: &str| word.eq_ignore_ascii_case(option.as_bytes());
    let is_small = |pair: &[&[u8]]| {
        !is(pair[0], size) || base::num::parse_i64(pair[1]).is_some_and(|size| size <= PAGE)
    };
    (always || words.iter().any(|word| is(word, "CURSOR"))) && words.windows(2).all(is_small)
}

/// Runs a request aside and waits for its reply.
///
/// # Errors
/// There is no such database; the connection was ended meanwhile; too many wait already.
pub async fn ask(mut guard: SessionGuard, db: u32, words: Vec<Bytes>) -> Result<Vec<u8>, Status> {
    let shared = Arc::clone(guard.shared());
    let _counted = Counted::new(&shared)?;
    let permit = Arc::clone(&shared.permits).acquire_owned().await.map_err(|_| status::broken())?;
    let running = tokio::task::spawn_blocking(move || {
        // Given back when the request is done, whoever still waits for it.
        let _permit = permit;
        let shared = Arc::clone(guard.shared());
        let mut slot = shared.lock_long_worker();
        let argv: SmallVec<[&[u8]; 8]> = words.iter().map(|word| &word[..]).collect();
        let answered = guard.begin(&mut slot, db, &argv);
        let out = std::mem::take(&mut slot.out);
        drop(slot);
        answered.map(|answered| (guard, out, answered))
    });
    let done = running.await.map_err(|_| status::broken())?;
    let (mut guard, out, answered) = done?;
    guard.shared().look_whether_stopping();
    if answered { Ok(out) } else { guard.finish(out).await }
}

/// One among those that run for long or wait for that.
struct Counted(Arc<Shared>);

impl Counted {
    fn new(shared: &Arc<Shared>) -> Result<Self, Status> {
        if !shared.long.take(1) {
            return Err(status::exhausted("too many requests that run for long are waiting"));
        }
        Ok(Counted(Arc::clone(shared)))
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.long.give(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs_long(line: &str) -> bool {
        let table = engine::command_table().expect("a table");
        let words: Vec<&[u8]> = line.split(' ').map(str::as_bytes).collect();
        is_long(table.find(&words).expect(line), &words)
    }

    #[test]
    fn what_may_look_at_every_key_runs_aside() {
        for line in [
            "DEBUG JMAP",
            "EVAL s 0",
            "EVAL_RO s 0",
            "EVALSHA s 0",
            "EVALSHA_RO s 0",
            "FCALL f 0",
            "FCALL_RO f 0",
            "FUNCTION LOAD f",
            "KEYS *",
            "PREFIX p",
            "PREFIX p LIMIT 10 TYPE list",
            "PREFIX CURSOR",
            "PREFIX p CURSOR 0 LIMIT 100000",
            "PREFIX.COUNT p",
            "RANGE - +",
            "RANGE - CURSOR",
            "RANGE - + CURSOR 0 LIMIT 10 LIMIT 1000000",
            "RANGE.AGGREGATE - + SUM",
            "RANGE.COUNT - +",
            "RANGE.DELETE - +",
            "SAVE",
            "SCAN 0 COUNT 1000000",
            "SCAN 0 count x",
            "SORT k",
            "SORT_RO k",
        ] {
            assert!(runs_long(line), "{line}");
        }
    }

    #[test]
    fn what_looks_at_few_keys_does_not() {
        for line in [
            "CLIENT PAUSE 1",
            "DBSIZE",
            "FLUSHALL",
            "GET k",
            "INFO",
            "MGET a b",
            "PING",
            "PREFIX p CURSOR 0",
            "RANGE - + REV cursor 0 limit 1000",
            "SCAN 0",
            "SCAN 0 MATCH p COUNT 1000",
            "SCRIPT KILL",
            "SET k v",
        ] {
            assert!(!runs_long(line), "{line}");
        }
    }

    /// A command that comes to the table is long unless it is named here.
    #[test]
    fn the_exceptions_are_commands_to_which_the_rule_applies() {
        let table = engine::command_table().expect("a table");
        let locks =
            |name: &str| table.by_name(name.as_bytes()).map(|entry| (entry.spec.locks)(&[]));
        for name in SHORT {
            assert!(matches!(locks(name), Some(Locks::Each | Locks::Every)), "{name}");
        }
        for name in LONG {
            assert!(matches!(locks(name), Some(Locks::Keys | Locks::Nothing)), "{name}");
        }
    }
}
