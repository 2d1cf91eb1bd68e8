//! What the server must know of a command where Redis has no flag for it.
//!
//! A [`Spec`](crate::Spec) has a field for each of these, and an ordinary command leaves all of
//! them as they are. The engine and its doors ask for these facts, never for a command's name: a
//! command that is renamed, copied or added is treated by what its spec says. Nothing here may do
//! anything; a function only looks at the words of a request.

use crate::KeySpec;
use crate::num;
use crate::spec::KeyFlag;

/// A yes or no about a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Property {
    /// It is about the session it comes in, or changes it for what comes later: it is not run in a
    /// session that many callers share (a call over gRPC, a handle of the embedded engine).
    OfSession,
    /// It is answered by pushed messages, or by a stream that does not end, rather than by one
    /// reply.
    Streams,
    /// A client of RESP2 may send it while it is subscribed.
    WhileSubscribed,
    /// It may change which clients are told of changes: in a transaction, what commands before it
    /// have changed is told first.
    ChangesListeners,
    /// `CLIENT CACHING` still holds for the request behind it.
    KeepsCaching,
    /// It is refused while the disk has failed, though it writes nothing: monitoring asks it.
    ReportsDisk,
    /// It is about the server, and scripts may call it all the same once
    /// `DEBUG SET-DISABLE-DENY-SCRIPTS` allows commands that are refused there. (Commands on data
    /// are all allowed then.)
    ScriptsByDebug,
    /// It reads how a key is kept rather than what it holds: a missing key is no keyspace miss.
    Inspects,
    /// Patterns among its words name more keys that it reads: its user must be allowed to read
    /// any.
    ReadsByPattern,
    /// With two arguments, a key and a value, it stores a string and does nothing else: the journal
    /// keeps just these two.
    StoresString,
}

/// Properties as a set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Properties(u32);

impl Properties {
    /// The set of these properties.
    #[must_use]
    pub fn of(properties: &[Property]) -> Self {
        Properties(properties.iter().fold(0, |bits, &property| bits | 1 << property as u32))
    }

    /// Whether `property` is in the set.
    #[inline]
    #[must_use]
    pub fn has(self, property: Property) -> bool {
        self.0 & (1 << property as u32) != 0
    }
}

/// What a request does with a transaction (`MULTI`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InTransaction {
    /// It is queued while one is open.
    Queued,
    /// It begins one; it is never queued.
    Begins,
    /// It says what one will depend on; it is never queued.
    Precedes,
    /// It runs what was queued, and demands what that demands.
    Executes,
    /// It ends one without running it.
    Ends,
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

/// How long a request runs. One that runs for long is given a thread of its own by doors whose
/// threads serve many clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunTime {
    /// As its locks say: one that goes through shards that its keys do not name may have to look at
    /// every key, or runs a script.
    ByLocks,
    /// For long, though it is about certain keys, or about none.
    Long,
    /// Not for long, though it goes through all shards: it looks at each for a moment, however many
    /// keys there are.
    Short,
    /// As long as the page of a walk that it asks for.
    Page(Page),
}

/// How much of what its keys hold a request goes through: what it looks at, answers, or takes out.
#[derive(Clone, Copy, Debug)]
pub enum Extent {
    /// No more than its words name, of a command that is flagged as fast, or takes O(1) for one
    /// key; of all others everything.
    ByFlags,
    /// No more than its words name.
    Words,
    /// So many elements: a string is one.
    Elements(fn(&[&[u8]]) -> usize),
    /// Those beyond a number of them.
    Beyond(fn(&[&[u8]]) -> Reach),
    /// Everything.
    Whole,
}

/// How many elements of each key's value a request goes through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reach {
    /// So many stay as they are, if there are as many.
    pub beyond: usize,
    /// So many of the others at most.
    pub most: usize,
}

impl Reach {
    /// So many at most.
    #[must_use]
    pub fn of(most: usize) -> Self {
        Reach { beyond: 0, most }
    }
}

impl Extent {
    /// How many elements that is.
    #[must_use]
    pub fn of(self, fast: bool, argv: &[&[u8]]) -> Reach {
        match self {
            Extent::ByFlags if fast => Reach::of(0),
            Extent::Words => Reach::of(0),
            Extent::Elements(count) => Reach::of(count(argv)),
            Extent::Beyond(reach) => reach(argv),
            Extent::ByFlags | Extent::Whole => Reach::of(usize::MAX),
        }
    }
}

/// What a request makes that it does not have among its words, nor finds in its keys' values.
#[derive(Clone, Copy, Debug)]
pub enum Makes {
    /// Nothing to speak of.
    Nothing,
    /// So many bytes, about.
    Bytes(fn(&[&[u8]]) -> usize),
    /// A string of so many bytes, unless it is as long already.
    Length(fn(&[&[u8]]) -> usize),
}

/// Bytes of as many elements as the negative count at this position says, about: so many are
/// answered, however few there are.
#[must_use]
pub fn repeats_at(argv: &[&[u8]], at: usize) -> usize {
    const ELEMENT: u64 = 32;
    let count = argv.get(at).and_then(|word| num::parse_i64(word)).map_or(0, |n| n.min(0));
    usize::try_from(count.unsigned_abs().saturating_mul(ELEMENT)).unwrap_or(usize::MAX)
}

/// The count that stands at this position of a request: 1 if nothing does, 0 if that is none.
#[must_use]
pub fn count_at(argv: &[&[u8]], at: usize) -> usize {
    let number = |word: &&[u8]| num::parse_i64(word).and_then(|n| usize::try_from(n).ok());
    argv.get(at).map_or(1, |word| number(word).unwrap_or(0))
}

/// How a request asks for one page of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    /// Where its options begin.
    pub options: usize,
    /// The option that says how large a page is.
    pub size: &'static str,
    /// The option without which everything is answered, if there is one.
    pub cursor: Option<&'static str>,
    /// The option by which the values of the keys are answered too, however large they are.
    pub values: Option<&'static str>,
}

impl Page {
    /// The largest page of a request that does not run for long.
    const SMALL: i64 = 1000;

    /// Whether a request asks for one page, and for none that is large.
    fn is_small(self, argv: &[&[u8]]) -> bool {
        let words = argv.get(self.options..).unwrap_or_default();
        let is = |word: &[u8], option: &str| word.eq_ignore_ascii_case(option.as_bytes());
        let fits = |pair: &[&[u8]]| {
            !is(pair[0], self.size) || num::parse_i64(pair[1]).is_some_and(|n| n <= Page::SMALL)
        };
        let says = |option| words.iter().any(|word| is(word, option));
        self.cursor.is_none_or(says) && !self.values.is_some_and(says) && words.windows(2).all(fits)
    }
}

impl RunTime {
    /// Whether a request runs for long. `walks`: it goes through shards that its keys do not name.
    #[must_use]
    pub fn is_long(self, walks: bool, argv: &[&[u8]]) -> bool {
        match self {
            RunTime::ByLocks => walks,
            RunTime::Long => true,
            RunTime::Short => false,
            RunTime::Page(page) => !page.is_small(argv),
        }
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

/// What a command that is not on data means in an append-only file of Redis, which is imported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InFile {
    /// It is left out, and told as such.
    Unknown,
    /// Nothing: it changes no data.
    Nothing,
    /// What follows is about another database.
    SelectsDatabase,
    /// It runs scripts, or changes which are known.
    Scripts,
    /// It changes the libraries of functions.
    Libraries(LibraryChange),
}

/// How a request changes the libraries of functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LibraryChange {
    /// It brings one, as source.
    Load,
    /// It takes one away.
    Delete,
    /// It takes all away.
    Flush,
    /// It brings those of a payload.
    Restore,
}

/// Where the keys of one key spec stand in a request; `None` if it cannot be split into keys and
/// others.
pub type Positions = fn(&KeySpec, &[&[u8]]) -> Option<Vec<usize>>;

/// A number that a request says, or a position in it.
pub type Number = fn(&[&[u8]]) -> Option<usize>;

/// What key specs cannot say about the keys of a request.
#[derive(Clone, Copy, Debug)]
pub struct KeyRules {
    /// What the request does with the keys of one of its specs: less than the spec says where it
    /// asks for less (`variable_flags`), or what the spec would say if it were complete.
    pub flags: fn(&KeySpec, &[&[u8]]) -> &'static [KeyFlag],
    /// Where the keys of one of its specs stand, if not where the spec says.
    pub positions: Option<Positions>,
    /// Where the key stands that an option has it store under: no key spec names it, or one names
    /// another although the last one counts.
    pub target: Number,
    /// For a command that may change a key in another database than the session's: which one the
    /// request says, if it does. It may be one that is not there.
    pub database: Option<Number>,
}

impl KeyRules {
    /// The specs say it all.
    pub const NEW: KeyRules =
        KeyRules { flags: |spec, _| spec.flags, positions: None, target: |_| None, database: None };
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
