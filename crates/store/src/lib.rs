//! The dataset: shards behind locks, and the transactions that hold them.
//!
//! ```text
//!   Store ──► shard 0 .. shard N-1      one lock each
//!               └─ db 0 .. db 15        one table each: key → entry
//!                    └─ entry           short string inline, or a boxed Object
//! ```
//!
//! The rooms, from top to bottom as imports point:
//!
//! ```text
//!   evict  expire  key_counts  weight      what goes through the shards beside requests
//!   entries  replay  serving  subscribe
//!     │          host      Keyspace, Strings, Holds<T>, …: the traits of a host, for Txn
//!     │   index_upkeep  tracking       building and merging an index; which clients read a key
//!     ▼            ▼
//!                txn       Txn and its parts: HeldShards, Changes, UndoLog, …
//!                  ▼
//!               store      Store: locks, notifications, tracked keys, scans for snapshots
//!                  ▼
//!     change_stream        what has changed, for its consumers
//!                  ▼
//!             ordered      the ordered index of each database
//!                  ▼
//!               shard      a table per database; waiting and watching clients; history
//!                  ▼
//!              object      what a key can hold; its image, its copy in chunks
//! ```
//!
//! One import points upwards: the store calls what serves blocked clients, which needs a
//! transaction (`NotificationSink`). Most upper files take `HeldShards`: the shards that a
//! transaction holds, or may lock for a moment, with their records and the account of their memory.
//! `Txn` itself has methods only where its parts act together: in its own file, in
//! `txn/locking.rs`, and as a host.
//!
//! Invariants:
//! 1. A shard is touched only by the transaction that holds its lock.
//! 2. Locks are taken in ascending order of shard number; no thread waits for a lower one.
//! 3. A shard's `memory()` equals what its tables and objects own, at the end of every command.
//! 4. The shard of a key depends on its hash alone, so it is the same in every database.
#![forbid(unsafe_code)]

mod change_reader;
mod change_stream;
mod containment;
mod entries;
mod evict;
mod expire;
mod host;
mod index_upkeep;
mod key_counts;
mod object;
mod ordered;
pub mod replay;
mod serving;
mod shard;
mod store;
mod tracking;
mod txn;
mod weight;

pub use change_reader::{ChangeReader, Registration};
pub use change_stream::backlog::ChangeEvent;
pub use change_stream::{Change, ChangeBatch, ChangeConsumer, ChangeKind, DEFAULT_BACKLOG_LIMIT};
pub use entries::{Copied, Seen, Value, copy_database, each_entry, read_image, reload, seen};
pub use evict::{By, Evicted, Victims, evict_step};
pub use expire::expire_step;
pub use index_upkeep::{ask_deadlines, drop_index, gather_keys, keys_of, merge_index};
pub use key_counts::{KeyCounts, key_counts, recount};
pub use object::{Assembled, Assemblies, ChunkSink, Measure, Object, image};
pub use ordered::{Build, Figures as IndexFigures, Indexes, Keeping, Phase as IndexPhase, Run};
pub use serving::{Waiters, leave_queues, serve_noted, serve_ready};
pub use shard::{Db, Garbage, Ids, LetGo, Queued, Shard, Touched, Waiter, Watch};
pub use store::{
    BROADCAST, BY_EVENT, BY_KEY, Busy, CHANGES, IN_CHUNKS, KeysToServe, Locks, Name, Notification,
    NotificationSink, Options, READERS, Scanned, Store, TrackedKeys, assert_no_shard_held,
    shard_among,
};
pub use table::{POSITIONS, position};
pub use tracking::{forget_gone_readers, note_reader, trim_readers};
pub use txn::{
    COPY_ASKS, Changes, Failed, HeldShards, KeyFilter, Lookups, Reach, Scope, Txn,
    TxnNotifications, UndoLog,
};
pub use weight::{Weight, weigh};

/// Strings longer than this live in an [`Object`] of their own, so that they can be edited in
/// place; shorter ones lie inside the entry.
pub const INLINE_MAX: usize = 4096;
