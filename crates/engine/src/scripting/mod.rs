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
//! Each thread has interpreters of its own (`interpreter_pool.rs`); which scripts and libraries
//! there are is known to the engine (`cache.rs`, `libraries.rs`). Libraries are part of the
//! dataset: `catalog.rs` changes them, `library_image.rs` is their form in the journal and in
//! snapshots. A script that takes long is among those that others can see and end (`running.rs`).

mod cache;
mod caller;
mod catalog;
mod interpreter_pool;
mod libraries;
mod library_image;
mod needs;
mod run;
mod running;

pub(crate) use self::cache::{Cached, Scripts};
pub(crate) use self::catalog::{Catalog, Change, Changed, LOAD_TIMEOUT};
pub(crate) use self::interpreter_pool::InterpreterPool;
pub(crate) use self::libraries::{Functions, Known};
pub(crate) use self::library_image::{put_all as put_libraries, read as read_libraries};
pub(crate) use self::run::{Code, Job, flags_of, limits, run};
pub(crate) use self::running::{BROKEN_OFF, Kill, Runs};
