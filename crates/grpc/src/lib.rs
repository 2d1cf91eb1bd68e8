//! The gRPC door: calls of `memorize.Memorize` and `kvist.v1.KvistService` on the same dataset.
//!
//! ```text
//!   socket ─► serve ─► hyper (HTTP/2) ─► dispatch: which service, until when
//!                                            │
//!            peer: one connection ◄──────────┤
//!             └ guest: one user on it        ▼
//!                 └ sessions ◄──── memorize · kvist: what a call means
//!                                            │ words of a command
//!                                            ▼
//!                                  house: one seat at the engine ─► reply
//! ```
//!
//! All calls run on the one thread of the runtime that this is spawned on, from one seat at the
//! engine: a call that has nothing to wait for never leaves that thread, and costs no task beside
//! the one HTTP/2 makes. What waits (for a key, for the end of a pause, for the disk) waits without
//! holding anything. What runs for long by its nature (a script, `KEYS`, `SORT`) runs aside; keys
//! in order are those of the ordered index, page by page.
//!
//! HTTP/2 is hyper's, and what is generated from `proto/` is tonic's; tonic's own server is not
//! used, because every call would pass its layers and who is connected would be lost behind them.
#![forbid(unsafe_code)]

mod aside;
mod budget;
mod caller;
mod codec;
mod credentials;
mod frames;
pub mod generated;
mod guest;
mod house;
mod inbound;
mod kvist;
mod letters;
pub mod line;
mod memorize;
mod peer;
mod reply;
mod routes;
mod search;
mod serve;
mod slowed;
mod status;
mod walk;

pub use house::{Hooks, House, LONG_CALLS};
pub use serve::serve;
