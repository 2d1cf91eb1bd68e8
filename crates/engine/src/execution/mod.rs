//! What a request passes through, from its words to its reply.
//!
//! ```text
//!   feed ─► execute: admit (admission, rights, gate) ─► pause? ─► queue (multi)?
//!                        │ data                              │ sessions, the server
//!                        ▼                                   ▼
//!             data_command ─► settle ─► propagate          control
//!                        │
//!                     block · query · serving · notifier · delivery · monitor
//! ```

pub(crate) mod admission;
pub(crate) mod batch;
pub(crate) mod block;
pub(crate) mod data_command;
pub(crate) mod delivery;
pub(crate) mod direct_reply;
pub(crate) mod execute;
pub(crate) mod feed;
pub(crate) mod file_requests;
pub(crate) mod gate;
pub(crate) mod in_process;
pub(crate) mod monitor;
pub(crate) mod multi;
pub(crate) mod notifier;
pub(crate) mod pause;
pub(crate) mod prepare;
pub(crate) mod propagate;
pub(crate) mod query;
pub(crate) mod query_under_locks;
pub(crate) mod reply_limit;
pub(crate) mod request;
pub(crate) mod rights;
pub(crate) mod script_flags;
pub(crate) mod serving;
pub(crate) mod settle;
