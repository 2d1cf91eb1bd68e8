//! The crash tester: a server is killed under load again and again, on one directory, and what it
//! remembers is compared with what it had promised.
//!
//! ```text
//!  workload ── partition ── worker ──────► server        every connection owns its keys, and keeps
//!     │         │                       │           a model and a history of them
//!   model ◄─────┘     plan: BGSAVE, … kill -9
//!     │                                 │ restart (killed again while it loads)
//!     └────────► check ◄── observe ─────┘           which prefixes of the history could this be?
//! ```
//!
//! A connection's history is a list of [`unit::Unit`]s: commands and EXEC groups, each of which
//! happens or does not. After a crash the connection's keys must be what its model says after some
//! prefix of that list: of all that was acknowledged and any part of the rest (`always`), of all
//! that was acknowledged more than a second before (`everysec`), of anything (`no`). Because a
//! prefix is compared as a whole, a lost, doubled, reordered or halved write anywhere is a
//! violation, without the checker knowing how the server keeps its journal.
//!
//! The server is a black box, started and killed as a process; nothing of Kvist is linked here.
//! `redis-server` must pass too, which is how the harness itself is tested.
#![forbid(unsafe_code)]

pub mod check;
pub mod cli;
pub mod clock;
pub mod cycle;
pub mod disturb;
pub mod graph;
pub mod model;
pub mod observe;
pub mod partition;
pub mod project;
pub mod sanity;
pub mod server;
pub mod settings;
pub mod shared;
pub mod tree;
pub mod unit;
pub mod value;
pub mod worker;
pub mod workload;
