//! How the run of a command ended: what to propagate of it, or what is left to be done.

use crate::{CmdError, Edit, Kind, Millis, Query};

/// What the journal must keep of a command that ran.
///
/// Returned, not reported on the side: a write that forgets to tell must say `None` on purpose.
/// `None` also means that nothing was changed, so that no watcher is disturbed.
#[derive(Debug, PartialEq)]
pub enum Effect {
    /// Nothing changed.
    None,
    /// Running the very same request again has the same result.
    AsSent,
    /// This request, free of clocks and randomness, has the same result.
    Rewritten(Argv),
    /// These requests, in order, have the same result.
    Several(Vec<Argv>),
    /// As `Several`, but clients that watch the keys are not told, and clients that wait for them
    /// are not served: Redis does not count as a change what happens to the groups of a stream.
    Unwatched(Vec<Argv>),
    /// As `Unwatched`, but it ends waits: a group is gone for which clients read.
    Unblocks(Vec<Argv>),
    /// Nothing could be done yet: the client waits. Never mixed with a written reply.
    Block(Box<Wait>),
    /// The rest reads a version for as long as it takes, and writes the reply; nothing was written
    /// yet, and nothing is changed.
    Query(Query),
    /// The rest changes a fork of the key's value, for as long as it takes, and writes the reply;
    /// then the command runs once more and installs it ([`Args::installing`](crate::Args)). Nothing
    /// was written yet, and nothing is changed.
    Edit(Edit),
}

/// What a blocked client waits for.
#[derive(Debug, PartialEq)]
pub struct Wait {
    /// Positions in the request's argv of the keys that can end the wait, ascending. A key may be
    /// named more than once: then the first counts.
    pub keys: Vec<usize>,
    /// The type such a key must have.
    pub kind: Kind,
    /// When to give up (absolute); `None` waits for ever.
    pub until: Option<Millis>,
    /// What the client gets at once where it may not wait, inside a transaction. (Where it waits
    /// in vain it gets a missing array, whatever the command.)
    pub in_transaction: Nothing,
    /// How it goes on, if not as it was sent.
    pub resume: Option<Resume>,
}

/// How a waiting request goes on that depends on the moment at which it began to wait.
#[derive(Debug, Default, PartialEq)]
pub struct Resume {
    /// The request to run when one of the keys is fed, up to that key. There may be very many: what
    /// each has for itself is one word.
    pub again: Argv,
    /// For each of [`Wait::keys`], the word behind it in that request.
    pub behind: Vec<Box<[u8]>>,
    /// What tells apart clients that can be served from those that cannot, if it is not the word
    /// behind the key: requests of the same words here wait in one queue. Where the first finds
    /// nothing nor do the others.
    pub alike: Option<Box<[u8]>>,
    /// What the client gets when such a key no longer holds a value of the right type; without,
    /// it waits on.
    pub gone: Option<CmdError>,
}

/// The reply of a blocking command that got nothing and may not wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nothing {
    /// A null bulk string.
    Null,
    /// A null array.
    NullArray,
}

/// A request in one piece of memory: a sequence of byte strings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Argv {
    bytes: Vec<u8>,
    ends: smallvec::SmallVec<[u32; 6]>,
}

impl Argv {
    /// A request of these words.
    #[must_use]
    pub fn new(words: &[&[u8]]) -> Self {
        let mut argv = Argv {
            bytes: Vec::with_capacity(words.iter().map(|w| w.len()).sum()),
            ends: smallvec::SmallVec::new(),
        };
        for word in words {
            argv.push(word);
        }
        argv
    }

    /// Adds a word at the end.
    pub fn push(&mut self, word: &[u8]) {
        self.bytes.extend_from_slice(word);
        // A request is bounded by the query buffer limit, far below 4 GiB per word sequence that
        // we rewrite; saturating keeps a broken promise from becoming a wrong slice.
        self.ends.push(u32::try_from(self.bytes.len()).unwrap_or(u32::MAX));
    }

    /// Adds a decimal integer at the end.
    pub fn push_int(&mut self, n: i64) {
        self.push(itoa::Buffer::new().format(n).as_bytes());
    }

    /// The number of words.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no word.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The words, in order.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let mut start = 0;
        self.ends.iter().map(move |&end| {
            let word = self.bytes.get(start..end as usize).unwrap_or_default();
            start = end as usize;
            word
        })
    }
}
