//! The engine: from a request's words to its reply.
//!
//! ```text
//!   door (socket, …)                         another worker
//!      │ bytes                                     ▲ Message through a Mailbox
//!      ▼                                           │
//!   Worker::feed ──► decode 16, hash, prefetch ──► execute ──► Txn (store) ──► command
//! ```
//!
//! [`Engine`] is what all workers share, [`Worker`] is one thread's context, [`Session`] is one
//! client. The rooms; imports point downwards, and `cargo xtask shape` shows where they do not:
//!
//! ```text
//!   start, lifecycle                                    how an engine is made, loaded and ended
//!     ▼
//!   door        control     cron, ordered, migrate      what starts requests: other doors,
//!     │            │              │                     commands about sessions, the clock
//!     │            ├─ scripting ──┤    persistence
//!     ▼            ▼              ▼         │           what a request passes through (execution),
//!   execution ◄────┴──────────────┴─────────┘           scripts, the dataset's life on disk
//!     │   └─ admin, evict
//!     ▼
//!   engine      Engine, Table, Worker, Control          what all workers share, and what each has
//!     ▼
//!   client · notify · access · background · durability · scripts · metrics
//! ```
//!
//! A part that several rooms need is divided: what is known of it lies below `engine`, where
//! `Engine` has a field for it, what is done with it above. So `client/blocked.rs` keeps requests
//! that wait and `execution/block.rs` makes them wait; `durability` and `persistence`, `scripts`
//! and `scripting`, `notify` and `execution/notifier.rs` are such pairs. Code that needs one part
//! takes that field. Methods of `Engine` in an upper room are called from below, too: `shape` sees
//! only imports. The command table, `Control` and `Worker` name `Engine` and are named by it.
//!
//! The engine knows no sockets: doors hand it bytes and a [`Mailbox`].
#![forbid(unsafe_code)]

mod access;
mod admin;
mod background;
mod client;
mod control;
mod cron;
mod door;
mod durability;
mod engine;
mod entropy;
mod evict;
mod execution;
mod lifecycle;
mod metrics;
mod migrate;
mod notify;
mod ordered;
pub mod persistence;
mod replace_file;
mod scripting;
mod scripts;
mod start;
mod tracking_upkeep;

pub use access::{Account, Challenge, Credential, Login, Users};
pub use client::blocked::Blocked;
pub use client::held::PostedReply;
pub use client::memory::{ClientMemory, CountedBytes};
pub use client::pauses::Pauses;
pub use client::session::Session;
pub use client::transfer::Transfer;
pub use client::{Client, ClientId, Clients, Mailbox, Message, Origin};
pub use cron::{Cron, CronRounds};
pub use door::confirmation::Confirmation;
pub use door::long_requests::{LongRequest, LongRequests};
pub use door::mailbox::{CloseSignal, MessageQueue};
pub use door::side_threads::{SideThreads, Stage};
pub use door::watch::Watching;
pub use door::{exchange, step, unauthenticated};
pub use engine::context::Control;
pub use engine::entry::{Action, Entry, Facts, Naming, Syntax};
pub use engine::hooks::{Allocator, CarryOut, Dial, DialError, Line};
pub use engine::table::{Table, Unnameable};
pub use engine::worker::{Worker, WorkerContext};
pub use engine::{Engine, Start};
pub use entropy::entropy;
pub use execution::direct_reply::DirectReply;
pub use execution::feed::{Fed, State};
pub use execution::gate::is_local_address;
pub use execution::in_process::Answered;
pub use lifecycle::{BeginError, Beginning};
pub use metrics::latency_monitor::LatencyMonitor;
pub use metrics::stats::{Counters, Totals};
pub use notify::watch::{WatchedKeys, Watcher};
pub use persistence::redis_files;
pub use start::{command_table, command_table_as_called};
pub use store::{Change, ChangeBatch, ChangeEvent, ChangeKind, ChangeReader};
