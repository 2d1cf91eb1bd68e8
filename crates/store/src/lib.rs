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
mod changes;
mod collections;
mod entries;
mod evict;
mod expire;
mod gone;
mod held;
mod history;
pub mod image;
mod incremental_copy;
mod key_counts;
mod keyspace;
mod large_values;
mod locking;
mod lookups;
mod memory_account;
mod moved;
mod notifications;
mod object;
mod ordered;
mod overdue;
mod readers;
mod records;
pub mod replay;
mod room;
mod serving;
mod shard;
mod shared_contexts;
mod snapshot_scan;
mod store;
mod strings;
mod text_copy;
mod text_notes;
mod touched;
mod tracked;
mod tracking;
mod trash;
mod txn;
mod undo;
mod usage;
mod value_copy;
mod waiting;
mod watch;
mod weight;

pub use assembly::{Assembled, Assemblies};
pub use busy::{Busy, Locks};
pub use changes::Changes;
pub use entries::{Copied, Seen, Value, copy_database, each_entry, read_image, reload, seen};
pub use evict::{By, Evicted, Victims, evict_step};
pub use expire::expire_step;
pub use gone::GoneKeys;
pub use held::HeldShards;
pub use incremental_copy::ChunkSink;
pub use key_counts::{KeyCounts, key_counts, recount};
pub use locking::{Failed, Scope};
pub use lookups::Lookups;
pub use moved::Name;
pub use notifications::{
    BROADCAST, BY_EVENT, BY_KEY, Notification, NotificationSink, READERS, TxnNotifications,
};
pub use object::Object;
pub use ordered::{
    Build, Figures as IndexFigures, Indexes, Keeping, Phase as IndexPhase, Run, ask_deadlines,
    drop_index, gather_keys, keys_of, merge_index,
};
pub use readers::Ids;
pub use room::{COPY_ASKS, size_to_copy};
pub use serving::{Waiters, leave_queues, serve_gone, serve_ready};
pub use shard::{Db, Shard};
pub use snapshot_scan::{IN_CHUNKS, Scanned, shard_among};
pub use store::{Options, Store};
pub use table::{POSITIONS, position};
pub use touched::Touched;
pub use tracked::TrackedKeys;
pub use tracking::{forget_gone_readers, note_reader, trim_readers};
pub use trash::Garbage;
pub use txn::{KeyFilter, Txn};
pub use undo::UndoLog;
pub use usage::Measure;
pub use waiting::{LetGo, Queued, Waiter};
pub use watch::Watch;
pub use weight::{Weight, weigh};

/// Strings longer than this live in an [`Object`] of their own, so that they can be edited in
/// place; shorter ones lie inside the entry.
pub const INLINE_MAX: usize = 4096;
