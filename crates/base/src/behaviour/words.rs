//! What a grammar cannot say of the words of a request, and how to look at them.

use crate::num;

/// What a grammar cannot say of the words of a request.
#[derive(Clone, Copy, Debug)]
pub struct WordRules {
    /// Which of its words are paths of documents.
    pub paths: Paths,
    /// Which of its words are channels.
    pub channels: Channels,
    /// How it names the script it runs.
    pub script: ScriptBy,
    /// Of one that blocks: whether an option of a request asks to wait. Scripts are refused that;
    /// what always blocks does not wait in them.
    pub asks_to_wait: fn(&[&[u8]]) -> bool,
    /// Whether a request counts a time from now, rather than from 1970. It must not run by the
    /// clock of a time gone by.
    pub from_now: fn(&[&[u8]]) -> bool,
    /// Whether the word at a position may be a password, or tell something about one: it is kept in
    /// no log and shown to no client.
    pub secret: fn(&[&[u8]], usize) -> bool,
}

/// Which words of a request are paths of documents. Those that take long to be compiled are
/// compiled before any lock is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paths {
    /// None.
    None,
    /// The one at this position.
    At(usize),
    /// All from this position on, options between them included.
    From(usize),
    /// This one, and every so many further on.
    Every(usize, usize),
    /// The last one.
    Last,
}

impl Paths {
    /// These words of a request.
    pub fn of<W: AsRef<[u8]>>(self, argv: &[W]) -> impl Iterator<Item = &[u8]> {
        let len = argv.len();
        let (from, step, to) = match self {
            Paths::None => (len, 1, len),
            Paths::At(at) => (at, 1, at + 1),
            Paths::From(at) => (at, 1, len),
            Paths::Every(at, step) => (at, step, len),
            Paths::Last => (len.saturating_sub(1), 1, len),
        };
        let words = argv.get(..to.min(len)).unwrap_or_default();
        words.iter().map(AsRef::as_ref).skip(from).step_by(step.max(1))
    }
}

/// Which words of a request are channels (of publish and subscribe), and what it does with them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channels {
    /// None that a user's rights are asked for.
    None,
    /// The first argument is one, to which the second is sent.
    Publish,
    /// As `Publish`, to a shard channel.
    PublishShard,
    /// All arguments are channels to subscribe to.
    Subscribe,
    /// All arguments are patterns of channels to subscribe to.
    SubscribePatterns,
}

impl Channels {
    /// Whether it sends messages to subscribers.
    #[must_use]
    pub fn publishes(self) -> bool {
        matches!(self, Channels::Publish | Channels::PublishShard)
    }
}

/// How a request says which script it runs. A script may say of itself what it demands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScriptBy {
    /// It runs none.
    None,
    /// By its source.
    Source,
    /// By the digest of its source.
    Digest,
    /// By the name of a function of a library.
    Function,
}

/// Whether one of these words stands in a request at `from` or behind it, in any case.
#[must_use]
pub fn says(argv: &[&[u8]], from: usize, words: &[&str]) -> bool {
    let mut rest = argv.iter().skip(from);
    rest.any(|word| words.iter().any(|other| word.eq_ignore_ascii_case(other.as_bytes())))
}

/// The position behind the last of these words among the options of a request, which begin at
/// `from`. What stands there is not taken for such a word itself.
#[must_use]
pub fn behind_last(argv: &[&[u8]], from: usize, words: &[&str]) -> Option<usize> {
    let (mut at, mut found) = (from, None);
    while at + 1 < argv.len() {
        if words.iter().any(|word| argv[at].eq_ignore_ascii_case(word.as_bytes())) {
            at += 1;
            found = Some(at);
        }
        at += 1;
    }
    found
}

/// The count that stands at this position of a request: 1 if nothing does, 0 if that is none.
#[must_use]
pub fn count_at(argv: &[&[u8]], at: usize) -> usize {
    let number = |word: &&[u8]| num::parse_i64(word).and_then(|n| usize::try_from(n).ok());
    argv.get(at).map_or(1, |word| number(word).unwrap_or(0))
}

/// Bytes of as many elements as the negative count at this position says, about: so many are
/// answered, however few there are.
#[must_use]
pub fn repeats_at(argv: &[&[u8]], at: usize) -> usize {
    const ELEMENT: u64 = 32;
    let count = argv.get(at).and_then(|word| num::parse_i64(word)).map_or(0, |n| n.min(0));
    usize::try_from(count.unsigned_abs().saturating_mul(ELEMENT)).unwrap_or(usize::MAX)
}
