//! Every directive, and what the server makes of it: one file for each subject.
//!
//! The lists are explicit so that what exists can be read, searched and reviewed. A directive is
//! added by adding a line to the list of its subject; nothing else registers it. Where something
//! reads it, it gets a field of the struct below that list, which is a part of
//! [`Config`](crate::Config). Names, ranges, defaults and run-time changeability are those of Redis
//! 7.0.15 (asked of a running one) unless a directive is marked as our own or its default stands in
//! [`DEFAULTS_OF_OUR_OWN`].

use crate::directive::Directive;

/// The largest amount of memory that can be said.
const I64: u64 = i64::MAX as u64;
const MB: u64 = 1 << 20;

mod clients;
mod cluster;
mod encodings;
mod events;
pub(crate) mod file_only;
mod grpc;
mod http;
mod logging;
mod memory;
mod network;
mod persistence;
mod process;
mod queries;
mod ranges;
mod replication;
mod scripting;
mod security;
mod tls;

pub use clients::{CallerLimits, ClientSettings};
pub use encodings::EncodingSettings;
pub use events::EventSettings;
pub use grpc::GrpcSettings;
pub use http::HttpSettings;
pub use logging::{Latency, LogLevel, LoggingSettings};
pub use memory::{Eviction, EvictionPolicy, MemorySettings};
pub use network::{BindAddress, NetworkSettings};
pub use persistence::{AppendFsync, PersistenceSettings};
pub use process::{ProcessSettings, ShutdownFlags};
pub use queries::QuerySettings;
pub use ranges::{RangeIndex, RangeSettings};
pub use scripting::ScriptSettings;
pub use security::{AclSettings, Gate, SecuritySettings};
pub use tls::{AuthClients, Identity, SessionCache, TlsSettings};

/// A titled list of directives.
#[derive(Clone, Copy, Debug)]
pub struct Area {
    /// The heading in the reference.
    pub title: &'static str,
    lists: &'static [&'static [Directive]],
}

impl Area {
    /// The directives, in the order of the reference.
    pub fn directives(&self) -> impl Iterator<Item = &'static Directive> + use<> {
        self.lists.iter().copied().flatten()
    }
}

/// What Redis has no word for.
const OWN: &[&[Directive]] = &[
    process::OWN,
    grpc::LIST,
    clients::OWN,
    http::LIST,
    ranges::LIST,
    queries::LIST,
    persistence::OWN,
];

/// All areas, in the order of the reference.
pub const AREAS: &[Area] = &[
    Area { title: "Network", lists: &[network::LIST] },
    Area { title: "Security", lists: &[security::LIST] },
    Area { title: "Clients", lists: &[clients::LIST] },
    Area { title: "Kvist", lists: OWN },
    Area { title: "Process and threads", lists: &[process::LIST] },
    Area { title: "Logging and monitoring", lists: &[logging::LIST] },
    Area { title: "Memory and expiry", lists: &[memory::LIST] },
    Area { title: "Encodings and limits", lists: &[encodings::LIST] },
    Area { title: "Persistence", lists: &[persistence::LIST] },
    Area { title: "Scripts and events", lists: &[scripting::LIST, events::LIST] },
    Area { title: "Replication", lists: &[replication::LIST] },
    Area { title: "Cluster", lists: &[cluster::LIST] },
    Area { title: "TLS", lists: &[tls::LIST] },
];

/// Directives of Redis whose default differs here on purpose, with the reason.
pub const DEFAULTS_OF_OUR_OWN: &[(&str, &str)] = &[
    ("bind", "only this machine can connect until the owner says otherwise"),
    ("dir", "data has a directory of its own instead of wherever the server was started"),
    ("appendonly", "a database keeps what it has acknowledged"),
    ("io-threads", "every core works"),
];

/// Every directive that may stand in CONFIG GET and CONFIG SET.
pub(crate) fn all() -> impl Iterator<Item = &'static Directive> {
    AREAS.iter().flat_map(Area::directives)
}
