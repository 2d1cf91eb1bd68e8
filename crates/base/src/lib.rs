//! The vocabulary of Kvist: what a command is made of, and what it may ask of its host.
//!
//! In reading order: a request arrives as [`Args`] whose keys are [`Key`]s; a command describes
//! itself with a [`Spec`] (its [`grammar`] gives arity and documentation), asks its host through
//! [`host`] traits, answers through [`Reply`], and returns an [`Effect`] or a [`CmdError`].
//!
//! This crate is pure: no sockets, files, threads, clocks or randomness. Time and random numbers
//! are handed in as values.
#![forbid(unsafe_code)]

mod args;
pub mod behaviour;
pub mod codec;
mod data_type;
mod distinct;
mod edit;
mod effect;
pub mod error;
mod event;
pub mod glob;
pub mod grammar;
mod hash_secret;
pub mod host;
mod incremental;
mod key;
mod key_spec;
mod lease;
mod limits;
mod named_bits;
pub mod num;
mod query;
mod reply;
mod rng;
mod spec;
mod stream_id;
mod version;

pub use args::Args;
pub use behaviour::{
    Behaviour, Channels, Extent, InFile, InTransaction, KeyRules, LibraryChange, Makes, Page,
    Paths, Properties, Property, Reach, RunTime, ScriptBy, Stores, count_at,
};
pub use data_type::{Context, DataType, Kind};
pub use distinct::keep_first;
pub use edit::{Edit, Edited, EditedSlot};
pub use effect::{Argv, Effect, Nothing, Resume, Wait};
pub use error::CmdError;
pub use event::{Class, Event};
pub use hash_secret::{HashSecret, MemberHasher, ProcessSecret};
pub use host::{Databases, Deadline, Forks, Holds, Keyspace, Locks, Shares, Strings, Types};
pub use incremental::{
    Assembly, Changed, Copier, Elements, Growing, IncrementalCopy, Indivisible, NOTES,
};
pub use key::{HashFunction, Hashing, Key, KeyHasher, SHARD_BITS};
pub use key_spec::{Find, KeyFlag, KeySpec, Start};
pub use lease::Leases;
pub use limits::PackLimits;
pub use query::{Pace, Query, QueryBounds};
pub use reply::{Protocol, Reply};
pub use rng::Rng;
pub use spec::{Category, Command, Deprecated, Flag, Flags, Group, Handler, Row, Run, Spec, Tip};
pub use stream_id::StreamId;
pub use version::{
    Charge, EndedVersion, Forked, Pressure, Version, VersionPlace, Versioned, Versions,
};

/// Milliseconds since the Unix epoch; the only clock unit inside Kvist.
pub type Millis = u64;
