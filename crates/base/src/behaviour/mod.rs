//! What the server must know of a command where Redis has no flag for it.
//!
//! A [`Spec`](crate::Spec) has a [`Behaviour`]; an ordinary command leaves it as it is. The engine
//! and its doors ask for these facts, never for a command's name: a command that is renamed, copied
//! or added is treated by what its spec says. Nothing here may do anything; a function only looks
//! at the words of a request.

mod cost;
mod keys;
mod words;

pub use cost::{Cost, Extent, Makes, Page, Reach, RunTime};
pub use keys::{KeyRules, Number, Positions};
pub use words::{Channels, Paths, ScriptBy, WordRules, behind_last, count_at, repeats_at, says};

use crate::Locks;

/// What the server must know of a command before or beside running it.
///
/// A row says what is special about its command by methods that have the names of these facts:
/// `Behaviour::NEW.locks(|_| Locks::Every).run_time(RunTime::Short)`.
#[derive(Clone, Copy, Debug)]
pub struct Behaviour {
    /// What is special about it.
    pub properties: &'static [Property],
    /// What it does with a transaction.
    pub transaction: InTransaction,
    /// What it means in an append-only file of Redis, unless it is on data.
    pub in_file: InFile,
    /// Where what it stores comes from.
    pub stores: Stores,
    /// What its key specs cannot say.
    pub keys: KeyRules,
    /// What its grammar cannot say of its words.
    pub words: WordRules,
    /// What it holds, and how much it does.
    pub cost: Cost,
}

impl Behaviour {
    /// That of an ordinary command.
    pub const NEW: Behaviour = Behaviour {
        properties: &[],
        transaction: InTransaction::Queued,
        in_file: InFile::Unknown,
        stores: Stores::Anything,
        keys: KeyRules::NEW,
        words: WordRules {
            paths: Paths::None,
            channels: Channels::None,
            script: ScriptBy::None,
            asks_to_wait: |_| false,
            from_now: |_| false,
            secret: |_, _| false,
        },
        cost: Cost {
            locks: |_| Locks::Keys,
            run_time: RunTime::ByLocks,
            extent: Extent::ByFlags,
            makes: Makes::Nothing,
        },
    };

    /// What is special about it.
    #[must_use]
    pub const fn properties(mut self, properties: &'static [Property]) -> Self {
        self.properties = properties;
        self
    }

    /// What it does with a transaction.
    #[must_use]
    pub const fn transaction(mut self, transaction: InTransaction) -> Self {
        self.transaction = transaction;
        self
    }

    /// What it means in an append-only file of Redis, unless it is on data.
    #[must_use]
    pub const fn in_file(mut self, in_file: InFile) -> Self {
        self.in_file = in_file;
        self
    }

    /// Where what it stores comes from.
    #[must_use]
    pub const fn stores(mut self, stores: Stores) -> Self {
        self.stores = stores;
        self
    }

    /// What its key specs cannot say.
    #[must_use]
    pub const fn key_rules(mut self, key_rules: KeyRules) -> Self {
        self.keys = key_rules;
        self
    }

    /// Which of its words are paths of documents.
    #[must_use]
    pub const fn paths(mut self, paths: Paths) -> Self {
        self.words.paths = paths;
        self
    }

    /// Which of its words are channels.
    #[must_use]
    pub const fn channels(mut self, channels: Channels) -> Self {
        self.words.channels = channels;
        self
    }

    /// How it names the script it runs.
    #[must_use]
    pub const fn script(mut self, script: ScriptBy) -> Self {
        self.words.script = script;
        self
    }

    /// Of one that blocks: whether an option of a request asks to wait. Scripts are refused that;
    /// what always blocks does not wait in them.
    #[must_use]
    pub const fn asks_to_wait(mut self, asks_to_wait: fn(&[&[u8]]) -> bool) -> Self {
        self.words.asks_to_wait = asks_to_wait;
        self
    }

    /// Whether a request counts a time from now, rather than from 1970. It must not run by the
    /// clock of a time gone by.
    #[must_use]
    pub const fn from_now(mut self, from_now: fn(&[&[u8]]) -> bool) -> Self {
        self.words.from_now = from_now;
        self
    }

    /// Whether the word at a position may be a password, or tell something about one: it is kept in
    /// no log and shown to no client.
    #[must_use]
    pub const fn secret(mut self, secret: fn(&[&[u8]], usize) -> bool) -> Self {
        self.words.secret = secret;
        self
    }

    /// Which shards a given request must hold.
    #[must_use]
    pub const fn locks(mut self, locks: fn(&[&[u8]]) -> Locks) -> Self {
        self.cost.locks = locks;
        self
    }

    /// How long it runs.
    #[must_use]
    pub const fn run_time(mut self, run_time: RunTime) -> Self {
        self.cost.run_time = run_time;
        self
    }

    /// How much of what its keys hold it goes through.
    #[must_use]
    pub const fn extent(mut self, extent: Extent) -> Self {
        self.cost.extent = extent;
        self
    }

    /// What it makes beside that.
    #[must_use]
    pub const fn makes(mut self, makes: Makes) -> Self {
        self.cost.makes = makes;
        self
    }
}

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
    AllowedWhileSubscribed,
    /// It may change which clients are told of changes: in a transaction, what commands before it
    /// have changed is told first.
    ChangesListeners,
    /// `CLIENT CACHING` still holds for the request behind it.
    KeepsCaching,
    /// It is refused while the disk has failed, though it writes nothing: monitoring asks it.
    RefusedOnDiskError,
    /// It is about the server, and scripts may call it all the same once
    /// `DEBUG SET-DISABLE-DENY-SCRIPTS` allows commands that are refused there. (Commands on data
    /// are all allowed then.)
    AllowedInScriptsByDebug,
    /// It reads how a key is kept rather than what it holds: a missing key is no keyspace miss.
    ReadsMetadata,
    /// Patterns among its words name more keys that it reads: its user must be allowed to read
    /// any.
    ReadsByPattern,
    /// It takes a version of its key's value in a moment, and reads that on a thread for queries
    /// while its client waits: see [`Query`](crate::Query).
    RunsAsQuery,
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
