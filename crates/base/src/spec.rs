//! A command described as data: everything that is known about it before it runs.
//!
//! From a [`Spec`] the rest of the code derives arity, key positions, `COMMAND` replies, ACL
//! categories, reference pages, editor hints and test inputs. A command is a type with a spec, a
//! parser for its arguments ([`Command`]) and a behaviour ([`Run`]).

use crate::behaviour::Behaviour;
use crate::key_spec::{BadKeys, KeyFlag, KeySpec};
use crate::named_bits::named_bits;
use crate::{Args, CmdError, Effect, Reply};

/// The family of a command, as `COMMAND DOCS` names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)] // the names say it
pub enum Group {
    Bitmap,
    Cluster,
    Connection,
    Folio,
    Generic,
    Geo,
    Graph,
    Hash,
    HyperLogLog,
    Json,
    List,
    PubSub,
    Range,
    Scripting,
    Search,
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
            Group::Folio => "folio",
            Group::Generic => "generic",
            Group::Geo => "geo",
            Group::Graph => "graph",
            Group::Hash => "hash",
            Group::HyperLogLog => "hyperloglog",
            Group::Json => "json",
            Group::List => "list",
            Group::PubSub => "pubsub",
            Group::Range => "range",
            Group::Scripting => "scripting",
            Group::Search => "search",
            Group::Server => "server",
            Group::Set => "set",
            Group::SortedSet => "sorted-set",
            Group::Stream => "stream",
            Group::String => "string",
            Group::Transactions => "transactions",
        }
    }
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
        Graph = "graph",
        Folio = "folio",
        Search = "search",
        Admin = "admin",
        Dangerous = "dangerous",
        Connection = "connection",
        Transaction = "transaction",
        Scripting = "scripting",
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

/// A command that something newer has taken the place of. It keeps working.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deprecated {
    /// The version of Redis that said so.
    pub since: &'static str,
    /// What to use instead.
    pub instead: &'static str,
}

/// Everything known about a command before it runs.
#[derive(Clone, Copy, Debug)]
pub struct Spec {
    /// Lower-case name; a subcommand is `container|sub`.
    pub name: &'static str,
    /// A second name that clients may call it by; empty if none. At most eight letters, and not as
    /// many as the first has.
    pub alias: &'static str,
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
    /// What the server must know of it before or beside running it.
    pub behaviour: Behaviour,
}

impl Spec {
    /// A spec to build others from with `..Spec::NEW`.
    pub const NEW: Spec = Spec {
        name: "",
        alias: "",
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
        behaviour: Behaviour::NEW,
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
        self.behaviour.cost.runs_long(argv)
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
