//! The engine: from a request's words to its reply.
//!
//! ```text
//!   door (socket, …)                         another worker
//!      │ bytes                                     ▲ Message through a Mailbox
//!      ▼                                           │
//!   Worker::feed ──► decode 16, hash, prefetch ──► execute ──► Txn (store) ──► command
//!                                                    │
//!                     session · multi · block · pubsub · stats · slowlog
//! ```
//!
//! Reading order: [`Engine`] is what all workers share, [`Worker`] is one thread's context,
//! [`Session`] is one client. `feed.rs` turns bytes into requests, `execute.rs` is the path of a
//! request, `access/` says whether it may go that way, and `control/` holds the commands about
//! sessions and the server itself.
//!
//! The engine knows no sockets: doors hand it bytes and a [`Mailbox`].
#![forbid(unsafe_code)]

mod access;
mod admission;
mod answer;
mod background_requests;
mod block;
mod client;
mod client_eviction;
mod client_memory;
mod confirmation;
mod control;
mod cron;
mod data_command;
mod door;
mod engine;
pub mod evict;
pub mod exchange;
mod execute;
mod feed;
mod file_requests;
mod latency;
mod latency_monitor;
mod lifecycle;
mod long_requests;
mod migrate;
mod monitor;
mod multi;
mod notifier;
mod ordered;
mod pause;
pub mod persistence;
mod plan;
mod precedence;
mod prepare;
mod propagate;
mod pubsub;
pub mod redis_files;
mod replace_file;
mod replies;
mod reply_limit;
mod request_flags;
mod scripting;
mod serving;
mod session;
mod settle;
mod side_threads;
mod slowlog;
mod sparkline;
mod stats;
mod table;
mod thread_pool;
mod tracking;
mod transfer;
pub mod unauthenticated;
mod watch;
mod weight;
mod worker;

pub use access::{Account, Credential, Login, Users};
pub use answer::{Answer, Answered};
pub use block::Blocked;
pub use client::{Client, ClientId, Clients, Mailbox, Message, Origin};
pub use client_memory::{ClientMemory, CountedBytes};
pub use confirmation::Confirmation;
pub use control::{Control, is_local_address};
pub use cron::{Allocator, Cron, CronRounds};
pub use engine::{CarryOut, Engine, Start, command_table, command_table_as_called};
pub use feed::{Fed, State};
pub use latency_monitor::LatencyMonitor;
pub use lifecycle::{BeginError, Beginning, entropy};
pub use long_requests::{LongRequest, LongRequests};
pub use migrate::{Dial, DialError, Line};
pub use pause::Pauses;
pub use session::Session;
pub use side_threads::{SideThreads, Stage};
pub use stats::{Counters, Totals};
pub use table::{Action, Entry, Table, Unnameable};
pub use transfer::Transfer;
pub use watch::{Watch, Watcher, Watching};
pub use worker::{Worker, WorkerContext};
