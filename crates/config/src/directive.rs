//! What a directive *is*: its name, the shape of its value, its default, when it may change, and
//! how far this release carries it out.
//!
//! Directives are data, not code: the lists in `directives/` say everything, and the parser, CONFIG
//! GET, CONFIG SET, the typed [`Config`](crate::Config) and the reference file all read them. That
//! is why a directive can't be documented wrongly without being wrong.
//!
//! This file must never hold a list of directives, nor know how a value is parsed (see `value`).

/// The largest value of C's `int`, the bound of most of Redis's integers.
pub(crate) const INT_MAX: i64 = i32::MAX as i64;

/// One configuration directive.
#[derive(Clone, Copy, Debug)]
pub struct Directive {
    /// The name people should use.
    pub name: &'static str,
    /// An older name that means the same; CONFIG GET lists both.
    pub alias: Option<&'static str>,
    /// The shape and range of the value.
    pub kind: Kind,
    /// The default as it would stand in a file; see [`Directive::is_computed`] for those that are
    /// computed.
    pub default: &'static str,
    /// When the value may change.
    pub change: Change,
    /// Left out of CONFIG GET patterns: answered only when asked for by its exact name.
    pub hidden: bool,
    /// How far this release carries it out.
    pub support: Support,
    /// It names a file: setting it to the value it has reads that file again.
    pub reread: bool,
    /// Kvist's own, that is, unknown to Redis 7.0.15.
    pub own: bool,
    /// One paragraph for the reference.
    pub doc: &'static str,
}

/// The shape of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `yes` or `no`.
    Bool,
    /// A decimal integer in `min..=max`.
    Int {
        /// The smallest accepted value.
        min: i64,
        /// The largest accepted value.
        max: i64,
    },
    /// An integer accepted in `0..=INT_MAX` and then pulled into `low..=high` without complaint.
    Clamped {
        /// The smallest effective value.
        low: i64,
        /// The largest effective value.
        high: i64,
    },
    /// 0, or a power of two up to `max`.
    PowerOfTwo {
        /// The largest accepted value.
        max: i64,
    },
    /// A number of bytes with an optional unit, in `min..=max`.
    Memory {
        /// The smallest accepted value, in bytes.
        min: u64,
        /// The largest accepted value, in bytes.
        max: u64,
    },
    /// A number of bytes, or a percentage of `maxmemory`.
    MemoryOrPercent,
    /// One of the words.
    Enum(&'static [&'static str]),
    /// Several of the words at once; the first stands for none of them.
    EnumSet(&'static [&'static str]),
    /// A string.
    Text(TextRule),
    /// A file mode in octal, at most `max`.
    Octal {
        /// The largest accepted value.
        max: u32,
    },
    /// Pairs of seconds and changes.
    Save,
    /// Groups of client class, hard limit, soft limit, soft seconds.
    BufferLimits,
    /// Percentages with decimals.
    Percentiles,
    /// Addresses to listen on.
    Bind,
    /// Three out-of-memory scores.
    OomScores,
    /// Classes of keyspace events.
    Events,
    /// Host and port of a master, or `no one`.
    ReplicaOf,
}

impl Kind {
    /// Whether the value is made of several arguments.
    pub(crate) const fn takes_many(self) -> bool {
        matches!(
            self,
            Self::EnumSet(_)
                | Self::Save
                | Self::BufferLimits
                | Self::Percentiles
                | Self::Bind
                | Self::OomScores
                | Self::ReplicaOf
        )
    }
}

/// What a string must satisfy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextRule {
    /// Anything goes.
    Any,
    /// A plain file name: no slash.
    FileName,
    /// A plain file name that isn't empty.
    FileNameNotEmpty,
    /// A plain directory name that isn't empty.
    DirNameNotEmpty,
    /// A process title with known `{variables}`.
    TitleTemplate,
    /// Letters, digits, hyphens and dots, fewer than 256.
    HostName,
}

/// When a value may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// By CONFIG SET at any time.
    RunTime,
    /// Only at start.
    Start,
    /// By CONFIG SET when `enable-protected-configs` allows it.
    Protected,
}

/// How far this release carries a directive out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    /// In full.
    Effective,
    /// Accepted in silence: what it tunes in Redis has no counterpart here, so nothing is lost.
    Inert,
    /// Known, accepted, not yet acted upon: a value other than the default draws a warning.
    Pending,
    /// Known, but ignoring it would be dangerous: only the default is accepted.
    DefaultOnly,
}

impl Directive {
    /// The default of `io-threads`: as many as the machine has cores.
    pub const CORES: &'static str = "<cores>";
    /// The default of `query-threads`: half as many, at least one.
    pub const HALF_OF_CORES: &'static str = "<half of the cores>";

    /// A directive with the most common properties: changeable at run time and effective.
    pub(crate) const fn new(
        name: &'static str,
        kind: Kind,
        default: &'static str,
        doc: &'static str,
    ) -> Self {
        Self {
            name,
            alias: None,
            kind,
            default,
            change: Change::RunTime,
            hidden: false,
            support: Support::Effective,
            reread: false,
            own: false,
            doc,
        }
    }

    /// Whether its default depends on the machine.
    #[must_use]
    pub fn is_computed(&self) -> bool {
        [Self::CORES, Self::HALF_OF_CORES].contains(&self.default)
    }

    /// Whether to set it reaches out of the process: to files, a folder, a resolver of names. That
    /// may take as long as it likes.
    pub(crate) fn reaches_out(&self) -> bool {
        // Of TLS all files are read again, whichever directive is named.
        matches!(self.name, "dir" | "bind" | "port") || self.name.starts_with("tls-")
    }

    pub(crate) const fn yes_no(
        name: &'static str,
        default: &'static str,
        doc: &'static str,
    ) -> Self {
        Self::new(name, Kind::Bool, default, doc)
    }

    pub(crate) const fn int(
        name: &'static str,
        default: &'static str,
        min: i64,
        max: i64,
        doc: &'static str,
    ) -> Self {
        Self::new(name, Kind::Int { min, max }, default, doc)
    }

    pub(crate) const fn memory(
        name: &'static str,
        default: &'static str,
        min: u64,
        max: u64,
        doc: &'static str,
    ) -> Self {
        Self::new(name, Kind::Memory { min, max }, default, doc)
    }

    pub(crate) const fn text(name: &'static str, default: &'static str, doc: &'static str) -> Self {
        Self::new(name, Kind::Text(TextRule::Any), default, doc)
    }

    pub(crate) const fn one_of(
        name: &'static str,
        words: &'static [&'static str],
        default: &'static str,
        doc: &'static str,
    ) -> Self {
        Self::new(name, Kind::Enum(words), default, doc)
    }

    pub(crate) const fn alias(mut self, alias: &'static str) -> Self {
        self.alias = Some(alias);
        self
    }

    pub(crate) const fn at_start(mut self) -> Self {
        self.change = Change::Start;
        self
    }

    pub(crate) const fn protected(mut self) -> Self {
        self.change = Change::Protected;
        self
    }

    pub(crate) const fn hidden(mut self) -> Self {
        self.hidden = true;
        self
    }

    pub(crate) const fn reread(mut self) -> Self {
        self.reread = true;
        self
    }

    pub(crate) const fn own(mut self) -> Self {
        self.own = true;
        self
    }

    pub(crate) const fn inert(mut self) -> Self {
        self.support = Support::Inert;
        self
    }

    pub(crate) const fn pending(mut self) -> Self {
        self.support = Support::Pending;
        self
    }

    pub(crate) const fn default_only(mut self) -> Self {
        self.support = Support::DefaultOnly;
        self
    }
}
