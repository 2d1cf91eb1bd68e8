//! What this server says it is.

use base::{Group, Reply};

/// The version of Redis whose commands and replies are promised.
pub(crate) const REDIS_VERSION: &str = "7.0.15";
/// The version of Kvist.
pub(crate) const KVIST_VERSION: &str = env!("CARGO_PKG_VERSION");
/// The memory allocator; the `kvist` binary installs it.
pub(crate) const ALLOCATOR: &str = "mimalloc";

/// A module of Redis whose commands are part of this server. Clients ask for modules by name.
pub(crate) struct Module {
    /// Its name.
    pub name: &'static str,
    /// The version whose commands and replies are promised: 10000 × major + 100 × minor.
    pub version: i64,
    /// The family of its commands.
    pub group: Group,
}

/// All of them.
pub(crate) const MODULES: &[Module] = &[
    Module { name: "ReJSON", version: 81_000, group: Group::Json },
    Module { name: "search", version: 21_005, group: Group::Search },
    Module { name: "graph", version: 41_603, group: Group::Graph },
];

impl Module {
    /// The module that the commands of a family belong to.
    pub(crate) fn of(group: Group) -> Option<&'static Module> {
        MODULES.iter().find(|module| module.group == group)
    }

    /// The module of this name, in any case.
    pub(crate) fn named(name: &[u8]) -> Option<&'static Module> {
        MODULES.iter().find(|module| module.name.as_bytes().eq_ignore_ascii_case(name))
    }

    /// Tells of all of them, as `MODULE LIST` and `HELLO` do.
    pub(crate) fn write_all(out: &mut dyn Reply) {
        out.array(MODULES.len());
        for module in MODULES {
            out.map(4);
            out.bulk(b"name");
            out.bulk(module.name.as_bytes());
            out.bulk(b"ver");
            out.int(module.version);
            // It was not loaded from anywhere, with no arguments.
            out.bulk(b"path");
            out.bulk(b"");
            out.bulk(b"args");
            out.array(0);
        }
    }
}
