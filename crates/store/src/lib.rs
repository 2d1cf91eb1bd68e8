//! The dataset: shards behind locks, and the transactions that hold them.
//!
//! ```text
//!   Store ──► shard 0 .. shard N-1      one lock each
//!               └─ db 0 .. db 15        one table each: key → entry
//!                    └─ entry           short string inline, or a boxed Object
//!   Txn: a worker's transaction. Locks the shards a request needs, in ascending order,
//!        and is the host (`Databases`, `Strings`, `Holds<T>`) that commands run on.
//! ```
//!
//! Reading order: [`Object`] is what a key can hold, [`Shard`] is single-threaded and knows no
//! lock, [`Store`] is the shards with their locks, [`Txn`] is the only file about concurrency.
//!
//! Invariants:
//! 1. A shard is touched only by the transaction that holds its lock.
//! 2. Locks are taken in ascending order of shard number; no thread waits for a lower one.
//! 3. A shard's `memory()` equals what its tables and objects own, at the end of every command.
//! 4. The shard of a key depends on its hash alone, so it is the same in every database.
#![forbid(unsafe_code)]

mod assembly;
mod busy;
mod collections;
mod deferred_serves;
mod entries;
mod evict;
mod expire;
mod history;
pub mod image;
mod incremental_copy;
mod key_counts;
mod keyspace;
mod locking;
mod moved;
mod notifications;
mod object;
mod ordered;
mod readers;
mod room;
mod serving;
mod shard;
mod snapshot_scan;
mod store;
mod strings;
mod text_copy;
mod text_notes;
mod trash;
mod txn;
mod undo;
mod usage;
mod value_copy;
mod waiting;
mod watch;
mod weight;

pub use assembly::{Assembled, Assemblies};
pub use busy::Busy;
pub use entries::{Copied, Seen, Value};
pub use evict::{By, Evicted, Victims};
pub use incremental_copy::ChunkSink;
pub use key_counts::KeyCounts;
pub use moved::Name;
pub use notifications::{BROADCAST, BY_EVENT, BY_KEY, Notification, NotificationSink, READERS};
pub use object::Object;
pub use ordered::{Build, Figures as IndexFigures, Keeping, Phase as IndexPhase, Run};
pub use readers::Ids;
pub use room::COPY_ASKS;
pub use serving::{Waiters, serve_gone, serve_ready};
pub use shard::{Db, Shard};
pub use snapshot_scan::{IN_CHUNKS, Scanned, shard_among};
pub use store::{Options, Store};
pub use table::{POSITIONS, position};
pub use trash::Garbage;
pub use txn::{Failed, KeyFilter, Scope, Touched, Txn};
pub use usage::Measure;
pub use waiting::{LetGo, Queued, Waiter};
pub use watch::Watch;
pub use weight::Weight;

/// Strings longer than this live in an [`Object`] of their own, so that they can be edited in
/// place; shorter ones lie inside the entry.
pub const INLINE_MAX: usize = 4096;
