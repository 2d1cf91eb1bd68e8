//! Requests that took long: `SLOWLOG`.

use std::collections::VecDeque;
use std::time::Duration;

use base::Millis;
use parking_lot::Mutex;

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
}

#[derive(Default)]
struct Inner {
    next: u64,
    entries: VecDeque<Slow>,
}

impl Slowlog {
    /// Remembers a request; at most `keep` are kept.
    pub fn add(
        &self,
        argv: &[&[u8]],
        took: Duration,
        at: Millis,
        client: (String, String),
        keep: usize,
    ) {
        let mut inner = self.inner.lock();
        let id = inner.next;
        inner.next += 1;
        let (addr, name) = client;
        inner.entries.push_front(Slow { id, at, took, words: shorten(argv), addr, name });
        inner.entries.truncate(keep);
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
        self.inner.lock().entries.clear();
    }
}

fn shorten(argv: &[&[u8]]) -> Vec<Vec<u8>> {
    let whole = argv.len() <= WORDS_MAX;
    let shown = if whole { argv.len() } else { WORDS_MAX - 1 };
    let shorten_word = |(at, word): (usize, &&[u8])| match word.len() {
        _ if is_secret(argv, at) => b"(redacted)".to_vec(),
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

/// Directives whose values are secret.
const SECRETS: &[&str] = &[
    "requirepass",
    "masterauth",
    "http-token",
    "grpc-api-key",
    "tls-key-file-pass",
    "tls-client-key-file-pass",
];

/// Whether the word at this place may be a password: such words are never remembered.
pub(crate) fn is_secret(argv: &[&[u8]], at: usize) -> bool {
    let is = |at: usize, name: &str| {
        argv.get(at).is_some_and(|word| word.eq_ignore_ascii_case(name.as_bytes()))
    };
    if is(0, "auth") {
        return at > 0;
    }
    if is(0, "hello") {
        // `HELLO 3 AUTH user password`
        return at > 2 && (is(at - 1, "auth") || is(at - 2, "auth"));
    }
    if is(0, "migrate") {
        // `MIGRATE host port key db timeout … AUTH password | AUTH2 user password … KEYS key …`
        let keys = (6..argv.len()).find(|&at| is(at, "keys")).unwrap_or(argv.len());
        let behind = |by: usize, name: &str| at >= 6 + by && is(at - by, name);
        return at < keys && (behind(1, "auth") || behind(1, "auth2") || behind(2, "auth2"));
    }
    if is(0, "acl") {
        return at > 1 && ["setuser", "getuser", "deluser"].iter().any(|name| is(1, name));
    }
    let secret = |at: usize| SECRETS.iter().any(|name| is(at, name));
    is(0, "config") && is(1, "set") && at > 2 && at % 2 == 1 && secret(at - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn logged(line: &str) -> String {
        let argv: Vec<&[u8]> = line.split(' ').map(str::as_bytes).collect();
        let words = shorten(&argv);
        words.iter().map(|w| String::from_utf8_lossy(w)).collect::<Vec<_>>().join(" ")
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
