//! Configuration: redis.conf as Redis 7.0.15 reads it, plus what Kvist adds.
//!
//! ```text
//!  kvist.conf   KVIST_* environment   --flags        CONFIG SET
//!       │               │                │                │
//!       └──── line ─────┴───── load ─────┘               set
//!                              │                          │
//!      directives ──────▶  Settings  ◀────────────────────┘
//!      (lists of data)      │      │
//!                   CONFIG GET    Config (typed; what the server reads: a part for each list)
//! ```
//!
//! [`Settings`] knows every directive by name; [`Config`] is a plain struct made from it. The
//! server keeps a `Settings` behind its CONFIG command and hands out a fresh `Config` after each
//! change.
//!
//! This crate opens no sockets, reads files only to load a configuration (`disk`), and never
//! writes: CONFIG REWRITE gets a text (`rewrite`) that its caller writes.
//!
//! ```
//! use kvist_config::{Peer, Settings};
//!
//! let mut settings = Settings::new(8);
//! settings.apply_text(b"port 7000\nmaxmemory 1gb\n", "example.conf")?;
//! settings.apply_args(&["--port".into(), "7001".into()])?;
//! assert_eq!(settings.config().network.port, 7001);
//! settings.set(&[("maxmemory", "2gb")], Peer::Local).expect("a valid value");
//! assert_eq!(settings.get(&["maxmem?ry"]), [("maxmemory".into(), b"2147483648".to_vec())]);
//! # Ok::<(), kvist_config::LoadError>(())
//! ```
#![forbid(unsafe_code)]

mod config;
mod directive;
mod directives;
mod disk;
mod error;
mod line;
mod lists;
mod load;
mod memorize;
mod reference;
mod rewrite;
mod set;
mod settings;
mod typed;
mod value;

pub use config::Config;
pub use directive::{Change, Directive, Kind, Support, TextRule};
pub use directives::{
    AREAS, AclSettings, AppendFsync, Area, AuthClients, BindAddress, CallerLimits, ClientSettings,
    DEFAULTS_OF_OUR_OWN, EncodingSettings, EventSettings, Eviction, EvictionPolicy, Gate,
    GrpcSettings, HttpSettings, Identity, Latency, LogLevel, LoggingSettings, MemorySettings,
    NetworkSettings, PersistenceSettings, ProcessSettings, QuerySettings, RangeIndex,
    RangeSettings, ScriptSettings, SecuritySettings, SessionCache, ShutdownFlags, TlsSettings,
};
pub use error::{LoadError, SetError, Source};
pub use lists::{BufferLimit, BufferLimits, Events, Master, Overflow, SavePoint};
pub use reference::{reference, reference_markdown};
pub use set::{Changes, Peer};
pub use settings::{RenameLine, Settings, UserLine};
pub use value::{Amount, Value, memory};
