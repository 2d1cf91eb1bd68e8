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
    let mut words: Vec<Vec<u8>> = argv[..shown]
        .iter()
        .map(|word| match word.len() {
            0..=WORD_BYTES_MAX => word.to_vec(),
            len => {
                let mut short = word[..WORD_BYTES_MAX].to_vec();
                short.extend(format!("... ({} more bytes)", len - WORD_BYTES_MAX).into_bytes());
                short
            }
        })
        .collect();
    if !whole {
        words.push(format!("... ({} more arguments)", argv.len() - shown).into_bytes());
    }
    words
}
