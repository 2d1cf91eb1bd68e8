//! `ACL LOG`: refused requests and failed logins, those of the same kind together.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};

use base::Millis;
use parking_lot::Mutex;

use crate::metrics::{NAME_MAX, cut};

/// Refusals further apart than this are told by themselves.
const TOGETHER: Millis = 60_000;
/// How many of the newest entries are looked at for one of the same kind.
const LOOKED_AT: usize = 10;

/// What was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    Auth,
    Command,
    Key,
    Channel,
}

impl Reason {
    pub fn name(self) -> &'static str {
        match self {
            Reason::Auth => "auth",
            Reason::Command => "command",
            Reason::Key => "key",
            Reason::Channel => "channel",
        }
    }
}

/// Where it was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Context {
    TopLevel,
    Multi,
    Script,
}

impl Context {
    pub fn name(self) -> &'static str {
        match self {
            Context::TopLevel => "toplevel",
            Context::Multi => "multi",
            Context::Script => "lua",
        }
    }
}

/// Refusals of one kind.
#[derive(Clone, Debug)]
pub(crate) struct Refusal {
    /// How many there were.
    pub count: u64,
    pub reason: Reason,
    pub context: Context,
    /// The command, key or channel.
    pub object: Vec<u8>,
    /// The user, or the name that was tried.
    pub username: Vec<u8>,
    /// When the last of them was.
    pub at: Millis,
    /// The client as `CLIENT INFO` would show it then.
    pub client: String,
}

impl Refusal {
    /// Bytes that it takes.
    fn memory(&self) -> usize {
        size_of::<Refusal>() + self.object.len() + self.username.len() + self.client.len()
    }
}

/// The last refusals, newest first.
#[derive(Default)]
pub(crate) struct Log {
    entries: Mutex<VecDeque<Refusal>>,
    /// Bytes of all of them.
    memory: AtomicUsize,
}

impl Log {
    /// Remembers a refusal; at most `keep` entries are kept. Of a long name its beginning is kept:
    /// refused clients must not fill the memory.
    pub fn add(&self, mut refusal: Refusal, keep: usize) {
        for name in [&mut refusal.object, &mut refusal.username] {
            name.truncate(NAME_MAX);
            name.shrink_to_fit();
        }
        cut(&mut refusal.client);
        let mut entries = self.entries.lock();
        let same = entries.iter().take(LOOKED_AT).position(|entry| {
            (entry.reason, entry.context) == (refusal.reason, refusal.context)
                && refusal.at.abs_diff(entry.at) <= TOGETHER
                && entry.object == refusal.object
                && entry.username == refusal.username
        });
        let same = same.and_then(|at| entries.remove(at));
        refusal.count += same.as_ref().map_or(0, |entry| entry.count);
        let gone = same.iter().map(Refusal::memory).sum::<usize>();
        let memory = self.memory.load(Ordering::Relaxed) - gone + refusal.memory();
        entries.push_front(refusal);
        let kept = keep.min(entries.len());
        let dropped = entries.drain(kept..);
        let dropped = dropped.map(|entry| entry.memory()).sum::<usize>();
        // Others write it under the same lock.
        self.memory.store(memory - dropped, Ordering::Relaxed);
    }

    /// Bytes of all entries.
    pub fn memory(&self) -> usize {
        self.memory.load(Ordering::Relaxed)
    }

    /// The newest `count`.
    pub fn newest(&self, count: usize) -> Vec<Refusal> {
        self.entries.lock().iter().take(count).cloned().collect()
    }

    /// Forgets all.
    pub fn clear(&self) {
        let mut entries = self.entries.lock();
        entries.clear();
        self.memory.store(0, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(object: &str, at: Millis) -> Refusal {
        Refusal {
            count: 1,
            reason: Reason::Key,
            context: Context::TopLevel,
            object: object.into(),
            username: b"u".to_vec(),
            at,
            client: String::new(),
        }
    }

    #[test]
    fn refusals_of_a_kind_are_counted_together_and_come_to_the_front() {
        let log = Log::default();
        for (object, at) in [("a", 1), ("b", 2), ("a", 60_001), ("a", 120_002)] {
            log.add(refusal(object, at), 128);
        }
        let shown: Vec<_> = log.newest(10).into_iter().map(|e| (e.object, e.count)).collect();
        assert_eq!(shown, [(b"a".to_vec(), 1), (b"a".to_vec(), 2), (b"b".to_vec(), 1)]);
    }

    #[test]
    fn of_a_long_name_the_beginning_is_kept() {
        let log = Log::default();
        log.add(refusal(&"x".repeat(NAME_MAX + 1), 1), 2);
        log.add(refusal(&"x".repeat(NAME_MAX + 2), 1), 2);
        let entries = log.newest(10);
        assert_eq!((entries.len(), entries[0].count), (1, 2));
        assert_eq!(entries[0].object.len(), NAME_MAX);
        log.add(Refusal { client: "\u{e9}".repeat(NAME_MAX), ..refusal("y", 1) }, 1);
        assert_eq!(log.newest(1)[0].client.len(), NAME_MAX);
        assert_eq!(log.memory(), size_of::<Refusal>() + 2 + NAME_MAX);
        log.add(Refusal { client: "x".repeat(NAME_MAX + 9), ..refusal("y", 2) }, 2);
        log.add(refusal("z", 2), 2);
        assert_eq!(log.memory(), 2 * (size_of::<Refusal>() + 2) + NAME_MAX);
        log.clear();
        assert_eq!(log.memory(), 0);
    }

    #[test]
    fn only_so_many_are_kept() {
        let log = Log::default();
        for object in ["a", "b", "c"] {
            log.add(refusal(object, 1), 2);
        }
        assert_eq!(log.newest(10).len(), 2);
        assert_eq!(log.newest(1)[0].object, b"c");
        log.add(refusal("d", 1), 0);
        assert!(log.newest(10).is_empty());
    }
}
