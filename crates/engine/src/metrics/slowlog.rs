//! Requests that took long: `SLOWLOG`.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use base::{Millis, Spec};
use parking_lot::Mutex;

use super::{cut, words_memory};

/// Arguments of a logged request beyond this many are only counted, as in Redis.
const WORDS_MAX: usize = 32;
/// Bytes of a logged argument beyond this are only counted.
const WORD_BYTES_MAX: usize = 128;

/// One slow request.
#[derive(Clone, Debug)]
pub struct Slow {
    /// Its number, rising since the server started.
    pub id: u64,
    /// When it ran.
    pub at: Millis,
    /// How long it took.
    pub took: Duration,
    /// Its words, shortened.
    pub words: Vec<Vec<u8>>,
    /// The client's address.
    pub addr: String,
    /// The client's name.
    pub name: String,
}

/// The last slow requests, newest first.
#[derive(Default)]
pub struct Slowlog {
    inner: Mutex<Inner>,
    /// Bytes of all entries.
    memory: AtomicUsize,
}

#[derive(Default)]
struct Inner {
    next: u64,
    entries: VecDeque<Slow>,
}

impl Slow {
    /// Bytes that it takes.
    fn memory(&self) -> usize {
        size_of::<Slow>() + words_memory(&self.words) + self.addr.len() + self.name.len()
    }
}

impl Slowlog {
    /// Remembers a request of a command; at most `keep` are kept.
    pub fn add(
        &self,
        command: &Spec,
        argv: &[&[u8]],
        took: Duration,
        at: Millis,
        client: (String, String),
        keep: usize,
    ) {
        let mut inner = self.inner.lock();
        let id = inner.next;
        inner.next += 1;
        let (addr, mut name) = client;
        // Clients may give themselves any name.
        cut(&mut name);
        let slow = Slow { id, at, took, words: shorten(command, argv), addr, name };
        let memory = self.memory.load(Ordering::Relaxed) + slow.memory();
        inner.entries.push_front(slow);
        let kept = keep.min(inner.entries.len());
        let dropped = inner.entries.drain(kept..).map(|slow| slow.memory()).sum::<usize>();
        // Others write it under the same lock.
        self.memory.store(memory - dropped, Ordering::Relaxed);
    }

    /// Bytes of all entries.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.memory.load(Ordering::Relaxed)
    }

    /// The newest `count`.
    #[must_use]
    pub fn newest(&self, count: usize) -> Vec<Slow> {
        self.inner.lock().entries.iter().take(count).cloned().collect()
    }

    /// How many are kept now.
    #[must_use]
    pub fn len(&self) -> usize {
        self.inner.lock().entries.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Forgets all.
    pub fn clear(&self) {
        let mut inner = self.inner.lock();
        inner.entries.clear();
        self.memory.store(0, Ordering::Relaxed);
    }
}

fn shorten(command: &Spec, argv: &[&[u8]]) -> Vec<Vec<u8>> {
    let whole = argv.len() <= WORDS_MAX;
    let shown = if whole { argv.len() } else { WORDS_MAX - 1 };
    let shorten_word = |(at, word): (usize, &&[u8])| match word.len() {
        _ if (command.behaviour.words.secret)(argv, at) => b"(redacted)".to_vec(),
        0..=WORD_BYTES_MAX => word.to_vec(),
        len => {
            let mut short = word[..WORD_BYTES_MAX].to_vec();
            short.extend(format!("... ({} more bytes)", len - WORD_BYTES_MAX).into_bytes());
            short
        }
    };
    let mut words: Vec<Vec<u8>> = argv[..shown].iter().enumerate().map(shorten_word).collect();
    if !whole {
        words.push(format!("... ({} more arguments)", argv.len() - shown).into_bytes());
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn logged(line: &str) -> String {
        let argv: Vec<&[u8]> = line.split(' ').map(str::as_bytes).collect();
        let table = crate::command_table().unwrap();
        let words = shorten(table.find(&argv).map_or(&Spec::NEW, |entry| entry.spec), &argv);
        words.iter().map(|w| String::from_utf8_lossy(w)).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_is_kept_is_counted_and_names_have_an_end() {
        let log = Slowlog::default();
        let add = |name: &str, keep| {
            let client = ("addr".to_owned(), name.to_owned());
            log.add(&Spec::NEW, &[b"GET", b"k"], Duration::ZERO, 1, client, keep);
        };
        add("", 2);
        let each = log.memory();
        assert!(each > size_of::<Slow>());
        add(&"n".repeat(1 << 20), 2);
        assert_eq!((log.memory(), log.newest(1)[0].name.len()), (2 * each + 4096, 4096));
        add("", 2);
        add("", 2);
        assert_eq!(log.memory(), 2 * each);
        add("", 0);
        assert_eq!(log.memory(), 0);
    }

    #[test]
    fn passwords_are_not_logged() {
        assert_eq!(logged("AUTH x"), "AUTH (redacted)");
        let moved = logged("MIGRATE h 1 auth 0 9 COPY AUTH2 u p KEYS auth a");
        assert_eq!(moved, "MIGRATE h 1 auth 0 9 COPY AUTH2 (redacted) (redacted) KEYS auth a");
        assert_eq!(logged("MIGRATE h 1 k 0 9 AUTH p"), "MIGRATE h 1 k 0 9 AUTH (redacted)");
        assert_eq!(logged("auth x y"), "auth (redacted) (redacted)");
        let hello = logged("HELLO 3 AUTH a b SETNAME c");
        assert_eq!(hello, "HELLO 3 AUTH (redacted) (redacted) SETNAME c");
        let set = logged("CONFIG SET timeout 5 requirepass a");
        assert_eq!(set, "CONFIG SET timeout 5 requirepass (redacted)");
        let set = logged("CONFIG SET tls-key-file-pass a tls-port 1");
        assert_eq!(set, "CONFIG SET tls-key-file-pass (redacted) tls-port 1");
        assert_eq!(logged("ACL SETUSER u >p"), "ACL SETUSER (redacted) (redacted)");
        // Of a request inside a request the name is shown: what its words mean is not known there.
        assert_eq!(logged("ACL DRYRUN u AUTH p"), "ACL DRYRUN u AUTH (redacted)");
        assert_eq!(logged("COMMAND GETKEYS AUTH p"), "COMMAND GETKEYS AUTH (redacted)");
        let asked = logged("COMMAND GETKEYSANDFLAGS MIGRATE h 1 k");
        assert_eq!(asked, "COMMAND GETKEYSANDFLAGS MIGRATE (redacted) (redacted) (redacted)");
        assert_eq!(logged("SET auth x"), "SET auth x");
    }

    #[test]
    fn long_requests_are_shortened() {
        let long = "x".repeat(130);
        assert_eq!(logged(&long), format!("{}... (2 more bytes)", "x".repeat(128)));
        let many = vec!["w"; 40].join(" ");
        assert!(logged(&many).ends_with("w ... (9 more arguments)"));
    }
}
