//! Scripts and functions: Lua that runs commands on the dataset, with no other request between
//! them.
//!
//! ```text
//!   EVAL, FCALL ─► Job ─► its shards ─► Vm (crate `script`) ─► Caller ─► the command, as usual
//!                  ▲         │                                   │
//!                  └─────────┴── every shard, once more ◄────────┴── a key of another shard
//! ```
//!
//! A script holds the shards of the keys it declares, so scripts about different keys run side by
//! side. It may use others, as in Redis; what it has changed until then is taken back, and it runs
//! again holding every shard, as it will from then on (`run.rs`). What the journal keeps is what
//! its commands did, all of it in one frame.
//!
//! Each thread has interpreters of its own (`scripts/interpreter_pool.rs`); which scripts and
//! libraries there are is known to the engine (`scripts/cache.rs`, `scripts/libraries.rs`).
//! Libraries are part of the dataset: `catalog.rs` changes them, `scripts/library_image.rs` is
//! their form in the journal and in snapshots. A script that takes long is among those that others
//! can see and end (`running.rs`).

mod caller;
mod catalog;
mod command;
mod ending;
mod run;
mod running;

pub(crate) use self::catalog::{Catalog, Change, Changed, LOAD_TIMEOUT};
pub(crate) use self::run::{Code, Job, limits, run};
