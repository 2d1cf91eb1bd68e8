//! The engine of Kvist inside your own program: every command, the same durability, no socket.
//!
//! ```
//! let db = kvist::Kvist::in_memory()?;
//! db.set("greeting", "hello")?;
//! let greeting: Option<String> = db.get("greeting")?;
//! assert_eq!(greeting.as_deref(), Some("hello"));
//!
//! // Any command, by its words; the reply as whatever it is wanted as.
//! let length: i64 = db.run(["APPEND", "greeting", ", world"])?;
//! assert_eq!(length, 12);
//! # Ok::<(), kvist::Error>(())
//! ```
//!
//! ```text
//!   Kvist          a handle; cheap to clone, shared by all threads
//!    ├ call, run   one request, without a session
//!    ├ pipeline    many
//!    ├ session     a connection's state: SELECT, WATCH, MULTI, CLIENT …
//!    ├ subscriber  messages that are published
//!    ├ changes     what changes in the dataset, in order
//!    └ channel     bytes of the protocol in, bytes out: for doors of your own
//! ```
//!
//! [`Kvist::open`] takes a directory and keeps in it what it is told, as `kvist serve` does: the
//! journal, snapshots, recovery and every directive are the same, and a server can open the
//! directory afterwards. While one process has it open, any other is refused.
//!
//! Threads call the engine directly, each with a worker of its own; what two of them do to
//! different keys does not meet in any lock. Keys expire, memory is evicted and the journal is
//! written by threads of the engine's, which end with [`Kvist::close`] or when the last handle is
//! dropped.
//!
//! A process that was forked has none of those threads. There every call is refused with
//! [`Error::Forked`], and dropping what was inherited does nothing to the directory.
#![forbid(unsafe_code)]

/// The examples of the guide.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/embedding.md")]
mod guide {}

mod aside;
mod builder;
mod channel;
mod client_session;
mod durability_wakeup;
mod error;
mod handle;
mod inbox;
mod pipeline;
mod reply;
mod session;
mod shared;
mod subscriber;
mod typed;
mod value;
mod values;
mod workers;

pub use base::{Protocol, Reply};
pub use builder::Builder;
pub use channel::Channel;
pub use engine::persistence::Recovered;
pub use engine::{
    Answered, Change, ChangeBatch, ChangeEvent, ChangeKind, ChangeReader, DirectReply,
};
pub use error::Error;
pub use handle::Kvist;
pub use pipeline::{Pipeline, Plan};
pub use session::Session;
pub use subscriber::{Message, Subscriber};
pub use typed::ToWord;
pub use value::{FromElement, FromValue};
pub use values::Values;
pub use wire::Value;
