//! Every directive, one list per area.
//!
//! The lists are explicit so that what exists can be read, searched and reviewed. A directive is
//! added by adding a line to the list of its area; nothing else registers it. Names, ranges,
//! defaults and run-time changeability are those of Redis 7.0.15 (asked of a running one) unless a
//! directive is marked as our own or its default stands in [`DEFAULTS_OF_OUR_OWN`].

use crate::directive::Directive;

/// The largest amount of memory that can be said.
const I64: u64 = i64::MAX as u64;
const MB: u64 = 1 << 20;

mod clients;
mod cluster;
mod encodings;
pub(crate) mod file_only;
mod logging;
mod memory;
mod network;
mod own;
mod persistence;
mod process;
mod replication;
mod scripting;
mod security;
mod tls;

/// A titled list of directives.
#[derive(Clone, Copy, Debug)]
pub struct Area {
    /// The heading in the reference.
    pub title: &'static str,
    /// The directives, in the order of the reference.
    pub directives: &'static [Directive],
}

/// All areas, in the order of the reference.
pub const AREAS: &[Area] = &[
    Area { title: "Network", directives: network::LIST },
    Area { title: "Security", directives: security::LIST },
    Area { title: "Clients", directives: clients::LIST },
    Area { title: "Kvist", directives: own::LIST },
    Area { title: "Process and threads", directives: process::LIST },
    Area { title: "Logging and monitoring", directives: logging::LIST },
    Area { title: "Memory and expiry", directives: memory::LIST },
    Area { title: "Encodings and limits", directives: encodings::LIST },
    Area { title: "Persistence", directives: persistence::LIST },
    Area { title: "Scripts and events", directives: scripting::LIST },
    Area { title: "Replication", directives: replication::LIST },
    Area { title: "Cluster", directives: cluster::LIST },
    Area { title: "TLS", directives: tls::LIST },
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
    AREAS.iter().flat_map(|area| area.directives)
}
