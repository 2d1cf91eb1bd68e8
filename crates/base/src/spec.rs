//! A command described as data: everything that is known about it before it runs.
//!
//! From a [`Spec`] the rest of the code derives arity, key positions, `COMMAND` replies, ACL
//! categories, reference pages, editor hints and test inputs. A command is a type with a spec, a
//! parser for its arguments ([`Command`]) and a behaviour ([`Run`]).

use crate::behaviour::{
    Channels, Extent, InFile, InTransaction, KeyRules, Makes, Property, RunTime, ScriptBy,
};
use crate::{Args, CmdError, Effect, Locks, Reply};

/// The family of a command, as `COMMAND DOCS` names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)] // the names say it
pub enum Group {
    Bitmap,
    Cluster,
    Connection,
    Generic,
    Geo,
    Hash,
    HyperLogLog,
    Json,
    List,
    PubSub,
    Range,
    Scripting,
    Server,
    Set,
    SortedSet,
    Stream,
    String,
    Transactions,
}

impl Group {
    /// The word in `COMMAND DOCS` and in the documentation's paths.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Group::Bitmap => "bitmap",
            Group::Cluster => "cluster",
            Group::Connection => "connection",
            Group::Generic => "generic",
            Group::Geo => "geo",
            Group::Hash => "hash",
            Group::HyperLogLog => "hyperloglog",
            Group::Json => "json",
            Group::List => "list",
            Group::PubSub => "pubsub",
            Group::Range => "range",
            Group::Scripting => "scripting",
            Group::Server => "server",
            Group::Set => "set",
            Group::SortedSet => "sorted-set",
            Group::Stream => "stream",
            Group::String => "string",
            Group::Transactions => "transactions",
        }
    }
}

macro_rules! named_bits {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(missing_docs)] // the names are Redis's own words
        pub enum $name { $($variant,)* }

        impl $name {
            /// Every variant, in order of declaration.
            pub const ALL: &'static [$name] = &[$($name::$variant),*];

            /// The word `COMMAND INFO` uses.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $($name::$variant => $text,)* }
            }
        }
    };
}

named_bits! {
    /// Properties of a command that decide how the engine treats it.
    Flag {
        Write = "write",
        ReadOnly = "readonly",
        DenyOom = "denyoom",
        Admin = "admin",
        PubSub = "pubsub",
        NoScript = "noscript",
        Blocking = "blocking",
        Loading = "loading",
        Stale = "stale",
        NoAsyncLoading = "no_async_loading",
        SkipMonitor = "skip_monitor",
        SkipSlowlog = "skip_slowlog",
        Asking = "asking",
        Fast = "fast",
        NoAuth = "no_auth",
        MayReplicate = "may_replicate",
        NoMandatoryKeys = "no_mandatory_keys",
        NoMulti = "no_multi",
        AllowBusy = "allow_busy",
        MovableKeys = "movablekeys",
        Protected = "protected",
        SysCmd = "syscmd",
    }
}

named_bits! {
    /// ACL categories a command belongs to beyond those its flags imply.
    Category {
        Keyspace = "keyspace",
        Set = "set",
        SortedSet = "sortedset",
        List = "list",
        Hash = "hash",
        String = "string",
        Bitmap = "bitmap",
        HyperLogLog = "hyperloglog",
        Geo = "geo",
        PubSub = "pubsub",
        Stream = "stream",
        Json = "json",
        Admin = "admin",
        Dangerous = "dangerous",
        Connection = "connection",
        Transaction = "transaction",
        Scripting = "scripting",
    }
}

named_bits! {
    /// What a command does with the keys of one key spec.
    KeyFlag {
        ReadOnly = "RO",
        ReadWrite = "RW",
        Overwrite = "OW",
        Remove = "RM",
        Access = "access",
        Update = "update",
        Insert = "insert",
        Delete = "delete",
        NotKey = "not_key",
        Incomplete = "incomplete",
        VariableFlags = "variable_flags",
    }
}

/// A hint for clients that spread commands over servers; the text `COMMAND INFO` shows.
pub type Tip = &'static str;

/// Flags as a set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags(u32);

impl Flags {
    /// The set of these flags.
    #[must_use]
    pub fn of(flags: &[Flag]) -> Self {
        Flags(flags.iter().fold(0, |bits, &flag| bits | 1 << flag as u32))
    }

    /// Whether `flag` is in the set.
    #[inline]
    #[must_use]
    pub fn has(self, flag: Flag) -> bool {
        self.0 & (1 << flag as u32) != 0
    }
}

/// Where the keys of a key spec begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// At this position of argv.
    Index(usize),
    /// Behind this word, searched from `from` (from the end if negative).
    Keyword {
        /// The word, in any case.
        word: &'static str,
        /// Where the search begins.
        from: i32,
        /// Options that may stand before it, with how many words each has behind it. If there are
        /// any, the search goes from option to option: one of those words may be the same.
        over: &'static [(&'static str, usize)],
    },
    /// Not known from the arguments alone.
    Unknown,
}

/// Which arguments behind the start are keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Find {
    /// Every `step`-th up to `last` (relative to the start; negative: from the end of argv). With
    /// `limit` > 1 and `last` -1, only the first 1/limit of the arguments are keys.
    Range {
        /// Last key, relative to the first, or from the end if negative.
        last: i32,
        /// Distance between keys.
        step: usize,
        /// Fraction of the arguments that are keys.
        limit: usize,
    },
    /// A count stands at `index` (relative to the start), keys follow from `first`.
    Count {
        /// Where the count is.
        index: usize,
        /// Where the first key is.
        first: usize,
        /// Distance between keys.
        step: usize,
    },
    /// Not known from the arguments alone.
    Unknown,
}

/// Where keys stand in a command's arguments.
#[derive(Clone, Copy, Debug)]
pub struct KeySpec {
    /// What the command does with these keys.
    pub flags: &'static [KeyFlag],
    /// Where they begin.
    pub start: Start,
    /// Which arguments they are.
    pub find: Find,
}

impl KeySpec {
    /// One key at `index`.
    #[must_use]
    pub const fn one(index: usize, flags: &'static [KeyFlag]) -> Self {
        KeySpec {
            flags,
            start: Start::Index(index),
            find: Find::Range { last: 0, step: 1, limit: 0 },
        }
    }

    /// Every `step`-th argument from `index` to `last` (relative to `index`, or from the end if
    /// negative).
    #[must_use]
    pub const fn range(index: usize, last: i32, step: usize, flags: &'static [KeyFlag]) -> Self {
        KeySpec { flags, start: Start::Index(index), find: Find::Range { last, step, limit: 0 } }
    }

    /// A count at `index`, then that many keys.
    #[must_use]
    pub const fn counted(index: usize, flags: &'static [KeyFlag]) -> Self {
        KeySpec {
            flags,
            start: Start::Index(index),
            find: Find::Count { index: 0, first: 1, step: 1 },
        }
    }
}

/// A command that something newer has taken the place of. It keeps working.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deprecated {
    /// The version of Redis that said so.
    pub since: &'static str,
    /// What to use instead.
    pub instead: &'static str,
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

/// What a command stores, as far as other values decide that: large values need not be told to the
/// journal then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stores {
    /// Whatever it says, finds or draws.
    Anything,
    /// Under its last key, what its first one held and holds no more.
    Moved,
    /// Under its last key, a copy of what its first one holds.
    Copied,
    /// Under its first key, what it makes of the others, and the same of the same everywhere: that
    /// does not hang on the order of sets, on keys it finds by itself, or on how a system computes
    /// sines.
    Derived,
    /// As `Derived`, of its first key alone, under the key that an option names
    /// ([`KeyRules::target`]): unless a pattern among its words finds further keys.
    Sorted,
}

/// Everything known about a command before it runs.
#[derive(Clone, Copy, Debug)]
pub struct Spec {
    /// Lower-case name; a subcommand is `container|sub`.
    pub name: &'static str,
    /// The family.
    pub group: Group,
    /// First version of Redis that has it (or of Kvist, for our own).
    pub since: &'static str,
    /// One sentence, in our own words.
    pub summary: &'static str,
    /// Cost, as `COMMAND DOCS` shows it.
    pub complexity: &'static str,
    /// Arguments behind the name; see [`crate::grammar`] for the notation.
    pub grammar: &'static str,
    /// Number of words, name included; negative: at least. 0: derived from the grammar.
    pub arity: i32,
    /// Properties.
    pub flags: &'static [Flag],
    /// ACL categories beyond those the flags imply.
    pub categories: &'static [Category],
    /// Where the keys are.
    pub keys: &'static [KeySpec],
    /// Hints for clients.
    pub tips: &'static [Tip],
    /// What later versions of Redis changed: version and change.
    pub history: &'static [(&'static str, &'static str)],
    /// Why new programs should use something else, if they should.
    pub deprecated: Option<Deprecated>,
    /// Which shards a given request must hold.
    pub locks: fn(&[&[u8]]) -> Locks,
    /// Which of its words are paths of documents.
    pub paths: Paths,
    /// Where what it stores comes from.
    pub stores: Stores,
    /// A second name that clients may call it by; empty if none. At most eight letters, and not as
    /// many as the first has.
    pub alias: &'static str,
    /// What is special about it.
    pub properties: &'static [Property],
    /// What it does with a transaction.
    pub transaction: InTransaction,
    /// Which of its words are channels.
    pub channels: Channels,
    /// How long it runs.
    pub run_time: RunTime,
    /// How much of what its keys hold it goes through.
    pub extent: Extent,
    /// What it makes beside that.
    pub makes: Makes,
    /// How it names the script it runs.
    pub script: ScriptBy,
    /// What it means in an append-only file of Redis, unless it is on data.
    pub in_file: InFile,
    /// What its key specs cannot say.
    pub key_rules: KeyRules,
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

impl Spec {
    /// A spec to build others from with `..Spec::NEW`.
    pub const NEW: Spec = Spec {
        name: "",
        group: Group::Generic,
        since: "1.0.0",
        summary: "",
        complexity: "O(1)",
        grammar: "",
        arity: 0,
        flags: &[],
        categories: &[],
        keys: &[],
        tips: &[],
        history: &[],
        deprecated: None,
        locks: |_| Locks::Keys,
        paths: Paths::None,
        stores: Stores::Anything,
        alias: "",
        properties: &[],
        transaction: InTransaction::Queued,
        channels: Channels::None,
        run_time: RunTime::ByLocks,
        extent: Extent::ByFlags,
        makes: Makes::Nothing,
        script: ScriptBy::None,
        in_file: InFile::Unknown,
        key_rules: KeyRules::NEW,
        asks_to_wait: |_| false,
        from_now: |_| false,
        secret: |_, _| false,
    };

    /// Positions in `argv` of the keys this request names; positions outside `argv` are left out.
    /// `Err` when a key count in the arguments is not a valid count.
    ///
    /// # Errors
    /// The arguments cannot be split into keys and others.
    pub fn key_positions(&self, argv: &[&[u8]], out: &mut Vec<usize>) -> Result<(), BadKeys> {
        for spec in self.keys {
            spec.positions(argv, out)?;
        }
        Ok(())
    }
}

impl Spec {
    /// Whether a request runs for long.
    #[must_use]
    pub fn runs_long(&self, argv: &[&[u8]]) -> bool {
        let walks = matches!((self.locks)(argv), Locks::Each | Locks::Every);
        self.run_time.is_long(walks, argv)
    }

    /// As [`Spec::key_positions`], of the keys that the request may change.
    ///
    /// # Errors
    /// The arguments cannot be split into keys and others.
    pub fn changed_positions(&self, argv: &[&[u8]], out: &mut Vec<usize>) -> Result<(), BadKeys> {
        let changes = |spec: &&KeySpec| !spec.flags.contains(&KeyFlag::ReadOnly);
        self.keys.iter().filter(changes).try_for_each(|spec| spec.positions(argv, out))
    }
}

/// The arguments of a request cannot be split into keys and others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BadKeys;

impl KeySpec {
    fn positions(&self, argv: &[&[u8]], out: &mut Vec<usize>) -> Result<(), BadKeys> {
        let Some(start) = self.begin(argv) else { return Ok(()) };
        match self.find {
            Find::Unknown => {}
            Find::Range { last, step, limit } => {
                let end = match last {
                    0.. => start + usize::try_from(last).unwrap_or(0) + 1,
                    _ if limit > 1 => start + argv.len().saturating_sub(start) / limit,
                    _ => (argv.len() + 1).saturating_sub(last.unsigned_abs() as usize),
                };
                out.extend((start..end.min(argv.len())).step_by(step.max(1)));
            }
            Find::Count { index, first, step } => {
                let count = argv.get(start + index).and_then(|n| crate::num::parse_i64(n));
                let count = count.and_then(|n| usize::try_from(n).ok()).ok_or(BadKeys)?;
                let from = start + first;
                if count > argv.len().saturating_sub(from) {
                    return Err(BadKeys);
                }
                out.extend((0..count).map(|i| from + i * step));
            }
        }
        Ok(())
    }

    fn begin(&self, argv: &[&[u8]]) -> Option<usize> {
        match self.start {
            Start::Unknown => None,
            Start::Index(index) => (index < argv.len()).then_some(index),
            Start::Keyword { word, over: over @ [_, ..], .. } => behind_options(argv, word, over),
            Start::Keyword { word, from, over: [] } => {
                let is_word = |i: &usize| argv[*i].eq_ignore_ascii_case(word.as_bytes());
                let found = if from >= 0 {
                    (usize::try_from(from).unwrap_or(0)..argv.len()).find(is_word)
                } else {
                    (1..=argv.len().saturating_sub(from.unsigned_abs() as usize))
                        .rev()
                        .filter(|i| *i < argv.len())
                        .find(is_word)
                };
                found.map(|i| i + 1).filter(|i| *i < argv.len())
            }
        }
    }
}

/// The place behind a word that only options stand before, each with so many words.
fn behind_options(argv: &[&[u8]], word: &str, options: &[(&str, usize)]) -> Option<usize> {
    let mut at = 1;
    loop {
        let here = argv.get(at)?;
        if here.eq_ignore_ascii_case(word.as_bytes()) {
            return Some(at + 1).filter(|&at| at < argv.len());
        }
        let is_here = |(name, _): &&(&str, usize)| here.eq_ignore_ascii_case(name.as_bytes());
        at += 1 + options.iter().find(is_here)?.1;
    }
}

/// A command: its description and the parser of its arguments.
pub trait Command<'a>: Sized {
    /// What is known before it runs.
    const SPEC: Spec;

    /// Reads the arguments. Nothing is looked up and nothing is changed here.
    ///
    /// # Errors
    /// What a client sees when the arguments do not fit.
    fn parse(args: Args<'a>) -> Result<Self, CmdError>;
}

/// The behaviour of a command on hosts `H`.
pub trait Run<H>: Sized {
    /// Does the work, then writes exactly one reply.
    ///
    /// # Errors
    /// What a client sees instead of a reply.
    fn run(self, host: &mut H, out: &mut dyn Reply) -> Result<Effect, CmdError>;
}

/// Parses and runs one request.
pub type Handler<H> = for<'a> fn(&mut H, Args<'a>, &mut dyn Reply) -> Result<Effect, CmdError>;

/// One line of a command table.
pub struct Row<H> {
    /// What is known before it runs.
    pub spec: &'static Spec,
    /// How it runs.
    pub run: Handler<H>,
}

/// The rows of a family: `rows![H; Get, Set]`, in alphabetical order. Explicit, so that the list
/// of commands is written down once and can be searched for.
#[macro_export]
macro_rules! rows {
    ($host:ty; $($command:ident),* $(,)?) => {
        vec![$({
            static SPEC: $crate::Spec = <$command<'static> as $crate::Command<'static>>::SPEC;
            $crate::Row::<$host> {
                spec: &SPEC,
                run: |host, args, out| {
                    let command = <$command<'_> as $crate::Command<'_>>::parse(args)?;
                    $crate::Run::<$host>::run(command, host, out)
                },
            }
        }),*]
    };
}
